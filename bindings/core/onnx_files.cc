#include <nanobind/stl/string.h>

#include <memory>
#include <string>

#include "bindings/core/classes.h"
#include "bindings/core/held_buffer.h"
#include "bindings/core/onnx_classes.h"
#include "bindings/core/options.h"
#include "bindings/memory/unlocked.h"
#include "onnx/file.h"

namespace nocopy::onnx {
namespace {

// Makes a message of this class with `parse`, without the interpreter's lock unless a callback,
// which needs it, is given parts of what is being made.
template <typename Parse>
nb::object make_with(nb::handle type, const ParseOptions& options, Parse&& parse) {
  const MessageSchema* schema = schema_of(reinterpret_cast<PyTypeObject*>(type.ptr()));
  if (schema == nullptr) {
    throw nb::python_error();
  }
  const AnyMessageRef made(schema->create(nullptr));
  if (options.raw_data_callback) {
    parse(*made.get());
  } else {
    const Unlocked unlocked;
    parse(*made.get());
  }
  return object_of(*made.get());
}

nb::object load_file(nb::handle type, nb::handle path, nb::handle given) {
  const ParseOptions options = parse_options(given);
  const std::string file = to_path(path);
  return make_with(type, options, [&](Message& message) { ParseFromFile(message, file, options); });
}

nb::object load_beside(nb::handle type, nb::handle bytes, nb::handle model, nb::handle given) {
  ParseOptions options = parse_options(given);
  const auto buffer = std::make_shared<HeldBuffer>(bytes.ptr());
  if (options.no_copy) {
    options.owner = buffer;
  }
  const std::string file = to_path(model);
  return make_with(type, options, [&](Message& message) {
    ParseFromStringBeside(message, buffer->bytes(), file, options);
  });
}

// With the lock: nobody may change the model meanwhile.
void load_external_into(nb::handle message, nb::handle given) {
  LoadExternalData(message_of(message), {}, parse_options(given));
}

}  // namespace

void bind_onnx_files(nb::module_& m) {
  m.def("onnx_load_file", load_file, nb::arg("type"), nb::arg("path"), nb::arg("options").none());
  m.def("onnx_load_beside", load_beside, nb::arg("type"), nb::arg("bytes"), nb::arg("model"),
        nb::arg("options").none());
  m.def("onnx_load_external", load_external_into, nb::arg("message"), nb::arg("options"));
}

}  // namespace nocopy::onnx
