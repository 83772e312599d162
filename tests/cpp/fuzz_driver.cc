#include "fuzz_driver.h"

#include <array>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <string>
#include <string_view>
#include <vector>

// With GCC's -fsanitize-coverage=trace-pc each step of the code under test is reported here. Two
// steps in a row are an edge; an input is worth keeping when it takes a new one, or takes one far
// more often than any before.
namespace {

constexpr std::size_t kEdges = 1 << 16;
std::array<std::uint8_t, kEdges> counts{};
std::size_t previous_step = 0;

std::int64_t allocated = 0;
std::int64_t most = 0;
bool counting = false;

const std::string* current = nullptr;

}  // namespace

extern "C" {

void __sanitizer_cov_trace_pc();
void __sanitizer_cov_trace_pc() {
  const auto step = reinterpret_cast<std::size_t>(__builtin_return_address(0));
  const std::size_t mixed = (step ^ step >> 16) & (kEdges - 1);
  std::uint8_t& count = counts[mixed ^ previous_step];
  count = static_cast<std::uint8_t>(count + (count != 0xff));
  previous_step = mixed >> 1;
}

// Called by AddressSanitizer where it is there.
std::size_t __sanitizer_get_allocated_size(const volatile void* memory) __attribute__((weak));
void __sanitizer_set_death_callback(void (*callback)()) __attribute__((weak));
void __sanitizer_malloc_hook(const volatile void* memory, std::size_t size);
void __sanitizer_malloc_hook(const volatile void* /*memory*/, std::size_t size) {
  allocated += static_cast<std::int64_t>(size);
  if (counting && allocated > most) {
    most = allocated;
  }
}
void __sanitizer_free_hook(const volatile void* memory);
void __sanitizer_free_hook(const volatile void* memory) {
  if (memory != nullptr && __sanitizer_get_allocated_size != nullptr) {
    allocated -= static_cast<std::int64_t>(__sanitizer_get_allocated_size(memory));
  }
}
}

namespace nocopy::fuzzing {

namespace {

void save_input() {
  if (current != nullptr) {
    std::ofstream("fuzz-failure.bin", std::ios::binary) << *current;
    std::fprintf(stderr, "the input (%zu bytes) is in fuzz-failure.bin\n", current->size());
  }
}

}  // namespace

void fail(const std::string& what) {
  std::fprintf(stderr, "%s\n", what.c_str());
  save_input();
  std::_Exit(1);
}

void start_counting() noexcept {
  counting = true;
  allocated = 0;
  most = 0;
}

std::size_t most_allocated() noexcept {
  counting = false;
  return static_cast<std::size_t>(most);
}

namespace {

constexpr std::size_t kLongest = 4096;

class Fuzzer {
 public:
  explicit Fuzzer(std::uint64_t seed) : random_(seed) {
    for (int i = 0; i < 300; ++i) {
      try_input(make_seed(random_));
    }
  }

  void step() {
    // A tenth from scratch, so that the corpus does not close itself in.
    try_input(corpus_.empty() || below(10) == 0 ? make_seed(random_) : mutate());
  }

  void try_input(const std::string& input) {
    counts.fill(0);
    previous_step = 0;
    current = &input;
    static_cast<void>(
        LLVMFuzzerTestOneInput(reinterpret_cast<const std::uint8_t*>(input.data()), input.size()));
    current = nullptr;
    ++tried_;
    bool new_ground = false;
    for (std::size_t i = 0; i < kEdges; ++i) {
      const std::uint8_t grade = grade_of(counts[i]);
      if (grade > seen_[i]) {
        edges_ += seen_[i] == 0;
        seen_[i] = grade;
        new_ground = true;
      }
    }
    if (new_ground) {
      corpus_.push_back(input);
    }
  }

  void report() const {
    std::printf("%zu inputs, %zu edges, %zu in the corpus\n", tried_, edges_, corpus_.size());
  }

 private:
  static std::uint8_t grade_of(std::uint8_t count) {
    return count == 0 ? 0 : count == 1 ? 1 : count < 8 ? 2 : count < 64 ? 3 : 4;
  }
  std::size_t below(std::size_t end) { return end == 0 ? 0 : random_() % end; }
  char byte() {
    // Tags, small lengths, and the borders of numbers are worth more than the rest.
    static constexpr std::string_view kInteresting("\x00\x01\x02\x7f\x80\xff\x0a\x12\x0b\x0c\x10",
                                                   11);
    return below(3) == 0 ? kInteresting[below(kInteresting.size())]
                         : static_cast<char>(random_() & 0xff);
  }

  std::string mutate() {
    std::string input = corpus_[below(corpus_.size())];
    for (std::size_t changes = 1 + below(6); changes > 0; --changes) {
      change(input);
    }
    if (input.size() > kLongest) {
      input.resize(kLongest);
    }
    return input;
  }

  void change(std::string& input) {
    const std::size_t at = below(input.size() + 1);
    const std::size_t left = input.size() - at;
    switch (below(8)) {
      case 0:
        if (left > 0) {
          input[at] = static_cast<char>(input[at] ^ (1 << below(8)));
        }
        break;
      case 1:
        if (left > 0) {
          input[at] = byte();
        }
        break;
      case 2:
        input.insert(at, 1 + below(4), byte());
        break;
      case 3:
        input.erase(at, below(16));
        break;
      case 4:
        input.resize(at);
        break;
      case 5:  // a long number
        input.insert(at, std::string(below(10), static_cast<char>(0x80 | below(128))) + byte());
        break;
      case 6: {
        const std::string& other = corpus_[below(corpus_.size())];
        const std::size_t from = below(other.size());
        input.insert(at, other.substr(from, 1 + below(200)));
        break;
      }
      default: {  // say the same thing again, many times
        const std::string part = input.substr(at, 1 + below(8));
        std::string repeated;
        for (std::size_t i = below(40); i > 0; --i) {
          repeated += part;
        }
        input.insert(at, repeated);
      }
    }
  }

  std::mt19937_64 random_;
  std::vector<std::string> corpus_;
  std::array<std::uint8_t, kEdges> seen_{};
  std::size_t tried_ = 0;
  std::size_t edges_ = 0;
};

int run(int argc, char** argv) {
  if (__sanitizer_set_death_callback != nullptr) {
    __sanitizer_set_death_callback(save_input);
  }
  const std::string first = argc > 1 ? argv[1] : "";
  if (first == "--try" && argc == 3) {
    std::ifstream file(argv[2], std::ios::binary);
    const std::string input(std::istreambuf_iterator<char>(file), {});
    current = &input;
    return LLVMFuzzerTestOneInput(reinterpret_cast<const std::uint8_t*>(input.data()),
                                  input.size());
  }
  if (first.empty() || argc > 3) {
    std::fprintf(stderr, "usage: %s SECONDS [SEED]\n       %s --try FILE\n", argv[0], argv[0]);
    return 2;
  }
  const double seconds = std::strtod(argv[1], nullptr);
  const std::uint64_t seed =
      argc > 2 ? std::strtoull(argv[2], nullptr, 10) : std::random_device()();
  std::printf("seed %llu\n", static_cast<unsigned long long>(seed));
  const auto end = std::chrono::steady_clock::now() + std::chrono::duration<double>(seconds);
  Fuzzer fuzzer(seed);
  while (std::chrono::steady_clock::now() < end) {
    for (int i = 0; i < 100; ++i) {
      fuzzer.step();
    }
  }
  fuzzer.report();
  return 0;
}

}  // namespace
}  // namespace nocopy::fuzzing

int main(int argc, char** argv) { return nocopy::fuzzing::run(argc, argv); }
