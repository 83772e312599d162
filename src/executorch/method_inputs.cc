// How a set of inputs goes in: checked as a whole, then installed one by one.

#include <cmath>
#include <cstring>

#include "executorch/engine.h"
#include "executorch/method.h"
#include "memory/layout.h"

namespace nocopy::executorch {
namespace {

namespace et = ::executorch::runtime;

// Equal to the precision of a float32, so that a constant that went through one still matches.
bool same_double(double a, double b) {
  return static_cast<float>(a) == static_cast<float>(b) || (std::isnan(a) && std::isnan(b));
}

template <typename T>
T read(const TensorView& view) {
  T element;
  std::memcpy(&element, view.data, sizeof(T));
  return element;
}

// The one element of a 0-d array or array scalar as a plain value, where that loses nothing.
void unwrap_scalar(InputValue& value) {
  const auto* tensor = std::get_if<LentTensor>(&value);
  if (tensor == nullptr || !tensor->view.shape.empty() || !tensor->view.device.is_host() ||
      tensor->view.data == nullptr) {
    return;
  }
  const TensorView& view = tensor->view;
  switch (view.dtype) {
    case DType::kBool:
      value = read<uint8_t>(view) != 0;
      return;
    case DType::kInt8:
      value = int64_t{read<int8_t>(view)};
      return;
    case DType::kInt16:
      value = int64_t{read<int16_t>(view)};
      return;
    case DType::kInt32:
      value = int64_t{read<int32_t>(view)};
      return;
    case DType::kInt64:
      value = read<int64_t>(view);
      return;
    case DType::kUInt8:
      value = int64_t{read<uint8_t>(view)};
      return;
    case DType::kUInt16:
      value = int64_t{read<uint16_t>(view)};
      return;
    case DType::kUInt32:
      value = int64_t{read<uint32_t>(view)};
      return;
    case DType::kFloat32:
      value = double{read<float>(view)};
      return;
    case DType::kFloat64:
      value = read<double>(view);
      return;
    default:
      return;
  }
}

// The other forms of a value that mean the same number: what Python would pass without a word.
void convert_number(const ValueSpec& spec, InputValue& value) {
  if (spec.kind == ValueKind::kTensor) {
    return;
  }
  unwrap_scalar(value);
  if (spec.kind == ValueKind::kDouble && std::holds_alternative<int64_t>(value)) {
    value = static_cast<double>(std::get<int64_t>(value));
  }
}

bool has_kind(const ValueSpec& spec, const InputValue& value) {
  switch (spec.kind) {
    case ValueKind::kTensor:
      return std::holds_alternative<LentTensor>(value);
    case ValueKind::kNone:
      return std::holds_alternative<std::monostate>(value);
    case ValueKind::kBool:
      return std::holds_alternative<bool>(value);
    case ValueKind::kInt:
      return std::holds_alternative<int64_t>(value);
    case ValueKind::kDouble:
      return std::holds_alternative<double>(value);
    case ValueKind::kString:
      return std::holds_alternative<std::string>(value);
    default:
      return false;
  }
}

}  // namespace

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wdeprecated-declarations"
// Deprecated in favour of metadata that does not hold the values of plain inputs.
const et::EValue& Method::traced_value(size_t i) const { return engine_->get_input(i); }
#pragma GCC diagnostic pop

InputPlan Method::plan(size_t i, InputValue& value) const {
  const InputSlot& slot = inputs_.at(i);
  check_value(slot, value);
  if (const auto* tensor = std::get_if<LentTensor>(&value)) {
    return plan_input(slot.spec, tensor->view, tensor->pin.get(), reads_past_end_);
  }
  return plan_input(slot.spec, TensorView{}, nullptr, reads_past_end_);
}

void Method::check_value(const InputSlot& slot, InputValue& value) const {
  convert_number(slot.spec, value);
  if (!has_kind(slot.spec, value)) {
    std::string message = slot.label + " is " + describe(value) + ", but the method expects " +
                          describe(slot.spec) + ".";
    if (slot.spec.kind == ValueKind::kTensor) {
      message += " Pass an array, for example numpy.asarray(value, dtype='" +
                 std::string(info(slot.spec.dtype).name) + "').";
    }
    throw Error(ErrorKind::kDType, message);
  }
  if (auto* tensor = std::get_if<LentTensor>(&value)) {
    check_tensor_input(slot.spec, *tensor, slot.label);
    return;
  }
  // Export turns plain values into constants of the program: the method was specialised to them.
  const et::EValue& traced = traced_value(slot.spec.index);
  std::string expected;
  if (const auto* b = std::get_if<bool>(&value)) {
    expected = traced.toBool() == *b ? "" : describe(InputValue(traced.toBool()));
  } else if (const auto* n = std::get_if<int64_t>(&value)) {
    expected = traced.toInt() == *n ? "" : describe(InputValue(traced.toInt()));
  } else if (const auto* d = std::get_if<double>(&value)) {
    expected = same_double(traced.toDouble(), *d) ? "" : describe(InputValue(traced.toDouble()));
  } else if (const auto* s = std::get_if<std::string>(&value)) {
    expected = traced.toString() == *s ? "" : describe(InputValue(std::string(traced.toString())));
  }
  if (!expected.empty()) {
    throw Error(ErrorKind::kShape, slot.label + " is " + describe(value) +
                                       ", but the program was exported with " + expected +
                                       " in its place and takes nothing else. Pass that value, or "
                                       "export the program with a tensor there.");
  }
}

void Method::copy_input(InputSlot& slot, TensorView& view) {
  const size_t nbytes = nbytes_of(view);
  if (slot.copy == nullptr || slot.copy_capacity < nbytes) {
    slot.copy = allocate_aligned(nbytes);
    slot.copy_capacity = nbytes;
  }
  if (nbytes != 0) {
    std::memcpy(slot.copy.get(), view.data, nbytes);
  }
  view.data = slot.copy.get();
}

// A result that was read without a copy lies in planned memory, which setting other inputs and
// running the method overwrite. Given back as an input, it is copied out before either happens.
// Its pin goes to `replaced`, to be let go of later.
void Method::move_out_of_arenas(InputSlot& slot, LentTensor& tensor,
                                std::vector<PinPtr>& replaced) {
  const auto a = reinterpret_cast<uintptr_t>(tensor.view.data);
  const size_t nbytes = slot.spec.nbytes;  // at most, where the shape is dynamic
  for (const Arena& arena : arenas_) {
    const auto b = reinterpret_cast<uintptr_t>(arena.memory.get());
    if (a < b + arena.size && b < a + nbytes) {
      copy_input(slot, tensor.view);
      replaced.push_back(std::move(tensor.pin));
      return;
    }
  }
}

et::EValue Method::describe_to_engine(InputSlot& slot, InputValue& value) {
  auto* tensor = std::get_if<LentTensor>(&value);
  if (tensor == nullptr) {
    if (const auto* b = std::get_if<bool>(&value)) {
      return et::EValue(*b);
    }
    if (const auto* n = std::get_if<int64_t>(&value)) {
      return et::EValue(*n);
    }
    if (const auto* d = std::get_if<double>(&value)) {
      return et::EValue(*d);
    }
    if (auto* s = std::get_if<std::string>(&value)) {
      slot.text = std::move(*s);
      slot.text_ref = {slot.text.data(), slot.text.size()};
      return et::EValue(&slot.text_ref);
    }
    return et::EValue();
  }
  const TensorView& view = tensor->view;
  if (!slot.impl || !(view.shape == slot.shape)) {
    slot.shape = view.shape;
    const auto itemsize = static_cast<int64_t>(info(view.dtype).itemsize());
    slot.sizes.assign(view.shape.begin(), view.shape.end());
    slot.strides.resize(view.strides.size());
    for (size_t i = 0; i < view.strides.size(); ++i) {
      slot.strides[i] = static_cast<int32_t>(view.strides[i] / itemsize);
    }
    slot.impl.emplace(static_cast<::executorch::aten::ScalarType>(info(view.dtype).scalar_type),
                      static_cast<ssize_t>(slot.sizes.size()), slot.sizes.data(), nullptr,
                      slot.dim_order.data(), slot.strides.data());
  }
  slot.impl->set_data(view.data);
  return et::EValue(EngineTensor(&*slot.impl));
}

void Method::refuse_count(size_t given) const {
  std::string message = "method '" + name_ + "' takes " + std::to_string(inputs_.size()) +
                        (inputs_.size() == 1 ? " input, " : " inputs, ") + std::to_string(given) +
                        " given.";
  for (const InputSlot& slot : inputs_) {
    message += "\n  " + slot.label + ": " + describe(slot.spec);
  }
  throw Error(ErrorKind::kShape, message);
}

uint64_t Method::set_inputs(std::span<InputValue> values) {
  require_alive();
  // Pins leave the method before they are let go of, which may run code that comes back here.
  std::vector<PinPtr> replaced = std::exchange(refused_, {});
  replaced.clear();
  state_ = State::kIncomplete;
  const uint64_t epoch = ++epoch_;
  if (values.size() != inputs_.size()) {
    refuse_count(values.size());
  }
  for (size_t i = 0; i < values.size(); ++i) {
    inputs_[i].action = plan(i, values[i]).action;
  }
  for (size_t i = 0; i < values.size(); ++i) {
    auto* tensor = std::get_if<LentTensor>(&values[i]);
    if (inputs_[i].action == InputAction::kBorrowed && tensor->pin != nullptr) {
      tensor->pin->watch();
    }
  }
  // Watching may run code of the memory's owners. From here on nobody's runs until all is in place.
  if (epoch != epoch_) {
    throw Error(ErrorKind::kIncompleteInputs,
                "method '" + name_ +
                    "' was used again, by code that its own inputs ran, while they were being set. "
                    "Set them again.");
  }
  for (size_t i = 0; i < values.size(); ++i) {
    if (auto* tensor = std::get_if<LentTensor>(&values[i])) {
      move_out_of_arenas(inputs_[i], *tensor, replaced);
    }
  }

  EngineCall call;
  bool aborted = false;
  try {
    call.run(ErrorKind::kProgram, "setting the inputs", aborted, [&] {
      for (size_t i = 0; i < values.size(); ++i) {
        InputSlot& slot = inputs_[i];
        auto* tensor = std::get_if<LentTensor>(&values[i]);
        PinPtr pin;
        if (slot.action == InputAction::kCopiedByUs && tensor->view.data != slot.copy.get()) {
          copy_input(slot, tensor->view);
        } else if (slot.action == InputAction::kBorrowed) {
          pin = std::move(tensor->pin);
        }
        const auto status = engine_->set_input(describe_to_engine(slot, values[i]), i);
        if (status != et::Error::Ok) {
          refused_.push_back(std::move(pin));
          call.fail_with_status(status, ErrorKind::kGeneric, "setting " + slot.label);
        }
        std::swap(slot.pin, pin);
        // The engine points at the new memory now, but a later input may still be refused, and
        // then both sets stay until the next one.
        if (pin != nullptr) {
          refused_.push_back(std::move(pin));
        }
      }
    });
  } catch (...) {
    if (aborted) {
      state_ = State::kAbandoned;
    }
    std::erase(refused_, nullptr);
    throw;
  }
  for (PinPtr& pin : std::exchange(refused_, {})) {
    replaced.push_back(std::move(pin));
  }
  state_ = State::kReady;
  return epoch;
}

void Method::drop_inputs() noexcept {
  // As in set_inputs: the method is without inputs before anyone's code can run.
  if (state_ != State::kAbandoned && state_ != State::kIncomplete) {
    state_ = State::kNoInputs;
  }
  std::vector<PinPtr> dropped = std::exchange(refused_, {});
  for (InputSlot& slot : inputs_) {
    if (slot.pin != nullptr) {
      dropped.push_back(std::move(slot.pin));
    }
  }
}

}  // namespace nocopy::executorch
