#include "bindings/executorch/python_program.h"

#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/string.h>

#include "bindings/executorch/logging.h"
#include "bindings/executorch/metadata.h"
#include "bindings/executorch/python_method.h"
#include "bindings/memory/lend.h"
#include "bindings/memory/python.h"
#include "executorch/program.h"
#include "memory/error.h"
#include "memory/mapped_file.h"

namespace nocopy::executorch {
namespace {

// Holds a buffer view for as long as somebody reads the bytes.
class HeldView {
 public:
  explicit HeldView(nb::handle object) {
    if (!get_buffer(object, buffer_, PyBUF_SIMPLE)) {
      throw nb::python_error();
    }
  }
  HeldView(const HeldView&) = delete;
  HeldView& operator=(const HeldView&) = delete;
  ~HeldView() {
    with_gil_if_alive([this] { PyBuffer_Release(&buffer_); });
  }
  [[nodiscard]] std::span<const std::byte> bytes() const noexcept {
    return {static_cast<const std::byte*>(buffer_.buf), static_cast<size_t>(buffer_.len)};
  }
  [[nodiscard]] bool writable() const noexcept { return buffer_.readonly == 0; }

 private:
  Py_buffer buffer_{};
};

// Whether nothing can change these bytes while they are read in place. A program is checked once,
// when it is loaded, so bytes that its owner can still write into are copied.
bool are_immutable(nb::handle object) {
  if (PyBytes_CheckExact(object.ptr()) != 0) {
    return true;
  }
  if (PyMemoryView_Check(object.ptr()) != 0) {
    PyObject* base = PyMemoryView_GET_BASE(object.ptr());
    return base != nullptr && are_immutable(base);
  }
  return python_type_name(object) == "mmap.mmap" && !HeldView(object).writable();
}

SharedBytes bytes_of(nb::handle data) {
  auto view = std::make_shared<HeldView>(data);
  if (are_immutable(data)) {
    return {view->bytes(), view};
  }
  const std::shared_ptr<std::byte> copy = allocate_aligned(view->bytes().size());
  std::memcpy(copy.get(), view->bytes().data(), view->bytes().size());
  return {{copy.get(), view->bytes().size()}, copy};
}

// A path as the system has it: any name that Python can hold, and none with a null byte, where the
// system would stop reading.
SharedBytes bytes_of_file(nb::handle path) {
  PyObject* name = nullptr;
  if (PyUnicode_FSConverter(path.ptr(), &name) == 0) {
    throw nb::python_error();
  }
  const nb::object held = nb::steal(name);
  auto file = MappedFile::open(PyBytes_AS_STRING(name));
  return {file->bytes(), file};
}

std::shared_ptr<Program> load(SharedBytes data, nb::handle data_path, Verification verification) {
  const LogForwarder forward;
  std::optional<SharedBytes> external;
  if (!data_path.is_none()) {
    external = bytes_of_file(data_path);
  }
  return std::const_pointer_cast<Program>(
      Program::load(std::move(data), std::move(external), verification));
}

}  // namespace

void bind_program(nb::module_& m) {
  nb::enum_<Verification>(m, "Verification",
                          "How much the runtime itself checks of a program's structure. nocopy's "
                          "own checks are made at either level.")
      .value("Minimal", Verification::kMinimal)
      .value("InternalConsistency", Verification::kInternalConsistency);

  nb::class_<Program>(m, "_Program")
      .def("method_names",
           [](const Program& self) {
             nb::list names;
             for (const std::string& name : self.method_names()) {
               names.append(nb::str(name.data(), name.size()));
             }
             return names;
           })
      .def("load_method",
           [](const std::shared_ptr<Program>& self, const std::string& name, bool own_memory) {
             const LogForwarder forward;
             return PythonMethod(Method::load(self, name, own_memory));
           })
      .def("metadata", [](const std::shared_ptr<Program>& self, const std::string& name) {
        return MethodMetadata(self, name);
      });

  m.def(
      "load_program_file",
      [](nb::handle path, nb::handle data_path, Verification verification) {
        return load(bytes_of_file(path), data_path, verification);
      },
      nb::arg("path"), nb::arg("data_path").none(), nb::arg("verification"));
  m.def(
      "load_program_bytes",
      [](nb::handle data, nb::handle data_path, Verification verification) {
        return load(bytes_of(data), data_path, verification);
      },
      nb::arg("data"), nb::arg("data_path").none(), nb::arg("verification"));
}

}  // namespace nocopy::executorch
