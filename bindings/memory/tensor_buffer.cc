#include "bindings/memory/tensor_buffer.h"

#include <cstring>
#include <string>
#include <vector>

#include "bindings/memory/guarded.h"
#include "bindings/memory/python.h"
#include "memory/aligned_buffer.h"
#include "memory/error.h"
#include "memory/layout.h"

namespace nocopy {
namespace {

static_assert(sizeof(int64_t) == sizeof(Py_ssize_t), "shapes are lent to Py_buffer in place");

// Written on the C API: one is made for every output of every call.
struct TensorBufferObject {
  PyObject ob_base;
  OwnedTensor tensor;
};

PyTypeObject* type = nullptr;  // in each extension; a reference held for good

OwnedTensor& tensor_of(PyObject* self) noexcept {
  return reinterpret_cast<TensorBufferObject*>(self)->tensor;
}

bool is_c_contiguous(const TensorView& view) {
  return same_layout(view.shape, view.strides,
                     contiguous_strides(view.shape, info(view.dtype).itemsize()));
}

bool is_f_contiguous(const TensorView& view) {
  const size_t rank = view.shape.size();
  std::vector<uint8_t> reversed(rank);
  for (size_t i = 0; i < rank; ++i) {
    reversed[i] = static_cast<uint8_t>(rank - 1 - i);
  }
  return same_layout(view.shape, view.strides,
                     packed_strides(view.shape, reversed, info(view.dtype).itemsize()));
}

int refuse(Py_buffer* buffer, const std::string& why) {
  buffer->obj = nullptr;
  PyErr_SetString(PyExc_BufferError, why.c_str());
  return -1;
}

int get_buffer(PyObject* self, Py_buffer* buffer, int flags) noexcept {
  if (buffer == nullptr) {
    PyErr_SetString(PyExc_BufferError, "a buffer is asked for without a place to describe it");
    return -1;
  }
  try {
    TensorView& view = tensor_of(self).view;
    if (!view.device.is_host()) {
      return refuse(buffer, "this memory is on " + to_string(view.device) +
                                ", which the host cannot read. Hand it over through DLPack, or "
                                "copy it to the host first.");
    }
    if (view.read_only && (flags & PyBUF_WRITABLE) != 0) {
      return refuse(buffer, "this memory is read-only; copy it to change it");
    }
    const bool wants_c = (flags & PyBUF_C_CONTIGUOUS) == PyBUF_C_CONTIGUOUS;
    const bool wants_f = (flags & PyBUF_F_CONTIGUOUS) == PyBUF_F_CONTIGUOUS;
    const bool wants_any = (flags & PyBUF_ANY_CONTIGUOUS) == PyBUF_ANY_CONTIGUOUS;
    const bool takes_strides = (flags & PyBUF_STRIDES) == PyBUF_STRIDES;
    if (wants_c || wants_f || wants_any || !takes_strides) {
      const bool c = is_c_contiguous(view);
      const bool f = wants_c ? c : is_f_contiguous(view);
      const bool fits = wants_c || !takes_strides ? c : (wants_f ? f : c || f);
      if (!fits) {
        return refuse(buffer, "this memory has strides " + to_string(view.strides) +
                                  " bytes for shape " + to_string(view.shape) +
                                  ", and the reader asks for contiguous memory");
      }
    }
    const auto itemsize = static_cast<Py_ssize_t>(info(view.dtype).itemsize());
    buffer->buf = view.data;
    buffer->len = static_cast<Py_ssize_t>(nbytes_of(view));
    buffer->readonly = view.read_only ? 1 : 0;
    buffer->itemsize = itemsize;
    buffer->format =
        (flags & PyBUF_FORMAT) != 0 ? const_cast<char*>(lending_format(view.dtype)) : nullptr;
    buffer->ndim = static_cast<int>(view.shape.size());
    const bool takes_shape = (flags & PyBUF_ND) != 0;
    // Lent in place: neither changes after the object is made, and buffer->obj keeps it.
    buffer->shape = takes_shape ? reinterpret_cast<Py_ssize_t*>(view.shape.data()) : nullptr;
    buffer->strides = takes_strides ? reinterpret_cast<Py_ssize_t*>(view.strides.data()) : nullptr;
    buffer->suboffsets = nullptr;
    buffer->internal = nullptr;
    buffer->obj = self;
    Py_INCREF(self);
    return 0;
  } catch (const std::exception& error) {
    return refuse(buffer, error.what());
  }
}

OwnedTensor copy_of(const OwnedTensor& tensor) {
  const TensorView& view = tensor.view;
  OwnedTensor copy;
  copy.view = view;
  copy.view.read_only = false;
  const size_t nbytes = nbytes_of(view);
  std::shared_ptr<std::byte> memory = allocate_aligned(nbytes);
  const size_t itemsize = info(view.dtype).itemsize();
  if (!dim_order_of(view.shape, view.strides, itemsize)) {
    copy.view.strides = contiguous_strides(view.shape, itemsize);
  }
  if (nbytes != 0) {
    copy_strided(memory.get(), copy.view.strides, static_cast<const std::byte*>(view.data),
                 view.strides, view.shape, itemsize);
  }
  copy.view.data = memory.get();
  copy.owner = std::move(memory);
  return copy;
}

[[noreturn]] void raise(PyObject* type_of_error, const std::string& why) {
  PyErr_SetString(type_of_error, why.c_str());
  throw nb::python_error();
}

// A pair of numbers that __dlpack__ was given, such as (1, 0).
std::pair<int64_t, int64_t> pair_of(PyObject* object, const char* name) {
  if (PyTuple_Check(object) == 0 || PyTuple_GET_SIZE(object) != 2) {
    raise(PyExc_BufferError,
          std::string(name) + " must be a pair of int or None, not " + Py_TYPE(object)->tp_name);
  }
  const int64_t first = PyLong_AsLongLong(PyTuple_GET_ITEM(object, 0));
  const int64_t second =
      PyErr_Occurred() == nullptr ? PyLong_AsLongLong(PyTuple_GET_ITEM(object, 1)) : 0;
  if (PyErr_Occurred() != nullptr) {
    throw nb::python_error();
  }
  return {first, second};
}

// torch passes over a capsule's flag that the memory is read-only, and lets everybody write to it.
bool asked_by_torch() {
  PyObject* globals = PyEval_GetGlobals();
  PyObject* name = globals != nullptr ? PyDict_GetItemString(globals, "__name__") : nullptr;
  return name != nullptr && PyUnicode_Check(name) != 0 &&
         PyUnicode_CompareWithASCIIString(name, "torch.utils.dlpack") == 0;
}

nb::object dlpack(const OwnedTensor& tensor, PyObject* stream, PyObject* max_version,
                  PyObject* dl_device, PyObject* copy) {
  const TensorView& view = tensor.view;
  if (view.device.is_host() && stream != Py_None) {
    raise(PyExc_BufferError, "stream must be None for memory on the host");
  }
  if (dl_device != Py_None &&
      pair_of(dl_device, "dl_device") !=
          std::pair<int64_t, int64_t>(view.device.kind, view.device.index)) {
    raise(PyExc_BufferError, "this memory is on " + to_string(view.device) +
                                 " and cannot be handed over on another device; copy it there "
                                 "first");
  }
  const bool versioned = max_version != Py_None && pair_of(max_version, "max_version").first >= 1;
  if (copy != Py_None && PyBool_Check(copy) == 0) {
    raise(PyExc_TypeError,
          std::string("copy must be a bool or None, not ") + Py_TYPE(copy)->tp_name);
  }
  bool copied = copy == Py_True;
  if (view.device.is_host()) {
    const bool aligned =
        reinterpret_cast<std::uintptr_t>(view.data) % info(view.dtype).alignment() == 0;
    if (copy == Py_False && !aligned) {
      raise(PyExc_BufferError,
            "this memory does not start at a multiple of its elements' size, as whoever takes a "
            "DLPack capsule may expect; ask without copy=False");
    }
    copied = copied || !aligned ||
             (view.read_only && copy == Py_None && (!versioned || asked_by_torch()));
  }
  if (copied && !view.device.is_host()) {
    raise(PyExc_BufferError, "device memory cannot be copied here; take it without copy=True");
  }
  if (view.read_only && !versioned && !copied) {
    raise(PyExc_BufferError,
          "this memory is read-only, which a DLPack capsule can say only since version 1.0; ask "
          "with max_version=(1, 0), or without copy=False");
  }
  return make_dlpack_capsule(copied ? copy_of(tensor) : tensor, versioned, copied);
}

PyObject* call_dlpack(PyObject* self, PyObject* arguments, PyObject* keywords) {
  static const char* const names[] = {"stream", "max_version", "dl_device", "copy", nullptr};
  PyObject* stream = Py_None;
  PyObject* max_version = Py_None;
  PyObject* dl_device = Py_None;
  PyObject* copy = Py_None;
  if (PyArg_ParseTupleAndKeywords(arguments, keywords, "|$OOOO:__dlpack__",
                                  const_cast<char**>(names), &stream, &max_version, &dl_device,
                                  &copy) == 0) {
    return nullptr;
  }
  return guarded<PyObject*>(nullptr, [&] {
    return dlpack(tensor_of(self), stream, max_version, dl_device, copy).release().ptr();
  });
}

PyObject* call_dlpack_device(PyObject* self, PyObject* /*none*/) {
  const Device device = tensor_of(self).view.device;
  return Py_BuildValue("(ii)", int{device.kind}, int{device.index});
}

std::string description(const TensorView& view) {
  std::string text = "TensorBuffer(shape=" + to_string(view.shape) +
                     ", dtype=" + std::string(info(view.dtype).name);
  if (!is_c_contiguous(view)) {
    text += ", strides=" + to_string(view.strides);
  }
  if (!view.device.is_host()) {
    text += ", device='" + to_string(view.device) + "'";
  }
  if (view.read_only) {
    text += ", readonly=True";
  }
  return text + ", nbytes=" + std::to_string(nbytes_of(view)) + ")";
}

PyObject* python_str(const std::string& text) {
  return PyUnicode_FromStringAndSize(text.data(), static_cast<Py_ssize_t>(text.size()));
}

PyObject* repr(PyObject* self) {
  return guarded<PyObject*>(nullptr, [&] { return python_str(description(tensor_of(self).view)); });
}

// A property: what `Read` makes, as a new reference, of the view.
template <PyObject* (*Read)(const TensorView&)>
PyObject* get(PyObject* self, void* /*closure*/) {
  return guarded<PyObject*>(nullptr, [&] { return Read(tensor_of(self).view); });
}

PyGetSetDef properties[] = {
    {"shape", get<[](const TensorView& view) { return python_tuple(view.shape).release().ptr(); }>,
     nullptr, "The sizes of the dimensions, as a tuple of int.", nullptr},
    {"strides",
     get<[](const TensorView& view) { return python_tuple(view.strides).release().ptr(); }>,
     nullptr, "The distance between neighbours in each dimension, in bytes, as a tuple of int.",
     nullptr},
    {"dtype", get<[](const TensorView& view) { return python_dtype(view.dtype).release().ptr(); }>,
     nullptr, "What an element is: a member of :class:`nocopy.dtypes.DType`.", nullptr},
    {"nbytes", get<[](const TensorView& view) { return PyLong_FromSize_t(nbytes_of(view)); }>,
     nullptr, "The number of bytes that the elements occupy.", nullptr},
    {"itemsize",
     get<[](const TensorView& view) { return PyLong_FromSize_t(info(view.dtype).itemsize()); }>,
     nullptr, "The number of bytes of one element.", nullptr},
    {"ndim", get<[](const TensorView& view) { return PyLong_FromSize_t(view.shape.size()); }>,
     nullptr, "The number of dimensions.", nullptr},
    {"device", get<[](const TensorView& view) { return python_str(to_string(view.device)); }>,
     nullptr, "Where the memory is, such as ``'cpu'`` or ``'cuda:0'``.", nullptr},
    {"readonly", get<[](const TensorView& view) { return PyBool_FromLong(view.read_only); }>,
     nullptr, "Whether the memory is lent for reading only.", nullptr},
    {nullptr, nullptr, nullptr, nullptr, nullptr}};

PyMethodDef methods[] = {
    {"__dlpack__", as_function(call_dlpack), METH_VARARGS | METH_KEYWORDS,
     "__dlpack__($self, *, stream=None, max_version=None, dl_device=None, copy=None)\n--\n\n"
     "Hand the memory over as a DLPack capsule, as the array API standard describes.\n\n"
     "No copy unless ``copy=True``, or where it is needed: memory that does not start at a\n"
     "multiple of its elements' size, and read-only memory for those who could write to it:\n"
     "torch, and whoever takes the form before version 1.0. With ``copy=False`` torch gets the\n"
     "memory itself. Whoever claims the capsule shares the memory's owner and may outlive this\n"
     "object and let go on any thread.\n\n"
     "Raises ``BufferError`` for a stream with host memory, another device, a dtype that\n"
     "DLPack does not name, and where ``copy=False`` forbids a copy that is needed."},
    {"__dlpack_device__", call_dlpack_device, METH_NOARGS,
     "__dlpack_device__($self)\n--\n\nThe kind and index of the device, in DLPack's numbers."},
    {nullptr, nullptr, 0, nullptr}};

void dealloc(PyObject* self) {
  PyTypeObject* own_type = Py_TYPE(self);
  tensor_of(self).~OwnedTensor();
  PyObject_Free(self);
  Py_DECREF(own_type);
}

constexpr char kDoc[] =
    "Memory with an owner: an output of a method, or the bytes of an ONNX tensor.\n\n"
    "It lends its memory, without a copy, through the buffer protocol (``numpy.asarray``,\n"
    "``memoryview``) and DLPack (``numpy.from_dlpack``, ``torch.from_dlpack``). The memory lives\n"
    "as long as this object or anything that borrowed from it. It does no arithmetic: read it\n"
    "with ``numpy.asarray(buffer)``.\n\n"
    "A dtype that no buffer-protocol code names, such as bfloat16, is lent as the unsigned\n"
    "integer of the same width with its shape kept; DLPack names it properly.";

PyType_Slot slots[] = {{Py_tp_dealloc, reinterpret_cast<void*>(dealloc)},
                       {Py_tp_repr, reinterpret_cast<void*>(repr)},
                       {Py_tp_getset, properties},
                       {Py_tp_methods, methods},
                       {Py_tp_doc, const_cast<char*>(kDoc)},
                       {Py_bf_getbuffer, reinterpret_cast<void*>(get_buffer)},
                       {0, nullptr}};

// Only the functions here make one, so that each has memory.
PyType_Spec spec{"nocopy._core.TensorBuffer", sizeof(TensorBufferObject), 0,
                 Py_TPFLAGS_DEFAULT | Py_TPFLAGS_DISALLOW_INSTANTIATION, slots};

}  // namespace

nb::tuple python_tuple(const Dims& values) {
  PyObject* tuple = PyTuple_New(static_cast<Py_ssize_t>(values.size()));
  if (tuple == nullptr) {
    throw nb::python_error();
  }
  for (size_t i = 0; i < values.size(); ++i) {
    PyTuple_SET_ITEM(tuple, static_cast<Py_ssize_t>(i), PyLong_FromLongLong(values[i]));
  }
  return nb::steal<nb::tuple>(tuple);
}

nb::object python_dtype(DType dtype) {
  const std::string name(info(dtype).name);
  return nb::module_::import_("nocopy.dtypes").attr("DType")[name.c_str()];
}

void bind_tensor_buffer(nb::module_& m) {
  type = reinterpret_cast<PyTypeObject*>(PyType_FromSpec(&spec));
  if (type == nullptr) {
    throw nb::python_error();
  }
  m.attr("TensorBuffer") = nb::handle(reinterpret_cast<PyObject*>(type));
}

void import_tensor_buffer() {
  nb::object found = nb::module_::import_("nocopy._core").attr("TensorBuffer");
  type = reinterpret_cast<PyTypeObject*>(found.release().ptr());
}

nb::object make_tensor_buffer(OwnedTensor&& tensor) {
  auto* made = PyObject_New(TensorBufferObject, type);
  if (made == nullptr) {
    throw nb::python_error();
  }
  new (&made->tensor) OwnedTensor(std::move(tensor));
  return nb::steal(reinterpret_cast<PyObject*>(made));
}

const OwnedTensor* as_tensor_buffer(nb::handle object) noexcept {
  return Py_TYPE(object.ptr()) == type ? &tensor_of(object.ptr()) : nullptr;
}

}  // namespace nocopy
