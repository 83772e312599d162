// Makes a small model, or shows the weights of one without reading them into memory.
//
//   onnx_weights make FILE
//   onnx_weights show FILE

#include <nocopy/memory/mapped_file.h>
#include <nocopy/onnx/messages.h>

#include <cstdio>
#include <exception>
#include <fstream>
#include <memory>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace onnx = nocopy::onnx;

namespace {

onnx::ModelProto make_model() {
  onnx::ModelProto model;
  model.set_ir_version(onnx::IR_VERSION);
  model.add_opset_import().set_version(21);
  onnx::GraphProto& graph = model.ref_graph();
  graph.set_name("one_layer");

  onnx::NodeProto& node = graph.add_node();
  node.set_op_type("MatMul");
  node.ref_input() = {"x", "weight"};
  node.ref_output() = {"y"};

  onnx::TensorProto& weight = graph.add_initializer();
  weight.set_name("weight");
  weight.set_data_type(onnx::TensorProto::FLOAT);
  weight.ref_dims() = {3, 4};
  // The tensor borrows the vector, and the vector goes when the last tensor that borrows it does.
  auto values = std::make_shared<std::vector<float>>(12, 0.5F);
  weight.ref_raw_data().assign_borrowed(values->data(), values->size() * sizeof(float), values);
  return model;
}

void make(const std::string& path) {
  std::ofstream file(path, std::ios::binary);
  file << make_model().SerializeAsString();
  file.close();
  if (!file) {
    throw std::runtime_error("cannot write " + path);
  }
}

std::string describe(const onnx::Repeated<std::int64_t>& dims) {
  std::string text = "[";
  for (const std::int64_t size : dims) {
    text += (text.size() > 1 ? ", " : "") + std::to_string(size);
  }
  return text + "]";
}

std::string_view name_of(const onnx::TensorProto& tensor) {
  for (const onnx::EnumSchema* schema : tensor.schema().enums) {
    if (schema->name == "DataType") {
      const onnx::EnumValue* value = schema->find(std::int64_t{tensor.data_type()});
      return value != nullptr ? value->name : "?";
    }
  }
  return "?";
}

void show(const std::string& path) {
  const std::shared_ptr<const nocopy::MappedFile> file = nocopy::MappedFile::open(path);
  const auto bytes = file->bytes();

  onnx::ParseOptions options;
  options.no_copy = true;
  options.raw_data_threshold = 0;
  // Each tensor keeps the mapping alive; without an owner we would have to.
  options.owner = std::const_pointer_cast<nocopy::MappedFile>(file);
  onnx::ModelProto model;
  model.ParseFromString({reinterpret_cast<const char*>(bytes.data()), bytes.size()}, options);

  for (const onnx::TensorProto& tensor : model.graph().initializer()) {
    std::printf("%-20s %-8s %s %zu bytes, %s\n", std::string(tensor.name()).c_str(),
                std::string(name_of(tensor)).c_str(), describe(tensor.dims()).c_str(),
                tensor.raw_data().size(),
                tensor.raw_data().is_borrowed() ? "in the mapped file" : "in memory");
  }
}

}  // namespace

int main(int argc, char** argv) {
  const std::vector<std::string> arguments(argv + 1, argv + argc);
  try {
    if (arguments.size() == 2 && arguments[0] == "make") {
      make(arguments[1]);
    } else if (arguments.size() == 2 && arguments[0] == "show") {
      show(arguments[1]);
    } else {
      std::fprintf(stderr, "usage: onnx_weights make|show FILE\n");
      return 2;
    }
  } catch (const std::exception& error) {
    std::fprintf(stderr, "onnx_weights: %s\n", error.what());
    return 1;
  }
  return 0;
}
