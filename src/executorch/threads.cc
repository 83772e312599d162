#include "executorch/threads.h"

#include <cstdint>
#include <mutex>
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

std::mutex pool_mutex;
size_t holders = 0;

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
  const std::lock_guard lock(pool_mutex);
  if (n == num_threads()) {
    return;
  }
  if (holders != 0) {
    throw Error(ErrorKind::kGeneric,
                "the number of threads cannot be changed now: " + std::to_string(holders) +
                    " loaded method(s) use a delegate that holds the present thread pool. Set it "
                    "before loading them, or let go of them first.");
  }
  auto* pool = ::executorch::extension::threadpool::get_threadpool();
  if (pool == nullptr || !pool->_unsafe_reset_threadpool(static_cast<uint32_t>(n))) {
    throw Error(ErrorKind::kGeneric, "the runtime's thread pool could not be resized.");
  }
}

PoolHolder::PoolHolder() {
  const std::lock_guard lock(pool_mutex);
  ++holders;
}

PoolHolder::~PoolHolder() {
  const std::lock_guard lock(pool_mutex);
  --holders;
}

}  // namespace nocopy::executorch
