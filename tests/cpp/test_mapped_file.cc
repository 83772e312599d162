#include <sys/stat.h>
#include <unistd.h>

#include <cstdlib>
#include <cstring>
#include <fstream>
#include <string>
#include <system_error>

#include "check.h"
#include "memory/aligned_buffer.h"
#include "memory/mapped_file.h"

using nocopy::MappedFile;

namespace {

// A folder that goes with its contents.
class Folder {
 public:
  Folder() {
    char name[] = "/tmp/nocopy-test-XXXXXX";
    path_ = ::mkdtemp(name);
  }
  Folder(const Folder&) = delete;
  Folder& operator=(const Folder&) = delete;
  ~Folder() { static_cast<void>(std::system(("rm -rf " + path_).c_str())); }

  [[nodiscard]] std::string write(const std::string& name, const std::string& content) const {
    const std::string path = path_ + "/" + name;
    std::ofstream(path, std::ios::binary) << content;
    return path;
  }
  [[nodiscard]] const std::string& path() const { return path_; }

 private:
  std::string path_;
};

template <typename Body>
bool throws_system_error(const std::string& part, Body&& body) {
  try {
    body();
  } catch (const std::system_error& error) {
    return std::string(error.what()).find(part) != std::string::npos;
  }
  return false;
}

}  // namespace

TEST(test_open_when_the_name_is_gone_then_the_bytes_stay_as_long_as_an_owner) {
  const Folder folder;
  const std::string path = folder.write("data", "abcdef");
  auto file = MappedFile::open(path);
  CHECK_EQ(::unlink(path.c_str()), 0);
  const auto second = file;
  file.reset();
  CHECK_EQ(second->bytes().size(), 6U);
  CHECK_EQ(std::memcmp(second->bytes().data(), "abcdef", 6), 0);
}

TEST(test_open_when_copy_on_write_then_the_file_keeps_its_bytes) {
  const Folder folder;
  const std::string path = folder.write("data", "abcdef");
  const auto file = MappedFile::open(path, MappedFile::Mode::kCopyOnWrite);
  const_cast<std::byte*>(file->bytes().data())[0] = std::byte{'X'};
  std::string content;
  std::ifstream(path) >> content;
  CHECK_EQ(content, "abcdef");
}

TEST(test_open_when_empty_then_no_bytes) {
  const Folder folder;
  CHECK_EQ(MappedFile::open(folder.write("empty", ""))->bytes().size(), 0U);
}

TEST(test_open_when_missing_a_folder_or_a_pipe_then_says_so_and_does_not_hang) {
  const Folder folder;
  CHECK(
      throws_system_error("missing", [&] { (void)MappedFile::open(folder.path() + "/missing"); }));
  CHECK(throws_system_error("not a regular file", [&] { (void)MappedFile::open(folder.path()); }));
  const std::string pipe = folder.path() + "/pipe";
  CHECK_EQ(::mkfifo(pipe.c_str(), 0600), 0);
  CHECK(throws_system_error("not a regular file", [&] { (void)MappedFile::open(pipe); }));
}

TEST(test_size_on_disk_when_truncated_after_mapping_then_tells_the_new_size) {
  const Folder folder;
  const std::string path = folder.write("data", "abcdef");
  const auto file = MappedFile::open(path);
  CHECK_EQ(::truncate(path.c_str(), 2), 0);
  CHECK_EQ(file->bytes().size(), 6U);
  CHECK_EQ(file->size_on_disk(), 2);
}

TEST(test_allocate_when_small_or_large_then_aligned_with_room_at_the_end_and_zeroed_if_asked) {
  for (const size_t size : {size_t{0}, size_t{1}, size_t{1000}, size_t{3} << 20}) {
    const auto plain = nocopy::allocate_aligned(size);
    CHECK_EQ(reinterpret_cast<uintptr_t>(plain.get()) % nocopy::kBufferAlignment, 0U);
    std::memset(plain.get(), 0x5a, size + nocopy::kReadPastEnd);
    const auto zeroed = nocopy::allocate_zeroed(size);
    CHECK_EQ(reinterpret_cast<uintptr_t>(zeroed.get()) % nocopy::kBufferAlignment, 0U);
    for (size_t i = 0; i < size; ++i) {
      CHECK(zeroed.get()[i] == std::byte{0});
    }
  }
}

NOCOPY_TEST_MAIN
