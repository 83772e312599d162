#include "onnx/tensors.h"

#include <array>
#include <string>

#include "memory/error.h"
#include "onnx/fields.h"

namespace nocopy::onnx {
namespace {

constexpr std::size_t kMostMessages = 64;
using Reaches = std::array<bool, kMostMessages>;

// For each message, by its index, whether a tensor can lie in it: the others are not walked.
Reaches find_reaches() {
  Reaches reaches{};
  reaches.at(TensorProto::kSchema.index) = true;
  for (bool changed = true; changed;) {
    changed = false;
    for (const MessageSchema* schema : all_messages()) {
      for (const FieldSchema& field : schema->fields) {
        if (!reaches.at(schema->index) && field.kind == Kind::kMessage &&
            reaches.at(field.message->index)) {
          reaches.at(schema->index) = changed = true;
        }
      }
    }
  }
  return reaches;
}

class Finder {
 public:
  explicit Finder(std::vector<FoundTensor>& found) : found_(found) {}

  struct Around {
    GraphProto* graph = nullptr;
    TensorPlace place = TensorPlace::kElsewhere;
    bool in_model = false;     // by graphs and attributes only
    bool in_function = false;  // of a model
    int depth = 0;
  };

  void message(Message& message, Around around) {
    if (++around.depth > kDeepest) {
      throw Error(ErrorKind::kGeneric, "messages lie in each other more than " +
                                           std::to_string(kDeepest) + " levels deep");
    }
    const MessageSchema* schema = &message.schema();
    if (schema == &TensorProto::kSchema) {
      found_.push_back({static_cast<TensorProto*>(&message), around.graph, around.place});
      return;
    }
    if (schema == &GraphProto::kSchema) {
      around.graph = static_cast<GraphProto*>(&message);
    } else if (schema == &ModelProto::kSchema) {
      around.in_model = true;
    } else if (schema == &FunctionProto::kSchema) {
      around.in_function = true;
    } else if (schema == &SparseTensorProto::kSchema || schema == &TrainingInfoProto::kSchema) {
      around.in_model = false;
    }
    for (const FieldSchema& field : schema->fields) {
      if (field.kind == Kind::kMessage && kReaches[field.message->index]) {
        around.place = place(*schema, field, around);
        submessages(message, field, around);
      }
    }
  }

 private:
  static TensorPlace place(const MessageSchema& schema, const FieldSchema& field,
                           const Around& around) {
    if (!around.in_model || field.message != &TensorProto::kSchema) {
      return TensorPlace::kElsewhere;
    }
    if (&schema == &AttributeProto::kSchema) {
      return TensorPlace::kAttribute;
    }
    return around.in_function ? TensorPlace::kElsewhere : TensorPlace::kInitializer;
  }

  void submessages(Message& message, const FieldSchema& field, const Around& around) {
    if (!field.repeated()) {
      if (Message* child = message.member<AnyMessageRef>(field).get()) {
        this->message(*child, around);
      }
      return;
    }
    // A default of a function's attribute is no node's attribute.
    Around inside = around;
    inside.in_model &=
        &message.schema() != &FunctionProto::kSchema || field.message != &AttributeProto::kSchema;
    const auto& list = message.member<AnyRepeatedMessage>(field);
    for (std::size_t i = 0; i < list.size(); ++i) {
      this->message(*list.at(i), inside);
    }
  }

  inline static const Reaches kReaches = find_reaches();
  std::vector<FoundTensor>& found_;
};

}  // namespace

std::vector<FoundTensor> find_tensors(Message& root) {
  std::vector<FoundTensor> found;
  Finder(found).message(root, {});
  return found;
}

}  // namespace nocopy::onnx
