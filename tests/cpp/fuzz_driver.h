#pragma once

#include <cstddef>
#include <cstdint>
#include <random>
#include <string>

// What a fuzz target is made of. fuzz_driver.cc has a main() that makes inputs by changing earlier
// ones, keeps those that reach new code, and calls the target with them; libFuzzer can call it too.
namespace nocopy::fuzzing {

// An input to start from.
[[nodiscard]] std::string make_seed(std::mt19937_64& random);

// Ends the process with the message and the input, when something that must hold does not.
[[noreturn]] void fail(const std::string& what);

inline void require(bool holds, const char* what) {
  if (!holds) {
    fail(what);
  }
}

// The most memory that was allocated at one time since `start_counting`; 0 without
// AddressSanitizer.
void start_counting() noexcept;
[[nodiscard]] std::size_t most_allocated() noexcept;

}  // namespace nocopy::fuzzing

// Tries one input. Must return 0, and must not keep anything.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);
