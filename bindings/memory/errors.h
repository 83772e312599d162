#pragma once

#include <nanobind/nanobind.h>

#include <system_error>

#include "memory/error.h"

namespace nocopy {

// Makes this extension raise nocopy.errors' class for each nocopy::Error, and OSError for a
// std::system_error. Called once by each extension.
void register_errors();

// Raises the Python exception of `error` on this thread.
void raise_error(const Error& error) noexcept;
void raise_error(const std::system_error& error) noexcept;

}  // namespace nocopy
