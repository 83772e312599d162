#pragma once

// What every call into the prebuilt ExecuTorch libraries goes through: they are told to log to us
// instead of stderr, and to throw instead of ending the process.

#include <executorch/runtime/core/error.h>

#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "memory/error.h"

namespace nocopy::executorch {

struct LogLine {
  char level = 'I';  // D, I, E, F
  std::string text;
};

// Registers the platform layer and initialises the runtime. Once per process, before anything else.
void initialize_engine();

// The names of the delegates that this build has, as programs refer to them.
[[nodiscard]] std::vector<std::string> backend_names();

// Gives a line to the call of this thread that it belongs to. What the engine logs outside any
// call, on its worker threads or while it looks an operator up, belongs to none and is dropped.
void collect_log_line(LogLine line);

// One call into the engine on this thread. While it exists the engine's log lines of this thread
// are collected in it, and an abort of the engine becomes an exception that `run` turns into an
// error. Calls nest.
class EngineCall {
 public:
  EngineCall() noexcept;
  EngineCall(const EngineCall&) = delete;
  EngineCall& operator=(const EngineCall&) = delete;
  ~EngineCall();

  // Calls `function`. If the engine wants to end the process, throws Error(kind) instead, after
  // `aborted` was set: whatever the engine was working on is then in an unknown state. `doing` says
  // what the call is for, in messages.
  template <typename Function>
  std::invoke_result_t<Function> run(ErrorKind kind, std::string_view doing, bool& aborted,
                                     Function&& function) {
    try {
      return std::forward<Function>(function)();
    } catch (const Aborted&) {
      aborted = true;
      fail(kind, std::string(doing) +
                     " failed: the runtime gave up on a check that ends the process by default");
    }
  }

  // Throws Error(kind) unless `status` is Ok: what was being done, the status by name, and the
  // lines logged during this call.
  void check(::executorch::runtime::Error status, ErrorKind kind, std::string_view doing) const {
    if (status != ::executorch::runtime::Error::Ok) [[unlikely]] {
      fail_with_status(status, kind, doing);
    }
  }
  [[noreturn]] void fail_with_status(::executorch::runtime::Error status, ErrorKind kind,
                                     std::string_view doing) const;

  [[nodiscard]] const std::vector<LogLine>& lines() const noexcept { return lines_; }
  // Forgets the lines with `part` in them, which the caller knows to mean nothing.
  void drop_lines(std::string_view part) {
    std::erase_if(lines_,
                  [&](const LogLine& line) { return line.text.find(part) != std::string::npos; });
  }

  struct Aborted {};  // thrown through the engine's frames, never past `run`

 private:
  friend void collect_log_line(LogLine line);
  [[noreturn]] void fail(ErrorKind kind, std::string message) const;

  EngineCall*& current_;  // of this thread
  EngineCall* outer_;
  std::vector<LogLine> lines_;
};

// The lines of the last finished outermost call on this thread, for the binding to pass on.
[[nodiscard]] std::vector<LogLine> take_log_lines() noexcept;
[[nodiscard]] bool has_log_lines() noexcept;

[[nodiscard]] std::string_view status_name(::executorch::runtime::Error status) noexcept;

}  // namespace nocopy::executorch
