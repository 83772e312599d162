// Calls a method in a loop, as a C++ program that was written for speed would: the reference that
// the Python calls are compared with.
//
//   call_loop PROGRAM.pte THREADS
//
// For each number N read from stdin, one per line, it makes N calls and prints the seconds that one
// took. One call does what one call from Python does: it sets every input, runs the method and
// reads every output. The tensors around the inputs are made once and used again.

#include <executorch/extension/data_loader/file_data_loader.h>
#include <executorch/runtime/executor/method.h>
#include <executorch/runtime/executor/program.h>
#include <executorch/runtime/platform/runtime.h>

#include <chrono>
#include <cstdint>
#include <cstdlib>
#include <ctime>
#include <iostream>
#include <memory>
#include <numeric>
#include <span>
#include <string>
#include <vector>

namespace executorch::extension::threadpool {
// The package's libraries have this class, its headers do not.
class ThreadPool {
 public:
  bool _unsafe_reset_threadpool(std::uint32_t threads);
};
ThreadPool* get_threadpool();
}  // namespace executorch::extension::threadpool

namespace {

using executorch::aten::Tensor;
using executorch::aten::TensorImpl;
using executorch::runtime::EValue;
using executorch::runtime::HierarchicalAllocator;
using executorch::runtime::MemoryAllocator;
using executorch::runtime::MemoryManager;
using executorch::runtime::Method;
using executorch::runtime::Program;
using executorch::runtime::Result;
using executorch::runtime::Span;

template <typename T>
T unwrap(Result<T> result, const char* what) {
  if (!result.ok()) {
    std::cerr << what << " failed with error " << static_cast<int>(result.error()) << '\n';
    std::exit(1);
  }
  return std::move(*result);
}

// An allocator that takes each piece from the heap and gives all of them back at once.
class HeapAllocator final : public MemoryAllocator {
 public:
  HeapAllocator() : MemoryAllocator(0, nullptr) {}

  void* allocate(size_t size, size_t alignment) override {
    auto& piece = pieces_.emplace_back(std::make_unique<std::byte[]>(size + alignment));
    void* start = piece.get();
    size_t space = size + alignment;
    return std::align(alignment, size, start, space);
  }

  void reset() override { pieces_.clear(); }

 private:
  std::vector<std::unique_ptr<std::byte[]>> pieces_;
};

// An input tensor that owns its memory.
struct Input {
  std::vector<TensorImpl::SizesType> sizes;
  std::vector<TensorImpl::DimOrderType> dim_order;
  std::vector<TensorImpl::StridesType> strides;
  std::vector<float> data;
  std::unique_ptr<TensorImpl> impl;
};

Input make_input(const executorch::runtime::TensorInfo& info) {
  Input input;
  input.sizes.assign(info.sizes().begin(), info.sizes().end());
  input.dim_order.assign(info.dim_order().begin(), info.dim_order().end());
  input.strides.resize(input.sizes.size());
  TensorImpl::StridesType step = 1;
  for (size_t i = input.sizes.size(); i-- > 0;) {
    input.strides[input.dim_order[i]] = step;
    step *= input.sizes[input.dim_order[i]];
  }
  input.data.resize(info.nbytes() / sizeof(float));
  std::iota(input.data.begin(), input.data.end(), 1.0F);
  input.impl = std::make_unique<TensorImpl>(
      info.scalar_type(), static_cast<ssize_t>(input.sizes.size()), input.sizes.data(),
      input.data.data(), input.dim_order.data(), input.strides.data());
  return input;
}

// One call. Returns something read from the outputs, so that reading them cannot be left out.
float call(Method& method, std::span<const EValue> inputs) {
  if (method.set_inputs({inputs.data(), inputs.size()}) != executorch::runtime::Error::Ok ||
      method.execute() != executorch::runtime::Error::Ok) {
    std::cerr << "the call failed\n";
    std::exit(1);
  }
  float read = 0;
  for (size_t i = 0; i < method.outputs_size(); ++i) {
    read += method.get_output(i).toTensor().const_data_ptr<float>()[0];
  }
  return read;
}

double seconds(bool of_processor) {
  if (of_processor) return static_cast<double>(std::clock()) / CLOCKS_PER_SEC;
  const std::chrono::duration<double> now = std::chrono::steady_clock::now().time_since_epoch();
  return now.count();
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 3) {
    std::cerr << "usage: call_loop PROGRAM.pte THREADS\n";
    return 2;
  }
  executorch::runtime::runtime_init();
  const auto threads = static_cast<std::uint32_t>(std::stoul(argv[2]));
  const bool one_thread = threads == 1;
  executorch::extension::threadpool::get_threadpool()->_unsafe_reset_threadpool(threads);

  auto loader = unwrap(executorch::extension::FileDataLoader::from(argv[1]), "opening the program");
  auto program = unwrap(Program::load(&loader), "reading the program");
  const auto meta = unwrap(program.method_meta("forward"), "finding the method");

  std::vector<std::vector<std::byte>> arenas;
  std::vector<Span<std::uint8_t>> spans;
  for (size_t i = 0; i < meta.num_memory_planned_buffers(); ++i) {
    arenas.emplace_back(
        static_cast<size_t>(unwrap(meta.memory_planned_buffer_size(i), "sizing the memory")));
    spans.emplace_back(reinterpret_cast<std::uint8_t*>(arenas.back().data()), arenas.back().size());
  }
  HierarchicalAllocator planned({spans.data(), spans.size()});
  HeapAllocator method_allocator;
  HeapAllocator temporary_allocator;
  MemoryManager memory(&method_allocator, &planned, &temporary_allocator);
  auto method = unwrap(program.load_method("forward", &memory), "loading the method");

  std::vector<Input> inputs;
  std::vector<EValue> values;
  for (size_t i = 0; i < meta.num_inputs(); ++i) {
    inputs.push_back(make_input(unwrap(meta.input_tensor_meta(i), "describing an input")));
    values.emplace_back(Tensor(inputs.back().impl.get()));
  }

  float sum = 0;
  for (std::string line; std::getline(std::cin, line);) {
    const auto calls = std::stol(line);
    const double start = seconds(one_thread);
    for (long i = 0; i < calls; ++i) {
      sum += call(method, values);
    }
    std::cout << (seconds(one_thread) - start) / static_cast<double>(calls) << std::endl;
  }
  std::cerr << (sum == 0 ? "every output was zero\n" : "");
  return sum == 0 ? 1 : 0;
}
