#include "bindings/executorch/logging.h"

#include "bindings/memory/python.h"
#include "executorch/engine.h"

namespace nocopy::executorch {
namespace {

int python_level(char level) {
  switch (level) {
    case 'D':
      return 10;
    case 'I':
      return 20;
    case 'E':
      return 40;
    case 'F':
      return 50;
    default:
      return 30;
  }
}

void forward(const std::vector<LogLine>& lines) {
  // A program that never imported logging has set up nobody to listen.
  PyObject* logging = PyDict_GetItemString(PyImport_GetModuleDict(), "logging");
  if (logging == nullptr) {
    return;
  }
  const nb::object logger = nb::handle(logging).attr("getLogger")("nocopy.executorch");
  if (!nb::cast<bool>(logger.attr("hasHandlers")())) {
    return;  // logging would print warnings and errors on stderr as a last resort
  }
  for (const LogLine& line : lines) {
    logger.attr("log")(
        python_level(line.level), "%s",
        nb::steal(PyUnicode_DecodeUTF8(line.text.data(), static_cast<Py_ssize_t>(line.text.size()),
                                       "backslashreplace")));
  }
}

}  // namespace

LogForwarder::~LogForwarder() {
  if (!has_log_lines()) {
    return;
  }
  // Runs while an exception of the call may be on its way out; a handler's own is reported, not
  // raised over it.
  try {
    forward(take_log_lines());
  } catch (nb::python_error& error) {
    error.discard_as_unraisable("forwarding the log of the ExecuTorch runtime");
  } catch (...) {  // NOLINT(bugprone-empty-catch): a lost line is better than a lost process
  }
}

}  // namespace nocopy::executorch
