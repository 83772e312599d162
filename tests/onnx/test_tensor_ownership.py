"""Raw data borrowed from Python objects: who is held, when deleters run, what is never written to."""

from __future__ import annotations

import array
import copy
import ctypes
import gc
import mmap
import sys
import threading
import weakref
from pathlib import Path
from typing import Any

import ml_dtypes
import nocopy.onnx
import numpy as np
import pytest
import torch
from children import run_python
from nocopy.errors import DeviceError, DTypeError, LayoutError
from nocopy.onnx import AttributeProto, GraphProto, ModelProto, TensorProto, numpy_helper

VALUES = np.arange(1, 601, dtype=np.float32)
BYTES = VALUES.tobytes()


class Array(np.ndarray[Any, Any]):
    """An array that weak references can be made to."""


def source() -> Any:
    return VALUES.copy().view(Array)


def borrowing(buffer: Any, deleter: Any = None, **fields: Any) -> TensorProto:
    tensor = TensorProto(data_type=TensorProto.FLOAT, dims=[600], name="w", **fields)
    tensor.set_raw_data_with_deleter(buffer, deleter)
    return tensor


def address(tensor: TensorProto) -> int:
    return int(np.asarray(tensor).__array_interface__["data"][0])


class DlpackOnly:
    """Memory that is lent through DLPack and in no other way."""

    def __init__(self, values: Any) -> None:
        self.values = values

    def __dlpack__(self, **arguments: Any) -> Any:
        return self.values.__dlpack__(**arguments)

    def __dlpack_device__(self) -> Any:
        return self.values.__dlpack_device__()


def mapped(path: Path) -> mmap.mmap:
    path.write_bytes(BYTES)
    with path.open("rb") as file:
        return mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)


BUFFERS: dict[str, Any] = {
    "bytes": lambda tmp: BYTES,
    "bytearray": lambda tmp: bytearray(BYTES),
    "memoryview": lambda tmp: memoryview(BYTES)[:],
    "array.array": lambda tmp: array.array("f", VALUES.tolist()),
    "ctypes": lambda tmp: (ctypes.c_float * 600)(*VALUES.tolist()),
    "mmap": lambda tmp: mapped(tmp / "weights"),
    "numpy": lambda tmp: VALUES.copy(),
    "numpy, a part": lambda tmp: np.concatenate([[0], VALUES, [0]], dtype=np.float32)[1:-1],
    "numpy, 3-D int16": lambda tmp: np.frombuffer(BYTES, np.int16).reshape(2, 3, 200),
    "numpy, bfloat16": lambda tmp: np.frombuffer(BYTES, ml_dtypes.bfloat16),
    "torch": lambda tmp: torch.from_numpy(VALUES.copy()),
    "torch, a part": lambda tmp: torch.arange(602.0)[1:-1],
    "torch, bfloat16": lambda tmp: torch.frombuffer(bytearray(BYTES), dtype=torch.bfloat16),
    "torch, parameter": lambda tmp: torch.nn.Parameter(torch.from_numpy(VALUES.copy())),
    "DLPack": lambda tmp: DlpackOnly(VALUES.copy()),
    "a tensor": lambda tmp: numpy_helper.from_array(VALUES),
    "a view": lambda tmp: numpy_helper.from_array(VALUES).view(),
}


@pytest.mark.parametrize("kind", BUFFERS)
def test_raw_data_when_borrowed_then_is_the_buffer_itself(kind: str, tmp_path: Path) -> None:
    buffer = BUFFERS[kind](tmp_path)
    tensor = borrowing(buffer)
    assert tensor.raw_data == BYTES
    assert np.asarray(tensor).tolist() == VALUES.tolist()
    if isinstance(buffer, torch.Tensor):
        assert address(tensor) == buffer.data_ptr()
    elif isinstance(buffer, DlpackOnly):
        assert address(tensor) == buffer.values.ctypes.data
    elif isinstance(buffer, TensorProto):
        assert address(tensor) == address(buffer)
    elif not kind.startswith("numpy, bf"):
        assert address(tensor) == np.frombuffer(memoryview(buffer).cast("B"), "u1").ctypes.data


@pytest.mark.parametrize("kind", BUFFERS)
def test_raw_data_when_borrowed_and_tensor_is_changed_then_buffer_is_not(
    kind: str, tmp_path: Path
) -> None:
    buffer = BUFFERS[kind](tmp_path)
    before = bytearray(BYTES)  # the buffer may be BYTES itself
    tensor = borrowing(buffer)
    with pytest.raises(ValueError, match="read-only"):
        np.asarray(tensor)[0] = 9
    with pytest.raises(ValueError, match="read-only"):
        np.from_dlpack(tensor)[0] = 9
    with pytest.raises(TypeError, match="read-only"):
        memoryview(tensor.view()).cast("B")[0] = 9
    torch.from_dlpack(tensor)[0] = 9  # knows no read-only memory, and so was given a copy
    tensor.raw_data = b"\0" * 2400
    assert borrowing(buffer).raw_data == before
    assert not np.asarray(tensor).any()


def test_buffer_when_changed_by_its_owner_then_tensor_shows_it() -> None:
    buffer = bytearray(BYTES)
    tensor = borrowing(buffer)
    buffer[:4] = np.float32(77).tobytes()
    assert np.asarray(tensor)[0] == 77


def test_buffer_when_torch_writes_with_copy_false_then_it_is_the_memory_itself() -> None:
    buffer = bytearray(BYTES)
    there = torch.from_dlpack(borrowing(buffer).view(), copy=False)
    assert there.data_ptr() == np.frombuffer(buffer, "u1").ctypes.data


def test_buffer_when_tensor_goes_then_is_let_go() -> None:
    buffer = bytearray(BYTES)
    before = sys.getrefcount(buffer)
    tensor = borrowing(buffer)
    with pytest.raises(BufferError):
        buffer.clear()
    assert sys.getrefcount(buffer) > before
    del tensor
    assert sys.getrefcount(buffer) == before
    buffer.clear()


RELEASES: dict[str, Any] = {
    "raw_data": lambda t: setattr(t, "raw_data", b"other"),
    "set_raw_data_with_deleter": lambda t: t.set_raw_data_with_deleter(b"other", None),
    "ClearField": lambda t: t.ClearField("raw_data"),
    "Clear": lambda t: t.Clear(),
    "CopyFrom": lambda t: t.CopyFrom(TensorProto(raw_data=b"other")),
    "MergeFrom": lambda t: t.MergeFrom(TensorProto(raw_data=b"other")),
    "ParseFromString": lambda t: t.ParseFromString(b""),
    "MergeFromString": lambda t: t.MergeFromString(TensorProto(raw_data=b"o").SerializeToString()),
}


@pytest.mark.parametrize("how", RELEASES)
def test_deleter_when_data_is_replaced_or_cleared_then_runs_once_and_buffer_goes(how: str) -> None:
    calls: list[bool] = []
    buffer = source()
    alive = weakref.ref(buffer)
    tensor = borrowing(buffer, lambda: calls.append(alive() is not None))
    del buffer
    assert calls == []
    assert alive() is not None
    RELEASES[how](tensor)
    assert calls == [True]  # the buffer was still there
    assert alive() is None
    del tensor
    gc.collect()
    assert calls == [True]


def test_deleter_when_tensor_is_copied_then_runs_with_the_last_copy() -> None:
    calls: list[int] = []
    tensor = borrowing(source(), lambda: calls.append(1))
    model = ModelProto(graph=GraphProto(initializer=[tensor]))
    copies = [copy.copy(tensor), copy.deepcopy(tensor), copy.deepcopy(model)]
    assert address(copies[0]) == address(tensor)
    assert address(copies[2].graph.initializer[0]) == address(tensor)
    del tensor, model
    while copies:
        assert calls == []
        copies.pop(0)
    assert calls == [1]


def test_deleter_when_tensor_is_removed_from_a_list_then_runs() -> None:
    calls: list[str] = []
    graph = GraphProto()
    for name in "abcde":
        graph.initializer.add(name=name).set_raw_data_with_deleter(
            BYTES, lambda name=name: calls.append(name)
        )
    del graph.initializer[1]
    assert calls == ["b"]
    graph.initializer.pop()
    assert calls == ["b", "e"]
    del graph.initializer[:]
    assert sorted(calls) == ["a", "b", "c", "d", "e"]


def test_deleter_when_none_then_only_the_buffer_is_let_go() -> None:
    buffer = source()
    alive = weakref.ref(buffer)
    tensor = borrowing(buffer, None)
    del buffer
    assert alive() is not None
    del tensor
    assert alive() is None


def test_deleter_when_a_submessage_is_not_set_yet_then_it_becomes_set() -> None:
    attribute = AttributeProto()
    attribute.t.set_raw_data_with_deleter(BYTES, None)
    assert attribute.HasField("t")
    assert attribute.t.raw_data == BYTES


def test_deleter_when_attached_then_bytes_and_mode_stay() -> None:
    calls: list[str] = []
    owned = numpy_helper.from_array(VALUES)
    lent = borrowing(BYTES)
    for tensor, writable in ((owned, True), (lent, False)):
        before = address(tensor)
        tensor.attach_raw_data_deleter(lambda: calls.append("called"))
        assert address(tensor) == before
        assert np.asarray(tensor).flags.writeable == writable
    del tensor, owned
    assert calls == ["called"]
    lent.raw_data = b""
    assert calls == ["called", "called"]


def test_deleters_when_several_then_each_runs_once_the_last_first() -> None:
    calls: list[str] = []
    tensor = borrowing(BYTES, lambda: calls.append("set"))
    tensor.attach_raw_data_deleter(lambda: calls.append("first"))
    tensor.attach_raw_data_deleter(None)
    tensor.attach_raw_data_deleter(lambda: calls.append("second"))
    del tensor
    assert calls == ["second", "first", "set"]


def test_deleter_when_attached_to_owned_data_and_copied_then_waits_for_the_copy() -> None:
    calls: list[int] = []
    tensor = numpy_helper.from_array(VALUES)
    tensor.attach_raw_data_deleter(lambda: calls.append(1))
    other = copy.deepcopy(tensor)
    assert address(other) != address(tensor)
    del tensor
    assert calls == []
    del other
    assert calls == [1]


def test_deleter_when_there_is_no_raw_data_then_cannot_be_attached() -> None:
    with pytest.raises(ValueError, match="no raw data"):
        TensorProto(float_data=[1.0]).attach_raw_data_deleter(print)


@pytest.mark.parametrize("method", ["set", "attach"])
def test_deleter_when_not_callable_then_raises_and_nothing_changes(method: str) -> None:
    tensor = TensorProto(raw_data=b"old")
    with pytest.raises(TypeError, match="deleter must be None or a callable"):
        if method == "set":
            tensor.set_raw_data_with_deleter(BYTES, "x")
        else:
            tensor.attach_raw_data_deleter("x")
    assert tensor.raw_data == b"old"


class OnDevice:
    """A DLPack producer that says it is on a GPU, with a capsule that says the same."""

    def __dlpack_device__(self) -> tuple[int, int]:
        return (2, 0)

    def __dlpack__(self, **_: Any) -> Any:
        from dlpack_producer import Producer

        return Producer(VALUES, device=(2, 0)).__dlpack__()


REFUSED: dict[str, tuple[Any, Any]] = {
    "str": (lambda: "text", DTypeError),
    "list": (lambda: [1.0], DTypeError),
    "None": (lambda: None, DTypeError),
    "int": (lambda: 3, DTypeError),
    "strided": (lambda: VALUES[::2], LayoutError),
    "backwards": (lambda: VALUES[::-1], LayoutError),
    "columns first": (lambda: np.asfortranarray(VALUES.reshape(20, 30)), LayoutError),
    "torch, transposed": (lambda: torch.zeros(3, 4).T, LayoutError),
    "torch, sparse": (lambda: torch.eye(3).to_sparse(), LayoutError),
    "torch, meta": (lambda: torch.zeros(3, device="meta"), DeviceError),
    "torch, negated": (lambda: torch.zeros(3, dtype=torch.complex64).conj().imag, LayoutError),
    "a device": (OnDevice, DeviceError),
    "other byte order": (lambda: VALUES.astype(">f4"), DTypeError),
    "objects": (lambda: np.array([None, 1]), DTypeError),
    "structure": (lambda: np.zeros(2, "i4,f4"), DTypeError),
}


@pytest.mark.parametrize("kind", REFUSED)
def test_buffer_when_it_cannot_be_raw_data_then_raises_and_nothing_changes(kind: str) -> None:
    make, error = REFUSED[kind]
    calls: list[int] = []
    tensor = TensorProto(raw_data=b"old")
    with pytest.raises(error, match="the buffer"):
        tensor.set_raw_data_with_deleter(make(), lambda: calls.append(1))
    assert tensor.raw_data == b"old"
    assert calls == []


def test_numpy_array_when_borrowed_then_cannot_be_resized_and_after_that_can() -> None:
    owner = np.arange(600, dtype=np.float32)
    tensor = borrowing(owner[:600])
    with pytest.raises(ValueError, match="cannot resize"):
        owner.resize(10**7, refcheck=False)
    assert np.asarray(tensor).tolist() == list(range(600))
    del tensor
    owner.resize(10, refcheck=False)


def test_torch_tensor_when_borrowed_then_cannot_be_moved_away() -> None:
    owner = torch.arange(600.0)
    tensor = borrowing(owner)
    with pytest.raises(RuntimeError, match="not resizable"):
        owner.resize_(10**7)
    with pytest.raises(RuntimeError, match="not resizable"):
        owner.untyped_storage().resize_(0)
    owner.set_(torch.zeros(3))
    keep = [torch.full((600,), -1.0) for _ in range(50)]
    assert np.asarray(tensor).tolist() == list(range(600))
    del keep


def test_deleter_when_it_raises_then_is_reported_and_nothing_else_fails(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    reported: list[Any] = []
    monkeypatch.setattr(sys, "unraisablehook", lambda what: reported.append(what.exc_value))

    def fail() -> None:
        raise LookupError("from the deleter")

    tensor = borrowing(BYTES, fail)
    tensor.raw_data = b"new"
    assert tensor.raw_data == b"new"
    assert [str(error) for error in reported] == ["from the deleter"]


def test_deleter_when_an_exception_is_on_its_way_then_leaves_it_alone() -> None:
    calls: list[int] = []

    def work() -> None:
        tensor = borrowing(BYTES, lambda: calls.append(len("x")))
        tensor.name = "used"
        raise KeyError("mine")

    with pytest.raises(KeyError, match="mine"):
        work()
    gc.collect()
    assert calls == [1]


def test_deleter_when_another_thread_lets_go_last_then_runs_there() -> None:
    ran_on: list[int] = []
    box = [borrowing(BYTES, lambda: ran_on.append(threading.get_ident()))]
    thread = threading.Thread(target=box.clear)
    thread.start()
    thread.join()
    assert ran_on == [thread.ident]


def test_deleters_when_many_threads_share_copies_then_each_runs_once() -> None:
    calls: list[int] = []
    tensors = [borrowing(BYTES, lambda i=i: calls.append(i)) for i in range(64)]
    shares = [[copy.copy(t) for t in tensors] for _ in range(8)]
    del tensors
    threads = [threading.Thread(target=share.clear) for share in shares]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(calls) == list(range(64))


def test_message_when_its_deleter_refers_to_it_then_stays_until_it_is_cleared() -> None:
    calls: list[int] = []
    tensor = borrowing(BYTES)
    tensor.attach_raw_data_deleter(lambda: calls.append(len(tensor.name)))
    tensor.ClearField("raw_data")
    assert calls == [1]


# Deleters that reach into what is being changed.

REENTERING = """
import gc, sys
from nocopy.onnx import *
from nocopy.onnx import _messages
data = bytes(range(256)) * 16
ran = []
def tensor(deleter, **fields):
    t = TensorProto(**fields)
    t.set_raw_data_with_deleter(data, deleter)
    return t
def churn():
    return [TensorProto(name="x" * 40, raw_data=data) for _ in range(200)]
"""

REENTRIES = {
    "a list while a part of it goes": """
g = GraphProto()
def deleter():
    ran.append([t.name for t in g.initializer])
    g.initializer.extend(churn())
for i in range(300):
    g.initializer.add(name=f"n{i}").set_raw_data_with_deleter(data, deleter)
del g.initializer[100:200]
assert ran[0] == [f"n{i}" for i in range(300) if not 100 <= i < 200], ran[0]
del g.initializer[:]
assert len(ran) == 300
""",
    "a list while it is cleared": """
g = GraphProto()
def deleter():
    ran.append(len(g.initializer)); g.initializer.extend(churn())
for i in range(300):
    g.initializer.add().set_raw_data_with_deleter(data, deleter)
g.ClearField("initializer")
assert ran[0] == 0 and len(ran) == 300
""",
    "the parent while a part of it is merged into": """
a = AttributeProto()
def deleter():
    ran.append((a.t.raw_data, a.t.doc_string)); a.ClearField("t"); ran.append(churn())
a.t.set_raw_data_with_deleter(data, deleter)
a.MergeFrom(AttributeProto(t=TensorProto(raw_data=b"new", doc_string="last")))
assert ran[0] == (b"new", "last") and not a.HasField("t")
""",
    "the parent while bytes are merged into it": """
a = AttributeProto()
def deleter():
    ran.append((a.t.raw_data, list(a.t.dims))); a.ClearField("t"); ran.append(churn())
a.t.set_raw_data_with_deleter(data, deleter)
part = TensorProto(raw_data=b"new").SerializeToString() + TensorProto(dims=range(9)).SerializeToString()
a.MergeFromString(b"\\x2a" + bytes([len(part)]) + part)
assert ran[0] == (b"new", list(range(9))) and not a.HasField("t")
""",
    "the same tensor while its data is set": """
t = TensorProto()
def deleter():
    ran.append(t.raw_data)
    t.set_raw_data_with_deleter(data, deleter)
t.set_raw_data_with_deleter(data, deleter)
for i in range(50):
    t.raw_data = b"new"
    assert t.raw_data == data
assert ran == [b"new"] * 50
""",
    "all of a model": """
m = ModelProto()
def deleter():
    ran.append(1); m.Clear(); churn()
for i in range(50):
    m.graph.node.add().attribute.add().t.set_raw_data_with_deleter(data, deleter)
m.CopyFrom(ModelProto(graph=GraphProto(name="g")))
assert len(ran) == 50
""",
    "a text that is parsed": """
from nocopy.onnx import text_format
a = AttributeProto()
def deleter():
    ran.append(1); a.ClearField("t"); churn()
a.t.set_raw_data_with_deleter(data, deleter)
text_format.Merge('t { raw_data: "new" dims: 1 dims: 2 name: "n" } i: 3', a)
assert ran == [1] and a.i == 3
""",
    "a chain of very many": """
t = TensorProto(raw_data=data)
for i in range(300_000):
    t.attach_raw_data_deleter(lambda: ran.append(1))
del t
assert len(ran) == 300_000
""",
    "a chain whose deleters let other chains go": """
def chain(depth):
    t = TensorProto(raw_data=data)
    if depth:
        inner = [chain(depth - 1)]
        t.attach_raw_data_deleter(inner.clear)
    for i in range(100):
        t.attach_raw_data_deleter(lambda: ran.append(1))
    return t
t = chain(20)
del t
assert len(ran) == 2100
""",
}


@pytest.mark.parametrize("what", REENTRIES)
def test_deleter_when_it_changes_what_is_being_changed_then_all_is_well(what: str) -> None:
    run_python(REENTERING + REENTRIES[what], env={"PYTHONMALLOC": "debug"}).check()


# The end of the process.


def test_deleter_when_interpreter_ends_with_the_tensor_then_process_ends_well() -> None:
    run_python(
        """
import threading, time
from nocopy.onnx import TensorProto, ModelProto
data = bytearray(5000)
kept = TensorProto(data_type=2, dims=[5000]); kept.set_raw_data_with_deleter(data, lambda: print("ran"))
m = ModelProto(); m.graph.initializer.add().set_raw_data_with_deleter(data, time.sleep)
hidden = kept.view()
""",
    ).check()


def test_deleter_when_a_thread_is_in_it_at_the_end_then_process_ends_well() -> None:
    child = run_python(
        """
import threading, time
from nocopy.onnx import TensorProto
started = threading.Event()
def slow():
    started.set()
    for _ in range(1000):
        time.sleep(0.002)
def drop():
    while True:
        t = TensorProto(); t.set_raw_data_with_deleter(bytearray(5000), slow); del t
for _ in range(4):
    threading.Thread(target=drop, daemon=True).start()
started.wait()
time.sleep(0.05)
report("end")
""",
    ).check()
    assert child.reports == ["end"]


def test_deleter_when_process_is_forked_then_runs_once_in_each() -> None:
    child = run_python(
        """
import os
from nocopy.onnx import TensorProto
read, write = os.pipe()
t = TensorProto()
t.set_raw_data_with_deleter(bytearray(5000), lambda: os.write(write, str(os.getpid()).encode() + b" "))
pid = os.fork()
del t
if pid == 0:
    os._exit(0)
assert os.waitpid(pid, 0)[1] == 0
report(sorted(map(int, os.read(read, 100).split())) == sorted([pid, os.getpid()]))
""",
    ).check()
    assert child.reports == [True]


def test_model_when_saved_then_borrowed_data_is_in_it(tmp_path: Path) -> None:
    model = ModelProto(graph=GraphProto(initializer=[borrowing(memoryview(BYTES))]))
    nocopy.onnx.save(model, tmp_path / "m.onnx")
    again = nocopy.onnx.load(tmp_path / "m.onnx")
    assert again.graph.initializer[0].raw_data == BYTES
    assert again == model
