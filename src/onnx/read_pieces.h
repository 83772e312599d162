#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <memory>
#include <mutex>
#include <thread>
#include <vector>

namespace nocopy::onnx {

// Reads `size` bytes of a file at `offset`. Returns whether they were there. Throws
// std::system_error for a file that cannot be read.
[[nodiscard]] bool read_exactly(int descriptor, std::uint64_t offset, void* to, std::size_t size);

// The same into memory that was not touched before: takes it and fills it in parts that stay in the
// processor's cache between the two.
[[nodiscard]] bool read_untouched(int descriptor, std::uint64_t offset, std::uint8_t* to,
                                  std::size_t size);

// Bytes of a file, and where they go to; a part of what `target` stands for.
struct Piece {
  std::size_t target;
  std::uint64_t offset;
  std::uint8_t* to;
  std::size_t size;
};

// Adds the pieces of a target, small enough for several threads to share a large one.
void add_pieces(std::vector<Piece>& pieces, std::size_t target, std::uint64_t offset,
                std::uint8_t* to, std::size_t size);

// Reads pieces of a file on several threads, of which the calling one is one. What they are read to
// must stay until this goes; that waits for the reads that were begun.
class PieceReader {
 public:
  // Targets are numbered from 0; the pieces are in their order.
  PieceReader(int descriptor, std::vector<Piece> pieces, std::size_t targets, int threads);
  PieceReader(const PieceReader&) = delete;
  PieceReader& operator=(const PieceReader&) = delete;
  ~PieceReader();

  // Helps until all of a target is there; false where the file turned out to be too short. Throws
  // std::system_error.
  [[nodiscard]] bool wait_for(std::size_t target);

 private:
  // Reads the next piece; false when none is left.
  bool read_next() noexcept;

  int descriptor_;
  std::vector<Piece> pieces_;
  std::unique_ptr<std::atomic<std::size_t>[]> left_;  // pieces of each target
  std::atomic<std::size_t> next_ = 0;
  std::atomic<bool> too_short_ = false;
  std::mutex mutex_;
  std::exception_ptr failure_;
  std::vector<std::thread> helpers_;
};

}  // namespace nocopy::onnx
