#include <nanobind/nanobind.h>

#include <memory>
#include <string>

#include "bindings/core/onnx_classes.h"
#include "bindings/core/raw_data.h"
#include "bindings/core/text_format.h"
#include "bindings/memory/errors.h"
#include "bindings/memory/lend.h"
#include "bindings/memory/python.h"
#include "bindings/memory/tensor_buffer.h"
#include "memory/dtype.h"

namespace nb = nanobind;

// nanobind's own PyInit would replace what this extension knows by what a subinterpreter has, so it
// is called under another name, after a look at who imports.
#define PyInit__core init_core
NB_MODULE(_core, m) {
  m.doc() = "Memory and ONNX. Loads no ExecuTorch library.";
  nocopy::register_errors();
  nocopy::bind_tensor_buffer(m);
  nocopy::onnx::bind_onnx_classes(m);
  nocopy::onnx::bind_raw_data(m);
  nocopy::onnx::bind_text_format(m);
  m.def("dtype_table", [] {
    nb::list rows;
    for (const nocopy::DTypeInfo& row : nocopy::dtype_table()) {
      rows.append(nb::make_tuple(std::string(row.name).c_str(), row.bits, row.scalar_type,
                                 row.onnx_type, std::string(row.torch_name).c_str()));
    }
    return rows;
  });
  // A TensorBuffer over another object's memory. For the tests, which reach with it what no result
  // of this build is: memory of any layout, read-only, or on a device.
  m.def("_borrow", [](nb::handle object) {
    nocopy::LentTensor lent;
    nocopy::lend(object, "the object", lent);
    std::shared_ptr<nocopy::Pin> pin(std::move(lent.pin));
    return nocopy::make_tensor_buffer({std::move(lent.view), std::move(pin)});
  });
}
#undef PyInit__core

extern "C" NB_EXPORT PyObject* PyInit__core() {
  return nocopy::require_main_interpreter() ? init_core() : nullptr;
}
