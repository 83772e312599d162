#include "executorch/threads.h"

#include <pthread.h>

#include <atomic>
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

std::atomic<uint64_t> forks = 0;
std::atomic<uint32_t> running = 0;
std::atomic<bool> forking = false;

// With the interpreter's lock held, if Python forks: what runs methods does not wait for it.
void before_fork() {
  pool_mutex.lock();
  forking = true;
  for (uint32_t n = running; n != 0; n = running) {
    running.wait(n);
  }
}

void after_fork_in_parent() {
  forking = false;
  forking.notify_all();
  pool_mutex.unlock();
}

// What the methods that came along hold is no pool of this process, so they do not count.
void after_fork_in_child() {
  ++forks;
  holders = 0;
  running = 0;
  forking = false;
  pool_mutex.unlock();
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

PoolHolder::PoolHolder() : threads_(num_threads()), forks_(forks) {
  const std::lock_guard lock(pool_mutex);
  ++holders;
}

PoolHolder::~PoolHolder() {
  const std::lock_guard lock(pool_mutex);
  if (forks_ == forks) {
    --holders;
  }
}

bool PoolHolder::lost_threads() const noexcept { return forks_ != forks && threads_ > 1; }

void prepare_for_forks() {
  static const int failed =
      ::pthread_atfork(before_fork, after_fork_in_parent, after_fork_in_child);
  if (failed != 0) {
    throw Error(ErrorKind::kGeneric, "the process has no memory left to prepare for fork().");
  }
}

Running::Running() noexcept {
  for (;;) {
    ++running;
    if (!forking) {
      return;
    }
    // A fork is waiting for those that came before.
    --running;
    running.notify_all();
    forking.wait(true);
  }
}

Running::~Running() {
  --running;
  if (forking) {
    running.notify_all();
  }
}

}  // namespace nocopy::executorch
