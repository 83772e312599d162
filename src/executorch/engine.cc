#include "executorch/engine.h"

#include <executorch/runtime/backend/interface.h>
#include <executorch/runtime/platform/platform.h>
#include <executorch/runtime/platform/runtime.h>

#include <cstdlib>
#include <cstring>

#include "executorch/threads.h"

namespace nocopy::executorch {
namespace {

namespace et = ::executorch::runtime;

// Enough for any error and small enough that a runaway loop of log lines is no leak.
constexpr size_t kMaxLines = 200;

thread_local EngineCall* current_call = nullptr;
thread_local std::vector<LogLine> finished_lines;
// Whether there are any: asked after every call, and cheaper to ask than a vector that each thread
// makes when it is first used.
thread_local bool has_finished_lines = false;

void append(std::vector<LogLine>& lines, LogLine line) {
  if (lines.size() < kMaxLines) {
    lines.push_back(std::move(line));
  }
}

void emit_log_message(et_timestamp_t /*timestamp*/, et_pal_log_level_t level, const char* filename,
                      const char* /*function*/, size_t line, const char* message, size_t length) {
  // Called from C-like code that expects no exception; losing a line is better than the process.
  try {
    LogLine entry{static_cast<char>(level), std::string(message, length)};
    if (filename != nullptr) {
      const char* slash = std::strrchr(filename, '/');
      entry.text += " (" + std::string(slash != nullptr ? slash + 1 : filename) + ":" +
                    std::to_string(line) + ")";
    }
    collect_log_line(std::move(entry));
  } catch (...) {  // NOLINT(bugprone-empty-catch)
  }
}

// The runtime calls this where it would end the process. Its frames can be unwound (they carry
// unwind tables), so on a thread that is inside one of our calls an exception takes the caller out
// with the process alive. Elsewhere, on a worker thread, there is nobody to catch it.
void abort_hook() {
  if (current_call != nullptr) {
    throw EngineCall::Aborted{};
  }
  std::abort();
}

}  // namespace

void collect_log_line(LogLine line) {
  if (current_call != nullptr) {
    append(current_call->lines_, std::move(line));
  }
}

std::vector<std::string> backend_names() {
  std::vector<std::string> names;
  for (size_t i = 0; i < et::get_num_registered_backends(); ++i) {
    if (const auto name = et::get_backend_name(i); name.ok()) {
      names.emplace_back(name.get());
    }
  }
  return names;
}

void initialize_engine() {
  static const bool done = [] {
    et::register_pal(et::PalImpl::create(nullptr, abort_hook, nullptr, nullptr, emit_log_message,
                                         nullptr, nullptr, __FILE__));
    et::runtime_init();
    prepare_for_forks();
    return true;
  }();
  static_cast<void>(done);
}

EngineCall::EngineCall() noexcept : current_(current_call), outer_(current_) { current_ = this; }

EngineCall::~EngineCall() {
  current_ = outer_;
  if (!lines_.empty()) {
    for (LogLine& line : lines_) {
      append(finished_lines, std::move(line));
    }
    has_finished_lines = true;
  }
}

std::vector<LogLine> take_log_lines() noexcept {
  has_finished_lines = false;
  return std::exchange(finished_lines, {});
}

bool has_log_lines() noexcept { return has_finished_lines; }

void EngineCall::fail(ErrorKind kind, std::string message) const {
  if (!lines_.empty()) {
    message += "\nThe runtime said:";
    for (const LogLine& line : lines_) {
      message += "\n  " + line.text;
    }
  }
  throw Error(kind, message);
}

void EngineCall::fail_with_status(et::Error status, ErrorKind kind, std::string_view doing) const {
  char code[16];
  std::snprintf(code, sizeof(code), "0x%x", static_cast<unsigned>(status));
  fail(kind,
       std::string(doing) + " failed: " + std::string(status_name(status)) + " (" + code + ").");
}

std::string_view status_name(et::Error status) noexcept {
  switch (status) {
    case et::Error::Ok:
      return "Ok";
    case et::Error::Internal:
      return "Internal";
    case et::Error::InvalidState:
      return "InvalidState";
    case et::Error::EndOfMethod:
      return "EndOfMethod";
    case et::Error::NotSupported:
      return "NotSupported";
    case et::Error::NotImplemented:
      return "NotImplemented";
    case et::Error::InvalidArgument:
      return "InvalidArgument";
    case et::Error::InvalidType:
      return "InvalidType";
    case et::Error::OperatorMissing:
      return "OperatorMissing";
    case et::Error::NotFound:
      return "NotFound";
    case et::Error::MemoryAllocationFailed:
      return "MemoryAllocationFailed";
    case et::Error::AccessFailed:
      return "AccessFailed";
    case et::Error::InvalidProgram:
      return "InvalidProgram";
    case et::Error::InvalidExternalData:
      return "InvalidExternalData";
    case et::Error::OutOfResources:
      return "OutOfResources";
    case et::Error::DelegateInvalidCompatibility:
      return "DelegateInvalidCompatibility";
    case et::Error::DelegateMemoryAllocationFailed:
      return "DelegateMemoryAllocationFailed";
    case et::Error::DelegateInvalidHandle:
      return "DelegateInvalidHandle";
    default:
      return "unknown error";
  }
}

}  // namespace nocopy::executorch
