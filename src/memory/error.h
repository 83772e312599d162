#pragma once

#include <stdexcept>
#include <string>

namespace nocopy {

// What the caller can do about an error. One value per class in python/nocopy/errors.py.
enum class ErrorKind {
  kGeneric,
  kLayout,
  kDType,
  kShape,
  kDevice,
  kIncompleteInputs,
  kMethodBusy,
  kProgram,
  kDecode,
  kExternalData,
};

// The one exception that the core throws. The bindings turn it into the Python class of its kind.
class Error : public std::runtime_error {
 public:
  Error(ErrorKind kind, const std::string& message) : std::runtime_error(message), kind_(kind) {}

  [[nodiscard]] ErrorKind kind() const noexcept { return kind_; }

 private:
  ErrorKind kind_;
};

}  // namespace nocopy
