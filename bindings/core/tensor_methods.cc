#include "bindings/core/tensor_methods.h"

#include <memory>
#include <utility>

#include "bindings/core/classes.h"
#include "bindings/core/python_deleter.h"
#include "bindings/memory/lend.h"
#include "bindings/memory/python.h"
#include "bindings/memory/tensor_buffer.h"
#include "memory/layout.h"
#include "onnx/messages.h"
#include "onnx/tensor_view.h"

// Tensors and the memory of others: raw data that is borrowed from Python objects, and lent to
// them.
namespace nocopy::onnx {
namespace {

namespace nb = nanobind;

TensorProto& tensor_of(PyObject* self) noexcept {
  return static_cast<TensorProto&>(*as_message(self)->message);
}

// What a caller lends: packed memory of the host, with what keeps it there.
LentTensor lend_packed(nb::handle buffer) {
  LentTensor lent;
  lend(buffer, "the buffer", lent);
  const TensorView& view = lent.view;
  if (!view.device.is_host()) {
    throw Error(ErrorKind::kDevice, "the buffer is on " + to_string(view.device) +
                                        ", and raw data is read on the host. Copy it there first.");
  }
  const std::size_t itemsize = info(view.dtype).itemsize();
  if (!same_layout(view.shape, view.strides, contiguous_strides(view.shape, itemsize))) {
    throw Error(ErrorKind::kLayout,
                "the buffer has strides " + to_string(view.strides) + " bytes for shape " +
                    to_string(view.shape) +
                    ", and raw data is contiguous, the last dimension innermost. Pass "
                    "numpy.ascontiguousarray(x), or x.contiguous() of a torch tensor.");
  }
  if (view.data == nullptr && nbytes_of(view) != 0) {
    throw Error(ErrorKind::kLayout, "the buffer has no memory: its data pointer is null.");
  }
  lent.pin->hold_in_place();
  return lent;
}

PyObject* set_raw_data_with_deleter(PyObject* self, PyObject* positional, PyObject* keywords) {
  static const char* names[] = {"buffer", "deleter", nullptr};
  PyObject* buffer = nullptr;
  PyObject* deleter = Py_None;
  if (PyArg_ParseTupleAndKeywords(positional, keywords, "O|O:set_raw_data_with_deleter",
                                  const_cast<char**>(names), &buffer, &deleter) == 0) {
    return nullptr;
  }
  return guarded(static_cast<PyObject*>(nullptr), [&] {
    auto call = python_deleter(deleter, "deleter");
    LentTensor lent = lend_packed(buffer);
    ByteSpan bytes;
    bytes.assign_borrowed(lent.view.data, nbytes_of(lent.view),
                          std::shared_ptr<Pin>(std::move(lent.pin)));
    if (call) {
      bytes.attach_deleter(std::move(call));
    }
    attach(as_message(self));
    tensor_of(self).ref_raw_data().swap(bytes);
    return Py_NewRef(Py_None);
  });
}

PyObject* attach_raw_data_deleter(PyObject* self, PyObject* deleter) {
  return guarded(static_cast<PyObject*>(nullptr), [&]() -> PyObject* {
    if (!tensor_of(self).has_raw_data()) {
      PyErr_SetString(PyExc_ValueError,
                      "the tensor has no raw data that a deleter could wait for; set raw_data "
                      "first");
      return nullptr;
    }
    if (auto call = python_deleter(deleter, "deleter")) {
      tensor_of(self).attach_raw_data_deleter(std::move(call));
    }
    return Py_NewRef(Py_None);
  });
}

nb::object view_of(PyObject* self) { return make_tensor_buffer(view_tensor(tensor_of(self))); }

PyObject* view(PyObject* self, PyObject* /*none*/) {
  return guarded(static_cast<PyObject*>(nullptr), [&] { return view_of(self).release().ptr(); });
}

// What a TensorBuffer does with the same arguments.
PyObject* dlpack(PyObject* self, PyObject* positional, PyObject* keywords) {
  return guarded(static_cast<PyObject*>(nullptr), [&] {
    const nb::object method = view_of(self).attr("__dlpack__");
    return PyObject_Call(method.ptr(), positional, keywords);
  });
}

PyObject* dlpack_device(PyObject* /*self*/, PyObject* /*none*/) {
  return Py_BuildValue("(ii)", kHost.kind, kHost.index);
}

PyObject* get_is_aligned(PyObject* self, void* /*closure*/) {
  return PyBool_FromLong(is_aligned(tensor_of(self)));
}

}  // namespace

PyMethodDef* tensor_methods() noexcept {
  static PyMethodDef methods[] = {
      {"set_raw_data_with_deleter", as_function(set_raw_data_with_deleter),
       METH_VARARGS | METH_KEYWORDS,
       "set_raw_data_with_deleter(buffer, deleter=None)\n--\n\n"
       "Make the raw data the memory of another object, without a copy.\n\n"
       "The object is held for as long as anything borrows its memory: this tensor, copies of it,\n"
       "views. Then ``deleter`` is called, once, and after it the object let go. What the object\n"
       "changes in its memory changes here too; nothing here writes to it.\n\n"
       "Parameters\n----------\n"
       "buffer\n"
       "    A contiguous object with the buffer protocol, a DLPack producer or a torch tensor, on\n"
       "    the host. Its bytes are the raw data; its shape and dtype are not looked at.\n"
       "deleter : callable or None\n"
       "    Called without arguments, on the thread that lets go last. What it raises goes to\n"
       "    ``sys.unraisablehook``. Not called where the process ends first.\n\n"
       "Raises\n------\n"
       "LayoutError, DTypeError, DeviceError\n"
       "    If the buffer is not such an object. The tensor keeps what it had, and the deleter is\n"
       "    not called.\n"
       "TypeError\n"
       "    If the deleter cannot be called."},
      {"attach_raw_data_deleter", attach_raw_data_deleter, METH_O,
       "attach_raw_data_deleter(deleter)\n--\n\n"
       "Call ``deleter`` when the present raw data is no longer used here, in copies that share\n"
       "it, or in views of it.\n\n"
       "The bytes and who owns them stay as they are. Of several deleters the last one attached\n"
       "is called first. A copy of a tensor that owns its bytes has bytes of its own, and yet\n"
       "holds the deleter back.\n\n"
       "Parameters\n----------\n"
       "deleter : callable or None\n"
       "    As for `set_raw_data_with_deleter`. None does nothing.\n\n"
       "Raises\n------\n"
       "ValueError\n"
       "    If there is no raw data.\n"
       "TypeError\n"
       "    If the deleter cannot be called."},
      {"view", view, METH_NOARGS,
       "view()\n--\n\n"
       "The tensor's bytes as a `TensorBuffer`, without a copy.\n\n"
       "It has the tensor's shape and dtype, and keeps the bytes: it stays as it is when the\n"
       "tensor gets other data, or goes. It is read-only where the tensor borrows its bytes (from\n"
       "a mapped file or another object); where the tensor owns them, writing to one writes to\n"
       "the other.\n\n"
       "Raises\n------\n"
       "DTypeError\n"
       "    For strings, element types of which several share a byte, and no type.\n"
       "LayoutError\n"
       "    If the values are not in ``raw_data``; see `numpy_helper.to_array`.\n"
       "ShapeError\n"
       "    If the shape is not that of the data.\n"
       "ExternalDataError\n"
       "    If the values are in another file and were not loaded, or are not there any more."},
      {"__dlpack__", as_function(dlpack), METH_VARARGS | METH_KEYWORDS,
       "__dlpack__($self, /, *, stream=None, max_version=None, dl_device=None, copy=None)\n--\n\n"
       "What ``view().__dlpack__`` does."},
      {"__dlpack_device__", dlpack_device, METH_NOARGS,
       "__dlpack_device__($self, /)\n--\n\nThe host, in DLPack's numbers."},
      {nullptr, nullptr, 0, nullptr}};
  return methods;
}

PyGetSetDef tensor_is_aligned = {
    "is_aligned", get_is_aligned, nullptr,
    "Whether the raw data starts where an element of the tensor's type may lie: at a multiple of "
    "its\nsize (a complex number: of its parts'). What is not is lent as it is, and copied where "
    "that\nis not enough.",
    nullptr};

}  // namespace nocopy::onnx
