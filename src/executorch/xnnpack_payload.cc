#include "executorch/xnnpack_payload.h"
namespace nocopy::executorch {
XnnpackInterface check_xnnpack_payload(const ProgramLayout&, std::span<const std::byte>,
                                       const std::string&) {
  return {};
}
}  // namespace nocopy::executorch
