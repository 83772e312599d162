#include "executorch/threads.h"

#include <cstdint>
#include <mutex>
#include <shared_mutex>
#include <string>

#include "memory/error.h"

// The prebuilt thread pool library has no header for its pool; these are the members used here, as
// its symbols declare them.
namespace executorch::extension::threadpool {
class ThreadPool {
 public:
  size_t get_thread_count() const;
  bool _unsafe_reset_threadpool(uint32_t count);
};
ThreadPool* get_threadpool();
}  // namespace executorch::extension::threadpool

namespace nocopy::executorch {
namespace {

constexpr size_t kMostThreads = 1024;

std::shared_mutex& pool_mutex() {
  static std::shared_mutex mutex;
  return mutex;
}

}  // namespace

size_t num_threads() {
  const auto* pool = ::executorch::extension::threadpool::get_threadpool();
  return pool != nullptr ? pool->get_thread_count() : 1;
}

void set_num_threads(size_t n) {
  if (n == 0 || n > kMostThreads) {
    throw Error(ErrorKind::kShape, std::to_string(n) +
                                       " is no number of threads; give one from 1 to " +
                                       std::to_string(kMostThreads) + ".");
  }
  const std::unique_lock lock(pool_mutex());
  auto* pool = ::executorch::extension::threadpool::get_threadpool();
  if (pool == nullptr || !pool->_unsafe_reset_threadpool(static_cast<uint32_t>(n))) {
    throw Error(ErrorKind::kGeneric, "the runtime's thread pool could not be resized.");
  }
}

PoolUse::PoolUse() { pool_mutex().lock_shared(); }
PoolUse::~PoolUse() { pool_mutex().unlock_shared(); }

}  // namespace nocopy::executorch
