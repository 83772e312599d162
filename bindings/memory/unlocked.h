#pragma once

#include <nanobind/nanobind.h>
#include <unistd.h>

namespace nocopy {

// Takes the interpreter's lock with `take`. Until Python 3.14, a thread that waits for the lock
// while the interpreter ends is ended too, by unwinding its stack, and C++ ends the whole process
// where that meets a frame that lets nothing out. Such a thread waits here for the end of the
// process, as later versions have it wait.
template <typename Take>
auto take_lock_or_wait(Take&& take) noexcept {
  try {
    return take();
  } catch (...) {
    for (;;) {
      ::pause();
    }
  }
}

// Lets other threads have the interpreter's lock for as long as it lives.
class Unlocked {
 public:
  Unlocked() noexcept : thread_(PyEval_SaveThread()) {}
  Unlocked(const Unlocked&) = delete;
  Unlocked& operator=(const Unlocked&) = delete;
  ~Unlocked() {
    take_lock_or_wait([this] { PyEval_RestoreThread(thread_); });
  }

 private:
  PyThreadState* thread_;
};

}  // namespace nocopy
