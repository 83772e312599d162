#pragma once

#include <exception>
#include <new>
#include <system_error>

#include "bindings/memory/errors.h"

namespace nocopy {

// Runs `body` and turns what it throws into a Python exception, returning `failure` then.
template <typename Result, typename Body>
Result guarded(Result failure, Body&& body) noexcept {
  try {
    return body();
  } catch (const Error& error) {
    raise_error(error);
  } catch (const std::bad_alloc&) {
    PyErr_NoMemory();
  } catch (const std::system_error& error) {
    raise_error(error);
  } catch (nanobind::python_error& error) {
    error.restore();
  } catch (const std::exception& error) {
    PyErr_SetString(PyExc_RuntimeError, error.what());
  }
  return failure;
}

}  // namespace nocopy
