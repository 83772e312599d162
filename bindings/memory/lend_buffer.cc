// The way in through CPython's buffer protocol.

#include <array>
#include <cstring>
#include <new>
#include <optional>

#include "bindings/memory/lend.h"
#include "bindings/memory/python.h"
#include "memory/error.h"
#include "memory/layout.h"

namespace nocopy {
namespace {

// numpy's limit too.
constexpr int kMaxBufferRank = 64;

static_assert(sizeof(Py_ssize_t) == sizeof(int64_t), "a Py_buffer's shape is read in place");

struct Place {
  const void* address = nullptr;
  Py_ssize_t length = 0;
  friend bool operator==(const Place&, const Place&) = default;
};

// An attribute that a C type defines, such as those of numpy.ndarray; None if there is none. What a
// Python subclass puts in its place is passed over: the code here that asks where memory is must
// not run code that could move it.
nb::object attribute(nb::handle object, const char* name) {
  PyObject* bases = Py_TYPE(object.ptr())->tp_mro;
  for (Py_ssize_t i = 0; bases != nullptr && i < PyTuple_GET_SIZE(bases); ++i) {
    PyObject* dict = reinterpret_cast<PyTypeObject*>(PyTuple_GET_ITEM(bases, i))->tp_dict;
    PyObject* found = dict != nullptr ? PyDict_GetItemString(dict, name) : nullptr;
    if (found == nullptr || Py_TYPE(found) != &PyGetSetDescr_Type) {
      continue;
    }
    PyObject* value = PyGetSetDescr_Type.tp_descr_get(
        found, object.ptr(), reinterpret_cast<PyObject*>(Py_TYPE(object.ptr())));
    if (value == nullptr) {
      PyErr_Clear();
      return nb::none();
    }
    return nb::steal(value);
  }
  return nb::none();
}

// Where an object's memory is now, through the buffer protocol or, for dtypes that numpy does not
// lend, numpy's array interface. Nothing if it does not say.
std::optional<Place> place_of(nb::handle object) {
  Py_buffer buffer;
  if (PyObject_CheckBuffer(object.ptr()) != 0) {
    if (get_buffer(object, buffer, PyBUF_RECORDS_RO)) {
      const Place place{buffer.buf, buffer.len};
      PyBuffer_Release(&buffer);
      return place;
    }
    PyErr_Clear();
  }
  const nb::object interface = attribute(object, "__array_interface__");
  const nb::object nbytes = attribute(object, "nbytes");
  if (PyDict_Check(interface.ptr()) == 0 || PyLong_Check(nbytes.ptr()) == 0) {
    return std::nullopt;
  }
  PyObject* data = PyDict_GetItemString(interface.ptr(), "data");
  if (data == nullptr || PyTuple_Check(data) == 0 || PyTuple_GET_SIZE(data) != 2) {
    return std::nullopt;
  }
  const Place place{PyLong_AsVoidPtr(PyTuple_GET_ITEM(data, 0)), PyLong_AsSsize_t(nbytes.ptr())};
  if (PyErr_Occurred() != nullptr) {
    PyErr_Clear();
    return std::nullopt;
  }
  return place;
}

// The object at the bottom of a chain of views: a view of an array or a memoryview keeps telling
// the address it was made with, whatever happens to the memory of what it views.
nb::object root_of(nb::handle object) {
  nb::object current = nb::borrow(object);
  for (int depth = 0; depth < 64; ++depth) {
    nb::object next;
    if (PyMemoryView_Check(current.ptr()) != 0) {
      PyObject* base = PyMemoryView_GET_BASE(current.ptr());
      if (base == nullptr) {
        break;
      }
      next = nb::borrow(base);
    } else {
      next = attribute(current, "base");
      if (next.is_none()) {
        break;
      }
    }
    if (!place_of(next)) {
      break;
    }
    current = std::move(next);
  }
  return current;
}

class BufferPin final : public PythonPin {
 public:
  BufferPin() = default;

  // One is made for every input of every call, so the places of a few are used again. The
  // interpreter's lock guards them.
  static void* operator new(size_t size) {
    return places_left != 0 ? places[--places_left] : ::operator new(size);
  }
  static void operator delete(BufferPin* pin, std::destroying_delete_t /*tag*/) {
    const bool locked = PyGILState_Check() != 0;
    if (locked) {
      PyBuffer_Release(&pin->buffer);
    }
    pin->~BufferPin();
    if (locked && places_left != places.size()) {
      places[places_left++] = pin;
    } else {
      ::operator delete(pin);
    }
  }

  ~BufferPin() override {
    if (buffer.obj != nullptr || weak_.is_valid()) {
      with_gil_if_alive([this] {
        weak_.reset();
        PyBuffer_Release(&buffer);
      });
    }
    static_cast<void>(weak_.release());  // still there where the interpreter is finalizing
  }

  // Memory that nobody can be asked about again is not trusted to stay: a buffer without an
  // exporter, and one that a Python class lends (`__buffer__`), whose memory is another object's.
  [[nodiscard]] bool promises_memory() const noexcept override {
    return buffer.readonly == 0 && buffer.obj != nullptr && PyObject_CheckBuffer(buffer.obj) != 0;
  }

  void watch() override {
    if (buffer.obj != nullptr) {
      root_ = place_of(root_of(buffer.obj));
    }
  }

  // numpy does not resize an array that something has a weak reference to, also where it is told
  // not to look for references. What knows no weak references keeps its promise by itself.
  void hold_in_place() override {
    if (buffer.obj != nullptr) {
      weak_ = nb::steal(PyWeakref_NewRef(root_of(buffer.obj).ptr(), nullptr));
      if (!weak_.is_valid()) {
        PyErr_Clear();
      }
    }
  }

  // Asks the exporter again, and what lies at the bottom of it: the protocol's promise that memory
  // stays in place while it is lent can be broken (numpy's resize with refcheck=False does).
  [[nodiscard]] bool still_in_place() override {
    if (buffer.obj == nullptr) {
      return true;
    }
    return place_of(buffer.obj) == Place{buffer.buf, buffer.len} &&
           place_of(root_of(buffer.obj)) == root_;
  }

  [[nodiscard]] PyObject* held() const noexcept override { return buffer.obj; }

  Py_buffer buffer{};

 private:
  inline static std::array<void*, 16> places{};
  inline static size_t places_left = 0;

  std::optional<Place> root_;
  nb::object weak_;
};

void check_description(const Py_buffer& buffer, const std::string& label) {
  const auto fail = [&](const std::string& why) {
    throw Error(ErrorKind::kLayout, label + " describes its memory wrongly: " + why + ".");
  };
  if (buffer.ndim < 0 || buffer.ndim > kMaxBufferRank) {
    throw Error(ErrorKind::kShape, label + " has " + std::to_string(buffer.ndim) +
                                       " dimensions; at most 64 can be read.");
  }
  if (buffer.itemsize <= 0) {
    fail("its elements have " + std::to_string(buffer.itemsize) + " bytes");
  }
  if (buffer.ndim > 0 && buffer.shape == nullptr) {
    fail("it gives no shape");
  }
  if (buffer.suboffsets != nullptr) {
    for (int i = 0; i < buffer.ndim; ++i) {
      if (buffer.suboffsets[i] >= 0) {
        throw Error(ErrorKind::kLayout, label +
                                            " keeps its rows behind pointers (suboffsets), which "
                                            "no tensor layout describes. Copy it into one block "
                                            "first.");
      }
    }
  }
}

std::string quoted_format(const Py_buffer& buffer) {
  return "'" + std::string(buffer.format != nullptr ? buffer.format : "B") + "' (" +
         std::to_string(buffer.itemsize) + " bytes)";
}

[[noreturn]] void refuse_format(const Py_buffer& buffer, const std::string& label) {
  const std::string format = buffer.format != nullptr ? buffer.format : "B";
  std::string why = ", which names no dtype that can be read here.";
  if (!format.empty() && (format[0] == '>' || format[0] == '!' || format[0] == '<') &&
      dtype_from_format(std::string_view(format).substr(1), static_cast<size_t>(buffer.itemsize))) {
    why = ", in the other byte order. Convert it first: x.astype(x.dtype.newbyteorder('=')).";
  } else if (format.find('O') != std::string::npos) {
    why = ": Python objects, not numbers. Convert it first: x.astype(...).";
  } else if (format.find('{') != std::string::npos || format.find(':') != std::string::npos) {
    why = ": a structure. Pass one field of it.";
  }
  throw Error(ErrorKind::kDType, label + " has buffer format " + quoted_format(buffer) + why);
}

void describe(std::unique_ptr<BufferPin> pin, const std::string& label, std::optional<DType> known,
              LentTensor& lent) {
  const Py_buffer& buffer = pin->buffer;
  check_description(buffer, label);
  TensorView& view = lent.view;
  const auto dtype = known ? known
                           : dtype_from_format(buffer.format != nullptr ? buffer.format : "B",
                                               static_cast<size_t>(buffer.itemsize));
  if (!dtype) {
    refuse_format(buffer, label);
  }
  view.data = buffer.buf;
  view.dtype = *dtype;
  view.read_only = buffer.readonly != 0;
  const auto rank = static_cast<size_t>(buffer.ndim);
  view.shape.assign({reinterpret_cast<const int64_t*>(buffer.shape), rank});
  const auto nbytes = packed_nbytes(view.shape, static_cast<size_t>(buffer.itemsize));
  if (!nbytes || *nbytes != buffer.len) {
    throw Error(ErrorKind::kLayout,
                label + " describes its memory wrongly: shape " + to_string(view.shape) + " of " +
                    std::to_string(buffer.itemsize) + "-byte elements is not the " +
                    std::to_string(buffer.len) + " bytes it lends.");
  }
  if (buffer.strides != nullptr) {
    view.strides.assign({reinterpret_cast<const int64_t*>(buffer.strides), rank});
  } else {
    // Although strides were asked for: ctypes arrays, which are always contiguous, give none.
    view.strides = contiguous_strides(view.shape, static_cast<size_t>(buffer.itemsize));
  }
  lent.raw_bytes = !known;
  lent.pin = std::move(pin);
}

// numpy refuses to lend arrays of dtypes that extensions define. Their elements are lent as the
// unsigned integers of the same width, and the name of the dtype says what they are.
std::optional<DType> extension_dtype(nb::handle object, const std::string& label) {
  const nb::object description = attribute(object, "dtype");
  const nb::object name = attribute(description, "name");
  if (PyUnicode_Check(name.ptr()) == 0) {
    return std::nullopt;
  }
  // The name says nothing of the byte order, and the view as integers keeps the bytes as they are.
  if (attribute(description, "isnative").ptr() != Py_True) {
    throw Error(ErrorKind::kDType, label + " is in the other byte order. Convert it first.");
  }
  const char* text = PyUnicode_AsUTF8(name.ptr());
  if (text == nullptr) {
    PyErr_Clear();
    return std::nullopt;
  }
  const auto dtype = dtype_from_name(text);
  // A dtype with a code is lent under it; one that is not lent then has another reason.
  return dtype && info(*dtype).format == 0 && info(*dtype).itemsize() != 0 ? dtype : std::nullopt;
}

}  // namespace

void lend_buffer(nb::handle object, const std::string& label, LentTensor& lent) {
  auto pin = std::make_unique<BufferPin>();
  // Formats and strides, read-only memory included; no pointers to follow.
  if (get_buffer(object, pin->buffer, PyBUF_RECORDS_RO)) {
    describe(std::move(pin), label, std::nullopt, lent);
    return;
  }
  nb::python_error refused;  // takes the exception
  if (const auto dtype = extension_dtype(object, label)) {
    const char* width = info(*dtype).itemsize() == 1 ? "u1" : "u2";
    const nb::object integers = object.attr("view")(width);
    if (!get_buffer(integers, pin->buffer, PyBUF_RECORDS_RO)) {
      throw nb::python_error();
    }
    // A subclass may have its own idea of view().
    if (pin->buffer.itemsize != static_cast<Py_ssize_t>(info(*dtype).itemsize())) {
      throw Error(ErrorKind::kLayout, label + " is of dtype " + std::string(info(*dtype).name) +
                                          ", but its view as integers has elements of " +
                                          std::to_string(pin->buffer.itemsize) + " bytes.");
    }
    describe(std::move(pin), label, dtype, lent);
    return;
  }
  throw Error(ErrorKind::kDType, label + " (" + python_type_name(object) +
                                     ") does not lend its memory: " + refused.what());
}

}  // namespace nocopy
