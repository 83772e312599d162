#pragma once

#include <cstddef>

namespace nocopy::executorch {

// The number of threads that kernels and delegates may use in one call, the caller's included.
[[nodiscard]] size_t num_threads();

// Replaces the pool that all methods share; waits for running methods to finish first. Throws
// Error(kShape) for a number that is no number of threads.
void set_num_threads(size_t n);

// Held while a method runs, so that the pool is not replaced under it.
class PoolUse {
 public:
  PoolUse();
  PoolUse(const PoolUse&) = delete;
  PoolUse& operator=(const PoolUse&) = delete;
  ~PoolUse();
};

}  // namespace nocopy::executorch
