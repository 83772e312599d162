#include "executorch/method.h"

#include <executorch/runtime/backend/interface.h>
#include <executorch/runtime/kernel/operator_registry.h>

#include <algorithm>
#include <cstring>

#include "executorch/engine.h"
#include "executorch/safe_kernels.h"
#include "memory/layout.h"

namespace nocopy::executorch {
namespace {

namespace et = ::executorch::runtime;

bool has_operator(const std::string& name) {
  if (et::registry_has_op_function(name.c_str())) {
    return true;
  }
  // A kernel may be registered for certain dtypes only; the call above asks for general ones.
  const auto kernels = et::get_registered_kernels();
  for (size_t i = 0; i < kernels.size(); ++i) {
    if (name == kernels[i].name_) {
      return true;
    }
  }
  return false;
}

std::string joined(const std::vector<std::string>& names) {
  std::string text;
  for (const std::string& name : names) {
    text += (text.empty() ? "" : ", ") + name;
  }
  return text.empty() ? "none" : text;
}

}  // namespace

Method::Use::Use(Method& method) : method_(method) {
  if (!method.claim_->try_enter()) {
    throw Error(ErrorKind::kMethodBusy,
                "method '" + method.name_ +
                    "' is being used on another thread. A method holds its inputs and outputs, so "
                    "it serves one thread at a time: load one per thread, with "
                    "program.load_method('" +
                    method.name_ + "', new=True).");
  }
}

std::shared_ptr<Method> Method::load(std::shared_ptr<const Program> program,
                                     const std::string& name, bool own_memory) {
  const MethodFile file = program->method_file(name);
  std::shared_ptr<Method> method(new Method(std::move(program), name));
  method->check_available(file);
  method->make_memory(file, own_memory);

  const std::string doing = "loading method '" + name + "'";
  EngineCall call;
  bool aborted = false;
  call.run(ErrorKind::kProgram, doing, aborted, [&] {
    auto loaded = method->program_->engine().load_method(name.c_str(), &*method->memory_manager_,
                                                         nullptr, method->program_->external_data(),
                                                         nullptr, safe_kernels());
    call.check(loaded.error(), ErrorKind::kProgram, doing);
    // Every operator is looked for among the safe kernels first, and most are not there.
    call.drop_lines("(operator_registry.cpp");
    method->engine_.emplace(std::move(loaded.get()));
  });

  method->inputs_.resize(file.input_count());
  for (size_t i = 0; i < file.input_count(); ++i) {
    InputSlot& slot = method->inputs_[i];
    slot.spec = make_spec(file.input(i), i);
    slot.label = describe_input(slot.spec, name);
    slot.dim_order = slot.spec.dim_order;
  }
  method->outputs_.resize(file.output_count());
  for (size_t i = 0; i < file.output_count(); ++i) {
    OutputSlot& slot = method->outputs_[i];
    const ValueEntry entry = file.output(i);
    slot.spec = make_spec(entry, i);
    slot.is_input = file.input_behind_output(i).has_value();
    for (size_t earlier = 0; earlier < i && !slot.same_as; ++earlier) {
      if (file.output(earlier).index == entry.index) {
        slot.same_as = earlier;
      }
    }
    method->gives_output_memory_ = method->gives_output_memory_ || slot.needs_memory();
  }
  return method;
}

void Method::check_available(const MethodFile& file) const {
  if (program_->external_data() == nullptr && file.needs_external_data()) {
    throw Error(ErrorKind::kProgram,
                "method '" + name_ +
                    "' keeps tensors in a data file beside the program, and none was given. Give "
                    "the .ptd file that the export wrote: load_program(..., data_path=...).");
  }
  std::vector<std::string> missing;
  for (const DelegateEntry& delegate : file.delegates()) {
    const std::string id(delegate.id);
    if (et::get_backend_class(id.c_str()) == nullptr) {
      throw Error(ErrorKind::kProgram,
                  "method '" + name_ + "' uses the delegate '" + id +
                      "', which this build does not have. It has: " + joined(backend_names()) +
                      ". Export the program for one of these, or without a "
                      "delegate.");
    }
  }
  for (const OperatorEntry& op : file.operators()) {
    std::string full(op.name);
    if (!op.overload.empty()) {
      full += "." + std::string(op.overload);
    }
    if (!has_operator(full)) {
      missing.push_back(full);
    }
  }
  if (!missing.empty()) {
    throw Error(ErrorKind::kProgram,
                "method '" + name_ +
                    "' uses operators that this build does not have: " + joined(missing) +
                    ". Runtime.get().operator_registry.operator_names lists the " +
                    std::to_string(et::get_registered_kernels().size()) + " it has.");
  }
}

void Method::make_memory(const MethodFile& file, bool own_memory) {
  const auto buffers = file.planned_buffers();
  const bool shares = !own_memory && buffers.size() > 1 && program_->file().method_count() > 1;
  // Methods that share memory are one thing as far as threads are concerned.
  claim_ = shares ? program_->shared_claim() : std::make_shared<ThreadClaim>();
  for (size_t i = 0; i < buffers.size(); ++i) {
    const PlannedBuffer& buffer = buffers[i];
    if (buffer.device.type != 0) {
      throw Error(ErrorKind::kDevice,
                  "method '" + name_ + "' plans " + std::to_string(buffer.size) +
                      " bytes of memory on " +
                      to_string(Device{buffer.device.type + 1, buffer.device.index}) +
                      ", and this build can allocate on the CPU only.");
    }
    arenas_.push_back(
        {shares && i > 0 ? program_->shared_arena(i) : allocate_zeroed(buffer.size), buffer.size});
    arena_spans_.emplace_back(reinterpret_cast<uint8_t*>(arenas_.back().memory.get()), buffer.size);
  }
  planned_.emplace(et::Span<et::Span<uint8_t>>(arena_spans_.data(), arena_spans_.size()));
  memory_manager_.emplace(&method_allocator_, &*planned_, &temp_allocator_);
  reads_past_end_ = !file.delegates().empty();
  if (reads_past_end_) {
    pool_.emplace();
  }
}

void Method::require_alive() const {
  if (state_ == State::kAbandoned) {
    throw Error(ErrorKind::kProgram,
                "method '" + name_ +
                    "' was given up by the runtime in the middle of an earlier call and cannot be "
                    "used any more. Load it again.");
  }
}

void Method::require_in_place() {
  const uint64_t epoch = epoch_;
  for (InputSlot& slot : inputs_) {
    if (slot.pin == nullptr) {
      continue;
    }
    // Asking may run code of the owner, which may set inputs: the pin is held here meanwhile.
    PinPtr pin = std::move(slot.pin);
    const bool in_place = pin->still_in_place();
    if (epoch != epoch_) {
      // The engine may still point at this pin's memory.
      refuse_inputs();
      drop_inputs();
      throw Error(ErrorKind::kIncompleteInputs,
                  "method '" + name_ +
                      "' was used again, by code that its own inputs ran, as it was about to run. "
                      "Set its inputs again.");
    }
    slot.pin = std::move(pin);
    if (!in_place) {
      refuse_inputs();
      drop_inputs();
      throw Error(ErrorKind::kIncompleteInputs,
                  slot.label +
                      " is no longer where it was when it was set: its owner moved, resized or "
                      "released the memory. Set all inputs again, and leave their memory in place "
                      "until the method has run.");
    }
  }
}

void Method::prepare() {
  require_alive();
  if (state_ == State::kIncomplete || (state_ == State::kNoInputs && !inputs_.empty())) {
    throw Error(ErrorKind::kIncompleteInputs,
                "method '" + name_ + "' cannot run: " +
                    (state_ == State::kIncomplete
                         ? "its last set of inputs was refused. Set all its inputs again."
                         : "its " + std::to_string(inputs_.size()) + " inputs are not set."));
  }
  if (pool_ && pool_->lost_threads()) {
    throw Error(ErrorKind::kGeneric,
                "method '" + name_ +
                    "' was loaded before this process was forked from another, and its delegate "
                    "gives work to threads that exist only there. Load the method in the child, "
                    "with program.load_method('" +
                    name_ + "', new=True), or start the process with the 'spawn' method.");
  }
  require_in_place();
  ++epoch_;
  state_ = State::kReady;
  if (gives_output_memory_) {
    give_output_memory();
  }
}

void Method::give_output_memory() {
  EngineCall call;
  bool aborted = false;
  const std::string_view doing = "giving the method memory for its outputs";
  call.run(ErrorKind::kGeneric, doing, aborted, [&] {
    for (size_t i = 0; i < outputs_.size(); ++i) {
      OutputSlot& slot = outputs_[i];
      if (!slot.needs_memory()) {
        continue;
      }
      slot.fresh = allocate_aligned(slot.spec.nbytes);
      call.check(engine_->set_output_data_ptr(slot.fresh.get(), slot.spec.nbytes, i),
                 ErrorKind::kGeneric, doing);
    }
  });
}

void Method::run() {
  const Running running;
  EngineCall call;
  bool aborted = false;
  try {
    call.run(ErrorKind::kProgram, running_, aborted,
             [&] { call.check(engine_->execute(), ErrorKind::kGeneric, running_); });
  } catch (...) {
    if (aborted) {
      state_ = State::kAbandoned;
    }
    throw;
  }
  state_ = State::kDone;
}

void Method::require_outputs() const {
  require_alive();
  if (state_ != State::kDone) {
    const char* why = state_ == State::kIncomplete
                          ? "its last set of inputs was refused; set all inputs again and run it."
                          : "it has not run, or not since its inputs were set; run it first.";
    throw Error(ErrorKind::kIncompleteInputs,
                "method '" + name_ + "' has no outputs to read: " + why);
  }
}

std::shared_ptr<void> Method::owner_of(const void* data, size_t nbytes) const {
  const auto* start = static_cast<const std::byte*>(data);
  const auto inside = [&](const std::byte* base, size_t size) {
    // Through integers: comparing pointers into different objects is not defined.
    const auto a = reinterpret_cast<uintptr_t>(start);
    const auto b = reinterpret_cast<uintptr_t>(base);
    return a >= b && a - b <= size && nbytes <= size - (a - b);
  };
  for (const Arena& arena : arenas_) {
    if (inside(arena.memory.get(), arena.size)) {
      return arena.memory;
    }
  }
  return nullptr;
}

void Method::take_tensor(const EngineTensor& tensor, OutputSlot* slot, bool clone,
                         OwnedTensor& result) {
  TensorView& view = result.view;
  view.dtype = *dtype_from_scalar_type(static_cast<int>(tensor.scalar_type()));
  const size_t itemsize = info(view.dtype).itemsize();
  const auto sizes = tensor.sizes();
  view.shape.resize(sizes.size());
  std::copy(sizes.begin(), sizes.end(), view.shape.begin());
  const auto* impl = tensor.unsafeGetTensorImpl();
  if (slot != nullptr && view.shape == slot->spec.shape) {
    view.strides = slot->spec.strides;
  } else if (impl->dim_order().data() != nullptr) {
    view.strides =
        packed_strides(view.shape, {impl->dim_order().data(), impl->dim_order().size()}, itemsize);
  } else {
    view.strides = contiguous_strides(view.shape, itemsize);
  }
  view.data = tensor.mutable_data_ptr();
  const size_t nbytes = tensor.nbytes();

  if (slot != nullptr && slot->fresh != nullptr && slot->fresh.get() == view.data) {
    result.owner = slot->fresh;
    return;
  }
  if (!clone && (slot == nullptr || !slot->is_input)) {
    result.owner = owner_of(view.data, nbytes);
    if (result.owner != nullptr) {
      return;
    }
  }
  std::shared_ptr<std::byte> copy = allocate_aligned(nbytes);
  if (nbytes != 0) {
    if (view.data == nullptr) {
      throw Error(ErrorKind::kProgram, "an output of method '" + name_ + "' has no memory.");
    }
    std::memcpy(copy.get(), view.data, nbytes);
  }
  view.data = copy.get();
  result.owner = std::move(copy);
}

OutputValue Method::output(size_t i, bool clone) {
  require_outputs();
  OutputSlot& slot = outputs_.at(i);
  const et::EValue& value = engine_->get_output(i);
  const auto list = [](const auto& array) {
    using Element = std::decay_t<decltype(array[0])>;
    return std::vector<Element>(array.begin(), array.end());
  };
  if (value.isTensor()) {
    OutputValue result(std::in_place_type<OwnedTensor>);
    take_tensor(value.toTensor(), &outputs_[slot.same_as.value_or(i)], clone,
                std::get<OwnedTensor>(result));
    return result;
  }
  if (value.isInt()) {
    return value.toInt();
  }
  if (value.isBool()) {
    return value.toBool();
  }
  if (value.isDouble()) {
    return value.toDouble();
  }
  if (value.isString()) {
    return std::string(value.toString());
  }
  if (value.isIntList()) {
    return OutputList(list(value.toIntList()));
  }
  if (value.isDoubleList()) {
    return OutputList(list(value.toDoubleList()));
  }
  if (value.isBoolList()) {
    return OutputList(list(value.toBoolList()));
  }
  if (value.isTensorList()) {
    std::vector<std::optional<OwnedTensor>> tensors;
    for (const EngineTensor& tensor : value.toTensorList()) {
      take_tensor(tensor, nullptr, true, tensors.emplace_back().emplace());
    }
    return OutputList(std::move(tensors));
  }
  if (value.isListOptionalTensor()) {
    std::vector<std::optional<OwnedTensor>> tensors;
    for (const auto& tensor : value.toListOptionalTensor()) {
      auto& taken = tensors.emplace_back();
      if (tensor) {
        take_tensor(*tensor, nullptr, true, taken.emplace());
      }
    }
    return OutputList(std::move(tensors));
  }
  return std::monostate{};
}

}  // namespace nocopy::executorch
