#pragma once

// Follows the memory of a method's tensors through its instructions.

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "executorch/flatbuffer.h"

namespace nocopy::executorch {

struct CheckedMethod;

// Fed with every instruction in order, it then says whether one of them, on whatever way control
// may take to it, writes to a constant or uses a tensor that has no memory yet. A tensor has memory
// from the start if it is planned, constant, an input or an output; others get it by becoming a
// view of, or by taking the place of, one that has.
class MemoryFlow {
 public:
  struct Fault {
    std::size_t instruction = 0;
    std::size_t value = 0;
    bool writes_constant = false;
  };

  explicit MemoryFlow(const CheckedMethod& method);

  // Instructions are counted through all chains; those of the next chain follow.
  void begin_chain() noexcept { chain_start_ = instruction_; }

  // The parts of one instruction ...
  void use(std::size_t tensor);
  void write(std::size_t tensor);
  void alias(std::size_t from, std::size_t to);
  // ... which one of these ends. `args` are the values that it may have changed.
  void end_call(const flatbuffer::Vector<std::int32_t>& args);
  void end_move(std::size_t to);
  void end_jump(std::size_t to, std::size_t condition, bool starts_false);

  // Whether an instruction of this chain from `since` on may have changed the value.
  [[nodiscard]] bool changed_since(std::size_t since, std::size_t value) const noexcept {
    return last_change_[value] > chain_start_ + since;
  }

  [[nodiscard]] std::optional<Fault> find_fault() const;

 private:
  enum class Kind : std::uint8_t { kUse, kWrite, kAlias, kJump };
  struct Event {
    std::size_t instruction = 0;
    Kind kind = Kind::kUse;
    bool starts_false = false;
    std::size_t a = 0;
    std::size_t b = 0;
  };

  [[nodiscard]] std::vector<bool> maybe_constant() const;
  [[nodiscard]] std::optional<Fault> find_use_without_memory() const;

  const CheckedMethod& method_;
  std::vector<Event> events_;
  std::vector<std::size_t> last_change_;  // by value: one past the instruction, 0 for none
  std::vector<bool> homeless_;            // by value: a tensor without memory at the start
  std::size_t instruction_ = 0;
  std::size_t chain_start_ = 0;
};

}  // namespace nocopy::executorch
