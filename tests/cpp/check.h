#pragma once

// A test harness in one header: TEST(name) { CHECK(...); } in any number, and one main() at the end
// made by NOCOPY_TEST_MAIN. A failed check says file, line, expression and values, ends its test
// and lets the next one run.

#include <cstdio>
#include <exception>
#include <sstream>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "memory/error.h"

namespace nocopy::testing {

class CheckFailed : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

struct Test {
  std::string_view name;
  void (*body)();
};

inline std::vector<Test>& tests() {
  static std::vector<Test> all;
  return all;
}

struct Registration {
  Registration(std::string_view name, void (*body)()) { tests().push_back({name, body}); }
};

template <typename T>
std::string show(const T& value) {
  if constexpr (requires(std::ostream& out) { out << value; }) {
    std::ostringstream out;
    out << std::boolalpha << value;
    return out.str();
  } else {
    return "(a value that does not print)";
  }
}

[[noreturn]] inline void fail(const char* file, int line, const std::string& what) {
  throw CheckFailed(std::string(file) + ":" + std::to_string(line) + ": " + what);
}

template <typename A, typename B>
void check_equal(const char* file, int line, const char* expression, const A& actual,
                 const B& expected) {
  if (!(actual == expected)) {
    fail(file, line,
         std::string(expression) + " is " + show(actual) + ", expected " + show(expected));
  }
}

// Runs `body`, which must throw nocopy::Error of `kind` with `part` somewhere in its message.
template <typename Body>
void check_throws(const char* file, int line, const char* expression, ErrorKind kind,
                  std::string_view part, Body&& body) {
  try {
    body();
  } catch (const Error& error) {
    if (error.kind() != kind) {
      fail(file, line, std::string(expression) + " threw another kind of error: " + error.what());
    }
    if (std::string_view(error.what()).find(part) == std::string_view::npos) {
      fail(file, line,
           std::string(expression) + " says: " + error.what() +
               "\n    expected in it: " + std::string(part));
    }
    return;
  }
  fail(file, line, std::string(expression) + " threw nothing");
}

// Runs the tests whose name contains the first argument, all without one.
inline int run(int argc, char** argv) {
  const std::string_view wanted = argc > 1 ? argv[1] : "";
  int failures = 0;
  int ran = 0;
  for (const Test& test : tests()) {
    if (test.name.find(wanted) == std::string_view::npos) {
      continue;
    }
    ++ran;
    try {
      test.body();
    } catch (const std::exception& error) {
      ++failures;
      std::printf("FAILED %.*s\n  %s\n", static_cast<int>(test.name.size()), test.name.data(),
                  error.what());
    }
  }
  std::printf("%d tests, %d failed\n", ran, failures);
  return failures != 0 || ran == 0 ? 1 : 0;
}

}  // namespace nocopy::testing

#define TEST(name)                                                                      \
  static void name();                                                                   \
  static const ::nocopy::testing::Registration nocopy_registration_##name{#name, name}; \
  static void name()

#define CHECK(condition)                                                      \
  do {                                                                        \
    if (!(condition)) {                                                       \
      ::nocopy::testing::fail(__FILE__, __LINE__, #condition " is not true"); \
    }                                                                         \
  } while (false)

#define CHECK_EQ(actual, expected) \
  ::nocopy::testing::check_equal(__FILE__, __LINE__, #actual, (actual), (expected))

#define CHECK_THROWS(kind, part, ...)                                               \
  ::nocopy::testing::check_throws(__FILE__, __LINE__, #__VA_ARGS__, (kind), (part), \
                                  [&] { static_cast<void>(__VA_ARGS__); })

#define NOCOPY_TEST_MAIN \
  int main(int argc, char** argv) { return ::nocopy::testing::run(argc, argv); }
