#include "executorch/instruction_validation.h"

#include <algorithm>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <utility>

#include "executorch/memory_flow.h"
#include "executorch/operator_layouts.h"
#include "executorch/operator_rules.h"
#include "executorch/operator_signatures.h"
#include "executorch/program_parts.h"
#include "executorch/program_schema.h"
#include "executorch/program_validation.h"

namespace nocopy::executorch {
namespace {

using flatbuffer::Table;
using flatbuffer::Tables;
using flatbuffer::Vector;
using Args = Vector<std::int32_t>;

constexpr std::int8_t kBoolType = 11;
constexpr std::int8_t kLongType = 4;

struct Expected {
  std::string_view what;
  bool (*takes)(ValueKind kind) noexcept;
};

// What a letter of a signature takes. Letters that take anything are not here.
[[nodiscard]] Expected expected(char letter) noexcept {
  using enum ValueKind;
  switch (letter) {
    case 'T':
    case 'W':
    case 'V':
      return {"a tensor", [](ValueKind k) noexcept { return k == kTensor; }};
    case 't':
      return {"a tensor or None", [](ValueKind k) noexcept { return k == kTensor || k == kNone; }};
    case 'L':
    case 'M':
      return {"a tensor list", [](ValueKind k) noexcept { return k == kTensorList; }};
    case 'l':
      return {"an optional tensor list",
              [](ValueKind k) noexcept { return k == kOptionalTensorList; }};
    case 'i':
      return {"an int", [](ValueKind k) noexcept { return k == kInt; }};
    case 'I':
      return {"an int or None", [](ValueKind k) noexcept { return k == kInt || k == kNone; }};
    case 'f':
      return {"a float", [](ValueKind k) noexcept { return k == kDouble; }};
    case 'F':
      return {"a float or None", [](ValueKind k) noexcept { return k == kDouble || k == kNone; }};
    case 'b':
      return {"a bool", [](ValueKind k) noexcept { return k == kBool; }};
    case 'B':
      return {"a bool or None", [](ValueKind k) noexcept { return k == kBool || k == kNone; }};
    case 's':
      return {"a number",
              [](ValueKind k) noexcept { return k == kInt || k == kBool || k == kDouble; }};
    case 'S':
    case 'p':
      return {"a number or None", [](ValueKind k) noexcept { return k <= kDouble; }};
    case 'N':
      return {"an int list", [](ValueKind k) noexcept { return k == kIntList; }};
    case 'n':
      return {"an int list or None",
              [](ValueKind k) noexcept { return k == kIntList || k == kNone; }};
    case 'd':
      return {"a float list or None",
              [](ValueKind k) noexcept { return k == kDoubleList || k == kNone; }};
    case 'a':
      return {"a bool list", [](ValueKind k) noexcept { return k == kBoolList; }};
    case 'c':
      return {"a str", [](ValueKind k) noexcept { return k == kString; }};
    case 'C':
      return {"a str or None", [](ValueKind k) noexcept { return k == kString || k == kNone; }};
    default:
      return {"anything", [](ValueKind) noexcept { return true; }};
  }
}

class InstructionValidator {
 public:
  explicit InstructionValidator(const CheckedMethod& method)
      : method_(method),
        operators_(method.plan.tables(schema::kOperators)),
        signatures_(operators_.size()),
        homes_(method.homes),
        flow_(method) {}

  void run() {
    for (std::size_t i = 0; i < operators_.size(); ++i) {
      signatures_[i] = operator_signature(operators_[i].string(schema::kOperatorName),
                                          operators_[i].string(schema::kOperatorOverload));
    }
    find_computed_and_filled();
    for (std::size_t i = 0; i < method_.is_input.size(); ++i) {
      if (method_.is_input[i]) note_written(i);
    }
    const Tables chains = method_.plan.tables(schema::kChains);
    if (chains.size() == 0) fail("it", "has no chain of instructions");
    for (std::size_t c = 0; c < chains.size(); ++c) {
      const Tables instructions = chains[c].tables(schema::kInstructions);
      flow_.begin_chain();
      for (std::size_t i = 0; i < instructions.size(); ++i) {
        where_ = "instruction " + std::to_string(i);
        if (chains.size() > 1) where_ += " of chain " + std::to_string(c);
        check(instructions, i);
      }
    }
    where_ = "its end";
    for (std::size_t i = 0; i < method_.is_output.size(); ++i) {
      if (method_.is_output[i]) check_view(i);
    }
    where_.clear();
    if (const auto fault = flow_.find_fault()) {
      fail("instruction " + std::to_string(fault->instruction),
           fault->writes_constant
               ? "writes value " + std::to_string(fault->value) + ", which is or may be a constant"
               : "uses value " + std::to_string(fault->value) + ", which has no memory by then");
    }
  }

 private:
  [[noreturn]] void fail(const std::string& part, const std::string& fault,
                         std::string_view hint = {}) const {
    refuse_program(method_.where + ", " + part, fault, hint);
  }
  [[noreturn]] void fail(const std::string& fault) const { fail(where_, fault); }

  [[nodiscard]] std::size_t value(std::int32_t index, std::string_view role) const {
    if (index < 0 || static_cast<std::size_t>(index) >= method_.kinds.size()) {
      fail("has as its " + std::string(role) + " value " + std::to_string(index) + " of " +
           std::to_string(method_.kinds.size()));
    }
    return static_cast<std::size_t>(index);
  }

  void check(const Tables& instructions, std::size_t i) {
    const Table args = instructions[i].table(schema::kInstructionArgs);
    switch (instructions[i].scalar<std::uint8_t>(schema::kInstructionType)) {
      case schema::kCallsKernel:
        check_kernel_call(args);
        return;
      case schema::kCallsDelegate:
        check_delegate_call(args);
        return;
      case schema::kMoves:
        check_move(args);
        return;
      case schema::kJumpsIfFalse:
        check_jump(instructions, i, args);
        return;
      default:
        // The only tensors it could free are of a kind that the runtime does not load.
        fail("frees value " + std::to_string(args.scalar<std::int32_t>(schema::kFreedValue)) +
             ", which has no memory of its own");
    }
  }

  void check_kernel_call(Table call) {
    const auto op = call.scalar<std::int32_t>(schema::kCallIndex);
    if (op < 0 || static_cast<std::size_t>(op) >= operators_.size()) {
      fail("calls operator " + std::to_string(op) + " of " + std::to_string(operators_.size()));
    }
    const auto index = static_cast<std::size_t>(op);
    const Args args = call.scalars<std::int32_t>(schema::kCallArgs);
    for (std::size_t k = 0; k < args.size(); ++k) (void)value(args[k], "argument");
    if (!signatures_[index]) {
      // The runtime refuses the method by naming the operator, unless somebody registered it.
      for (std::size_t k = 0; k < args.size(); ++k) {
        use(args[k]);
        each_tensor(args[k], [this](std::size_t i) { note_written(i); });
      }
      flow_.end_call(args);
      return;
    }
    const std::string_view letters = *signatures_[index];
    if (args.size() != letters.size()) {
      fail("gives " + operator_name(index) + " " + std::to_string(args.size()) +
           " arguments, which takes " + std::to_string(letters.size()));
    }
    for (std::size_t k = 0; k < args.size(); ++k) {
      const Expected wanted = expected(letters[k]);
      const ValueKind kind = method_.kinds[static_cast<std::size_t>(args[k])];
      if (!wanted.takes(kind)) {
        fail("gives " + operator_name(index) + " as argument " + std::to_string(k) + " value " +
             std::to_string(args[k]) + " (" + std::string(value_kind_name(kind)) +
             "), which takes " + std::string(wanted.what));
      }
    }
    if (const auto fault = check_rules(method_, computed_, operator_name(index), args)) {
      fail(where_,
           "gives " + operator_name(index) + " an argument " + std::to_string(fault->argument) +
               " that " + fault->what,
           fault->hint);
    }
    check_overlap(args, letters);
    // Views are made after everything else was read.
    for (std::size_t k = 0; k < args.size(); ++k) {
      if (letters[k] != 'V' && letters[k] != 'r' && letters[k] != 'R') use(args[k]);
    }
    for (std::size_t k = 0; k < args.size(); ++k) {
      if (letters[k] == 'W' || letters[k] == 'M') write(args[k]);
    }
    for (std::size_t k = 0; k < args.size(); ++k) {
      if (letters[k] == 'V') {
        flow_.alias(static_cast<std::size_t>(args[0]), static_cast<std::size_t>(args[k]));
        homes_[static_cast<std::size_t>(args[k])] = homes_[static_cast<std::size_t>(args[0])];
      }
    }
    flow_.end_call(args);
  }

  [[nodiscard]] std::string operator_name(std::size_t index) const {
    std::string name(operators_[index].string(schema::kOperatorName));
    const std::string_view overload = operators_[index].string(schema::kOperatorOverload);
    if (!overload.empty()) name.append(".").append(overload);
    return name;
  }

  [[nodiscard]] std::string_view letters_of(std::int32_t op, const Args& args) const {
    if (op < 0 || static_cast<std::size_t>(op) >= signatures_.size()) return {};
    const std::string_view letters = signatures_[static_cast<std::size_t>(op)].value_or("");
    return letters.size() == args.size() ? letters : std::string_view();
  }

  // Which numbers are results of operators, or moved to: the value in the file is a placeholder.
  // And which tensors something is put into: others in planned memory are views of what is there.
  void find_computed_and_filled() {
    computed_.resize(method_.kinds.size());
    filled_ = method_.is_input;
    filled_.resize(method_.kinds.size());
    const auto fill = [this](std::int32_t i) {
      if (i < 0 || static_cast<std::size_t>(i) >= filled_.size()) return;
      each_tensor(i, [this](std::size_t k) { filled_[k] = true; });
    };
    const auto mark = [this](std::int32_t i) {
      if (i >= 0 && static_cast<std::size_t>(i) < computed_.size()) {
        computed_[static_cast<std::size_t>(i)] = true;
      }
    };
    const Tables chains = method_.plan.tables(schema::kChains);
    for (std::size_t c = 0; c < chains.size(); ++c) {
      const Tables instructions = chains[c].tables(schema::kInstructions);
      for (std::size_t i = 0; i < instructions.size(); ++i) {
        const auto kind = instructions[i].scalar<std::uint8_t>(schema::kInstructionType);
        const Table content = instructions[i].table(schema::kInstructionArgs);
        if (kind == schema::kMoves) {
          mark(content.scalar<std::int32_t>(schema::kMoveTo));
          fill(content.scalar<std::int32_t>(schema::kMoveTo));
        }
        if (kind != schema::kCallsKernel && kind != schema::kCallsDelegate) continue;
        const auto op = content.scalar<std::int32_t>(schema::kCallIndex);
        const Args args = content.scalars<std::int32_t>(schema::kCallArgs);
        // None of an unknown operator or a delegate, nor where the call will be refused anyway.
        const std::string_view letters = kind == schema::kCallsKernel ? letters_of(op, args) : "";
        for (std::size_t k = 0; k < args.size(); ++k) {
          if (letters.empty() || letters[k] == 'W' || letters[k] == 'M' || letters[k] == 'V') {
            fill(args[k]);
          }
        }
        if (kind == schema::kCallsKernel && args.size() != 0 &&
            (letters.empty() || letters.back() == 'p')) {
          mark(args[args.size() - 1]);
        }
      }
    }
  }

  // Kernels read all of their inputs, and check the indexes among them, on the understanding that
  // writing the output changes none of them.
  void check_overlap(const Args& args, std::string_view letters) const {
    for (std::size_t w = 0; w < args.size(); ++w) {
      if (letters[w] != 'W' && letters[w] != 'M') continue;
      each_tensor(args[w], [&](std::size_t written) {
        for (std::size_t k = 0; k < args.size(); ++k) {
          if (letters[k] == 'r' || letters[k] == 'R' || k == w) continue;
          each_tensor(args[k], [&](std::size_t other) {
            if (other != written && homes_[other].overlaps(homes_[written])) {
              fail("writes value " + std::to_string(written) + " over value " +
                   std::to_string(other) + ", which it also uses");
            }
          });
        }
      });
    }
  }

  // The tensors of a value: itself, or the items of a list.
  template <typename Visit>
  void each_tensor(std::int32_t index, Visit visit) const {
    const auto i = static_cast<std::size_t>(index);
    if (method_.kinds[i] == ValueKind::kTensor) {
      visit(i);
    } else if (method_.kinds[i] == ValueKind::kTensorList ||
               method_.kinds[i] == ValueKind::kOptionalTensorList) {
      const auto items = method_.plan.tables(schema::kValues)[i]
                             .table(schema::kValue)
                             .scalars<std::int32_t>(schema::kItems);
      for (std::size_t k = 0; k < items.size(); ++k) {
        if (items[k] < 0) continue;
        const auto item = static_cast<std::size_t>(items[k]);
        if (method_.kinds[item] == ValueKind::kTensor) visit(item);
      }
    }
  }
  void use(std::int32_t index) {
    each_tensor(index, [this](std::size_t i) {
      check_view(i);
      flow_.use(i);
    });
  }
  void write(std::int32_t index) {
    each_tensor(index, [this](std::size_t i) {
      note_written(i);
      flow_.write(i);
    });
  }

  void note_written(std::size_t i) {
    const TensorHome& home = method_.homes[i];
    if (home.size != 0) written_.insert_or_assign({home.buffer, home.offset}, i);
  }

  // An exporter drops the copies that only change a shape, and gives the copy the memory of the
  // original: right only where both have their elements in one order.
  void check_view(std::size_t i) const {
    const TensorHome& home = method_.homes[i];
    if (filled_[i] || home.size == 0) return;
    const auto found = written_.find({home.buffer, home.offset});
    if (found == written_.end()) return;
    const std::size_t original = found->second;
    const TensorEntry& tensor = method_.tensors[i];
    const TensorEntry& other = method_.tensors[original];
    if (method_.homes[original].size != home.size || tensor.scalar_type != other.scalar_type ||
        same_element_order(tensor, other)) {
      return;
    }
    fail(where_,
         "uses value " + std::to_string(i) + ", which is " + describe_layout(tensor) +
             ", as a view of value " + std::to_string(original) + ", which is " +
             describe_layout(other),
         kLayoutHint);
  }

  void check_delegate_call(Table call) {
    const auto delegate = call.scalar<std::int32_t>(schema::kCallIndex);
    if (delegate < 0 || static_cast<std::size_t>(delegate) >= method_.delegates.size()) {
      fail("calls delegate " + std::to_string(delegate) + " of " +
           std::to_string(method_.delegates.size()));
    }
    const Args args = call.scalars<std::int32_t>(schema::kCallArgs);
    for (std::size_t k = 0; k < args.size(); ++k) {
      (void)value(args[k], "argument");
      use(args[k]);
    }
    for (std::size_t k = 0; k < args.size(); ++k) {
      each_tensor(args[k], [this](std::size_t i) { note_written(i); });
    }
    if (const auto& interface = method_.delegates[static_cast<std::size_t>(delegate)]) {
      for (const XnnpackExternal& external : interface->externals) check_external(external, args);
    }
    flow_.end_call(args);
  }

  void check_external(const XnnpackExternal& external, const Args& args) {
    const std::string what = std::string(external.output ? "output" : "input") + " at argument " +
                             std::to_string(external.argument);
    if (external.argument >= args.size()) {
      fail("gives its delegate " + std::to_string(args.size()) + " arguments, which has an " +
           what);
    }
    const auto i = static_cast<std::size_t>(args[external.argument]);
    if (method_.kinds[i] != ValueKind::kTensor) {
      fail("gives its delegate a value that is no tensor for the " + what);
    }
    const TensorEntry& tensor = method_.tensors[i];
    const std::size_t item = scalar_type_size(tensor.scalar_type);
    if (item != external.item_size && !(external.indexes && tensor.scalar_type == kLongType)) {
      fail("gives its delegate a tensor of another dtype for the " + what);
    }
    if (!fits(tensor, external.dims)) {
      fail("gives its delegate a tensor of another shape for the " + what);
    }
    if (external.output) flow_.write(i);
  }

  // Whether XNNPACK would see the shape that it was told of: the tensor's sizes in memory order. A
  // dynamic tensor may have larger bounds than the graph was exported with. Size-one dimensions may
  // be elsewhere, as exporters put them in one-channel images, but not last: the last dimension is
  // the one that weights go with.
  [[nodiscard]] static bool fits(const TensorEntry& tensor,
                                 const std::vector<std::uint32_t>& dims) {
    // A tensor of rank 0 stands for one element of rank 1: the delegate's graph has no rank 0.
    if (tensor.sizes.empty()) return dims.empty() || dims == std::vector<std::uint32_t>{1};
    if (tensor.sizes.size() != dims.size()) return false;
    std::vector<std::uint32_t> sizes;
    for (const std::uint8_t d : tensor.dim_order) {
      sizes.push_back(static_cast<std::uint32_t>(tensor.sizes[d]));
    }
    const auto one_fits = [&](std::uint32_t size, std::uint32_t dim) {
      return size == dim || (tensor.dynamic && size >= dim);
    };
    if (std::ranges::equal(sizes, dims, one_fits)) return true;
    if (sizes.back() != dims.back()) return false;
    std::vector<std::uint32_t> other = dims;
    std::erase(sizes, 1U);
    std::erase(other, 1U);
    return sizes == other;
  }

  void check_move(Table move) {
    const std::size_t from = value(move.scalar<std::int32_t>(schema::kMoveFrom), "source");
    const std::size_t to = value(move.scalar<std::int32_t>(schema::kMoveTo), "target");
    const bool tensor = method_.kinds[from] == ValueKind::kTensor;
    if (method_.kinds[from] != method_.kinds[to] ||
        (tensor && method_.tensors[from].scalar_type != method_.tensors[to].scalar_type)) {
      fail("moves value " + std::to_string(from) + " to value " + std::to_string(to) +
           ", which is of another kind");
    }
    if (tensor) {
      check_view(from);
      flow_.use(from);
      flow_.alias(from, to);
      homes_[to] = {};  // it depends on the way control took
    }
    flow_.end_move(to);
  }

  void check_jump(const Tables& instructions, std::size_t i, Table jump) {
    const std::size_t condition = value(jump.scalar<std::int32_t>(schema::kCondition), "condition");
    const ValueKind kind = method_.kinds[condition];
    if (kind != ValueKind::kBool &&
        !(kind == ValueKind::kTensor && method_.tensors[condition].scalar_type == kBoolType)) {
      fail("jumps on value " + std::to_string(condition) + " (" +
           std::string(value_kind_name(kind)) + "), which is no condition");
    }
    if (kind == ValueKind::kTensor) flow_.use(condition);
    const auto destination = jump.scalar<std::int32_t>(schema::kDestination);
    if (destination < 0 || static_cast<std::size_t>(destination) > instructions.size()) {
      fail("jumps to instruction " + std::to_string(destination) + " of " +
           std::to_string(instructions.size()));
    }
    const auto to = static_cast<std::size_t>(destination);
    if (to <= i && !flow_.changed_since(to, condition)) {
      fail("jumps back to instruction " + std::to_string(to) +
           " on a condition that nothing in between changes, which never ends");
    }
    flow_.end_jump(to, condition, kind == ValueKind::kBool && !bool_value(condition));
  }

  [[nodiscard]] bool bool_value(std::size_t i) const {
    return method_.plan.tables(schema::kValues)[i].table(schema::kValue).scalar<bool>(0);
  }

  const CheckedMethod& method_;
  Tables operators_;
  std::vector<std::optional<std::string_view>> signatures_;
  std::vector<bool> computed_;
  std::vector<bool> filled_;
  // By buffer and offset in planned memory, the tensor that was last written there.
  std::map<std::pair<std::uint32_t, std::uint64_t>, std::size_t> written_;
  std::vector<TensorHome> homes_;  // by value; views move in with what they are views of
  MemoryFlow flow_;
  std::string where_;
};

}  // namespace

void validate_instructions(const CheckedMethod& method) { InstructionValidator(method).run(); }

}  // namespace nocopy::executorch
