#include "executorch/program.h"

#include <algorithm>
#include <mutex>

#include "executorch/engine.h"

namespace nocopy::executorch {
namespace {

namespace et = ::executorch::runtime;

// alignof(std::max_align_t) on every platform the runtime supports; it refuses anything less.
constexpr uintptr_t kFormatAlignment = 16;

std::mutex arena_mutex;

SharedBytes aligned(SharedBytes data) {
  if (reinterpret_cast<uintptr_t>(data.bytes.data()) % kFormatAlignment == 0) {
    return data;
  }
  const std::shared_ptr<std::byte> copy = allocate_aligned(data.bytes.size());
  std::memcpy(copy.get(), data.bytes.data(), data.bytes.size());
  return {{copy.get(), data.bytes.size()}, copy};
}

}  // namespace

std::shared_ptr<const Program> Program::load(SharedBytes data, std::optional<SharedBytes> external,
                                             Verification verification) {
  std::shared_ptr<Program> program(new Program(aligned(std::move(data))));
  ParseLimits limits;
  limits.external_data = external.has_value();
  program->file_ = ProgramFile::parse(program->data_.bytes, limits);

  EngineCall call;
  bool aborted = false;
  const auto level = verification == Verification::kMinimal
                         ? et::Program::Verification::Minimal
                         : et::Program::Verification::InternalConsistency;
  call.run(ErrorKind::kProgram, "loading the program", aborted, [&] {
    auto loaded = et::Program::load(&program->loader_, level);
    call.check(loaded.error(), ErrorKind::kProgram, "loading the program");
    program->engine_.emplace(std::move(loaded.get()));
  });
  if (external) {
    program->load_external(std::move(*external));
  }
  return program;
}

void Program::load_external(SharedBytes external) {
  external_bytes_ = aligned(std::move(external));
  external_loader_.emplace(external_bytes_->bytes);
  EngineCall call;
  bool aborted = false;
  call.run(ErrorKind::kProgram, "loading the external data", aborted, [&] {
    auto loaded = ::executorch::extension::FlatTensorDataMap::load(&*external_loader_);
    call.check(
        loaded.error(), ErrorKind::kProgram,
        "loading the external data (data_path is to be the .ptd file that the export wrote)");
    external_.emplace(std::move(loaded.get()));
  });
}

std::vector<std::string> Program::method_names() const {
  std::vector<std::string> names;
  for (size_t i = 0; i < file_->method_count(); ++i) {
    names.emplace_back(file_->method(i).name());
  }
  return names;
}

MethodFile Program::method_file(std::string_view name) const {
  if (const auto method = file_->find(name)) {
    return *method;
  }
  std::string message = "the program has no method '" + std::string(name) + "'. It has: ";
  const char* separator = "";
  for (const std::string& known : method_names()) {
    message += separator + ("'" + known + "'");
    separator = ", ";
  }
  throw Error(ErrorKind::kProgram, message + ".");
}

std::shared_ptr<std::byte> Program::shared_arena(size_t index) const {
  const std::lock_guard lock(arena_mutex);
  if (shared_arenas_.size() <= index) {
    shared_arenas_.resize(index + 1);
  }
  auto memory = shared_arenas_[index].lock();
  if (memory == nullptr) {
    size_t size = 0;
    for (size_t i = 0; i < file_->method_count(); ++i) {
      const auto planned = file_->method(i).planned_buffers();
      if (index < planned.size()) {
        size = std::max(size, planned[index].size);
      }
    }
    memory = allocate_zeroed(size);
    shared_arenas_[index] = memory;
  }
  return memory;
}

}  // namespace nocopy::executorch
