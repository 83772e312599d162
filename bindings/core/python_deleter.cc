#include "bindings/core/python_deleter.h"

#include <memory>
#include <utility>

#include "bindings/memory/python.h"

namespace nocopy::onnx {
namespace {

// A reference that goes with the lock held, from whichever thread.
class HeldCallable {
 public:
  explicit HeldCallable(nb::handle callable) : callable_(callable.inc_ref().ptr()) {}
  HeldCallable(const HeldCallable&) = delete;
  HeldCallable& operator=(const HeldCallable&) = delete;
  ~HeldCallable() {
    if (callable_ != nullptr) {
      with_gil_if_alive([this] { release(); });
    }
  }

  // Calls it, the first time only.
  void call() noexcept {
    with_gil_if_alive([this] {
      if (callable_ == nullptr) {
        return;
      }
      // Whoever lets go of the data may be about to raise something of its own.
      const KeptException kept;
      PyObject* result = PyObject_CallNoArgs(callable_);
      if (result == nullptr) {
        PyErr_WriteUnraisable(callable_);
      }
      Py_XDECREF(result);
      release();
    });
  }

 private:
  void release() noexcept {
    const KeptException kept;
    Py_CLEAR(callable_);
  }

  PyObject* callable_;
};

}  // namespace

std::function<void()> python_deleter(nb::handle callable, const char* what) {
  if (callable.is_none()) {
    return {};
  }
  if (PyCallable_Check(callable.ptr()) == 0) {
    PyErr_Format(
        PyExc_TypeError,
        "%s must be None or a callable without arguments, which is called when the data is "
        "no longer used; not %R",
        what, callable.ptr());
    throw nb::python_error();
  }
  return [held = std::make_shared<HeldCallable>(callable)] { held->call(); };
}

}  // namespace nocopy::onnx
