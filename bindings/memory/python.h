#pragma once

#include <nanobind/nanobind.h>

#ifdef __GLIBCXX__
#include <cxxabi.h>
#include <unistd.h>
#endif

#include <utility>

#include "bindings/memory/unlocked.h"

namespace nocopy {

namespace nb = nanobind;

// Whether the interpreter still runs Python code. Once it is finalizing, what a token holds is left
// alone: the memory goes with the process.
[[nodiscard]] inline bool interpreter_alive() noexcept {
#if PY_VERSION_HEX >= 0x030D0000
  return Py_IsInitialized() && !Py_IsFinalizing();
#else
  return Py_IsInitialized() && !_Py_IsFinalizing();
#endif
}

// Whether this is the main interpreter; otherwise an ImportError is set. Types and names are kept
// here for the whole process, so a second interpreter that loads an extension, and its end, would
// take them from the first.
[[nodiscard]] inline bool require_main_interpreter() noexcept {
  if (PyInterpreterState_Get() == PyInterpreterState_Main()) {
    return true;
  }
  PyErr_SetString(PyExc_ImportError,
                  "nocopy works in the main interpreter only, and this is a subinterpreter. Use "
                  "threads, or processes of their own.");
  return false;
}

// A method's function as tables of methods have it, whatever arguments its flags give it.
template <typename Function>
[[nodiscard]] PyCFunction as_function(Function* function) noexcept {
  return reinterpret_cast<PyCFunction>(reinterpret_cast<void (*)()>(function));
}

// Asks for an object's buffer. On a refusal an exception is set, whatever the exporter, whose code
// may be anyone's, did about that.
[[nodiscard]] inline bool get_buffer(nb::handle object, Py_buffer& buffer, int flags) noexcept {
  if (PyObject_GetBuffer(object.ptr(), &buffer, flags) == 0) {
    return true;
  }
  buffer.obj = nullptr;
  if (PyErr_Occurred() == nullptr) {
    PyErr_SetString(PyExc_BufferError, "it refused to lend its memory and gave no reason");
  }
  return false;
}

// Keeps the exception that is being raised on this thread, if any, apart from what runs in this
// scope. An exception that this leaves behind has nobody to catch it and is reported.
class KeptException {
 public:
  KeptException() noexcept : thread_(current()) { PyErr_Fetch(&type_, &value_, &traceback_); }
  KeptException(const KeptException&) = delete;
  KeptException& operator=(const KeptException&) = delete;
  ~KeptException() {
    if (current() != thread_) {
      return;  // the thread did not get the lock back: the interpreter has ended under it
    }
    if (PyErr_Occurred() != nullptr) {
      PyErr_WriteUnraisable(nullptr);
    }
    PyErr_Restore(type_, value_, traceback_);
  }

 private:
  [[nodiscard]] static PyThreadState* current() noexcept {
#if PY_VERSION_HEX >= 0x030D0000
    return PyThreadState_GetUnchecked();
#else
    return _PyThreadState_UncheckedGet();
#endif
  }

  PyThreadState* thread_;
  PyObject* type_ = nullptr;
  PyObject* value_ = nullptr;
  PyObject* traceback_ = nullptr;
};

// Calls `release` with the interpreter's lock held, from any thread, or not at all once the
// interpreter is finalizing.
template <typename Release>
void with_gil_if_alive(Release&& release) noexcept {
  const auto call = [&] {
    if (PyGILState_Check() != 0) {
      std::forward<Release>(release)();
      return;
    }
    if (!interpreter_alive()) {
      return;
    }
    const PyGILState_STATE state = take_lock_or_wait([] { return PyGILState_Ensure(); });
    std::forward<Release>(release)();
    PyGILState_Release(state);
  };
#ifdef __GLIBCXX__
  // Before version 3.14, CPython ends a thread that asks for the lock when the interpreter is
  // finalizing by unwinding its stack, which must not go through a destructor. As newer ones do,
  // the thread is stopped instead, until the process ends.
  try {
    call();
  } catch (abi::__forced_unwind&) {
    while (true) {
      pause();
    }
  }
#else
  call();
#endif
}

}  // namespace nocopy
