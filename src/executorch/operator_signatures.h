#pragma once

#include <optional>
#include <string_view>

namespace nocopy::executorch {

// The arguments of a kernel, one letter each, as its instruction lists them:
//   T tensor                 t tensor or None        L tensor list    l list of tensors or None
//   W tensor, written        M tensor list, written  V tensor that becomes a view of argument 0
//   i int   I int or None    f float  F float or None    b bool  B bool or None
//   s int, float or bool     S the same, or None
//   N int list               n int list or None      d float list or None    a bool list
//   c str   C str or None    p a number that the kernel puts its result into
//   r, R what the kernel returns, already among its arguments; the runtime does not look at it
//
// Empty where this build does not know the operator. `name` and `overload` as in the program.
[[nodiscard]] std::optional<std::string_view> operator_signature(std::string_view name,
                                                                 std::string_view overload);

}  // namespace nocopy::executorch
