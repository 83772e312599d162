#pragma once

#include <cstddef>
#include <memory>
#include <string_view>

#include "bindings/core/classes.h"
#include "bindings/memory/python.h"

namespace nocopy::onnx {

// The bytes of an object, which can neither go nor be resized while this lives. Made with the
// interpreter's lock; may go on any thread, without it.
class HeldBuffer {
 public:
  explicit HeldBuffer(PyObject* source) {
    if (PyUnicode_Check(source) || !PyObject_CheckBuffer(source)) {
      fail_expected_bytes(source);
      throw nb::python_error();
    }
    if (!get_buffer(source, view_, PyBUF_C_CONTIGUOUS)) {
      throw nb::python_error();
    }
  }
  HeldBuffer(const HeldBuffer&) = delete;
  HeldBuffer& operator=(const HeldBuffer&) = delete;
  ~HeldBuffer() {
    with_gil_if_alive([this] {
      const KeptException kept;
      PyBuffer_Release(&view_);
    });
  }

  [[nodiscard]] std::string_view bytes() const noexcept {
    return {static_cast<const char*>(view_.buf), static_cast<std::size_t>(view_.len)};
  }

 private:
  Py_buffer view_{};
};

}  // namespace nocopy::onnx
