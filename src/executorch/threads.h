#pragma once

#include <cstddef>

namespace nocopy::executorch {

// The number of threads that kernels and delegates may use in one call, the caller's included.
[[nodiscard]] size_t num_threads();

// Changes the pool that all methods share. Throws Error(kShape) for a number that is no number of
// threads, and Error(kGeneric) while a PoolHolder exists.
void set_num_threads(size_t n);

// Part of a method with a delegate: a delegate keeps a pointer to the pool of the time when it was
// prepared, and changing the pool frees that one.
class PoolHolder {
 public:
  PoolHolder();
  PoolHolder(const PoolHolder&) = delete;
  PoolHolder& operator=(const PoolHolder&) = delete;
  ~PoolHolder();
};

}  // namespace nocopy::executorch
