#include <nanobind/nanobind.h>

namespace nb = nanobind;

NB_MODULE(_core, m) { m.doc() = "Memory and ONNX. Loads no ExecuTorch library."; }
