#pragma once

#include <memory>

namespace nocopy {

// Keeps some bytes alive for as long as it exists, and can say whether they are still where they
// were: an exporter may move its memory although it promised not to.
class Pin {
 public:
  Pin() = default;
  Pin(const Pin&) = delete;
  Pin& operator=(const Pin&) = delete;
  virtual ~Pin() = default;

  // Whether the memory was lent as writable and its owner promised to leave it in place. Only such
  // memory may be pointed at; everything else is copied.
  [[nodiscard]] virtual bool promises_memory() const noexcept = 0;

  // Notes where the memory is, before somebody is given a pointer into it for longer than a call.
  virtual void watch() {}

  // Before somebody points at the memory who does not verify: makes the owner leave it in place
  // until the pin goes, as far as the owner can be made to. Calls into the owner.
  virtual void hold_in_place() {}

  // Whether the bytes are still at the address, and of the length, that they had at watch(). May
  // call into the owner; the bindings' pins need the GIL for it.
  [[nodiscard]] virtual bool still_in_place() = 0;
};

using PinPtr = std::unique_ptr<Pin>;

}  // namespace nocopy
