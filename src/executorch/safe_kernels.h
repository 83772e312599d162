#pragma once

#include <executorch/runtime/core/span.h>
#include <executorch/runtime/kernel/operator_registry.h>

namespace nocopy::executorch {

// Kernels of our own for the operators on single numbers that divide: the runtime's take any
// divisor, and a division by zero ends the process. Such numbers are computed from shapes, so that
// an honest program can come to it by an input smaller than it was exported for. To be given to
// load_method, which prefers them to the registered ones.
[[nodiscard]] ::executorch::runtime::Span<const ::executorch::runtime::Kernel> safe_kernels();

}  // namespace nocopy::executorch
