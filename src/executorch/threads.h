#pragma once

#include <cstddef>
#include <cstdint>

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

  // Whether the pool's threads are in another process, which this one was forked from: work given
  // to them would never be done.
  [[nodiscard]] bool lost_threads() const noexcept;

 private:
  size_t threads_;
  uint64_t forks_;  // that this process had behind it
};

// Makes fork() wait until no method runs, so that a child finds every lock of the runtime free. The
// runtime makes its child a new pool of its own accord. Once per process.
void prepare_for_forks();

// Held while a method runs.
class Running {
 public:
  Running() noexcept;
  Running(const Running&) = delete;
  Running& operator=(const Running&) = delete;
  ~Running();
};

}  // namespace nocopy::executorch
