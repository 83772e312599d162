#include "executorch/memory_flow.h"

#include <algorithm>
#include <map>

#include "executorch/instruction_validation.h"

namespace nocopy::executorch {
namespace {

// The tensors that have memory, as bits; only tensors that begin without any take part.
using Set = std::vector<bool>;

// Keeps in `into` what is in both; true if that changed it.
bool intersect(Set& into, const Set& other) {
  bool changed = false;
  for (std::size_t i = 0; i < into.size(); ++i) {
    if (into[i] && !other[i]) {
      into[i] = false;
      changed = true;
    }
  }
  return changed;
}

}  // namespace

MemoryFlow::MemoryFlow(const CheckedMethod& method)
    : method_(method), last_change_(method.kinds.size()), homeless_(method.kinds.size()) {
  for (std::size_t i = 0; i < method.kinds.size(); ++i) {
    const TensorEntry& tensor = method.tensors[i];
    homeless_[i] = method.kinds[i] == ValueKind::kTensor && !tensor.planned && !tensor.constant &&
                   tensor.nbytes != 0 && !method.is_input[i] && !method.is_output[i];
  }
}

void MemoryFlow::use(std::size_t tensor) {
  if (homeless_[tensor]) events_.push_back({instruction_, Kind::kUse, false, tensor, 0});
}

void MemoryFlow::write(std::size_t tensor) {
  events_.push_back({instruction_, Kind::kWrite, false, tensor, 0});
}

void MemoryFlow::alias(std::size_t from, std::size_t to) {
  events_.push_back({instruction_, Kind::kAlias, false, from, to});
}

void MemoryFlow::end_call(const flatbuffer::Vector<std::int32_t>& args) {
  ++instruction_;
  for (std::size_t k = 0; k < args.size(); ++k) {
    last_change_[static_cast<std::size_t>(args[k])] = instruction_;
  }
}

void MemoryFlow::end_move(std::size_t to) { last_change_[to] = ++instruction_; }

void MemoryFlow::end_jump(std::size_t to, std::size_t condition, bool starts_false) {
  events_.push_back({instruction_, Kind::kJump, starts_false, chain_start_ + to, condition});
  ++instruction_;
}

std::optional<MemoryFlow::Fault> MemoryFlow::find_fault() const {
  const std::vector<bool> constant = maybe_constant();
  for (const Event& event : events_) {
    if (event.kind == Kind::kWrite && constant[event.a]) {
      return Fault{event.instruction, event.a, true};
    }
  }
  return find_use_without_memory();
}

// What is a constant, or at some time a view of one or in the place of one.
std::vector<bool> MemoryFlow::maybe_constant() const {
  std::vector<bool> constant(method_.kinds.size());
  for (std::size_t i = 0; i < constant.size(); ++i) {
    constant[i] = method_.kinds[i] == ValueKind::kTensor && method_.tensors[i].constant;
  }
  bool changed = true;
  while (changed) {
    changed = false;
    // Alternating directions settles chains of aliases in either order within two rounds.
    const auto pass = [&](const Event& event) {
      if (event.kind == Kind::kAlias && constant[event.a] && !constant[event.b]) {
        constant[event.b] = true;
        changed = true;
      }
    };
    std::for_each(events_.begin(), events_.end(), pass);
    std::for_each(events_.rbegin(), events_.rend(), pass);
  }
  return constant;
}

std::optional<MemoryFlow::Fault> MemoryFlow::find_use_without_memory() const {
  const bool any_use = std::ranges::any_of(
      events_, [this](const Event& e) { return e.kind == Kind::kUse && homeless_[e.a]; });
  if (!any_use) return std::nullopt;

  std::vector<std::size_t> bit(homeless_.size());
  std::size_t bits = 0;
  for (std::size_t i = 0; i < homeless_.size(); ++i) {
    if (homeless_[i]) bit[i] = bits++;
  }

  // What has memory on every way to the start of a block. A block that is not in the map yet was
  // not reached. Blocks begin where control can arrive other than from the instruction before.
  std::map<std::size_t, Set> at_start;
  std::vector<std::size_t> starts;
  for (const Event& event : events_) {
    if (event.kind == Kind::kJump) {
      starts.push_back(event.a);
      starts.push_back(event.instruction + 1);
    }
  }
  std::ranges::sort(starts);
  at_start[0] = Set(bits, false);
  std::vector<std::size_t> work = {0};

  const auto arrive = [&](std::size_t block, const Set& with) {
    const auto [place, is_new] = at_start.try_emplace(block, with);
    if (is_new || intersect(place->second, with)) work.push_back(block);
  };

  // Structured programs settle in a few visits of each block; only a hostile one needs more.
  std::size_t visits = 16 * (starts.size() + 4);
  while (!work.empty()) {
    const std::size_t block = work.back();
    work.pop_back();
    Set has = at_start[block];
    auto event = std::ranges::lower_bound(events_, block, {}, &Event::instruction);
    if (visits-- == 0) return Fault{block, 0, false};
    const auto next = std::ranges::upper_bound(starts, block);
    bool falls_through = next != starts.end();
    for (; event != events_.end(); ++event) {
      if (next != starts.end() && event->instruction >= *next) break;
      if (event->kind == Kind::kUse && homeless_[event->a] && !has[bit[event->a]]) {
        return Fault{event->instruction, event->a, false};
      }
      if (event->kind == Kind::kAlias && homeless_[event->b]) has[bit[event->b]] = true;
      if (event->kind == Kind::kJump) {
        arrive(event->a, has);
        const bool always = event->starts_false && last_change_[event->b] == 0;
        if (!always) arrive(event->instruction + 1, has);
        falls_through = false;
        break;
      }
    }
    if (falls_through) arrive(*next, has);
  }
  return std::nullopt;
}

}  // namespace nocopy::executorch
