#include <stdexcept>

#include "check.h"
#include "memory/error.h"

using nocopy::Error;
using nocopy::ErrorKind;

TEST(test_error_when_thrown_then_is_a_runtime_error_with_its_kind) {
  CHECK_THROWS(ErrorKind::kShape, "rank 3", throw Error(ErrorKind::kShape, "rank 3 given"));
  try {
    throw Error(ErrorKind::kProgram, "not a program");
  } catch (const std::runtime_error& error) {
    CHECK_EQ(std::string(error.what()), "not a program");
  }
}

NOCOPY_TEST_MAIN
