#include "executorch/operator_signatures.h"

#include <algorithm>
#include <array>
#include <string>

namespace nocopy::executorch {
namespace {

struct Row {
  std::string_view name;
  std::string_view letters;
};

constexpr auto kRows = std::to_array<Row>({
#include "executorch/operator_signatures.inc"
});
static_assert(std::ranges::is_sorted(kRows, {}, &Row::name));

}  // namespace

std::optional<std::string_view> operator_signature(std::string_view name,
                                                   std::string_view overload) {
  std::string full(name);
  if (!overload.empty()) full.append(".").append(overload);
  const auto row = std::ranges::lower_bound(kRows, std::string_view(full), {}, &Row::name);
  if (row == kRows.end() || row->name != full) return std::nullopt;
  return row->letters;
}

}  // namespace nocopy::executorch
