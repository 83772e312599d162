#include "onnx/consolidate.h"

#include <sys/mman.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <new>
#include <system_error>
#include <thread>
#include <vector>

#if defined(__GLIBC__)
#include <malloc.h>
#endif

#include "memory/aligned_buffer.h"
#include "memory/pages.h"
#include "onnx/tensor_view.h"
#include "onnx/tensors.h"

namespace nocopy::onnx {
namespace {

constexpr std::size_t kWorthGivingBack = std::size_t{64} * 1024;
constexpr std::size_t kMostAtItsEnds = std::size_t{8} * 1024;  // on pages shared with others
constexpr std::size_t kTrimAfter = std::size_t{16} * 1024 * 1024;
constexpr std::size_t kForThread =
    std::size_t{4} * 1024 * 1024;  // a thread's start is less than that
constexpr std::size_t kMostThreads = 4;

// Held while it is moved, as a deleter may take it out of the model.
struct Move {
  AnyMessageRef tensor;
  std::size_t size;
  std::size_t offset;

  [[nodiscard]] ByteSpan& bytes() const noexcept {
    return static_cast<TensorProto*>(tensor.get())->ref_raw_data();
  }
};

std::size_t checked_sum(std::size_t a, std::size_t b) {
  if (b > SIZE_MAX - a) {
    throw std::bad_alloc();
  }
  return a + b;
}

std::size_t round_up(std::size_t value, std::size_t multiple) {
  const std::size_t rest = multiple == 0 ? 0 : value % multiple;
  return rest == 0 ? value : checked_sum(value, multiple - rest);
}

// Pages are there when they are first written, so that the buffer grows while the old bytes go.
std::shared_ptr<std::uint8_t[]> reserve(std::size_t size, std::size_t alignment) {
  alignment = std::max(alignment, std::size_t{1});
  const std::size_t reserved = checked_sum(checked_sum(size, kReadPastEnd), alignment);
  void* memory =
      ::mmap(nullptr, reserved, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED) {
    throw std::bad_alloc();
  }
  const auto address = reinterpret_cast<std::uintptr_t>(memory);
  const std::size_t rest = address % alignment;
  auto* begin = static_cast<std::uint8_t*>(memory) + (rest == 0 ? 0 : alignment - rest);
  return {begin, [memory, reserved](std::uint8_t* /*begin*/) { ::munmap(memory, reserved); }};
}

void fill(std::uint8_t* to, const std::uint8_t* from, std::size_t size) noexcept {
  populate_pages(to, size);
  std::memcpy(to, from, size);
}

// Several threads, as new pages cost more than the copy.
void copy(std::uint8_t* to, const std::uint8_t* from, std::size_t size) noexcept {
  const std::size_t wanted =
      std::min({std::size_t{std::thread::hardware_concurrency()}, kMostThreads, size / kForThread});
  const std::size_t part = size / std::max(wanted, std::size_t{1});
  std::array<std::thread, kMostThreads> threads;
  std::size_t rest = size;  // for this thread
  try {
    for (std::size_t i = 1; i < wanted; ++i) {
      threads[i] = std::thread([=, start = rest - part] { fill(to + start, from + start, part); });
      rest -= part;
    }
  } catch (const std::system_error&) {
    // No more threads for this process: then it takes longer.
  }
  if (rest != 0) {
    fill(to, from, rest);
  }
  for (std::thread& thread : threads) {
    if (thread.joinable()) {
      thread.join();
    }
  }
}

// Small buffers share pages, which the C library keeps when they are free.
void trim() noexcept {
#if defined(__GLIBC__)
  ::malloc_trim(0);
#endif
}

}  // namespace

std::shared_ptr<std::uint8_t[]> ConsolidateTensorsToBuffer(ModelProto& model,
                                                           const TensorBufferOptions& options) {
  std::vector<Move> moves;
  std::size_t size = 0;
  for (const FoundTensor& found : find_tensors(model)) {
    const ByteSpan& bytes = found.tensor->raw_data();
    if (bytes.has_value() && bytes.size() >= options.raw_data_threshold) {
      check_raw_data_is_there(*found.tensor);
      const std::size_t offset = round_up(size, options.alignment);
      size = checked_sum(offset, bytes.size());
      moves.push_back({AnyMessageRef::share(*found.tensor), bytes.size(), offset});
    }
  }
  if (moves.empty()) {
    return nullptr;
  }
  const std::shared_ptr<std::uint8_t[]> buffer = reserve(size, options.alignment);

  // From here on nothing fails.
  std::size_t not_given_back = 0;
  const std::size_t trim_after = std::max(kTrimAfter, size / 16);
  for (const Move& move : moves) {
    ByteSpan& bytes = move.bytes();
    if (bytes.size() != move.size) {
      continue;  // a deleter has changed it
    }
    std::uint8_t* to = buffer.get() + move.offset;
    copy(to, bytes.data(), move.size);
    if (move.size >= kWorthGivingBack) {
      bytes.discard();
    }
    not_given_back += move.size >= kWorthGivingBack ? kMostAtItsEnds : move.size;
    bytes.assign_borrowed(to, move.size, std::shared_ptr<void>(buffer, to));
    if (not_given_back >= trim_after) {
      trim();
      not_given_back = 0;
    }
  }
  if (not_given_back >= kWorthGivingBack) {
    trim();
  }
  return buffer;
}

}  // namespace nocopy::onnx
