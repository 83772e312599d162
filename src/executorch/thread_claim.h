#pragma once

#include <atomic>
#include <thread>

namespace nocopy::executorch {

// Who is using a method: one thread at a time, as deep as it likes.
class ThreadClaim {
 public:
  // Takes the claim for this thread, or returns false if another thread has it.
  [[nodiscard]] bool try_enter() noexcept {
    const auto self = std::this_thread::get_id();
    std::thread::id nobody;
    if (owner_.load(std::memory_order_acquire) != self &&
        !owner_.compare_exchange_strong(nobody, self, std::memory_order_acquire)) {
      return false;
    }
    ++depth_;
    return true;
  }

  void leave() noexcept {
    if (--depth_ == 0) {
      owner_.store(std::thread::id(), std::memory_order_release);
    }
  }

  // Only meaningful to the thread that has the claim.
  [[nodiscard]] int depth() const noexcept { return depth_; }

 private:
  std::atomic<std::thread::id> owner_;
  int depth_ = 0;  // touched only by the owner
};

}  // namespace nocopy::executorch
