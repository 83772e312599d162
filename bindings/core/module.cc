#include <nanobind/nanobind.h>

#include <memory>
#include <string>

#include "bindings/core/onnx_classes.h"
#include "bindings/core/raw_data.h"
#include "bindings/core/text_format.h"
#include "bindings/memory/errors.h"
#include "bindings/memory/lend.h"
#include "bindings/memory/tensor_buffer.h"
#include "memory/dtype.h"

namespace nb = nanobind;

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
