#include "bindings/memory/tensor_buffer.h"

#include <nanobind/stl/string.h>

#include <cstring>
#include <vector>

#include "bindings/memory/python.h"
#include "memory/aligned_buffer.h"
#include "memory/error.h"
#include "memory/layout.h"

namespace nocopy {
namespace {

static_assert(sizeof(int64_t) == sizeof(Py_ssize_t), "shapes are lent to Py_buffer in place");

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
  // Made by TensorBuffer.__new__, or by copy.copy: an object without memory.
  if (!nb::inst_ready(self)) {
    return refuse(buffer, "this TensorBuffer was never given memory; only results of nocopy are");
  }
  try {
    TensorView& view = nb::inst_ptr<TensorBuffer>(self)->tensor.view;
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

PyType_Slot type_slots[] = {{Py_bf_getbuffer, reinterpret_cast<void*>(get_buffer)}, {0, nullptr}};

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

nb::object dlpack(const TensorBuffer& self, nb::object stream, nb::object max_version,
                  nb::object dl_device, nb::object copy) {
  const TensorView& view = self.tensor.view;
  if (view.device.is_host() && !stream.is_none()) {
    throw nb::buffer_error("stream must be None for memory on the host");
  }
  if (!dl_device.is_none()) {
    const auto wanted = nb::cast<nb::tuple>(dl_device);
    if (wanted.size() != 2 ||
        !(Device{nb::cast<int32_t>(wanted[0]), nb::cast<int32_t>(wanted[1])} == view.device)) {
      throw nb::buffer_error(("this memory is on " + to_string(view.device) +
                              " and cannot be handed over on another device; copy it there first")
                                 .c_str());
    }
  }
  bool versioned = false;
  if (!max_version.is_none()) {
    const auto version = nb::cast<nb::tuple>(max_version);
    versioned = version.size() == 2 && nb::cast<int64_t>(version[0]) >= 1;
  }
  const bool copied = !copy.is_none() && nb::cast<bool>(copy);
  if (copied && !view.device.is_host()) {
    throw nb::buffer_error("device memory cannot be copied here; take it without copy=True");
  }
  if (view.read_only && !versioned && !copied) {
    throw nb::buffer_error(
        "this memory is read-only, which a DLPack capsule can say only since version 1.0; ask "
        "with max_version=(1, 0) or copy=True");
  }
  return make_dlpack_capsule(copied ? copy_of(self.tensor) : self.tensor, versioned, copied);
}

std::string repr(const TensorBuffer& self) {
  const TensorView& view = self.tensor.view;
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
  nb::class_<TensorBuffer>(
      m, "TensorBuffer", nb::type_slots(type_slots),
      "Memory with an owner: an output of a method, or the bytes of an ONNX tensor.\n\n"
      "It lends its memory, without a copy, through the buffer protocol (``numpy.asarray``,\n"
      "``memoryview``) and DLPack (``numpy.from_dlpack``, ``torch.from_dlpack``). The memory "
      "lives\n"
      "as long as this object or anything that borrowed from it. It does no arithmetic: read it\n"
      "with ``numpy.asarray(buffer)``.\n\n"
      "A dtype that no buffer-protocol code names, such as bfloat16, is lent as the unsigned\n"
      "integer of the same width with its shape kept; DLPack names it properly.")
      .def_prop_ro(
          "shape", [](const TensorBuffer& self) { return python_tuple(self.tensor.view.shape); },
          "The sizes of the dimensions, as a tuple of int.")
      .def_prop_ro(
          "strides",
          [](const TensorBuffer& self) { return python_tuple(self.tensor.view.strides); },
          "The distance between neighbours in each dimension, in bytes, as a tuple of int.")
      .def_prop_ro(
          "dtype", [](const TensorBuffer& self) { return python_dtype(self.tensor.view.dtype); },
          "What an element is: a member of :class:`nocopy.dtypes.DType`.")
      .def_prop_ro(
          "nbytes", [](const TensorBuffer& self) { return nbytes_of(self.tensor.view); },
          "The number of bytes that the elements occupy.")
      .def_prop_ro(
          "itemsize",
          [](const TensorBuffer& self) { return info(self.tensor.view.dtype).itemsize(); },
          "The number of bytes of one element.")
      .def_prop_ro(
          "ndim", [](const TensorBuffer& self) { return self.tensor.view.shape.size(); },
          "The number of dimensions.")
      .def_prop_ro(
          "device", [](const TensorBuffer& self) { return to_string(self.tensor.view.device); },
          "Where the memory is, such as ``'cpu'`` or ``'cuda:0'``.")
      .def_prop_ro(
          "readonly", [](const TensorBuffer& self) { return self.tensor.view.read_only; },
          "Whether the memory is lent for reading only.")
      .def(
          "__dlpack__", dlpack, nb::kw_only(), nb::arg("stream") = nb::none(),
          nb::arg("max_version") = nb::none(), nb::arg("dl_device") = nb::none(),
          nb::arg("copy") = nb::none(),
          "Hand the memory over as a DLPack capsule, as the array API standard describes.\n\n"
          "No copy unless ``copy=True``. Whoever claims the capsule shares the memory's owner and\n"
          "may outlive this object and let go on any thread.\n\n"
          "Raises ``BufferError`` for a stream with host memory, another device, a dtype that\n"
          "DLPack does not name, and read-only memory asked for in the form before version 1.0.")
      .def(
          "__dlpack_device__",
          [](const TensorBuffer& self) {
            const Device device = self.tensor.view.device;
            return nb::make_tuple(device.kind, device.index);
          },
          "The kind and index of the device, in DLPack's numbers.")
      .def("__repr__", repr);
}

}  // namespace nocopy
