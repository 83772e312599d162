#include <fcntl.h>
#include <malloc.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstdarg>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <functional>
#include <mutex>
#include <numeric>
#include <stdexcept>
#include <string>
#include <vector>

#include "check.h"
#include "memory/mapped_file.h"
#include "memory/sha1.h"
#include "onnx/file.h"
#include "onnx/messages.h"
#include "onnx/read_pieces.h"

namespace fs = std::filesystem;

using nocopy::ErrorKind;
using nocopy::MappedFile;
using nocopy::onnx::GraphProto;
using nocopy::onnx::LoadExternalData;
using nocopy::onnx::ModelProto;
using nocopy::onnx::ParseFromFile;
using nocopy::onnx::ParseFromStringBeside;
using nocopy::onnx::ParseOptions;
using nocopy::onnx::TensorProto;

namespace {

// What someone else does to the files just before the library opens or reads one, once.
std::function<void()> before_open;
std::function<void()> before_read;
std::function<void()> after_read;
std::atomic<int> fail_reads_with = 0;
std::atomic<int> interrupt_reads = 0;
std::mutex happening;

void happen(std::function<void()>& once) {
  std::function<void()> what;
  {
    const std::lock_guard lock(happening);
    what.swap(once);
  }
  if (what) {
    what();
  }
}

}  // namespace

// In place of the C library's, which the library under test calls.
extern "C" int openat(int folder, const char* path, int flags, ...) {
  if ((flags & (O_NOFOLLOW | O_PATH)) != 0) {
    happen(before_open);
  }
  return static_cast<int>(::syscall(SYS_openat, folder, path, flags, 0));
}
extern "C" ssize_t pread(int descriptor, void* to, std::size_t size, off_t offset) {
  happen(before_read);
  if (interrupt_reads > 0 && interrupt_reads-- > 0) {
    errno = EINTR;
    return -1;
  }
  if (fail_reads_with != 0) {
    errno = fail_reads_with;
    return -1;
  }
  // Short, as reads may be.
  const std::size_t now = size > 1000 ? size / 2 + 1 : size;
  const ssize_t got = ::syscall(SYS_pread64, descriptor, to, now, offset);
  happen(after_read);
  return got;
}

namespace {

class Folder {
 public:
  Folder() {
    std::string name = (fs::temp_directory_path() / "nocopy-load-XXXXXX").string();
    CHECK(::mkdtemp(name.data()) != nullptr);
    path_ = fs::canonical(name);
  }
  Folder(const Folder&) = delete;
  Folder& operator=(const Folder&) = delete;
  ~Folder() { fs::remove_all(path_); }

  fs::path operator/(const std::string& name) const { return path_ / name; }

 private:
  fs::path path_;
};

void write(const fs::path& path, const std::string& content) {
  std::ofstream(path, std::ios::binary) << content;
}

// Bytes that differ from their neighbours for a long way.
std::string content(std::size_t size, std::size_t seed = 0) {
  std::string bytes(size, '\0');
  for (std::size_t i = 0; i < size; ++i) {
    bytes[i] = static_cast<char>((i + seed) * 2654435761U >> 13);
  }
  return bytes;
}

void add_external(ModelProto& model, const std::string& name, const std::string& location,
                  const std::string& checksum = "") {
  TensorProto& tensor = model.ref_graph().add_initializer();
  tensor.set_name(name);
  tensor.set_data_location(TensorProto::EXTERNAL);
  const auto add = [&](const char* key, const std::string& value) {
    auto& pair = tensor.add_external_data();
    pair.set_key(key);
    pair.set_value(value);
  };
  add("location", location);
  if (!checksum.empty()) {
    add("checksum", checksum);
  }
}

std::string sha1(const std::string& bytes) {
  nocopy::Sha1 hash;
  hash.update(std::as_bytes(std::span(bytes)));
  return hash.finish();
}

fs::path write_model(const Folder& folder, const ModelProto& model) {
  fs::path path = folder / "model.onnx";
  write(path, model.SerializeAsString());
  return path;
}

// A model whose tensor "w" is in w.bin.
fs::path write_usual(const Folder& folder, const std::string& data,
                     const std::string& checksum = "") {
  write(folder / "w.bin", data);
  ModelProto model;
  add_external(model, "w", "w.bin", checksum);
  return write_model(folder, model);
}

std::string_view raw(const ModelProto& model, std::size_t index = 0) {
  const nocopy::ByteSpan& data = model.graph().initializer()[index].raw_data();
  return {reinterpret_cast<const char*>(data.data()), data.size()};
}

ParseOptions no_copy() {
  ParseOptions options;
  options.no_copy = true;
  return options;
}

}  // namespace

TEST(test_parse_when_no_copy_then_the_caller_keeps_the_bytes_or_says_who_does) {
  ModelProto model;
  model.ref_graph().add_initializer().ref_raw_data().assign(content(5000).data(), 5000);
  const auto bytes = std::make_shared<std::string>(model.SerializeAsString());

  ModelProto without;
  without.ParseFromString(*bytes, no_copy());
  const nocopy::ByteSpan& borrowed = without.graph().initializer()[0].raw_data();
  CHECK(borrowed.is_borrowed());
  CHECK(borrowed.owner() == nullptr);
  CHECK_EQ(bytes.use_count(), 1);

  ParseOptions options = no_copy();
  options.owner = bytes;
  ModelProto with;
  with.ParseFromString(*bytes, options);
  options.owner = nullptr;
  CHECK_EQ(bytes.use_count(), 2);
  const ModelProto moved = std::move(with);
  CHECK_EQ(bytes.use_count(), 2);
  const ModelProto copied = moved;
  CHECK_EQ(bytes.use_count(), 3);
  CHECK_EQ(raw(copied), content(5000));
}

TEST(test_callback_when_it_returns_a_deleter_then_runs_once_with_the_last_copy) {
  ModelProto model;
  model.ref_graph().set_name("g");
  model.ref_graph().add_initializer().ref_raw_data().assign("1234", 4);
  int calls = 0;
  std::vector<const GraphProto*> graphs;
  ParseOptions options;
  options.raw_data_callback = [&](TensorProto& tensor, GraphProto* graph) {
    CHECK_EQ(tensor.raw_data().size(), 4U);
    graphs.push_back(graph);
    return [&calls] { ++calls; };
  };
  {
    ModelProto parsed;
    parsed.ParseFromString(model.SerializeAsString(), options);
    CHECK(graphs == std::vector{&parsed.graph()});
    const ModelProto copied = parsed;
    parsed.Clear();
    CHECK_EQ(calls, 0);
  }
  CHECK_EQ(calls, 1);
}

TEST(test_callback_when_it_throws_then_the_parse_ends_with_that_and_deleters_have_run) {
  ModelProto model;
  for (int i = 0; i < 3; ++i) {
    model.ref_graph().add_initializer().ref_raw_data().assign("1234", 4);
  }
  int told = 0;
  int deleted = 0;
  ParseOptions options;
  options.raw_data_callback = [&](TensorProto&, GraphProto*) -> std::function<void()> {
    if (++told == 2) {
      throw std::runtime_error("enough");
    }
    return [&deleted] { ++deleted; };
  };
  bool thrown = false;
  {
    ModelProto parsed;
    try {
      parsed.ParseFromString(model.SerializeAsString(), options);
    } catch (const std::runtime_error& error) {
      thrown = error.what() == std::string("enough");
    }
  }
  CHECK(thrown);
  CHECK_EQ(told, 2);
  CHECK_EQ(deleted, 1);
}

TEST(test_callback_when_it_drops_all_that_is_being_parsed_then_nothing_dangles) {
  // Memory that is freed does not keep what was in it. A sanitizer's allocator sees to that itself.
  ::mallopt(M_PERTURB, 0xA5);
  for (const auto& [nodes, in_nodes] :
       {std::pair{2, false}, {2, true}, {200, false}, {200, true}}) {
    ModelProto model;
    for (int i = 0; i < nodes; ++i) {
      auto& attribute = model.ref_graph().add_node().add_attribute();
      if (in_nodes) {  // these wait, and hold their graph
        attribute.ref_t().ref_raw_data().assign(content(100).data(), 100);
      }
      attribute.ref_g().add_initializer().ref_raw_data().assign("1", 1);
      attribute.ref_g().set_doc_string("a text that is longer than what fits into the string");
    }
    model.ref_graph().set_doc_string("a text that is longer than what fits into the string");
    ModelProto parsed;
    ParseOptions options;
    int told = 0;
    options.raw_data_callback = [&](TensorProto& tensor, GraphProto* graph) {
      ++told;
      parsed.Clear();
      // Whoever still works on them has them.
      CHECK(tensor.references() - 1U < 9U);
      CHECK(graph->references() - 1U < 500U);
      return std::function<void()>();
    };
    parsed.ParseFromString(model.SerializeAsString(), options);
    CHECK_EQ(told, in_nodes ? 2 * nodes : nodes);
    CHECK(!parsed.has_graph() || parsed.graph().node().size() == 0);
  }
  ::mallopt(M_PERTURB, 0);
}

TEST(test_file_when_no_copy_then_the_mapping_is_found_by_address_and_goes_with_the_last_tensor) {
  const Folder folder;
  const std::string data = content(100'000);
  const fs::path path = write_usual(folder, data);
  const void* address = nullptr;
  TensorProto kept;
  {
    ModelProto model;
    ParseFromFile(model, path, no_copy());
    CHECK_EQ(raw(model), data);
    CHECK(!model.graph().initializer()[0].has_data_location() ||
          model.graph().initializer()[0].data_location() == TensorProto::DEFAULT);
    address = raw(model).data();
    kept = std::move(model.ref_graph().ref_initializer()[0]);
  }
  const auto mapping = MappedFile::around(address);
  CHECK(mapping != nullptr);
  CHECK(MappedFile::around(static_cast<const char*>(address) + data.size() - 1) == mapping);
  CHECK(MappedFile::around(static_cast<const char*>(address) + data.size()) != mapping);
  CHECK(MappedFile::around(&folder) == nullptr);
  CHECK(MappedFile::around(nullptr) == nullptr);
  CHECK_EQ(mapping->size_on_disk(), 100'000);
  fs::resize_file(folder / "w.bin", 10);
  CHECK_EQ(mapping->size_on_disk(), 10);
  const std::weak_ptr<const MappedFile> watched = mapping;
  const_cast<std::shared_ptr<const MappedFile>&>(mapping).reset();
  CHECK(!watched.expired());
  kept.Clear();
  CHECK(watched.expired());
  CHECK(MappedFile::around(address) == nullptr);
}

TEST(test_bytes_when_parsed_beside_a_path_then_external_data_is_found_there) {
  const Folder folder;
  const std::string data = content(3000);
  const fs::path path = write_usual(folder, data);
  std::ifstream file(path, std::ios::binary);
  const std::string bytes((std::istreambuf_iterator<char>(file)), {});
  ModelProto model;
  ParseFromStringBeside(model, bytes, path);
  CHECK_EQ(raw(model), data);

  ModelProto later;
  later.ParseFromString(bytes);
  CHECK_EQ(raw(later), "");
  LoadExternalData(later, path, no_copy());
  CHECK_EQ(raw(later), data);
  CHECK(later.graph().initializer()[0].raw_data().is_borrowed());
}

TEST(test_copying_when_reads_are_short_or_interrupted_then_all_is_there) {
  const Folder folder;
  const std::string data = content(20'000'000);
  const fs::path path = write_usual(folder, data);
  for (const int threads : {1, 2, 7}) {
    interrupt_reads = 3;
    ParseOptions options;
    options.num_threads = threads;
    ModelProto model;
    ParseFromFile(model, path, options);
    CHECK(raw(model) == data);
  }
}

TEST(test_copying_when_a_read_fails_then_says_which_file_and_why) {
  const Folder folder;
  write(folder / "w.bin", content(30'000'000));
  ModelProto model;
  add_external(model, "w", "w.bin");
  for (const int threads : {1, 4}) {
    ParseOptions options;
    options.num_threads = threads;
    fail_reads_with = EIO;
    CHECK_THROWS(
        ErrorKind::kExternalData, "w.bin",
        LoadExternalData(model, folder / "any.onnx", (options.location = folder / "", options)));
    fail_reads_with = 0;
  }
}

TEST(test_copying_when_the_file_is_cut_under_it_then_is_refused) {
  const Folder folder;
  const fs::path path = write_usual(folder, content(20'000'000));
  ModelProto model;
  ParseFromFile(model, path, [] {
    ParseOptions options;
    options.load_external_data = false;
    return options;
  }());
  for (const int threads : {1, 2}) {
    write(folder / "w.bin", content(20'000'000));
    before_read = [&] { fs::resize_file(folder / "w.bin", 5'000'000); };
    ParseOptions options;
    options.num_threads = threads;
    CHECK_THROWS(ErrorKind::kExternalData, "changed", LoadExternalData(model, path, options));
  }
}

TEST(test_mapping_when_the_file_is_cut_or_written_between_looking_and_mapping_then_is_refused) {
  const Folder folder;
  const std::string data = content(900);  // read for its checksum at once
  const fs::path path = write_usual(folder, data, sha1(data));
  ModelProto model;
  ParseOptions later;
  later.load_external_data = false;
  ParseFromFile(model, path, later);
  after_read = [&] { fs::resize_file(folder / "w.bin", 100); };
  CHECK_THROWS(ErrorKind::kExternalData, "changed", LoadExternalData(model, path, no_copy()));
  write(folder / "w.bin", data);
  after_read = [&] {
    const timespec times[2] = {{1, 0}, {1, 0}};
    ::utimensat(AT_FDCWD, (folder / "w.bin").c_str(), times, 0);
  };
  CHECK_THROWS(ErrorKind::kExternalData, "changed", LoadExternalData(model, path, no_copy()));
  LoadExternalData(model, path, no_copy());
  CHECK_EQ(raw(model), data);
}

TEST(test_single_file_when_it_is_cut_between_its_header_and_its_payload_then_is_refused) {
  const Folder folder;
  ModelProto model;
  model.ref_graph().add_initializer().ref_raw_data().assign(content(9'000'000).data(), 9'000'000);
  for (const bool borrow : {false, true}) {
    const fs::path path = write_model(folder, model);
    after_read = [&] { fs::resize_file(path, 300'000); };  // behind what is read first
    ParseOptions options;
    options.no_copy = borrow;
    ModelProto parsed;
    CHECK_THROWS(ErrorKind::kDecode, "changed its size", ParseFromFile(parsed, path, options));
  }
}

TEST(test_file_when_another_takes_its_place_between_looking_and_opening_then_is_refused) {
  const Folder folder;
  const Folder outside;
  write(outside / "secret", content(100, 7));
  ModelProto model;
  add_external(model, "w", "w.bin");
  const fs::path path = write_model(folder, model);

  write(folder / "w.bin", content(100));
  write(folder / "other", content(100, 3));
  before_open = [&] { fs::rename(folder / "other", folder / "w.bin"); };
  ModelProto parsed;
  CHECK_THROWS(ErrorKind::kExternalData, "replaced", ParseFromFile(parsed, path));

  before_open = [&] {
    fs::remove(folder / "w.bin");
    fs::create_symlink(outside / "secret", folder / "w.bin");
  };
  CHECK_THROWS(ErrorKind::kExternalData, "cannot open", ParseFromFile(parsed, path));
  fs::remove(folder / "w.bin");

  write(folder / "w.bin", content(100));
  before_open = [&] {
    fs::remove(folder / "w.bin");
    CHECK_EQ(::mkfifo((folder / "w.bin").c_str(), 0600), 0);
  };
  CHECK_THROWS(ErrorKind::kExternalData, "pipe", ParseFromFile(parsed, path));
}

TEST(test_folder_when_a_link_takes_its_place_between_looking_and_opening_then_is_refused) {
  const Folder folder;
  const Folder outside;
  write(outside / "w.bin", content(100, 7));
  fs::create_directory(folder / "sub");
  write(folder / "sub/w.bin", content(100));
  ModelProto model;
  add_external(model, "w", "sub/w.bin");
  const fs::path path = write_model(folder, model);
  before_open = [&] {
    fs::remove_all(folder / "sub");
    fs::create_directory_symlink(outside / "", folder / "sub");
  };
  ModelProto parsed;
  CHECK_THROWS(ErrorKind::kExternalData, "cannot open", ParseFromFile(parsed, path));
}

TEST(test_sha1_when_bytes_come_in_any_pieces_then_is_the_standards) {
  CHECK_EQ(sha1(""), "da39a3ee5e6b4b0d3255bfef95601890afd80709");
  CHECK_EQ(sha1("abc"), "a9993e364706816aba3e25717850c26c9cd0d89d");
  CHECK_EQ(sha1(std::string(1'000'000, 'a')), "34aa973cd4c4daa4f61eeb2bdbad27316534016f");
  const std::string bytes = content(1000);
  for (std::size_t piece = 1; piece < 130; ++piece) {
    nocopy::Sha1 hash;
    for (std::size_t at = 0; at < bytes.size(); at += piece) {
      hash.update(std::as_bytes(std::span(bytes).subspan(at, std::min(piece, bytes.size() - at))));
    }
    CHECK_EQ(hash.finish(), sha1(bytes));
  }
}

NOCOPY_TEST_MAIN
