"""Eleven ways in which a call can go wrong without a word: numbers that are not the model's, memory
that is gone, a process that ends. Each has to raise, or be right.

Inputs are set in one call and read in another: the time in which the runtime holds a pointer does
not begin inside a single call.
"""

from __future__ import annotations

import os
import threading
from pathlib import Path

import children
import ml_dtypes
import models
import numpy as np
import pytest
import torch
from dlpack_producer import BFLOAT, Producer
from nocopy.errors import IncompleteInputsError, MethodBusyError, ShapeError
from nocopy.runtime import Method, Runtime

#: For children that import what lies beside the tests.
TESTS_ON_PATH = {
    "PYTHONPATH": os.pathsep.join(
        [str(Path(children.__file__).parent), os.environ.get("PYTHONPATH", "")]
    )
}


def load(exported: models.Exported) -> Method:
    return Runtime.get().load_program(exported.path).load_method("forward", new=True)


def test_input_resized_with_refcheck_false_after_being_set_raises() -> None:
    """In a child: without the check, the run reads freed memory."""
    code = """
import numpy as np
from nocopy.runtime import Runtime
method = Runtime.get().load_program(argv[0]).load_method("forward")
for size in (1 << 22, 1):
    a = np.arange(25_000_000, dtype=np.float32)
    method.set_inputs([a])
    a.resize(size, refcheck=False)
    try:
        method.execute()
        report("ran")
    except Exception as error:
        report([type(error).__name__, str(error)])
"""
    child = children.run_python(code, models.add_one_large_unplanned().path).check()
    for name, message in child.reports:
        assert name == "IncompleteInputsError"
        assert "input 0" in message
        assert "no longer where it was" in message


@pytest.mark.parametrize("lend", ["bytes", "read-only array", "read-only memoryview"])
def test_read_only_buffer_into_a_method_that_writes_its_input_is_unchanged(lend: str) -> None:
    exported = models.mutates_input_unplanned()
    (array,) = exported.arrays
    before = array.copy()
    if lend == "bytes":
        given = memoryview(array.tobytes()).cast("f", array.shape)
    elif lend == "read-only array":
        given = array.copy()
        given.flags.writeable = False
    else:
        given = memoryview(array.copy()).toreadonly()
    method = load(exported)
    method.set_inputs([given])
    method.execute()
    results = [np.asarray(x) for x in method.get_outputs()]
    np.testing.assert_array_equal(np.asarray(given), before)
    for result, wanted in zip(results, exported.expected(), strict=True):
        np.testing.assert_array_equal(result, wanted)


def test_writable_buffer_into_a_method_that_writes_its_input_is_written() -> None:
    """The other side: the model does write, so the test above does not pass for want of a write."""
    exported = models.mutates_input_unplanned()
    (array,) = exported.arrays
    method = load(exported)
    method.set_inputs([array])
    method.execute()
    np.testing.assert_array_equal(array, exported.expected()[0])


@pytest.mark.parametrize("size", [2**31, 2**32, 2**32 + 3, 2**62])
def test_dimension_too_large_for_the_runtime_on_an_empty_tensor_raises(size: int) -> None:
    code = """
import numpy as np
from dlpack_producer import Producer
from nocopy.runtime import Runtime
method = Runtime.get().load_program(argv[0]).load_method("forward")
shape = (0, int(argv[1]))
empty = np.empty(0, np.float32)
given = [Producer(empty, shape=shape, strides=None)]
if shape[1] < 2**60:  # numpy's own limit
    given.append(np.lib.stride_tricks.as_strided(empty, shape, (0, 0)))
for x in given:
    method.set_inputs([np.empty((0, 3), np.float32)])
    try:
        method.set_inputs([x])
        method.execute()
        report("ran")
    except Exception as error:
        report([type(error).__name__, str(error)])
"""
    for model in (models.empty(), models.empty_unplanned()):
        child = children.run_python(code, model.path, size, env=TESTS_ON_PATH).check()
        for name, message in child.reports:
            assert name == "ShapeError"
            assert str(size) in message


def test_program_loaded_from_bytes_nobody_else_holds_works(tmp_path: Path) -> None:
    """In a child that overwrites what is freed, so that freed bytes are no program any more."""
    exported = models.conv_unplanned()
    code = """
import gc
import numpy as np
from nocopy.runtime import Runtime
x = np.load(argv[1])
method = Runtime.get().load_program(open(argv[0], "rb").read()).load_method("forward")
gc.collect()
method.set_inputs([x])
method.execute()
report(np.asarray(method.get_outputs()[0]).tolist())
"""
    np.save(tmp_path / "x.npy", exported.arrays[0])
    overwriting = {"PYTHONMALLOC": "debug"}
    child = children.run_python(code, exported.path, tmp_path / "x.npy", env=overwriting)
    (result,) = child.check().reports
    np.testing.assert_allclose(result, exported.expected()[0], rtol=1e-4, atol=1e-5)


@pytest.mark.parametrize("clone", [True, False])
@pytest.mark.parametrize("name", ["identity", "identity_unplanned", "identity_and_sum_unplanned"])
def test_method_whose_output_is_one_of_its_inputs_returns_its_values(
    name: str, clone: bool
) -> None:
    exported = models.ZOO[name]()
    method = load(exported)
    for scale in (1, 3):
        arrays = [x * scale for x in exported.arrays]
        before = [x.copy() for x in arrays]
        method.set_inputs(arrays)
        method.execute()
        results = [np.asarray(x).copy() for x in method.get_outputs(clone_outputs=clone)]
        for result, wanted in zip(results, exported.expected(*before), strict=True):
            np.testing.assert_array_equal(result, wanted)
        for array, wanted in zip(arrays, before, strict=True):
            np.testing.assert_array_equal(array, wanted)


@pytest.mark.parametrize("clone", [True, False])
@pytest.mark.parametrize("name", ["add", "add_unplanned"])
def test_outputs_read_twice_in_one_execution_are_the_same_objects(name: str, clone: bool) -> None:
    exported = models.ZOO[name]()
    method = load(exported)
    method.set_inputs(exported.arrays)
    method.execute()
    first = method.get_outputs(clone_outputs=clone)
    second = method.get_outputs(clone_outputs=clone)
    assert [id(x) for x in first] == [id(x) for x in second]
    method.execute()
    third = method.get_outputs(clone_outputs=clone)
    assert third[0] is not first[0]


@pytest.mark.parametrize("clone", [True, False])
@pytest.mark.parametrize("name", ["add", "add_unplanned", "identity_and_sum_unplanned"])
def test_outputs_read_after_a_refused_call_raise(name: str, clone: bool) -> None:
    exported = models.ZOO[name]()
    method = load(exported)
    method.execute(exported.arrays)
    with pytest.raises(ShapeError):
        method.set_inputs([exported.arrays[0], np.ones((3, 3), np.float32)])
    with pytest.raises(IncompleteInputsError, match="refused"):
        method.get_outputs(clone_outputs=clone)
    with pytest.raises(IncompleteInputsError, match="refused"):
        method.execute()
    method.set_inputs(exported.arrays)
    method.execute()
    np.testing.assert_array_equal(
        np.asarray(method.get_outputs(clone_outputs=clone)[0]), exported.expected()[0]
    )


@pytest.mark.parametrize("clone", [True, False])
def test_earlier_result_after_a_later_call_is_unchanged(clone: bool) -> None:
    """Of a method with memory of the caller's for outputs, with and without a copy asked for."""
    exported = models.add_unplanned()
    method = load(exported)
    a, b = exported.arrays
    results = []
    for scale in (1, 2, 3):
        method.set_inputs([a * scale, b])
        method.execute()
        results.append(np.asarray(method.get_outputs(clone_outputs=clone)[0]))
    for scale, result in zip((1, 2, 3), results, strict=True):
        np.testing.assert_array_equal(result, exported.expected(a * scale, b)[0])
    assert len({result.ctypes.data for result in results}) == 3


def test_earlier_result_after_a_later_call_with_planned_outputs_is_unchanged() -> None:
    exported = models.add()
    method = load(exported)
    a, b = exported.arrays
    first = np.asarray(method.execute([a, b])[0])
    method.execute([a * 5, b])
    np.testing.assert_array_equal(first, exported.expected(a, b)[0])


@pytest.mark.parametrize(
    "name",
    ["channels_last", "channels_last_unplanned", "conv_channels_last", "channels_last_size_one"],
)
def test_channels_last_method_given_channels_last_memory_matches_eager(name: str) -> None:
    exported = models.ZOO[name]()
    (array,) = exported.arrays
    method = load(exported)
    method.set_inputs([array])
    method.execute()
    np.testing.assert_allclose(
        np.asarray(method.get_outputs()[0]), exported.expected(array)[0], rtol=1e-4, atol=1e-6
    )


@pytest.mark.parametrize("strides", [(9999, 16, 7, 4), (-4, 16, 0, 4), (0, 16, 1 << 40, 4)])
def test_size_one_dimension_of_any_stride_is_accepted(strides: tuple[int, ...]) -> None:
    """Of a (1, 3, 1, 4) input, only the strides of the 3 and the 4 mean something."""
    exported = models.channels_last_size_one()
    order = np.arange(12, dtype=np.float32)
    # channels-last: the 3 channels are next to each other
    view = np.lib.stride_tricks.as_strided(
        order, (1, 3, 1, 4), (strides[0], 4, strides[2], 12), writeable=False
    )
    method = load(exported)
    method.set_inputs([view])
    method.execute()
    np.testing.assert_array_equal(
        np.asarray(method.get_outputs()[0]), exported.expected(np.array(view))[0]
    )


@pytest.mark.parametrize("planned", [True, False])
@pytest.mark.parametrize("way", ["raw bytes", "ml_dtypes", "DLPack", "torch", "result"])
def test_dtype_no_format_code_can_name_round_trips_and_keeps_its_shape(
    planned: bool, way: str
) -> None:
    exported = models.dtype_add("bfloat16", planned)
    tensors = exported.inputs
    bits = [x.view(torch.uint16).numpy().copy() for x in tensors]
    given = {
        "raw bytes": [x.tobytes() for x in bits],
        "ml_dtypes": [x.view(ml_dtypes.bfloat16) for x in bits],
        "DLPack": [Producer(x, code=BFLOAT) for x in bits],
        "torch": list(tensors),
        "result": [x.view(ml_dtypes.bfloat16) for x in bits],
    }[way]
    method = load(exported)
    method.set_inputs(given)
    method.execute()
    result = method.get_outputs()[0]
    if way == "result":
        wanted = exported.eager(exported.eager()[0], tensors[1])[0]
        method.set_inputs([result, tensors[1]])
        method.execute()
        result = method.get_outputs()[0]
    else:
        wanted = exported.eager()[0]
    assert result.dtype == torch.bfloat16
    assert result.shape == (2, 3)
    assert torch.equal(result, wanted)


def test_dtype_no_format_code_can_name_is_lent_as_integers_of_its_shape() -> None:
    """Where torch is absent, the result is lent as the unsigned integer of the same width."""
    exported = models.dtype_add("bfloat16")
    code = """
import numpy as np
from nocopy.runtime import Runtime
method = Runtime.get().load_program(argv[0]).load_method("forward")
out = method.execute([bytes.fromhex(argv[1]), bytes.fromhex(argv[2])])[0]
values = np.asarray(out)
report([str(out.dtype), list(out.shape), values.dtype.str, values.tolist()])
"""
    arguments = [x.tobytes().hex() for x in exported.arrays]
    child = children.run_python(code, exported.path, *arguments).check()
    assert child.reports == [["bfloat16", [2, 3], "<u2", exported.expected()[0].tolist()]]


def test_two_threads_on_one_method_raise_and_say_one_per_thread() -> None:
    """The claim is held over a whole call, also while it runs the caller's code."""
    exported = models.add()
    method = load(exported)
    inside, leave = threading.Event(), threading.Event()
    a, b = exported.arrays

    class Slow:
        def __dlpack_device__(self) -> tuple[int, int]:
            return (1, 0)

        def __dlpack__(self, **_: object) -> object:
            inside.set()
            assert leave.wait(30)
            return b.__dlpack__()

    done: list[object] = []
    thread = threading.Thread(target=lambda: done.append(method.execute([a, Slow()])))
    thread.start()
    try:
        assert inside.wait(30)
        for call in (
            lambda: method.execute([a, b]),
            lambda: method.set_inputs([a, b]),
            lambda: method.execute(),
            lambda: method.get_outputs(),
            lambda: method.input_plan([a, b]),
        ):
            with pytest.raises(MethodBusyError, match="one per thread"):
                call()
    finally:
        leave.set()
        thread.join()
    np.testing.assert_array_equal(np.asarray(done[0][0]), exported.expected()[0])
    method.execute([a, b])
