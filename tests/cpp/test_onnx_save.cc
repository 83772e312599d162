#include <fcntl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include "check.h"
#include "memory/mapped_file.h"
#include "onnx/file.h"
#include "onnx/messages.h"

namespace fs = std::filesystem;

using nocopy::ErrorKind;
using nocopy::onnx::AttributeProto;
using nocopy::onnx::ExternalTensors;
using nocopy::onnx::GraphProto;
using nocopy::onnx::ModelProto;
using nocopy::onnx::ParseFromFile;
using nocopy::onnx::SerializeOptions;
using nocopy::onnx::SerializeToFile;
using nocopy::onnx::StringStringEntryProto;
using nocopy::onnx::TensorProto;

namespace {

// The process ends before the n-th change of a name, as if it were killed there; -1: never.
int end_before_change = -1;

// File systems that cannot do everything.
bool has_nameless_files = true;
bool has_hard_links = true;

void count_change() {
  if (end_before_change >= 0 && end_before_change-- == 0) {
    ::_exit(9);
  }
}

}  // namespace

// In place of the C library's, which the library under test calls.
extern "C" int rename(const char* from, const char* to) noexcept {
  count_change();
  return static_cast<int>(::syscall(SYS_renameat2, AT_FDCWD, from, AT_FDCWD, to, 0));
}
extern "C" int linkat(int from_folder, const char* from, int to_folder, const char* to,
                      int flags) noexcept {
  count_change();
  return static_cast<int>(::syscall(SYS_linkat, from_folder, from, to_folder, to, flags));
}
extern "C" int link(const char* from, const char* to) noexcept {
  if (!has_hard_links) {
    errno = EPERM;
    return -1;
  }
  return linkat(AT_FDCWD, from, AT_FDCWD, to, 0);
}
// Asked whether a file without a name could get one.
extern "C" int access(const char* name, int mode) noexcept {
  if (!has_nameless_files) {
    errno = ENOENT;
    return -1;
  }
  return static_cast<int>(::syscall(SYS_faccessat, AT_FDCWD, name, mode));
}
extern "C" int unlink(const char* name) noexcept {
  count_change();
  return static_cast<int>(::syscall(SYS_unlinkat, AT_FDCWD, name, 0));
}

namespace {

class Folder {
 public:
  Folder() {
    std::string name = (fs::temp_directory_path() / "nocopy-save-XXXXXX").string();
    CHECK(::mkdtemp(name.data()) != nullptr);
    path_ = name;
  }
  Folder(const Folder&) = delete;
  Folder& operator=(const Folder&) = delete;
  ~Folder() { fs::remove_all(path_); }

  fs::path operator/(const std::string& name) const { return path_ / name; }

  std::set<std::string> names() const {
    std::set<std::string> found;
    for (const auto& entry : fs::directory_iterator(path_)) {
      found.insert(entry.path().filename().string());
    }
    return found;
  }

 private:
  fs::path path_;
};

std::string read(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  CHECK(file.good());
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

// Bytes that differ from tensor to tensor and from place to place.
std::string payload(int seed, std::size_t size) {
  std::string bytes(size, '\0');
  for (std::size_t i = 0; i < size; ++i) {
    bytes[i] = static_cast<char>(static_cast<std::size_t>(seed) * 31 + i * 7 + i / 251);
  }
  return bytes;
}

void fill(TensorProto& tensor, const std::string& name, const std::string& bytes) {
  tensor.set_name(name);
  tensor.set_data_type(TensorProto::UINT8);
  tensor.ref_dims() = {static_cast<std::int64_t>(bytes.size())};
  tensor.ref_raw_data().assign(bytes.data(), bytes.size());
}

ModelProto model_of(int seed, int count = 3) {
  ModelProto model;
  model.set_ir_version(10);
  model.set_producer_name("seed " + std::to_string(seed));
  for (int i = 0; i < count; ++i) {
    fill(model.ref_graph().add_initializer(), "w" + std::to_string(i),
         payload(seed + i, 1001 + static_cast<std::size_t>(i)));
  }
  return model;
}

SerializeOptions to(const std::string& location, std::size_t alignment = 0) {
  SerializeOptions options;
  options.location = location;
  options.alignment = alignment;
  return options;
}

std::map<std::string, std::string> external(const TensorProto& tensor) {
  std::map<std::string, std::string> found;
  for (const StringStringEntryProto& entry : tensor.external_data()) {
    found[entry.key()] = entry.value();
  }
  return found;
}

// What a reader finds for a tensor of a model in that folder.
std::string data_of(const TensorProto& tensor, const Folder& folder) {
  if (tensor.data_location() != TensorProto::EXTERNAL) {
    return std::string(reinterpret_cast<const char*>(tensor.raw_data().data()),
                       tensor.raw_data().size());
  }
  CHECK(!tensor.has_raw_data());
  auto where = external(tensor);
  return read(folder / where["location"])
      .substr(std::stoul(where["offset"]), std::stoul(where["length"]));
}

ModelProto loaded(const fs::path& path) {
  ModelProto model;
  nocopy::onnx::ParseOptions options;
  options.load_external_data = false;
  ParseFromFile(model, path, options);
  return model;
}

void check_is(int seed, const Folder& folder, const std::string& name) {
  const ModelProto model = loaded(folder / name);
  CHECK_EQ(std::string(model.producer_name()), "seed " + std::to_string(seed));
  int i = 0;
  for (const TensorProto& tensor : model.graph().initializer()) {
    CHECK(data_of(tensor, folder) == payload(seed + i, 1001 + static_cast<std::size_t>(i)));
    ++i;
  }
  CHECK_EQ(i, 3);
  // And our own reader, which is careful about links, takes it.
  ModelProto whole;
  ParseFromFile(whole, folder / name);
  CHECK(data_of(whole.graph().initializer()[2], folder) == payload(seed + 2, 1003));
}

// Runs `body` in a process that ends before its n-th change of a name. Returns its status.
template <typename Body>
int status_of_process_ending_before(int change, Body&& body) {
  const pid_t child = ::fork();
  if (child == 0) {
    end_before_change = change;
    try {
      body();
    } catch (...) {
      ::_exit(7);
    }
    ::_exit(0);
  }
  int status = 0;
  CHECK_EQ(::waitpid(child, &status, 0), child);
  CHECK(WIFEXITED(status));
  return WEXITSTATUS(status);
}

}  // namespace

TEST(test_save_when_location_is_given_then_data_is_there_and_the_model_did_not_change) {
  Folder folder;
  const ModelProto model = model_of(1);
  const std::string before = model.SerializeAsString();
  const void* bytes = model.graph().initializer()[1].raw_data().data();
  SerializeToFile(model, folder / "m.onnx", to("w.data"));
  CHECK(model.SerializeAsString() == before);
  CHECK(model.graph().initializer()[1].raw_data().data() == bytes);
  CHECK((folder.names() == std::set<std::string>{"m.onnx", "w.data"}));
  CHECK_EQ(fs::file_size(folder / "w.data"), std::uintmax_t{1001 + 1002 + 1003});
  check_is(1, folder, "m.onnx");
}

TEST(test_save_when_alignment_is_given_then_offsets_and_the_file_keep_to_it) {
  Folder folder;
  for (const std::size_t alignment : {std::size_t{64}, std::size_t{48}, std::size_t{4096}}) {
    SerializeToFile(model_of(2), folder / "m.onnx", to("w.data", alignment));
    const ModelProto model = loaded(folder / "m.onnx");
    for (const TensorProto& tensor : model.graph().initializer()) {
      CHECK_EQ(std::stoul(external(tensor)["offset"]) % alignment, std::size_t{0});
    }
    CHECK_EQ(fs::file_size(folder / "w.data") % alignment, std::uintmax_t{0});
    check_is(2, folder, "m.onnx");
  }
  CHECK_THROWS(ErrorKind::kExternalData, "choose a smaller one",
               SerializeToFile(model_of(2), folder / "m.onnx", to("w.data", SIZE_MAX / 2)));
}

TEST(test_save_when_files_have_a_maximum_then_there_are_several_and_none_is_longer) {
  Folder folder;
  SerializeOptions options = to("w.data", 16);
  options.max_external_file_size = 2100;
  ModelProto model = model_of(3, 5);
  fill(model.ref_graph().add_initializer(), "large", payload(77, 5000));
  fill(model.ref_graph().add_initializer(), "last", payload(78, 100));
  SerializeToFile(model, folder / "m.onnx", options);
  CHECK((folder.names() == std::set<std::string>{"m.onnx", "w.data", "w.data.1", "w.data.2",
                                                 "w.data.3", "w.data.4"}));
  for (const std::string& name : folder.names()) {
    CHECK(name == "m.onnx" || name == "w.data.3" || fs::file_size(folder / name) <= 2100);
  }
  const ModelProto saved = loaded(folder / "m.onnx");
  CHECK(data_of(saved.graph().initializer()[4], folder) == payload(7, 1005));
  CHECK(data_of(saved.graph().initializer()[5], folder) == payload(77, 5000));
  CHECK(data_of(saved.graph().initializer()[6], folder) == payload(78, 100));
}

TEST(test_save_when_below_the_threshold_or_empty_then_data_stays_in_the_model) {
  Folder folder;
  ModelProto model = model_of(4);
  fill(model.ref_graph().add_initializer(), "none", "");
  SerializeOptions options = to("w.data");
  options.raw_data_threshold = 1002;
  SerializeToFile(model, folder / "m.onnx", options);
  const ModelProto saved = loaded(folder / "m.onnx");
  CHECK(!saved.graph().initializer()[0].has_data_location());
  CHECK(saved.graph().initializer()[1].data_location() == TensorProto::EXTERNAL);
  options.raw_data_threshold = 0;
  SerializeToFile(model, folder / "m.onnx", options);
  CHECK(!loaded(folder / "m.onnx").graph().initializer()[3].has_data_location());
  options.raw_data_threshold = 1 << 20;
  SerializeToFile(model, folder / "inline.onnx", options);
  CHECK(read(folder / "inline.onnx") == model.SerializeAsString());
}

TEST(test_save_then_tensors_of_every_place_are_found) {
  Folder folder;
  ModelProto model;
  GraphProto& graph = model.ref_graph();
  fill(graph.add_initializer(), "initializer", payload(1, 100));
  auto& sparse = graph.add_sparse_initializer();
  fill(sparse.ref_values(), "values", payload(2, 100));
  fill(sparse.ref_indices(), "indices", payload(3, 100));
  auto& node = graph.add_node();
  fill(node.add_attribute().ref_t(), "t", payload(4, 100));
  fill(node.add_attribute().add_tensors(), "tensors", payload(5, 100));
  fill(node.add_attribute().ref_sparse_tensor().ref_values(), "sparse t", payload(6, 100));
  fill(node.add_attribute().ref_g().add_initializer(), "subgraph", payload(7, 100));
  fill(node.add_attribute().add_graphs().add_node().add_attribute().ref_t(), "subgraph t",
       payload(8, 100));
  auto& function = model.add_functions();
  fill(function.add_attribute_proto().ref_t(), "default", payload(9, 100));
  fill(function.add_node().add_attribute().ref_t(), "function t", payload(10, 100));
  fill(function.add_node().add_attribute().ref_g().add_initializer(), "function g",
       payload(11, 100));
  fill(model.add_training_info().ref_algorithm().add_initializer(), "training", payload(12, 100));
  const std::string before = model.SerializeAsString();

  SerializeOptions options = to("w.data");
  const auto size = [&](ExternalTensors which) {
    options.external_tensors = which;
    SerializeToFile(model, folder / "m.onnx", options);
    return fs::file_size(folder / "w.data");
  };
  CHECK_EQ(size(ExternalTensors::kInitializers), std::uintmax_t{2 * 100});
  CHECK_EQ(size(ExternalTensors::kAndAttributes), std::uintmax_t{6 * 100});
  CHECK_EQ(size(ExternalTensors::kAll), std::uintmax_t{12 * 100});
  CHECK(model.SerializeAsString() == before);
  const ModelProto saved = loaded(folder / "m.onnx");
  CHECK(data_of(saved.graph().sparse_initializer()[0].indices(), folder) == payload(3, 100));
  CHECK(data_of(saved.functions()[0].attribute_proto()[0].t(), folder) == payload(9, 100));
  CHECK(data_of(saved.training_info()[0].algorithm().initializer()[0], folder) == payload(12, 100));
}

TEST(test_save_when_each_tensor_has_a_file_then_names_are_possible_and_different) {
  Folder folder;
  ModelProto model;
  int seed = 0;
  for (const char* name : {"w", "w", "../a/b", "", ".hidden", "m.onnx"}) {
    fill(model.ref_graph().add_initializer(), name, payload(++seed, 100));
  }
  SerializeOptions options;
  options.file_per_tensor = true;
  SerializeToFile(model, folder / "m.onnx", options);
  CHECK((folder.names() == std::set<std::string>{"m.onnx", "w", "w.1", "tensor.._a_b", "tensor",
                                                 "tensor.hidden", "m.onnx.1"}));
  seed = 0;
  const ModelProto saved = loaded(folder / "m.onnx");
  for (const TensorProto& tensor : saved.graph().initializer()) {
    CHECK(data_of(tensor, folder) == payload(++seed, 100));
  }
}

TEST(test_save_when_the_location_leaves_the_folder_or_is_the_model_then_it_is_refused) {
  Folder folder;
  for (const std::string& location :
       {std::string("/tmp/w"), std::string("../w"), std::string("a/../../w"), std::string("."),
        std::string("a/"), std::string("./w"), std::string("..")}) {
    CHECK_THROWS(ErrorKind::kExternalData, "relative to the model's folder",
                 SerializeToFile(model_of(1), folder / "m.onnx", to(location)));
  }
  CHECK_THROWS(ErrorKind::kExternalData, "the model's own file",
               SerializeToFile(model_of(1), folder / "m.onnx", to("m.onnx")));
  CHECK(folder.names().empty());
}

TEST(test_save_when_the_path_is_a_device_or_a_folder_then_it_is_refused) {
  Folder folder;
  CHECK(::mkfifo((folder / "pipe").c_str(), 0600) == 0);
  fs::create_directory(folder / "folder");
  CHECK_THROWS(ErrorKind::kGeneric, "not a regular file",
               SerializeToFile(model_of(1), folder / "pipe"));
  CHECK_THROWS(ErrorKind::kGeneric, "not a regular file",
               SerializeToFile(model_of(1), folder / "m.onnx", to("pipe")));
  bool refused = false;
  try {
    SerializeToFile(model_of(1), folder / "folder", to("w.data"));
  } catch (const std::system_error& error) {
    refused = error.code().value() == EISDIR;
  }
  CHECK(refused);
  CHECK((folder.names() == std::set<std::string>{"pipe", "folder"}));
}

TEST(test_save_when_a_data_file_is_a_link_then_the_link_is_replaced) {
  Folder folder;
  Folder other;
  std::ofstream(other / "precious") << "precious";
  SerializeToFile(model_of(2), folder / "m.onnx", to("w.data"));
  fs::remove(folder / "w.data");
  fs::create_symlink(other / "precious", folder / "w.data");
  SerializeToFile(model_of(1), folder / "m.onnx", to("w.data"));
  CHECK_EQ(read(other / "precious"), "precious");
  CHECK(!fs::is_symlink(folder / "w.data"));
  check_is(1, folder, "m.onnx");
}

TEST(test_save_when_done_twice_then_the_files_are_the_same_and_data_is_not_written) {
  Folder folder;
  SerializeToFile(model_of(1), folder / "m.onnx", to("w.data", 64));
  const std::string model = read(folder / "m.onnx");
  const std::string data = read(folder / "w.data");
  struct stat first{};
  CHECK(::stat((folder / "w.data").c_str(), &first) == 0);
  SerializeToFile(model_of(1), folder / "m.onnx", to("w.data", 64));
  CHECK(read(folder / "m.onnx") == model);
  CHECK(read(folder / "w.data") == data);
  struct stat second{};
  CHECK(::stat((folder / "w.data").c_str(), &second) == 0);
  CHECK_EQ(first.st_ino, second.st_ino);
  CHECK((folder.names() == std::set<std::string>{"m.onnx", "w.data"}));
}

TEST(test_save_when_over_the_files_it_is_mapped_from_then_the_model_stays_valid) {
  Folder folder;
  SerializeToFile(model_of(1), folder / "m.onnx", to("w.data"));
  ModelProto model = model_of(1);
  {
    auto map = nocopy::MappedFile::open((folder / "w.data").string());
    const auto* at = map->bytes().data();
    for (std::size_t i = 0; i < 3; ++i) {
      // In another order than they are in the file.
      TensorProto& tensor = model.ref_graph().ref_initializer()[2 - i];
      const std::size_t size = 1001 + i;
      tensor.ref_raw_data().assign_borrowed(at, size,
                                            std::const_pointer_cast<nocopy::MappedFile>(map));
      at += size;
    }
  }
  const std::string before = model.SerializeAsString();
  SerializeToFile(model, folder / "m.onnx", to("w.data"));
  CHECK(model.SerializeAsString() == before);
  const ModelProto saved = loaded(folder / "m.onnx");
  CHECK(data_of(saved.graph().initializer()[0], folder) == payload(3, 1003));
  CHECK(data_of(saved.graph().initializer()[2], folder) == payload(1, 1001));
  CHECK((folder.names() == std::set<std::string>{"m.onnx", "w.data"}));
}

TEST(test_save_when_killed_at_any_change_of_a_name_then_the_old_or_the_new_model_is_there) {
  for (const bool was_there : {true, false}) {
    int olds = 0;
    int news = 0;
    int change = 0;
    for (int status = 9; status == 9; ++change) {
      CHECK(change < 40);
      Folder folder;
      SerializeToFile(model_of(10), folder / "m.onnx", to(was_there ? "w.data" : "old.data"));
      status = status_of_process_ending_before(
          change, [&] { SerializeToFile(model_of(20), folder / "m.onnx", to("w.data", 32)); });
      CHECK(status == 9 || status == 0);
      const bool is_new = std::string(loaded(folder / "m.onnx").producer_name()) == "seed 20";
      check_is(is_new ? 20 : 10, folder, "m.onnx");
      CHECK(status == 9 || is_new);
      (is_new ? news : olds) += 1;
      if (status == 9) {
        // What is left does not stand in the way of saving again.
        SerializeToFile(model_of(20), folder / "m.onnx", to("w.data", 32));
        check_is(20, folder, "m.onnx");
      } else {
        check_is(20, folder, "m.onnx");
        CHECK_EQ(fs::hard_link_count(folder / "w.data"), std::uintmax_t{1});
        CHECK_EQ(folder.names().size(), std::size_t{was_there ? 2U : 3U});
      }
    }
    CHECK(olds >= 2);
    CHECK(news >= (was_there ? 2 : 1));
  }
}

TEST(test_save_when_files_may_not_grow_then_old_files_stay_and_no_others) {
  Folder folder;
  SerializeToFile(model_of(10), folder / "m.onnx", to("w.data"));
  for (const std::string location : {"w.data", "other.data", ""}) {
    const int status = status_of_process_ending_before(-1, [&] {
      ::signal(SIGXFSZ, SIG_IGN);
      const rlimit limit{1500, 1500};
      CHECK(::setrlimit(RLIMIT_FSIZE, &limit) == 0);
      SerializeToFile(model_of(20), folder / "m.onnx", to(location));
    });
    CHECK_EQ(status, 7);
    check_is(10, folder, "m.onnx");
    CHECK((folder.names() == std::set<std::string>{"m.onnx", "w.data"}));
  }
}

TEST(test_save_when_the_file_system_has_only_files_with_names_then_none_is_left_over) {
  has_nameless_files = false;
  Folder folder;
  SerializeToFile(model_of(10), folder / "m.onnx", to("w.data"));
  check_is(10, folder, "m.onnx");
  const int status = status_of_process_ending_before(-1, [&] {
    ::signal(SIGXFSZ, SIG_IGN);
    const rlimit limit{1500, 1500};
    CHECK(::setrlimit(RLIMIT_FSIZE, &limit) == 0);
    SerializeToFile(model_of(20), folder / "m.onnx", to("w.data"));
  });
  CHECK_EQ(status, 7);
  check_is(10, folder, "m.onnx");
  CHECK((folder.names() == std::set<std::string>{"m.onnx", "w.data"}));
  SerializeToFile(model_of(20), folder / "m.onnx", to("w.data"));
  check_is(20, folder, "m.onnx");
  CHECK((folder.names() == std::set<std::string>{"m.onnx", "w.data"}));
  has_nameless_files = true;
}

TEST(test_save_when_the_file_system_has_no_hard_links_then_files_are_replaced) {
  Folder folder;
  SerializeToFile(model_of(10), folder / "m.onnx", to("w.data"));
  has_hard_links = false;
  SerializeToFile(model_of(20), folder / "m.onnx", to("w.data"));
  has_hard_links = true;
  check_is(20, folder, "m.onnx");
  CHECK((folder.names() == std::set<std::string>{"m.onnx", "w.data"}));
}

TEST(test_save_when_a_tensor_was_not_loaded_then_it_keeps_its_file_or_is_refused) {
  Folder folder;
  Folder elsewhere;
  SerializeToFile(model_of(10), folder / "m.onnx", to("w.data"));
  const ModelProto model = loaded(folder / "m.onnx");
  SerializeToFile(model, folder / "again.onnx");
  check_is(10, folder, "again.onnx");
  CHECK_THROWS(ErrorKind::kExternalData, "tensor 'w0': external data in 'w.data': cannot open",
               SerializeToFile(model, elsewhere / "m.onnx"));
  ModelProto more = model;
  fill(more.ref_graph().add_initializer(), "more", payload(5, 100));
  CHECK_THROWS(ErrorKind::kExternalData, "its file is to be replaced",
               SerializeToFile(more, folder / "m.onnx", to("w.data")));
  CHECK(elsewhere.names().empty());
  SerializeOptions options;
  options.allow_missing_external_data = true;
  SerializeToFile(model, elsewhere / "m.onnx", options);
  CHECK((elsewhere.names() == std::set<std::string>{"m.onnx"}));
  fs::resize_file(folder / "w.data", 2000);
  CHECK_THROWS(ErrorKind::kExternalData, "ends before its data does",
               SerializeToFile(model, folder / "m.onnx"));
}

NOCOPY_TEST_MAIN
