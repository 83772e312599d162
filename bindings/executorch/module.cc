#include <executorch/runtime/backend/interface.h>
#include <executorch/runtime/kernel/operator_registry.h>
#include <nanobind/nanobind.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include "bindings/executorch/metadata.h"
#include "bindings/executorch/python_method.h"
#include "bindings/executorch/python_program.h"
#include "bindings/memory/errors.h"
#include "bindings/memory/python.h"
#include "bindings/memory/tensor_buffer.h"
#include "bindings/memory/unlocked.h"
#include "executorch/engine.h"
#include "executorch/threads.h"

namespace nb = nanobind;
namespace et = executorch::runtime;

namespace {

bool is_backend_available(const char* name) {
  const et::BackendInterface* backend = et::get_backend_class(name);
  return backend != nullptr && backend->is_available();
}

nb::list operator_names() {
  nb::list names;
  const auto kernels = et::get_registered_kernels();
  for (size_t i = 0; i < kernels.size(); ++i) {
    names.append(kernels[i].name_);
  }
  return names;
}

}  // namespace

// nanobind's own PyInit would replace what this extension knows by what a subinterpreter has, so it
// is called under another name, after a look at who imports.
#define PyInit__executorch init_executorch
NB_MODULE(_executorch, m) {
  m.doc() = "The ExecuTorch runtime, on plain memory.";
  nocopy::import_tensor_buffer();
  nocopy::register_errors();
  nocopy::executorch::initialize_engine();
  // The build links the runtime's own shared libraries, none of which knows torch.
  m.attr("_links_torch") = false;
  m.attr("runtime_version") = NOCOPY_EXECUTORCH_VERSION;
  nocopy::executorch::bind_metadata(m);
  nocopy::executorch::bind_method(m);
  nocopy::executorch::bind_program(m);
  m.def("backend_names", nocopy::executorch::backend_names);
  m.def("is_backend_available", is_backend_available);
  m.def("operator_names", operator_names);
  m.def("num_threads", nocopy::executorch::num_threads);
  m.def("set_num_threads", nocopy::executorch::set_num_threads, nb::arg("n"),
        nb::call_guard<nocopy::Unlocked>());
}
#undef PyInit__executorch

extern "C" NB_EXPORT PyObject* PyInit__executorch() {
  return nocopy::require_main_interpreter() ? init_executorch() : nullptr;
}
