#include "onnx/read_pieces.h"

#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <system_error>
#include <utility>

#include "memory/pages.h"

namespace nocopy::onnx {
namespace {

// Large enough for a read to cost nothing, small enough for threads to end at the same time.
constexpr std::size_t kPiece = 8 * 1024 * 1024;
constexpr std::size_t kPart = 512 * 1024;

}  // namespace

bool read_exactly(int descriptor, std::uint64_t offset, void* to, std::size_t size) {
  auto* at = static_cast<std::byte*>(to);
  while (size != 0) {
    const ssize_t got = ::pread(descriptor, at, size, static_cast<off_t>(offset));
    if (got < 0 && errno == EINTR) {
      continue;
    }
    if (got < 0) {
      throw std::system_error(errno, std::generic_category(), "cannot read external data");
    }
    if (got == 0) {
      return false;
    }
    at += got;
    offset += static_cast<std::uint64_t>(got);
    size -= static_cast<std::size_t>(got);
  }
  return true;
}

bool read_untouched(int descriptor, std::uint64_t offset, std::uint8_t* to, std::size_t size) {
  for (std::size_t at = 0; at < size; at += kPart) {
    const std::size_t part = std::min(kPart, size - at);
    populate_pages(to + at, part);
    if (!read_exactly(descriptor, offset + at, to + at, part)) {
      return false;
    }
  }
  return true;
}

void add_pieces(std::vector<Piece>& pieces, std::size_t target, std::uint64_t offset,
                std::uint8_t* to, std::size_t size) {
  for (std::size_t at = 0; at < size; at += kPiece) {
    pieces.push_back({target, offset + at, to + at, std::min(kPiece, size - at)});
  }
}

PieceReader::PieceReader(int descriptor, std::vector<Piece> pieces, std::size_t targets,
                         int threads)
    : descriptor_(descriptor),
      pieces_(std::move(pieces)),
      left_(std::make_unique<std::atomic<std::size_t>[]>(targets)) {
  for (const Piece& piece : pieces_) {
    ++left_[piece.target];
  }
  const std::size_t useful = std::min(static_cast<std::size_t>(threads), pieces_.size());
  try {
    while (helpers_.size() + 1 < useful) {
      helpers_.emplace_back([this] {
        while (read_next()) {
        }
      });
    }
  } catch (const std::system_error&) {
    // No more threads are to be had: those that there are do it.
  }
}

PieceReader::~PieceReader() {
  next_ = pieces_.size();
  for (std::thread& helper : helpers_) {
    helper.join();
  }
}

bool PieceReader::wait_for(std::size_t target) {
  for (;;) {
    const std::size_t left = left_[target];
    if (left == 0) {
      break;
    }
    if (!read_next()) {
      left_[target].wait(left);  // others are at it
    }
  }
  const std::lock_guard lock(mutex_);
  if (failure_ != nullptr) {
    std::rethrow_exception(failure_);
  }
  return !too_short_;
}

bool PieceReader::read_next() noexcept {
  const std::size_t index = next_.fetch_add(1);
  if (index >= pieces_.size()) {
    return false;
  }
  const Piece& piece = pieces_[index];
  try {
    if (!too_short_ && !read_untouched(descriptor_, piece.offset, piece.to, piece.size)) {
      too_short_ = true;
    }
  } catch (...) {
    const std::lock_guard lock(mutex_);
    failure_ = std::current_exception();
  }
  --left_[piece.target];
  left_[piece.target].notify_all();
  return true;
}

}  // namespace nocopy::onnx
