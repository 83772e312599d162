#pragma once

#include <executorch/extension/memory_allocator/malloc_memory_allocator.h>
#include <executorch/runtime/executor/method.h>

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <variant>
#include <vector>

#include "executorch/input.h"
#include "executorch/program.h"
#include "executorch/thread_claim.h"
#include "executorch/threads.h"

namespace nocopy::executorch {

// A value on its way out.
using OutputList = std::variant<std::vector<int64_t>, std::vector<double>, std::vector<bool>,
                                std::vector<std::optional<OwnedTensor>>>;
using OutputValue =
    std::variant<std::monostate, bool, int64_t, double, std::string, OwnedTensor, OutputList>;

// A loaded method: the engine's, the memory it works in, and the inputs it may read.
//
// Not safe to share between threads: `Use` refuses the second one. Calls on one thread nest.
class Method {
 public:
  // With `own_memory` false, planned buffers beyond the first are those of every other such method
  // of the program: that is where an export with share_mutable_buffers puts state that its methods
  // have in common. Throws Error(kProgram), also naming the operators and delegates that are
  // missing in this build, and Error(kDevice).
  [[nodiscard]] static std::shared_ptr<Method> load(std::shared_ptr<const Program> program,
                                                    const std::string& name, bool own_memory);

  // Holds the claim of the calling thread on the method. Throws Error(kMethodBusy).
  class Use {
   public:
    explicit Use(Method& method);
    Use(const Use&) = delete;
    Use& operator=(const Use&) = delete;
    ~Use() { method_.claim_->leave(); }

   private:
    Method& method_;
  };

  [[nodiscard]] const std::string& name() const noexcept { return name_; }
  [[nodiscard]] const std::shared_ptr<const Program>& program() const noexcept { return program_; }
  [[nodiscard]] size_t input_count() const noexcept { return inputs_.size(); }
  [[nodiscard]] size_t output_count() const noexcept { return outputs_.size(); }
  [[nodiscard]] const ValueSpec& input_spec(size_t i) const { return inputs_.at(i).spec; }
  // "input 0 ('x') of method 'forward'"
  [[nodiscard]] const std::string& input_label(size_t i) const { return inputs_.at(i).label; }

  // What set_inputs would do with this value as input `i`. Throws what it would throw.
  [[nodiscard]] InputPlan plan(size_t i, InputValue& value) const;

  // Says how many inputs there are, and what they are. Throws Error(kShape).
  [[noreturn]] void refuse_count(size_t given) const;

  // Takes a whole set of inputs. Nothing is installed before all were checked; after a refusal the
  // method has no usable inputs until a whole set is given. Memory that is borrowed is held, by its
  // pin, until the next set.
  //
  // Returns the epoch of this set. Letting go of the set before it may run its owners' code, which
  // may use the method; the epoch is then another one.
  uint64_t set_inputs(std::span<InputValue> values);
  // What a refusal by set_inputs does, for one that comes before it: a value that could not be
  // read.
  void refuse_inputs() noexcept {
    if (state_ != State::kAbandoned) {
      state_ = State::kIncomplete;
    }
    ++epoch_;
  }
  // Lets go of the inputs; the method then has none.
  void drop_inputs() noexcept;
  // Visits the pin of every input held.
  template <typename Visitor>
  void visit_pins(Visitor&& visit) const {
    for (const InputSlot& slot : inputs_) {
      if (slot.pin != nullptr) {
        visit(*slot.pin);
      }
    }
    for (const PinPtr& pin : refused_) {
      visit(*pin);
    }
  }

  // Everything that must happen before a run and may call into the owners of the inputs: checks
  // that a whole set is there and still in place, and gives unplanned outputs fresh memory.
  void prepare();
  // Runs. Needs no lock of the interpreter and calls no one outside the engine.
  void run();

  // Output `i` of the last run. Memory that this run wrote for the caller is moved out once and
  // shared by later reads; anything else is copied if `clone`, or if nothing could keep it alive,
  // and otherwise lent together with what owns it. Throws Error(kIncompleteInputs) where no run
  // stands behind the outputs.
  [[nodiscard]] OutputValue output(size_t i, bool clone);
  // An earlier output that is the same value as this one.
  [[nodiscard]] std::optional<size_t> same_output(size_t i) const { return outputs_[i].same_as; }
  // Throws as output() does, without reading one.
  void require_outputs() const;
  // Changes with every set and run: what was read before belongs to another execution.
  [[nodiscard]] uint64_t epoch() const noexcept { return epoch_; }

 private:
  using EngineTensor = ::executorch::aten::Tensor;

  enum class State { kNoInputs, kIncomplete, kReady, kDone, kAbandoned };

  struct InputSlot {
    ValueSpec spec;
    std::string label;
    // How the tensor is described to the engine, rebuilt only when the shape changes.
    Dims shape;
    std::vector<int32_t> sizes;
    std::vector<int32_t> strides;
    std::vector<uint8_t> dim_order;
    std::optional<::executorch::aten::TensorImpl> impl;
    std::shared_ptr<std::byte> copy;  // of ours, where the caller's memory must not be pointed at
    size_t copy_capacity = 0;
    PinPtr pin;                                // of the memory that the engine points at
    InputAction action = InputAction::kValue;  // what the set that is going in has decided
    std::string text;
    ::executorch::aten::ArrayRef<char> text_ref;
  };

  struct OutputSlot {
    ValueSpec spec;
    bool is_input = false;             // the same value as an input: its memory is the input's
    std::optional<size_t> same_as;     // an earlier output with the same value
    std::shared_ptr<std::byte> fresh;  // this run's memory for an unplanned output

    [[nodiscard]] bool needs_memory() const noexcept {
      return spec.kind == ValueKind::kTensor && !spec.planned && !is_input && !same_as;
    }
  };

  Method(std::shared_ptr<const Program> program, std::string name)
      : program_(std::move(program)),
        name_(std::move(name)),
        running_("running method '" + name_ + "'") {}

  void make_memory(const MethodFile& file, bool own_memory);
  void check_available(const MethodFile& file) const;
  void check_value(const InputSlot& slot, InputValue& value) const;
  [[nodiscard]] const ::executorch::runtime::EValue& traced_value(size_t i) const;
  void move_out_of_arenas(InputSlot& slot, LentTensor& tensor, std::vector<PinPtr>& replaced);
  void require_in_place();
  void copy_input(InputSlot& slot, TensorView& view);
  [[nodiscard]] ::executorch::runtime::EValue describe_to_engine(InputSlot& slot,
                                                                 InputValue& value);
  void require_alive() const;
  void give_output_memory();
  void take_tensor(const EngineTensor& tensor, OutputSlot* slot, bool clone, OwnedTensor& result);
  [[nodiscard]] std::shared_ptr<void> owner_of(const void* data, size_t nbytes) const;

  std::shared_ptr<const Program> program_;
  std::string name_;
  std::string running_;  // what a run is called in messages
  std::shared_ptr<ThreadClaim> claim_;

  struct Arena {
    std::shared_ptr<std::byte> memory;
    size_t size = 0;
  };
  std::vector<Arena> arenas_;
  std::vector<::executorch::runtime::Span<uint8_t>> arena_spans_;
  std::optional<::executorch::runtime::HierarchicalAllocator> planned_;
  ::executorch::extension::MallocMemoryAllocator method_allocator_;
  ::executorch::extension::MallocMemoryAllocator temp_allocator_;
  std::optional<::executorch::runtime::MemoryManager> memory_manager_;

  std::vector<InputSlot> inputs_;
  std::vector<OutputSlot> outputs_;
  std::vector<PinPtr> refused_;  // of a set that was refused half way
  std::optional<PoolHolder> pool_;
  std::optional<::executorch::runtime::Method> engine_;

  State state_ = State::kNoInputs;
  bool reads_past_end_ = false;
  bool gives_output_memory_ = false;
  uint64_t epoch_ = 0;
};

}  // namespace nocopy::executorch
