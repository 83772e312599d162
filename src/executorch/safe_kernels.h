#pragma once

#include <executorch/runtime/core/span.h>
#include <executorch/runtime/kernel/operator_registry.h>

namespace nocopy::executorch {

// Kernels of our own, to be given to load_method, which prefers them to the registered ones:
//
// - for the operators on single numbers that divide: the runtime's take any divisor, and a division
//   by zero ends the process. Such numbers are computed from shapes, so that an honest program can
//   come to it by an input smaller than it was exported for.
// - for `nonzero`: every export has its result in the dim order (1, 0), and the runtime's kernel
//   writes it in the order (0, 1).
[[nodiscard]] ::executorch::runtime::Span<const ::executorch::runtime::Kernel> safe_kernels();

}  // namespace nocopy::executorch
