"""What fuzzing and reading for it found, one test each. Everything here ended the process, read
memory that was gone, or said that all was well when it was not."""

from __future__ import annotations

import weakref
from pathlib import Path

import children
import models
import numpy as np
import pytest
import torch
from nocopy.errors import DTypeError, IncompleteInputsError, LayoutError, ShapeError
from nocopy.runtime import Method, Runtime

_PRELUDE = """
import gc, weakref
import numpy as np
from nocopy.runtime import Runtime, TensorBuffer
method = Runtime.get().load_program(argv[0]).load_method("forward")
a = np.arange(4, dtype=np.float32).reshape(2, 2)
b = a + 10
def outcome(call):
    try:
        return call()
    except Exception as error:
        return type(error).__name__
"""


def in_child(model: str, code: str, torch: bool = False) -> list[object]:
    child = children.run_python(_PRELUDE + code, models.ZOO[model]().path, torch=torch)
    return child.check().reports


def load(name: str) -> Method:
    return Runtime.get().load_program(models.ZOO[name]().path).load_method("forward", new=True)


# Python code that runs in the middle of a call


def test_set_inputs_when_a_later_input_resizes_an_earlier_one_then_refuses() -> None:
    code = """
class Mover:
    def __dlpack__(self, **_):
        a.resize(1 << 20, refcheck=False)
        return b.__dlpack__()
a = a.copy()
report(outcome(lambda: method.execute([a, Mover()])))
"""
    assert in_child("add", code) == ["LayoutError"]


def test_set_inputs_when_a_later_input_shrinks_an_earlier_tensor_then_refuses() -> None:
    a = torch.arange(4.0).reshape(2, 2)

    class Mover:
        def __dlpack__(self, **_: object) -> object:
            a.untyped_storage().resize_(0)
            return np.ones((2, 2), np.float32).__dlpack__()

    with pytest.raises(LayoutError, match="moved"):
        load("add").execute([a, Mover()])


def test_execute_when_an_array_subclass_runs_the_method_from_base_then_runs() -> None:
    code = """
class Array(np.ndarray):
    @property
    def base(self):
        outcome(lambda: method.set_inputs([b, b]))
        raise RuntimeError("a property that raises")
x = a.view(Array)
for _ in range(50):
    result = method.execute([x, x])[0]
report(np.asarray(result).tolist())
"""
    assert in_child("add_unplanned", code) == [[[0.0, 2.0], [4.0, 6.0]]]


def test_set_inputs_when_the_last_set_calls_back_as_it_is_let_go_then_survives() -> None:
    code = """
import ctypes
depth = 0
class Array(np.ndarray):
    def __del__(self):
        global depth
        if depth < 3:
            depth += 1
            outcome(lambda: method.execute([b.copy().view(Array), b.copy().view(Array)]))
            depth -= 1
for _ in range(50):
    outcome(lambda: method.execute([a.copy().view(Array), a.copy().view(Array)]))
report(outcome(lambda: method.execute([a, b])))
depth = 3  # nothing calls back any more
report(np.asarray(method.execute([a, b])[0]).tolist())
depth = 0  # except as the interpreter ends
"""
    assert in_child("add_unplanned", code) == [
        "IncompleteInputsError",
        [[10.0, 12.0], [14.0, 16.0]],
    ]


def test_execute_when_another_set_came_between_then_says_so() -> None:
    method = load("add_unplanned")
    ones = np.ones((2, 2), np.float32)
    calls = []

    class Array(np.ndarray):
        def __del__(self) -> None:
            if not calls:
                calls.append(method.execute([ones, ones]))

    method.set_inputs([ones.copy().view(Array), ones])
    with pytest.raises(IncompleteInputsError, match="used again"):
        method.execute([ones * 3, ones * 4])
    assert len(calls) == 1
    np.testing.assert_array_equal(np.asarray(calls[0][0]), 2 * ones)


def test_execute_when_a_result_let_go_runs_the_method_then_keeps_that_run_apart() -> None:
    """The outer run must not write into the memory that the inner one handed out."""
    method = load("add_unplanned")
    ones = torch.ones(2, 2)
    inner: list[torch.Tensor] = []

    def run_again() -> None:
        inner.append(method.execute([ones * 5, ones])[0])

    result = method.execute([ones, ones])[0]
    finalizer = weakref.finalize(result, run_again)
    method.set_inputs([ones * 2, ones])
    del result
    method.execute()
    if not inner:
        finalizer()
    torch.testing.assert_close(inner[0], ones * 6)


# Counts and sequences


def test_execute_given_a_sequence_that_claims_to_be_huge_then_refuses_without_memory() -> None:
    code = """
import os, resource
if "NOCOPY_SANITIZED" not in os.environ:  # a sanitizer reserves more than this
    resource.setrlimit(resource.RLIMIT_AS, (4 << 30, 4 << 30))
class Huge:
    def __init__(self, n): self.n = n
    def __len__(self): return self.n
    def __getitem__(self, i): return a
for n in (10**8, 2**31, 2**62):
    report(outcome(lambda: method.execute(Huge(n))))
"""
    assert in_child("add", code) == ["ShapeError"] * 3


def test_execute_given_a_list_that_its_own_item_empties_then_refuses() -> None:
    code = """
given = []
class Empties:
    def __dlpack__(self, **_):
        given.clear()
        return b.__dlpack__()
given[:] = [Empties(), a]
report(outcome(lambda: method.execute(given)))
"""
    assert in_child("add", code) == ["ShapeError"]


def test_input_plan_given_the_wrong_number_then_leaves_the_inputs_alone() -> None:
    method = load("add")
    ones = np.ones((2, 2), np.float32)
    method.set_inputs([ones, ones])
    with pytest.raises(ShapeError):
        method.input_plan([ones])
    method.execute()
    np.testing.assert_array_equal(np.asarray(method.get_outputs()[0]), 2 * ones)


# Objects that are not what they say


@pytest.mark.parametrize(
    "make",
    [
        "TensorBuffer()",
        "TensorBuffer.__new__(TensorBuffer)",
        "object.__new__(TensorBuffer)",
        "copy.copy(result)",
        "type('Mine', (TensorBuffer,), {})()",
    ],
)
def test_tensor_buffer_made_from_python_then_refuses(make: str) -> None:
    code = f"""
import copy
result = method.execute([a, b])[0]
report([type(result).__name__, outcome(lambda: {make})])
"""
    assert in_child("add", code) == [["TensorBuffer", "TypeError"]]


def test_method_that_was_never_loaded_then_refuses() -> None:
    code = """
from nocopy.runtime import Method
empty = Method.__new__(Method)
report([outcome(lambda: empty.execute([a, b])), outcome(lambda: empty([a, b])),
        outcome(lambda: empty.execute()), outcome(lambda: empty.set_inputs([a, b]))])
"""
    assert in_child("add", code) == [["TypeError"] * 4]


def test_torch_tensor_whose_own_attributes_lie_then_reads_what_the_class_says() -> None:
    a, b = torch.arange(4.0).reshape(2, 2), torch.ones(2, 2)
    for name, value in (
        ("data_ptr", 8),
        ("stride", (0, 0)),
        ("element_size", 1),
        ("is_neg", True),
        ("storage_offset", 1 << 40),
    ):
        setattr(a, name, lambda value=value: value)
    for model in ("add", "add_unplanned"):
        torch.testing.assert_close(load(model).execute([a, b])[0], a + b)


def test_torch_tensor_whose_storage_shrank_then_refuses() -> None:
    code = """
import torch
a = torch.ones(25_000_000)
a.untyped_storage().resize_(64)
report(outcome(lambda: method.execute([a])))
a.untyped_storage().resize_(0)
report(outcome(lambda: method.execute([a])))
"""
    assert in_child("add_one_large_unplanned", code, torch=True) == ["LayoutError"] * 2


def test_array_subclass_that_claims_bfloat16_then_must_view_as_two_bytes() -> None:
    class Array(np.ndarray):
        dtype = type("Named", (), {"name": "bfloat16"})()

        def view(self, *_: object) -> np.ndarray:
            return np.zeros((2, 3), np.uint8)

    x = np.zeros((2, 3), "M8[s]").view(Array)
    with pytest.raises((LayoutError, TypeError)):
        load("add_bfloat16").execute([x, x])


@pytest.mark.parametrize("planned", [True, False])
def test_array_at_an_odd_address_then_gives_the_same_numbers(planned: bool) -> None:
    method = load("add" if planned else "add_unplanned")
    raw = np.zeros(17, np.uint8)
    x = raw[1:].view(np.float32).reshape(2, 2)
    x[:] = [[1, 2], [3, 4]]
    if not planned:
        ready = memoryview(raw)[1:].cast("f", (2, 2))
        assert method.input_plan([ready, ready])[0].action == "copied by us"
        np.testing.assert_array_equal(np.asarray(method.execute([ready, ready])[0]), 2 * x)
    result = np.asarray(method.execute([np.array(x), np.array(x)])[0])
    np.testing.assert_array_equal(result, 2 * x)


def test_deleter_that_raises_then_is_reported_and_the_call_goes_on() -> None:
    code = """
import ctypes, sys
seen = []
sys.unraisablehook = lambda info: seen.append(type(info.exc_value).__name__)
class DLTensor(ctypes.Structure):
    _fields_ = [("data", ctypes.c_void_p), ("device_type", ctypes.c_int), ("device_id", ctypes.c_int),
                ("ndim", ctypes.c_int), ("code", ctypes.c_uint8), ("bits", ctypes.c_uint8),
                ("lanes", ctypes.c_uint16), ("shape", ctypes.POINTER(ctypes.c_int64)),
                ("strides", ctypes.POINTER(ctypes.c_int64)), ("byte_offset", ctypes.c_uint64)]
class Managed(ctypes.Structure):
    pass
# A PyDLL-style deleter leaves its exception behind, as C code that calls Python may.
DELETER = ctypes.PYFUNCTYPE(None, ctypes.c_void_p)
Managed._fields_ = [("tensor", DLTensor), ("ctx", ctypes.c_void_p), ("deleter", DELETER)]
calls = []
def deleter(pointer):
    calls.append(1)
    raise ValueError("from a deleter")
deleter = DELETER(deleter)
shape = (ctypes.c_int64 * 2)(2, 2)
managed = Managed(DLTensor(a.ctypes.data, 1, 0, 2, 2, 32, 1, shape, None, 0), None, deleter)
new = ctypes.pythonapi.PyCapsule_New
new.restype, new.argtypes = ctypes.py_object, [ctypes.c_void_p, ctypes.c_char_p, ctypes.c_void_p]
class Producer:
    def __dlpack__(self): return new(ctypes.addressof(managed), b"dltensor", None)
    def __dlpack_device__(self): return (1, 0)
report(np.asarray(method.execute([Producer(), b])[0]).tolist())
report(outcome(lambda: method.execute([Producer(), 1])))
report([len(calls), seen])
"""
    assert in_child("add", code) == [
        [[10.0, 12.0], [14.0, 16.0]],
        "DTypeError",
        [2, ["ValueError", "ValueError"]],
    ]


def test_garbage_collector_clearing_a_method_then_leaves_no_inputs_behind() -> None:
    """A finalizer that gets the method back after the collector cleared it finds it without inputs
    rather than with pointers to memory that is gone."""
    code = """
class Array(np.ndarray):
    def __del__(self):
        held = getattr(self, "held", None)
        if held is not None:
            report(outcome(lambda: held.execute()) or "ran")
m = Runtime.get().load_program(argv[0]).load_method("forward", new=True)
x = a.copy().view(Array)
x.held = m
m.set_inputs([x, x])
del m, x
gc.collect()
report("end")
"""
    assert in_child("add_unplanned", code)[-1] == "end"


def test_bfloat16_array_in_the_other_byte_order_then_refuses() -> None:
    """Its dtype is still called bfloat16."""
    import ml_dtypes

    native = np.dtype(ml_dtypes.bfloat16)
    x = np.arange(6).reshape(2, 3).astype(native)
    swapped = x.astype(native.newbyteorder())
    assert swapped.dtype.name == "bfloat16"
    for name in ("add_bfloat16", "add_bfloat16_unplanned"):
        with pytest.raises(DTypeError, match="byte order"):
            load(name).execute([x, swapped])


@pytest.mark.parametrize("when", ["asked", "released"])
def test_exporter_whose_own_code_uses_the_method_then_survives(when: str) -> None:
    """C code that lends memory may run Python each time it is asked, in the middle of a set or a
    run."""
    code = f"""
import sys, random
sys.path.insert(0, argv[1])
from inputs_capsules import Exporter
depth = 0
def use():
    global depth
    if depth < 2:
        depth += 1
        for call in (lambda: method.set_inputs([b.copy(), b.copy()]), method.execute,
                     lambda: method.set_inputs([None, None]), method.get_outputs):
            outcome(call)
        depth -= 1
for _ in range(30):
    exporters = [Exporter([a.copy()], random.Random(0), False) for _ in range(2)]
    for exporter in exporters:
        setattr(exporter, "{"before" if when == "asked" else "released"}", use)
    outcome(lambda: method.set_inputs(exporters))
    outcome(method.execute)
    outcome(lambda: method.execute(exporters))
depth = 2
report(np.asarray(method.execute([a, b])[0]).tolist())
"""
    child = children.run_python(
        _PRELUDE + code, models.add_unplanned().path, Path(__file__).parents[1] / "fuzz"
    )
    assert child.check().reports == [[[10.0, 12.0], [14.0, 16.0]]]


@pytest.mark.parametrize(
    ("lie", "which", "error"),
    [
        pytest.param(0, 0, "ShapeError", id="rank of -1"),
        pytest.param(0, 1, "ShapeError", id="rank of 65"),
        pytest.param(1, 0, "LayoutError", id="elements without a size"),
        pytest.param(2, 1, "LayoutError", id="fewer bytes than the shape has"),
        pytest.param(3, 0, "LayoutError", id="no shape"),
        pytest.param(5, 0, "LayoutError", id="negative size"),
        pytest.param(8, 1, "LayoutError", id="rows behind pointers"),
    ],
)
def test_exporter_that_describes_its_memory_wrongly_then_refuses(
    lie: int, which: int, error: str
) -> None:
    code = """
import sys
sys.path.insert(0, argv[1])
from inputs_capsules import Exporter
class Chosen:
    def choice(self, values): return values[int(argv[3])]
    def randrange(self, n): return int(argv[2]) if n == 10 else 0
report(outcome(lambda: method.execute([Exporter([a], Chosen(), True), b])))
"""
    fuzz = Path(__file__).parents[1] / "fuzz"
    for model in (models.add(), models.add_unplanned()):
        child = children.run_python(_PRELUDE + code, model.path, fuzz, lie, which)
        assert child.check().reports == [error]


def test_exporter_that_refuses_without_an_exception_then_raises() -> None:
    code = """
import sys, random
sys.path.insert(0, argv[1])
import inputs_capsules
class Refuses:
    def choice(self, _): return -1
    def randrange(self, _): return 9
exporter = inputs_capsules.Exporter([a], Refuses(), True)
report(outcome(lambda: method.execute([exporter, b])))
"""
    child = children.run_python(
        _PRELUDE + code, models.add().path, Path(__file__).parents[1] / "fuzz"
    )
    assert child.check().reports == ["DTypeError"]
