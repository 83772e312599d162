#pragma once

#include <type_traits>

#include "onnx/message.h"

namespace nocopy::onnx {

// Calls `visit` with std::type_identity of the C++ type of a field's values, for a number.
template <typename Visit>
decltype(auto) visit_number(Kind kind, Visit&& visit) {
  switch (kind) {
    case Kind::kInt64:
      return visit(std::type_identity<std::int64_t>{});
    case Kind::kUint64:
      return visit(std::type_identity<std::uint64_t>{});
    case Kind::kFloat:
      return visit(std::type_identity<float>{});
    case Kind::kDouble:
      return visit(std::type_identity<double>{});
    default:
      return visit(std::type_identity<std::int32_t>{});
  }
}

// Calls `visit` with the member of a repeated field: a Repeated or an AnyRepeatedMessage.
template <typename AMessage, typename Visit>
decltype(auto) visit_repeated(AMessage& message, const FieldSchema& field, Visit&& visit) {
  switch (field.kind) {
    case Kind::kMessage:
      return visit(message.template member<AnyRepeatedMessage>(field));
    case Kind::kString:
    case Kind::kBytes:
    case Kind::kPayload:
      return visit(message.template member<Repeated<String>>(field));
    default:
      return visit_number(field.kind, [&]<typename T>(std::type_identity<T>) -> decltype(auto) {
        return visit(message.template member<Repeated<T>>(field));
      });
  }
}

// How deep messages may lie in each other where a function calls itself for each level. Parsing and
// serializing have the much lower limit of the wire format.
inline constexpr int kDeepest = 10000;

}  // namespace nocopy::onnx
