#pragma once

// The order of tensors in memory: most kernels read and write every tensor as if it were
// contiguous, or as if all of them had one order. Some ask before they do; what the others would
// silently get wrong is refused here.

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "executorch/flatbuffer.h"
#include "executorch/instruction_validation.h"
#include "executorch/operator_rules.h"
#include "executorch/program_file.h"

namespace nocopy::executorch {

// What to do about every fault found here.
inline constexpr std::string_view kLayoutHint =
    "the runtime would not read it right: call .contiguous() on the tensor before that operation, "
    "and export the model again";

// Checks the orders of a kernel's tensors. Takes what `check_rules` takes.
[[nodiscard]] std::optional<RuleFault> check_layouts(const CheckedMethod& method,
                                                     const std::vector<bool>& computed,
                                                     std::string_view name,
                                                     const flatbuffer::Vector<std::int32_t>& args);

// Whether the elements of two tensors come in the same order in memory. Their shapes may differ, as
// those of a view and what it is a view of do. Of dynamic tensors, the upper bounds count.
[[nodiscard]] bool same_element_order(const TensorEntry& a, const TensorEntry& b);

// Such as "of shape (2, 3, 4, 5) in the dim order (0, 2, 3, 1)".
[[nodiscard]] std::string describe_layout(const TensorEntry& tensor);

}  // namespace nocopy::executorch
