#pragma once

#include <executorch/extension/flat_tensor/flat_tensor_data_map.h>
#include <executorch/runtime/executor/program.h>

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "executorch/bytes_loader.h"
#include "executorch/program_file.h"
#include "executorch/thread_claim.h"
#include "memory/aligned_buffer.h"

namespace nocopy::executorch {

enum class Verification { kMinimal, kInternalConsistency };

// Some bytes and what keeps them alive.
struct SharedBytes {
  std::span<const std::byte> bytes;
  std::shared_ptr<const void> owner;
};

// A program file: its bytes, the engine's view of them, and our own. The bytes are read in place
// for as long as this exists, so every method holds the program it came from.
class Program {
 public:
  // Reads `data` in place, or from one aligned copy where its address is not aligned as the format
  // needs. Everything that the engine trusts in the file is checked first, at every verification
  // level. `external` is the content of a .ptd file with data that the program keeps outside
  // itself. Throws Error(kProgram).
  [[nodiscard]] static std::shared_ptr<const Program> load(
      SharedBytes data, std::optional<SharedBytes> external = std::nullopt,
      Verification verification = Verification::kInternalConsistency);

  [[nodiscard]] const ProgramFile& file() const noexcept { return *file_; }
  [[nodiscard]] const ::executorch::runtime::Program& engine() const noexcept { return *engine_; }
  [[nodiscard]] const ::executorch::runtime::NamedDataMap* external_data() const noexcept {
    return external_ ? &*external_ : nullptr;
  }
  [[nodiscard]] std::vector<std::string> method_names() const;
  // Throws Error(kProgram), listing the methods there are.
  [[nodiscard]] MethodFile method_file(std::string_view name) const;

  // The planned buffer `index` that all methods of this program share, as large as the largest
  // method needs, zeroed, made on first use and freed with the last method that holds it.
  [[nodiscard]] std::shared_ptr<std::byte> shared_arena(size_t index) const;
  // Of the methods that share memory.
  [[nodiscard]] const std::shared_ptr<ThreadClaim>& shared_claim() const noexcept {
    return shared_claim_;
  }

 private:
  explicit Program(SharedBytes data) : data_(std::move(data)), loader_(data_.bytes) {}

  void load_external(SharedBytes external);

  SharedBytes data_;
  BytesLoader loader_;
  std::optional<ProgramFile> file_;
  std::optional<::executorch::runtime::Program> engine_;

  std::optional<SharedBytes> external_bytes_;
  std::optional<BytesLoader> external_loader_;
  std::optional<::executorch::extension::FlatTensorDataMap> external_;

  mutable std::vector<std::weak_ptr<std::byte>> shared_arenas_;
  std::shared_ptr<ThreadClaim> shared_claim_ = std::make_shared<ThreadClaim>();
};

}  // namespace nocopy::executorch
