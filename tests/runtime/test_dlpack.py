"""Memory that changes hands through DLPack: claimed once, freed once, described as it is."""

from __future__ import annotations

import ctypes
import gc
import io
import os
import struct
import sys
import threading
from pathlib import Path
from typing import Any

import children
import dlpack_producer
import models
import numpy as np
import pytest
from dlpack_producer import (
    BFLOAT,
    BOOL,
    COMPLEX,
    FLOAT,
    INT,
    UINT,
    Consumer,
    Producer,
    capsule_name,
)
from nocopy import _core
from nocopy.errors import DTypeError, LayoutError, NocopyError, ShapeError
from nocopy.runtime import Method, Runtime

PLANNED = pytest.mark.parametrize("planned", [True, False])

CODES = {
    "float64": FLOAT, "float16": FLOAT, "bfloat16": BFLOAT, "int64": INT, "int32": INT,
    "int16": INT, "int8": INT, "uint8": UINT, "bool": BOOL, "complex64": COMPLEX,
    "complex128": COMPLEX,
}  # fmt: skip


def name_of(parameter: Any) -> str:
    if isinstance(parameter, dict):
        return " ".join(f"{key}={value}".replace(" ", "") for key, value in parameter.items())
    return getattr(parameter, "__name__", str(parameter))


def load(exported: models.Exported) -> Method:
    return Runtime.get().load_program(exported.path).load_method("forward", new=True)


# Taken in


@pytest.mark.parametrize("versioned", [False, True])
@PLANNED
def test_capsule_is_claimed_and_its_deleter_called_once(versioned: bool, planned: bool) -> None:
    exported = models.add() if planned else models.add_unplanned()
    a, b = exported.arrays
    producer = Producer(a, versioned=versioned)
    method = load(exported)
    method.set_inputs([producer, b])
    assert capsule_name(producer.capsules[0]).startswith("used_dltensor")
    assert producer.deleted == (1 if planned else 0)
    method.execute()
    method.set_inputs([b, b])
    producer.capsules.clear()
    gc.collect()
    assert producer.deleted == 1


def test_producer_is_asked_for_the_version_that_is_read() -> None:
    a, b = models.add().arrays
    producer = Producer(a, versioned=True)
    load(models.add()).set_inputs([producer, b])
    assert producer.asked_with == [{"max_version": (1, 1)}]


@pytest.mark.parametrize(
    ("how", "error"),
    [
        ({"lanes": 4}, DTypeError),
        ({"lanes": 0}, DTypeError),
        ({"code": 3}, DTypeError),
        ({"code": 200}, DTypeError),
        ({"bits": 31}, DTypeError),
        ({"bits": 4, "code": 1}, DTypeError),
        ({"shape": (3, 2)}, ShapeError),
        ({"shape": (-2, 2)}, NocopyError),
        ({"shape": (2**62, 2**62)}, ShapeError),
        ({"strides": (2**62, 1)}, LayoutError),
        ({"strides": (2**62 + 2, 1)}, LayoutError),  # the right one, if its bytes wrap around
        ({"strides": (1, 2)}, LayoutError),
        ({"strides": (0, 0)}, LayoutError),
        ({"device": (2, 0)}, NocopyError),
        ({"declared": (2, 0)}, NocopyError),
        ({"versioned": True, "version": (2, 0)}, DTypeError),
        ({"null": True}, LayoutError),
    ],
    ids=name_of,
)
def test_capsule_that_cannot_be_read_is_refused_and_its_deleter_called_once(
    how: dict[str, Any], error: type[Exception]
) -> None:
    a, b = models.add().arrays
    producer = Producer(a, **how)
    for exported in (models.add(), models.add_unplanned()):
        before = producer.deleted
        with pytest.raises(error, match="input 0"):
            load(exported).set_inputs([producer, b])
        gc.collect()
        assert producer.deleted == before + 1


@pytest.mark.parametrize("declared", [None, (1,), (1, 0, 0), 5])
def test_device_that_is_no_pair_is_refused_before_a_capsule_is_asked_for(declared: Any) -> None:
    a, b = models.add().arrays

    class Other(Producer):
        def __dlpack_device__(self) -> Any:
            return declared

    producer = Other(a)
    with pytest.raises(NocopyError, match="input 0"):
        load(models.add()).set_inputs([producer, b])
    assert producer.capsules == []


@pytest.mark.parametrize("given", [None, 5, "capsule", object()])
def test_producer_that_hands_over_no_capsule_is_refused(given: Any) -> None:
    class Other:
        def __dlpack__(self, **_: Any) -> Any:
            return given

        def __dlpack_device__(self) -> tuple[int, int]:
            return (1, 0)

    with pytest.raises(DTypeError, match="handed over"):
        load(models.add()).set_inputs([Other(), models.add().arrays[1]])


def test_capsule_that_was_taken_before_is_refused() -> None:
    a, b = models.add().arrays
    capsule = a.__dlpack__()

    class Again:
        def __dlpack__(self, **_: Any) -> Any:
            return capsule

        def __dlpack_device__(self) -> tuple[int, int]:
            return (1, 0)

    method = load(models.add())
    method.set_inputs([Again(), b])
    with pytest.raises(DTypeError, match="used_dltensor"):
        method.set_inputs([Again(), b])


def test_deleter_that_leaves_an_exception_behind_is_reported_and_the_call_goes_on(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """As C code does that calls Python and does not look."""
    seen: list[Any] = []
    monkeypatch.setattr(sys, "unraisablehook", lambda info: seen.append(info.exc_type))
    a, b = models.add().arrays
    producer = Producer(a)
    raises = ctypes.cast(ctypes.pythonapi.PyErr_NoMemory, ctypes.c_void_p).value
    producer._deleter = dlpack_producer.DELETER(raises)
    result = load(models.add()).execute([producer, b])[0]
    np.testing.assert_array_equal(np.asarray(result), a + b)
    assert seen == [MemoryError]


def test_error_of_the_producers_own_passes_through() -> None:
    class Fails:
        def __dlpack__(self, **_: Any) -> Any:
            raise ZeroDivisionError("mine")

        def __dlpack_device__(self) -> tuple[int, int]:
            return (1, 0)

    with pytest.raises(ZeroDivisionError, match="mine"):
        load(models.add()).set_inputs([Fails(), models.add().arrays[1]])


# Given out. Without torch, results are TensorBuffers; here one is made over an array.


def buffer_of(x: np.ndarray, **how: Any) -> tuple[Any, Producer]:
    producer = Producer(x, **how)
    return _core._borrow(producer), producer


IMAGE = np.arange(24, dtype=np.float32).reshape(2, 3, 2, 2) + 1


@pytest.mark.parametrize(
    ("asked", "name"),
    [
        ({}, "dltensor"),
        ({"max_version": None}, "dltensor"),
        ({"max_version": (0, 8)}, "dltensor"),
        ({"max_version": (1, 0)}, "dltensor_versioned"),
        ({"max_version": (1, 1), "stream": None, "dl_device": (1, 0)}, "dltensor_versioned"),
        ({"max_version": (2, 5), "copy": False}, "dltensor_versioned"),
    ],
    ids=name_of,
)
def test_capsule_given_out_has_the_form_asked_for_and_shares_the_memory(
    asked: dict[str, Any], name: str
) -> None:
    last = IMAGE.transpose(0, 3, 1, 2)
    buffer, producer = buffer_of(last)
    capsule = buffer.__dlpack__(**asked)
    assert capsule_name(capsule) == name
    consumer = Consumer(capsule)
    tensor = consumer.tensor
    assert tensor.data + tensor.byte_offset == IMAGE.ctypes.data
    assert (tensor.device_type, tensor.device_id) == buffer.__dlpack_device__() == (1, 0)
    assert (tensor.code, tensor.bits, tensor.lanes) == (dlpack_producer.FLOAT, 32, 1)
    assert consumer.shape == list(last.shape)
    assert consumer.strides == [stride // 4 for stride in last.strides]
    if consumer.versioned:
        assert (consumer.managed.major, consumer.managed.flags) == (1, 0)
    del capsule, buffer
    gc.collect()
    assert producer.deleted == 0  # the consumer outlives both
    assert consumer.read() == IMAGE.reshape(-1).tolist()
    consumer.free()
    assert producer.deleted == 1


def test_capsule_given_out_with_copy_is_of_its_own_memory() -> None:
    x = IMAGE.copy()
    buffer, producer = buffer_of(x.transpose(0, 2, 3, 1))
    consumer = Consumer(buffer.__dlpack__(max_version=(1, 0), copy=True))
    assert consumer.managed.flags == dlpack_producer.COPIED
    x[:] = -1
    del buffer
    assert producer.deleted == 1
    strides = [stride // 4 for stride in x.transpose(0, 2, 3, 1).strides]
    assert consumer.strides == strides
    assert consumer.read() == IMAGE.reshape(-1).tolist()
    consumer.free()


def test_copy_of_a_view_with_gaps_is_packed() -> None:
    x = IMAGE.copy()
    view = x[:, ::2, :, ::-1]
    buffer, _ = buffer_of(view)
    consumer = Consumer(buffer.__dlpack__(copy=True))
    assert consumer.read() == view.reshape(-1).tolist()
    consumer.free()


def test_capsule_nobody_claims_lets_go_when_it_is_gone() -> None:
    for asked in ({}, {"max_version": (1, 0)}):
        buffer, producer = buffer_of(IMAGE)
        capsule = buffer.__dlpack__(**asked)
        del buffer
        assert producer.deleted == 0
        del capsule
        assert producer.deleted == 1


def test_consumer_may_free_on_another_thread() -> None:
    buffer, producer = buffer_of(IMAGE)
    consumer = Consumer(buffer.__dlpack__())
    del buffer
    thread = threading.Thread(target=consumer.free)
    thread.start()
    thread.join()
    assert producer.deleted == 1
    assert producer.deleted_on != [threading.get_ident()]


@pytest.mark.parametrize(
    "asked",
    [{"stream": 1}, {"dl_device": (2, 0)}, {"dl_device": (1, 1)}, {"dl_device": (1, 0, 0)}],
    ids=name_of,
)
def test_capsule_that_cannot_be_given_raises_buffer_error(asked: dict[str, Any]) -> None:
    buffer, _ = buffer_of(IMAGE)
    with pytest.raises(BufferError):
        buffer.__dlpack__(**asked)


def test_read_only_memory_is_given_only_in_the_form_that_can_say_so() -> None:
    buffer, _ = buffer_of(IMAGE, versioned=True, flags=dlpack_producer.READ_ONLY)
    assert buffer.readonly
    with pytest.raises(BufferError, match="read-only"):
        buffer.__dlpack__(copy=False)
    consumer = Consumer(buffer.__dlpack__())
    assert consumer.managed.tensor.data != IMAGE.ctypes.data
    consumer.free()
    consumer = Consumer(buffer.__dlpack__(max_version=(1, 0)))
    assert consumer.managed.flags == dlpack_producer.READ_ONLY
    consumer.free()
    Consumer(buffer.__dlpack__(copy=True)).free()
    assert memoryview(buffer).readonly
    assert not np.asarray(buffer).flags.writeable
    with pytest.raises((BufferError, TypeError)):
        struct.pack_into("f", buffer, 0, -1.0)
    assert np.asarray(buffer)[0, 0, 0, 0] == IMAGE[0, 0, 0, 0]


def test_buffer_lends_its_strides_in_bytes_and_refuses_a_reader_that_wants_none() -> None:
    view = IMAGE[:, ::2, :, ::-1]
    buffer, _ = buffer_of(view)
    seen = memoryview(buffer)
    assert seen.strides == buffer.strides == view.strides
    np.testing.assert_array_equal(np.asarray(buffer), view)
    with pytest.raises(BufferError, match="contiguous"):
        io.BytesIO().write(buffer)
    contiguous, _ = buffer_of(IMAGE)
    assert bytes(contiguous) == IMAGE.tobytes()
    scalar, _ = buffer_of(np.array(2.5, np.float32))
    assert memoryview(scalar).tolist() == 2.5


def test_numpy_and_torch_read_a_result_without_a_copy_and_outlive_it(tmp_path: Path) -> None:
    code = """
import gc
import numpy as np
from nocopy.runtime import Runtime
method = Runtime.get().load_program(argv[0]).load_method("forward")
x = np.load(argv[1]).transpose(0, 3, 1, 2)
out = method.execute([x])[0]
import torch
views = [np.asarray(out), np.from_dlpack(out), torch.from_dlpack(out).numpy(),
         np.from_dlpack(out, copy=False)]
addresses = {v.ctypes.data for v in views}
copy = np.from_dlpack(out, copy=True)
del out, method
gc.collect()
litter = [np.full(x.shape, -1, np.float32) for _ in range(50)]
report([len(addresses), copy.ctypes.data in addresses,
        [bool((v == x * x).all()) for v in [*views, copy]], list({v.strides for v in views}) == [x.strides]])
"""
    exported = models.channels_last()
    np.save(tmp_path / "x.npy", np.ascontiguousarray(exported.arrays[0].transpose(0, 2, 3, 1)))
    child = children.run_python(code, exported.path, tmp_path / "x.npy", torch=True).check()
    assert child.reports == [[1, False, [True] * 5, True]]


@pytest.mark.parametrize("name", CODES)
def test_result_of_every_dtype_goes_through_dlpack_and_the_buffer(
    name: str, tmp_path: Path
) -> None:
    code = """
import numpy as np
from nocopy.runtime import Runtime
method = Runtime.get().load_program(argv[0]).load_method("forward")
from dlpack_producer import Consumer, Producer
inputs = [Producer(np.load(p), code=int(argv[3])) for p in argv[1:3]]
out = method.execute(inputs)[0]
t = Consumer(out.__dlpack__()).tensor
report([str(out.dtype), t.code, t.bits, np.asarray(out).dtype.str, np.asarray(out).tobytes().hex()])
"""
    exported = models.dtype_add(name)
    paths = []
    for i, x in enumerate(exported.arrays):
        paths.append(tmp_path / f"{i}.npy")
        np.save(paths[-1], x)
    folder = Path(children.__file__).parent
    env = {"PYTHONPATH": os.pathsep.join([str(folder), os.environ.get("PYTHONPATH", "")])}
    child = children.run_python(code, exported.path, *paths, CODES[name], env=env).check()
    wanted = exported.expected()[0]
    assert child.reports == [
        [name, CODES[name], wanted.itemsize * 8, wanted.dtype.str, wanted.tobytes().hex()]
    ]
