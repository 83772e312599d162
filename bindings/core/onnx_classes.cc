#include "bindings/core/onnx_classes.h"

#include <string>

#include "bindings/core/classes.h"

namespace nocopy::onnx {
namespace {

nb::str text(std::string_view view) { return nb::str(view.data(), view.size()); }

nb::object containing_index(const MessageSchema* containing) {
  return containing != nullptr ? nb::object(nb::int_(containing->index)) : nb::none();
}

nb::tuple describe(const EnumSchema& schema) {
  nb::list values;
  for (const EnumValue& value : schema.values) {
    values.append(nb::make_tuple(text(value.name), value.number));
  }
  return nb::make_tuple(text(schema.name), text(schema.full_name),
                        containing_index(schema.containing), nb::tuple(values));
}

nb::tuple describe(const FieldSchema& field) {
  return nb::make_tuple(
      text(field.name), field.number, static_cast<int>(field.kind), static_cast<int>(field.label),
      field.index, field.oneof,
      field.message != nullptr ? text(field.message->full_name) : text(""),
      field.enumeration != nullptr ? text(field.enumeration->full_name) : text(""));
}

nb::tuple describe(const MessageSchema& schema) {
  nb::list fields;
  for (const FieldSchema& field : schema.fields) {
    fields.append(describe(field));
  }
  nb::list oneofs;
  for (const std::string_view oneof : schema.oneofs) {
    oneofs.append(text(oneof));
  }
  nb::list enums;
  for (const EnumSchema* one : schema.enums) {
    enums.append(describe(*one));
  }
  return nb::make_tuple(text(schema.name), text(schema.full_name), text(schema.file),
                        containing_index(schema.containing), nb::tuple(fields), nb::tuple(oneofs),
                        nb::tuple(enums));
}

// The classes in the order of all_messages(), made at the first call.
nb::list make_classes() {
  nb::list made;
  PyTypeObject* base = message_type() != nullptr ? message_type() : make_message_type();
  if (base == nullptr) {
    throw nb::python_error();
  }
  made.append(nb::borrow(as_object(base)));
  made.append(nb::borrow(as_object(repeated_class(false))));
  made.append(nb::borrow(as_object(repeated_class(true))));
  for (const MessageSchema* schema : all_messages()) {
    PyTypeObject* type = class_of(*schema);
    if (type == nullptr && (type = make_message_class(*schema, base)) == nullptr) {
      throw nb::python_error();
    }
    made.append(nb::borrow(as_object(type)));
    if (schema->containing != nullptr) {
      nb::setattr(nb::borrow(as_object(class_of(*schema->containing))), schema->name.data(),
                  nb::borrow(as_object(type)));
    }
  }
  return made;
}

}  // namespace

void bind_onnx_classes(nb::module_& m) {
  m.def("onnx_classes", make_classes,
        "Message, the two classes of repeated fields, and the class of each message.");
  m.def("onnx_messages", [] {
    nb::list all;
    for (const MessageSchema* schema : all_messages()) {
      all.append(describe(*schema));
    }
    return all;
  });
  m.def("onnx_enums", [] {
    nb::list all;
    for (const EnumSchema* schema : all_enums()) {
      all.append(describe(*schema));
    }
    return all;
  });
  bind_onnx_files(m);
  bind_onnx_save(m);
}

}  // namespace nocopy::onnx
