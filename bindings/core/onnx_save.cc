#include "bindings/core/classes.h"
#include "bindings/core/onnx_classes.h"
#include "bindings/core/options.h"
#include "onnx/consolidate.h"
#include "onnx/file.h"
#include "onnx/fresh_file.h"
#include "onnx/messages.h"

// Writing messages to files, and laying out tensors in memory. All of it with the interpreter's
// lock: nobody may change a message meanwhile.
namespace nocopy::onnx {
namespace {

void save_file(nb::handle message, nb::handle path, nb::handle options) {
  SerializeToFile(message_of(message), to_path(path), serialize_options(options));
}

void write_file(const nb::bytes& bytes, nb::handle path) {
  FreshFile file(behind_links(to_path(path)));
  file.write(bytes.c_str(), bytes.size());
  file.finish(true);
  file.take_place();
}

void consolidate(nb::handle model, nb::handle options) {
  Message& message = message_of(model, &ModelProto::kSchema);
  ConsolidateTensorsToBuffer(static_cast<ModelProto&>(message), tensor_buffer_options(options));
}

}  // namespace

void bind_onnx_save(nb::module_& m) {
  m.def("onnx_save_file", save_file, nb::arg("message"), nb::arg("path"),
        nb::arg("options").none());
  m.def("onnx_write_file", write_file, nb::arg("bytes"), nb::arg("path"));
  m.def("onnx_consolidate", consolidate, nb::arg("model"), nb::arg("options").none());
}

}  // namespace nocopy::onnx
