#pragma once

#include <nanobind/nanobind.h>

#include <functional>

namespace nocopy::onnx {

// A Python callable without arguments as what ByteSpan and raw_data_callback call a deleter. It may
// be called, and go, on any thread: it takes the interpreter's lock, and does nothing once the
// interpreter is finalizing. What the callable raises goes to sys.unraisablehook. To be made with
// the lock held; None is no deleter, anything else that cannot be called is a TypeError that says
// `what` it was.
[[nodiscard]] std::function<void()> python_deleter(nanobind::handle callable, const char* what);

}  // namespace nocopy::onnx
