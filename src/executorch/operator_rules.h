#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "executorch/flatbuffer.h"
#include "executorch/instruction_validation.h"

namespace nocopy::executorch {

struct RuleFault {
  std::size_t argument = 0;
  std::string what;
  std::string_view hint = {};  // what to do, where the usual advice is none
};

// A number that nothing in the method changes, or an int list, in which 1 stands for others.
[[nodiscard]] std::vector<std::int64_t> fixed_numbers(const CheckedMethod& method,
                                                      const std::vector<bool>& computed,
                                                      std::int32_t value);

// Checks what a kernel divides by, indexes with or loops over without asking, where the program
// fixes it (what a method computes on the way is up to the kernel), and the order of its tensors in
// memory. `computed` says by value which numbers are placeholders for such results. The kinds of
// the arguments were checked.
[[nodiscard]] std::optional<RuleFault> check_rules(const CheckedMethod& method,
                                                   const std::vector<bool>& computed,
                                                   std::string_view name,
                                                   const flatbuffer::Vector<std::int32_t>& args);

}  // namespace nocopy::executorch
