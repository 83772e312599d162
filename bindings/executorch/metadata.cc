#include "bindings/executorch/metadata.h"

#include <nanobind/stl/string.h>

#include "bindings/memory/python.h"
#include "bindings/memory/tensor_buffer.h"
#include "executorch/engine.h"
#include "memory/error.h"
#include "memory/layout.h"

namespace nocopy::executorch {
namespace {

size_t checked_index(int64_t index, size_t size, const char* what) {
  if (index < 0 || static_cast<size_t>(index) >= size) {
    throw nb::index_error((std::string(what) + " index " + std::to_string(index) +
                           " is out of range; there are " + std::to_string(size))
                              .c_str());
  }
  return static_cast<size_t>(index);
}

ValueSpec tensor_spec(const ValueEntry& entry, size_t index, const char* what) {
  if (entry.kind != ValueKind::kTensor) {
    throw Error(ErrorKind::kDType, std::string(what) + " " + std::to_string(index) + " is " +
                                       std::string(value_kind_name(entry.kind)) +
                                       ", not a tensor, so it has no tensor metadata.");
  }
  return make_spec(entry, index);
}

nb::tuple dim_order(const ValueSpec& spec) {
  return python_tuple(Dims(std::vector<int64_t>(spec.dim_order.begin(), spec.dim_order.end())));
}

std::string repr(const ValueSpec& spec) {
  return "TensorInfo(name='" + spec.name + "', sizes=" + to_string(spec.shape) +
         ", dtype=" + std::string(info(spec.dtype).name) +
         ", dynamic=" + (spec.dynamic ? "True" : "False") +
         ", is_memory_planned=" + (spec.planned ? "True" : "False") +
         ", nbytes=" + std::to_string(spec.nbytes) + ")";
}

std::string repr(const MethodMetadata& meta) {
  const MethodFile& file = meta.file();
  std::string text = "MethodMeta(name='" + std::string(file.name()) + "', inputs=[";
  const auto add = [&](const ValueEntry& entry, size_t i) {
    text += i != 0 ? ", " : "";
    text += entry.kind == ValueKind::kTensor ? repr(make_spec(entry, i))
                                             : std::string(value_kind_name(entry.kind));
  };
  for (size_t i = 0; i < file.input_count(); ++i) {
    add(file.input(i), i);
  }
  text += "], outputs=[";
  for (size_t i = 0; i < file.output_count(); ++i) {
    add(file.output(i), i);
  }
  return text + "])";
}

// Attributes are values inside the method that the export tagged; only the engine looks them up.
ValueSpec attribute_spec(const MethodMetadata& meta, int64_t index) {
  const auto engine = meta.engine();
  const size_t i = checked_index(index, engine.num_attributes(), "attribute");
  const auto tensor = engine.attribute_tensor_meta(i);
  const EngineCall call;
  call.check(tensor.error(), ErrorKind::kProgram, "reading the metadata of an attribute");
  ValueEntry entry;
  entry.kind = ValueKind::kTensor;
  entry.tensor.name = tensor->name();
  entry.tensor.scalar_type = static_cast<int8_t>(tensor->scalar_type());
  entry.tensor.sizes = {tensor->sizes().data(), tensor->sizes().size()};
  entry.tensor.dim_order = {tensor->dim_order().data(), tensor->dim_order().size()};
  entry.tensor.planned = tensor->is_memory_planned();
  entry.tensor.nbytes = tensor->nbytes();
  return make_spec(entry, i);
}

}  // namespace

::executorch::runtime::MethodMeta MethodMetadata::engine() const {
  const EngineCall call;
  const auto meta = program_->engine().method_meta(std::string(file_.name()).c_str());
  call.check(meta.error(), ErrorKind::kProgram, "reading the metadata of a method");
  return meta.get();
}

void bind_metadata(nb::module_& m) {
  nb::class_<ValueSpec>(m, "TensorInfo",
                        "What a program says about a tensor that goes in or out of a method.")
      .def(
          "sizes", [](const ValueSpec& self) { return python_tuple(self.shape); },
          "The shape as a tuple of int; where :meth:`is_dynamic`, the largest one.")
      .def(
          "dtype", [](const ValueSpec& self) { return python_dtype(self.dtype); },
          "The :class:`nocopy.dtypes.DType`; as an int, ExecuTorch's ``ScalarType``.")
      .def(
          "is_memory_planned", [](const ValueSpec& self) { return self.planned; },
          "Whether the method has memory of its own for it. An input without is read where the\n"
          "caller has it; an output without is written to fresh memory at each run.")
      .def(
          "nbytes", [](const ValueSpec& self) { return self.nbytes; },
          "The bytes of the elements; where :meth:`is_dynamic`, of the largest shape.")
      .def("dim_order", dim_order,
           "The order in which the dimensions are laid out in memory, outermost first.")
      .def(
          "strides", [](const ValueSpec& self) { return python_tuple(self.strides); },
          "The distance between neighbours in each dimension, in bytes, for :meth:`sizes`.")
      .def(
          "name", [](const ValueSpec& self) { return self.name; },
          "The tensor's fully qualified name in the exported model, or an empty string.")
      .def(
          "device", [](const ValueSpec& self) { return to_string(self.device); },
          "Where the memory is to be, such as ``'cpu'`` or ``'cuda:0'``.")
      .def(
          "is_dynamic", [](const ValueSpec& self) { return self.dynamic; },
          "Whether smaller shapes are taken or given too.")
      .def("__repr__", [](const ValueSpec& self) { return repr(self); });

  nb::class_<MethodMetadata>(m, "MethodMeta",
                             "What a program says about one of its methods. Nothing is loaded.")
      .def("name", [](const MethodMetadata& self) { return std::string(self.file().name()); })
      .def(
          "num_inputs", [](const MethodMetadata& self) { return self.file().input_count(); },
          "The number of inputs that a caller gives.")
      .def(
          "num_outputs", [](const MethodMetadata& self) { return self.file().output_count(); },
          "The number of outputs that a caller gets.")
      .def("num_attributes",
           [](const MethodMetadata& self) { return self.engine().num_attributes(); })
      .def(
          "input_tensor_meta",
          [](const MethodMetadata& self, int64_t index) {
            const size_t i = checked_index(index, self.file().input_count(), "input");
            return tensor_spec(self.file().input(i), i, "input");
          },
          nb::arg("index"), "The :class:`TensorInfo` of an input. Raises ``IndexError``.")
      .def(
          "output_tensor_meta",
          [](const MethodMetadata& self, int64_t index) {
            const size_t i = checked_index(index, self.file().output_count(), "output");
            return tensor_spec(self.file().output(i), i, "output");
          },
          nb::arg("index"), "The :class:`TensorInfo` of an output. Raises ``IndexError``.")
      .def("attribute_tensor_meta", attribute_spec, nb::arg("index"),
           "The :class:`TensorInfo` of an attribute. Raises ``IndexError``.")
      .def(
          "input_kind",
          [](const MethodMetadata& self, int64_t index) {
            const size_t i = checked_index(index, self.file().input_count(), "input");
            return std::string(value_kind_name(self.file().input(i).kind));
          },
          nb::arg("index"), "What an input is: ``'tensor'``, ``'int'``, ``'none'`` and so on.")
      .def(
          "output_kind",
          [](const MethodMetadata& self, int64_t index) {
            const size_t i = checked_index(index, self.file().output_count(), "output");
            return std::string(value_kind_name(self.file().output(i).kind));
          },
          nb::arg("index"), "What an output is: ``'tensor'``, ``'int'``, ``'none'`` and so on.")
      .def("__repr__", [](const MethodMetadata& self) { return repr(self); });
}

}  // namespace nocopy::executorch
