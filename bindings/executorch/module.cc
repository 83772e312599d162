#include <executorch/runtime/platform/runtime.h>
#include <nanobind/nanobind.h>

namespace nb = nanobind;

NB_MODULE(_executorch, m) {
  m.doc() = "The ExecuTorch runtime, on plain memory.";
  executorch::runtime::runtime_init();
  // The build links the runtime's own shared libraries, none of which knows torch.
  m.attr("_links_torch") = false;
  m.attr("runtime_version") = NOCOPY_EXECUTORCH_VERSION;
}
