#pragma once

namespace nocopy::executorch {

// Passes on to Python's logging, as logger `nocopy.executorch`, what the engine logged on this
// thread in the calls made while this existed. Needs the interpreter's lock when it goes.
class LogForwarder {
 public:
  LogForwarder() = default;
  LogForwarder(const LogForwarder&) = delete;
  LogForwarder& operator=(const LogForwarder&) = delete;
  ~LogForwarder();
};

}  // namespace nocopy::executorch
