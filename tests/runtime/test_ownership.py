"""Who owns which memory, and for how long. Inputs are set in one call and run in another."""

from __future__ import annotations

import array
import gc
import mmap
import os
import sys
import threading
import weakref
from pathlib import Path
from typing import Any

import children
import models
import numpy as np
import pytest
import torch
from dlpack_producer import READ_ONLY, Producer
from nocopy.errors import IncompleteInputsError, NocopyError, ShapeError
from nocopy.runtime import Method, Runtime

BORROWED, BY_US, BY_RUNTIME = "borrowed", "copied by us", "copied by the runtime"


def load(name: str) -> Method:
    return Runtime.get().load_program(models.ZOO[name]().path).load_method("forward", new=True)


class Array(np.ndarray):
    """Can be watched by a weak reference, as any array can, and is one of ours."""


def fresh(seed: int = 0) -> np.ndarray:
    return np.arange(4, dtype=np.float32).reshape(2, 2) + seed


# The rule that decides between copying and borrowing


def ways_to_lend(x: np.ndarray) -> dict[str, Any]:
    frozen = x.copy()
    frozen.flags.writeable = False
    odd = np.zeros(17, np.uint8)
    odd[1:] = x.view(np.uint8).reshape(-1)
    return {
        "array": x,
        "memoryview": memoryview(x),
        "array.array": memoryview(array.array("f", x.reshape(-1).tolist()))
        .cast("B")
        .cast("f", (2, 2)),
        "DLPack": Producer(x),
        "DLPack versioned": Producer(x, versioned=True),
        "read-only array": frozen,
        "read-only DLPack": Producer(x, versioned=True, flags=READ_ONLY),
        "bytes": memoryview(x.tobytes()).cast("f", (2, 2)),
        "torch": torch.from_numpy(x.copy()),
        "odd address": memoryview(odd)[1:].cast("f", (2, 2)),
    }


@pytest.mark.parametrize(
    ("way", "action", "why"),
    [
        ("array", BORROWED, "writable memory that stays in place"),
        ("memoryview", BORROWED, "writable memory that stays in place"),
        ("array.array", BORROWED, "writable memory that stays in place"),
        ("DLPack", BORROWED, "writable memory that stays in place"),
        ("DLPack versioned", BORROWED, "writable memory that stays in place"),
        ("read-only array", BY_US, "read-only"),
        ("read-only DLPack", BY_US, "read-only"),
        ("bytes", BY_US, "read-only"),
        ("torch", BY_US, "does not promise"),
        ("odd address", BY_US, "multiple of its elements"),
    ],
)
def test_input_plan_of_an_unplanned_input_says_what_happens(
    way: str, action: str, why: str
) -> None:
    method = load("add_unplanned")
    given = ways_to_lend(fresh())[way]
    plan = method.input_plan([given, fresh(10)])[0]
    assert (plan.input, plan.action) == (0, action)
    assert why in plan.why
    # And it does happen: what is written after the set is read by the run if it is borrowed.
    x = fresh()
    given = ways_to_lend(x)[way]
    method.set_inputs([given, fresh(10)])
    target = np.asarray(given.array if isinstance(given, Producer) else given)
    target.flags.writeable or target.setflags(write=way == "read-only array")
    if target.flags.writeable:
        target[0, 0] = 100
    method.execute()
    value = np.asarray(method.get_outputs()[0])[0, 0]
    assert value == (110 if action == BORROWED else 10)


@pytest.mark.parametrize("way", list(ways_to_lend(fresh())))
def test_input_plan_of_a_planned_input_says_the_runtime_copies(way: str) -> None:
    method = load("add")
    x = fresh()
    given = ways_to_lend(x)[way]
    assert method.input_plan([given, fresh(10)])[0].action == BY_RUNTIME
    method.set_inputs([given, fresh(10)])
    x += 100
    method.execute()
    np.testing.assert_array_equal(np.asarray(method.get_outputs()[0]), fresh() + fresh(10))


def test_input_plan_of_a_delegate_input_copies_to_where_there_is_room() -> None:
    """A delegate may read past the end of memory that it is given."""
    plan = load("add_xnnpack").input_plan([fresh(), fresh(10)])
    assert [p.action for p in plan] == [BY_RUNTIME, BY_RUNTIME]
    method = load("add_xnnpack_unplanned")
    x, y = fresh(), fresh(10)
    plan = method.input_plan([x, y])
    assert [p.action for p in plan] == [BY_US, BY_US]
    assert "past the end" in plan[0].why
    method.set_inputs([x, y])
    x += 100
    method.execute()
    np.testing.assert_array_equal(np.asarray(method.get_outputs()[0]), fresh() + y)


def test_input_plan_of_values_says_value() -> None:
    plans = load("scalars").input_plan(list(models.scalars().inputs))
    assert [p.action for p in plans] == [BY_RUNTIME] + ["value"] * 5


# References


@pytest.mark.parametrize("way", ["array", "memoryview", "DLPack", "torch"])
def test_references_to_a_borrowed_input_are_one_while_held_and_none_after(way: str) -> None:
    method = load("add_unplanned")
    x = fresh()
    given = {"memoryview": memoryview(x), "DLPack": Producer(x), "torch": torch.from_numpy(x)}.get(
        way, x
    )
    other = fresh(10)
    before = sys.getrefcount(given)
    method.set_inputs([given, other])
    held = sys.getrefcount(given) - before
    # A claimed capsule keeps its producer through the deleter; a tensor is copied.
    assert held == (0 if way == "torch" else 1)
    if way == "DLPack":
        assert given.deleted == 0
    for _ in range(3):
        method.execute()
        assert sys.getrefcount(given) - before == held
    method.set_inputs([other, other])
    assert sys.getrefcount(given) == before
    if way == "DLPack":
        assert given.deleted == 1


def test_references_to_a_planned_input_are_none_once_set() -> None:
    method = load("add")
    for given in (fresh(), memoryview(fresh()), Producer(fresh()), torch.ones(2, 2)):
        before = sys.getrefcount(given)
        method.set_inputs([given, fresh(10)])
        assert sys.getrefcount(given) == before
        if isinstance(given, Producer):
            assert given.deleted == 1


def test_references_to_an_input_are_none_once_the_method_is_gone() -> None:
    method = load("add_unplanned")
    x = fresh().view(Array)
    producer = Producer(fresh(10))
    alive = weakref.ref(x)
    method.set_inputs([x, producer])
    del x
    assert alive() is not None
    assert producer.deleted == 0
    del method
    assert alive() is None
    assert producer.deleted == 1


def test_input_nobody_else_holds_is_alive_until_it_has_run() -> None:
    method = load("add_unplanned")
    method.set_inputs([fresh(), Producer(fresh(10))])
    gc.collect()
    litter = [np.full((2, 2), -1, np.float32) for _ in range(100)]
    method.execute()
    del litter
    np.testing.assert_array_equal(np.asarray(method.get_outputs()[0]), fresh() + fresh(10))


def test_references_to_program_bytes_last_as_long_as_a_method() -> None:
    data = models.add().program
    before = sys.getrefcount(data)
    program = Runtime.get().load_program(data)
    assert sys.getrefcount(data) == before + 1
    method = program.load_method("forward", new=True)
    del program
    gc.collect()
    assert sys.getrefcount(data) == before + 1
    method.execute(models.add().arrays)
    del method
    gc.collect()
    assert sys.getrefcount(data) == before


def test_program_bytes_that_their_owner_can_change_are_copied() -> None:
    exported = models.add()
    data = bytearray(exported.program)
    method = Runtime.get().load_program(data).load_method("forward")
    data[:] = bytes(len(data))
    data.clear()  # not lent out any more, or this raises
    np.testing.assert_array_equal(
        np.asarray(method.execute(exported.arrays)[0]), exported.expected()[0]
    )


def test_program_bytes_at_an_odd_address_are_copied_to_an_even_one() -> None:
    """The runtime refuses a program that is not aligned."""
    exported = models.add()
    for odd in (1, 4, 8):
        data = memoryview(bytes(odd) + exported.program)[odd:]
        method = Runtime.get().load_program(data).load_method("forward")
        np.testing.assert_array_equal(
            np.asarray(method.execute(exported.arrays)[0]), exported.expected()[0]
        )


def test_program_in_a_read_only_map_is_read_in_place_and_held(tmp_path: Path) -> None:
    exported = models.add()
    with exported.path.open("rb") as file:
        mapped = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)
    method = Runtime.get().load_program(mapped).load_method("forward")
    with pytest.raises(BufferError):
        mapped.close()
    method.execute(exported.arrays)
    del method
    gc.collect()
    mapped.close()


# Pins are verified before running


@pytest.mark.parametrize(
    "view", ["itself", "view", "slice of a view", "memoryview", "memoryview of a view"]
)
@pytest.mark.parametrize("elements", [1, 8, 1 << 20])
def test_input_resized_after_being_set_raises_whatever_was_lent(view: str, elements: int) -> None:
    """A smaller allocation may keep its address, so the length counts too; and a view of an array
    keeps telling the address it was made with."""
    code = """
import numpy as np
from nocopy.runtime import Runtime
method = Runtime.get().load_program(argv[0]).load_method("forward")
root = np.arange(4, dtype=np.float32)
lent = {
    "itself": lambda: root,
    "view": lambda: root[:],
    "slice of a view": lambda: root[:][0:],
    "memoryview": lambda: memoryview(root),
    "memoryview of a view": lambda: memoryview(root[:]),
}[argv[1]]()
if argv[1] == "itself":
    root.resize((2, 2), refcheck=False)
x = lent.reshape(2, 2) if isinstance(lent, np.ndarray) and lent.ndim == 1 else lent
if isinstance(x, memoryview):
    x = x.cast("B").cast("f", (2, 2))
method.set_inputs([x, np.ones((2, 2), np.float32)])
method.execute()
root.resize(int(argv[2]), refcheck=False)
for _ in range(2):
    try:
        method.execute()
        report("ran")
    except Exception as error:
        report([type(error).__name__, "input 0" in str(error)])
"""
    child = children.run_python(code, models.add_unplanned().path, view, elements).check()
    assert child.reports[0] == ["IncompleteInputsError", True]
    assert child.reports[1][0] == "IncompleteInputsError"


def test_producer_that_moves_its_memory_after_being_set_raises() -> None:
    method = load("add_unplanned")
    producer = Producer(fresh())
    method.set_inputs([producer, fresh(10)])
    producer._managed[0].tensor.data += 4
    with pytest.raises(IncompleteInputsError, match="input 0"):
        method.execute()


def test_producer_that_shrinks_its_memory_after_being_set_raises() -> None:
    method = load("add_unplanned")
    producer = Producer(fresh())
    method.set_inputs([producer, fresh(10)])
    producer._shape[0] = 1
    with pytest.raises(IncompleteInputsError, match="input 0"):
        method.execute()


def test_bytearray_and_memoryview_cannot_be_resized_or_released_while_held() -> None:
    method = load("add_unplanned")
    data = bytearray(fresh().tobytes())
    view = memoryview(data).cast("f", (2, 2))
    method.set_inputs([view, fresh(10)])
    with pytest.raises(BufferError):
        data.append(0)
    with pytest.raises(BufferError):
        view.release()
    method.set_inputs([fresh(), fresh()])
    view.release()
    data.append(0)


# Refused sets


def test_refused_set_leaves_neither_inputs_nor_outputs_until_a_whole_set_is_given() -> None:
    method = load("add_unplanned")
    x, y = fresh(), fresh(10)
    method.execute([x, y])
    for bad in ([x, y.T], [y.T, x], [x], [x, object()], [x, y, x], None, "x"):
        with pytest.raises(NocopyError):
            method.set_inputs(bad)
        with pytest.raises(IncompleteInputsError):
            method.execute()
        with pytest.raises(IncompleteInputsError):
            method.get_outputs()
        with pytest.raises(IncompleteInputsError):
            method.get_outputs(clone_outputs=False)
        method.set_inputs([x, y])
        with pytest.raises(IncompleteInputsError, match="not since"):
            method.get_outputs()
        method.execute()
        np.testing.assert_array_equal(np.asarray(method.get_outputs()[0]), x + y)


def test_refused_sets_in_a_loop_do_not_accumulate() -> None:
    method = load("add_unplanned")
    method.set_inputs([fresh(), fresh(10)])
    watched = []
    producers = []
    for seed in range(50):
        x = fresh(seed).view(Array)
        producer = Producer(fresh(seed))
        watched.append(weakref.ref(x))
        producers.append(producer)
        with pytest.raises(ShapeError):
            method.set_inputs([x, np.ones((3, 3), np.float32)])
        with pytest.raises(ShapeError):
            method.set_inputs([producer, np.ones((3, 3), np.float32)])
        del x
    assert sum(w() is not None for w in watched) <= 1
    assert sum(p.deleted == 0 for p in producers) <= 1
    assert max(p.deleted for p in producers) == 1


def test_execute_before_any_set_raises_and_says_inputs_are_not_set() -> None:
    method = load("add_unplanned")
    with pytest.raises(IncompleteInputsError, match="2 inputs are not set"):
        method.execute()
    with pytest.raises(IncompleteInputsError, match="has not run"):
        method.get_outputs()


# Results


def test_results_of_a_dynamic_method_hold_what_the_result_occupies() -> None:
    exported = models.dynamic_unplanned()
    method = load("dynamic_unplanned")
    for rows in (8, 1, 3, 8):
        x = models.values(rows, 5)
        result = method.execute([x])[0]
        assert tuple(result.shape) == (rows, 3)
        assert np.asarray(result).nbytes == rows * 3 * 4
        torch.testing.assert_close(result, exported.eager(x)[0])


def test_lent_view_of_planned_memory_outlives_the_method_and_shows_later_runs() -> None:
    exported = models.add_unplanned_inputs()
    method = load("add_unplanned_inputs")
    x, y = exported.arrays
    method.set_inputs([x, y])
    method.execute()
    lent = np.asarray(method.get_outputs(clone_outputs=False)[0])
    copied = np.asarray(method.get_outputs()[0])
    np.testing.assert_array_equal(lent, x + y)
    method.set_inputs([x * 2, y])
    method.execute()
    np.testing.assert_array_equal(lent, x * 2 + y)
    np.testing.assert_array_equal(copied, x + y)
    del method
    gc.collect()
    # What was freed with the method would be taken by others like it, which write there.
    others = [load("add_unplanned_inputs") for _ in range(20)]
    for other in others:
        other.execute([x * 3, y])
    np.testing.assert_array_equal(lent, x * 2 + y)


def test_lent_result_given_back_as_an_input_is_read_as_it_was() -> None:
    """It lies in memory that setting inputs and running overwrite: here, where the first input is
    put."""
    method = load("output_in_first_input")
    x, y = models.output_in_first_input().arrays
    lent = method.execute([x, y], clone_outputs=False)[0]
    again = method.execute([y, lent])[0]
    np.testing.assert_array_equal(np.asarray(again), 2 * y - (2 * x - y))


@pytest.mark.parametrize("name", ["weight_output", "identity", "identity_unplanned"])
def test_output_that_nothing_can_keep_alive_is_copied_also_without_clone(name: str) -> None:
    exported = models.ZOO[name]()
    method = load(name)
    results = method.execute(exported.arrays, clone_outputs=False)
    wanted = exported.expected()
    kept = [np.asarray(r) for r in results]
    expected = [w.copy() for w in wanted]
    if name != "weight_output":
        method.set_inputs([exported.arrays[0] * 9])
        method.execute()
    else:
        kept, expected = kept[1:], expected[1:]
        kept[0][:] = -1  # must not be the program's own constant
        again = method.execute(exported.arrays)[1]
        np.testing.assert_array_equal(np.asarray(again), expected[0])
        return
    for result, want in zip(kept, expected, strict=True):
        np.testing.assert_array_equal(result, want)


@pytest.mark.parametrize("clone", [True, False])
@pytest.mark.parametrize("name", ["same_output_twice", "same_output_twice_unplanned"])
def test_outputs_that_are_one_tensor_are_one_object(name: str, clone: bool) -> None:
    exported = models.ZOO[name]()
    results = load(name).execute(exported.arrays, clone_outputs=clone)
    assert results[0] is results[2]
    assert results[0] is not results[1]
    for result, wanted in zip(results, exported.expected(), strict=True):
        np.testing.assert_array_equal(np.asarray(result), wanted)


@pytest.mark.parametrize("name", ["channels_last", "channels_last_unplanned"])
def test_torch_result_in_an_unusual_layout_is_built_without_a_copy(name: str) -> None:
    exported = models.ZOO[name]()
    method = load(name)
    method.set_inputs(exported.arrays)
    method.execute()
    lent = method.get_outputs(clone_outputs=False)[0]
    wanted = exported.eager()[0]
    assert lent.stride() == wanted.stride()
    assert torch.equal(lent, wanted)
    again = method.get_outputs(clone_outputs=False)[0]
    assert again.data_ptr() == lent.data_ptr()


def test_state_kept_in_the_method_survives_from_call_to_call_and_not_between_methods() -> None:
    exported = models.accumulate()
    module = exported.fresh_module()
    method, other = load("accumulate"), load("accumulate")
    for scale in (1, 2, 3):
        x = exported.inputs[0] * scale
        torch.testing.assert_close(method.execute([x])[0], module(x))
    x = exported.inputs[0]
    torch.testing.assert_close(other.execute([x])[0], exported.fresh_module()(x))


# What a result is


def test_results_are_torch_tensors_only_if_torch_was_there_when_the_method_was_loaded() -> None:
    code = """
import numpy as np
from nocopy.runtime import Runtime, TensorBuffer
program = Runtime.get().load_program(argv[0])
before = program.load_method("forward", new=True)
a = np.ones((2, 2), np.float32)
report([type(before.execute([a, a])[0]).__name__, "torch" in sys.modules])
import torch
report(type(before.execute([a, a])[0]).__name__)
after = program.load_method("forward", new=True)
report([type(after.execute([a, a])[0]).__name__, type(before.execute([a, a])[0]).__name__])
report(type(before.execute([torch.ones(2, 2), a])[0]).__name__)
"""
    child = children.run_python(code, models.add().path, torch=True).check()
    assert child.reports == [
        ["TensorBuffer", False],
        "TensorBuffer",
        ["Tensor", "TensorBuffer"],
        "TensorBuffer",
    ]


def test_half_imported_torch_counts_as_none() -> None:
    code = """
import types
import numpy as np
from nocopy.runtime import Runtime
a = np.ones((2, 2), np.float32)
for fake in (types.ModuleType("torch"), None, 5):
    sys.modules["torch"] = fake
    method = Runtime.get().load_program(argv[0]).load_method("forward", new=True)
    report(type(method.execute([a, a])[0]).__name__)
"""
    child = children.run_python(code, models.add().path).check()
    assert child.reports == ["TensorBuffer"] * 3


# Threads, collection, ends


def test_calls_within_one_thread_nest() -> None:
    method = load("add")
    x, y = models.add().arrays
    inner: list[Any] = []

    class Calls:
        def __dlpack_device__(self) -> tuple[int, int]:
            return (1, 0)

        def __dlpack__(self, **_: object) -> object:
            inner.append(method.execute([y, y])[0])
            return x.__dlpack__()

    result = method.execute([Calls(), y])[0]
    np.testing.assert_array_equal(np.asarray(result), x + y)
    np.testing.assert_array_equal(np.asarray(inner[0]), y + y)


def test_one_method_per_thread_gives_each_its_own_numbers() -> None:
    program = Runtime.get().load_program(models.conv().path)
    exported = models.conv()
    wrong: list[int] = []

    def work(seed: int) -> None:
        method = program.load_method("forward", new=True)
        x = exported.arrays[0] * (seed + 1)
        wanted = exported.expected(x)[0]
        for _ in range(20):
            if not np.allclose(np.asarray(method.execute([x])[0]), wanted, rtol=1e-3, atol=1e-4):
                wrong.append(seed)

    threads = [threading.Thread(target=work, args=(seed,)) for seed in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert wrong == []


def test_cycle_through_an_input_is_collected() -> None:
    method = load("add_unplanned")
    x = fresh().view(Array)
    x.method = method
    alive, input_alive = weakref.ref(method), weakref.ref(x)
    method.set_inputs([x, x])
    del method, x
    gc.collect()
    assert alive() is None
    assert input_alive() is None


def test_cycle_through_a_result_is_collected() -> None:
    method = load("add")
    result = method.execute(models.add().arrays)[0]
    result.method = method
    alive = weakref.ref(method)
    del method, result
    gc.collect()
    assert alive() is None


def test_what_a_method_holds_is_released_from_the_thread_that_drops_it() -> None:
    method = load("add_unplanned")
    x = fresh().view(Array)
    alive = weakref.ref(x)
    producer = Producer(fresh(10))
    method.set_inputs([x, producer])
    del x
    box = [method]
    del method
    thread = threading.Thread(target=box.clear)
    thread.start()
    thread.join()
    assert alive() is None
    assert producer.deleted == 1


@pytest.mark.parametrize("torch_there", [False, True])
def test_interpreter_that_ends_while_everything_is_held_ends_well(torch_there: bool) -> None:
    code = """
import numpy as np
if argv[3] == "True":
    import torch
from dlpack_producer import Producer
from nocopy.runtime import Runtime
kept = []
for path in argv[:2]:
    method = Runtime.get().load_program(path).load_method("forward", new=True)
    x = np.ones((2, 2), np.float32)
    producer = Producer(x)
    method.set_inputs([producer, x])
    method.execute()
    kept.append((method, producer, method.get_outputs(clone_outputs=False), method.get_outputs()))
class AtTheEnd:
    def __del__(self, kept=kept):
        kept[0][0].execute()
sys.modules["held"] = AtTheEnd()
report("end")
"""
    paths = models.add().path, models.add_unplanned().path, models.add_xnnpack().path
    folder = str(Path(children.__file__).parent)
    env = {"PYTHONPATH": os.pathsep.join([folder, os.environ.get("PYTHONPATH", "")])}
    child = children.run_python(code, *paths, torch_there, torch=torch_there, env=env).check()
    assert child.reports == ["end"]


FORK = """
import os, signal
import numpy as np
from nocopy.runtime import Runtime, num_threads, set_num_threads
def in_fork(work):
    sys.stdout.flush()
    pid = os.fork()
    if pid == 0:
        signal.alarm(20)
        try:
            report(work())
        except Exception as error:
            report([type(error).__name__, str(error)])
        finally:
            sys.stdout.flush()
            os._exit(0)
    status = os.waitpid(pid, 0)[1]
    report(os.WTERMSIG(status) if os.WIFSIGNALED(status) else 0)
rng = np.random.default_rng(1)
x = np.load(argv[1])
"""


def run_in_fork(name: str, work: str, tmp_path: Path) -> tuple[Any, Any]:
    exported = models.ZOO[name]()
    array = tmp_path / "x.npy"
    np.save(array, np.ascontiguousarray(exported.arrays[0]))
    child = children.run_python(FORK + work, exported.path, array).check()
    return child.reports, exported.expected()[0]


@pytest.mark.parametrize("name", ["conv", "conv_unplanned"])
def test_method_used_before_a_fork_runs_in_the_child(name: str, tmp_path: Path) -> None:
    work = """
method = Runtime.get().load_program(argv[0]).load_method("forward")
wanted = np.asarray(method.execute([x])[0]).tolist()
in_fork(lambda: np.asarray(method.execute([x])[0]).tolist() == wanted)
in_fork(lambda: [num_threads() > 0, np.asarray(method.execute([x])[0]).tolist() == wanted])
report(np.asarray(method.execute([x])[0]).tolist() == wanted)
"""
    reports, _ = run_in_fork(name, work, tmp_path)
    assert reports == [True, 0, [True, True], 0, True]


def test_delegate_loaded_before_a_fork_refuses_in_the_child_and_says_what_to_do(
    tmp_path: Path,
) -> None:
    work = """
set_num_threads(4)
program = Runtime.get().load_program(argv[0])
method = program.load_method("forward", new=True)
wanted = np.asarray(method.execute([x])[0]).tolist()
in_fork(lambda: method.execute([x]))
def load_again():
    fresh = program.load_method("forward", new=True)
    return bool(np.allclose(np.asarray(fresh.execute([x])[0]), wanted, rtol=1e-4))
in_fork(load_again)
report(np.asarray(method.execute([x])[0]).tolist() == wanted)
"""
    reports, _ = run_in_fork("conv_xnnpack", work, tmp_path)
    (name, message), end, again, end_again, parent = reports
    assert name == "NocopyError"
    assert "fork" in message
    assert "in the child" in message
    assert (end, again, end_again, parent) == (0, True, 0, True)


def test_claim_of_a_thread_that_a_fork_left_behind_refuses_in_the_child(tmp_path: Path) -> None:
    work = """
import threading
method = Runtime.get().load_program(argv[0]).load_method("forward")
inside, leave = threading.Event(), threading.Event()
class Slow:
    def __dlpack_device__(self): return (1, 0)
    def __dlpack__(self, **_):
        inside.set(); leave.wait(30)
        return x.__dlpack__()
thread = threading.Thread(target=lambda: method.execute([Slow()]))
thread.start()
inside.wait(30)
in_fork(lambda: method.execute([x]))
leave.set(); thread.join()
"""
    reports, _ = run_in_fork("conv", work, tmp_path)
    (name, message), end = reports
    assert name == "MethodBusyError"
    assert "new=True" in message
    assert end == 0


def test_fork_while_a_method_runs_on_another_thread_leaves_a_child_that_works(
    tmp_path: Path,
) -> None:
    work = """
import threading
program = Runtime.get().load_program(argv[0])
stop = False
def spin():
    own = program.load_method("forward", new=True)
    while not stop:
        own.execute([x])
threads = [threading.Thread(target=spin) for _ in range(2)]
for t in threads: t.start()
def work():
    fresh = program.load_method("forward", new=True)
    fresh.execute([x])
    del fresh
    return "ok"
for _ in range(10):
    in_fork(work)
stop = True
for t in threads: t.join()
"""
    for name in ("conv", "conv_xnnpack"):
        reports, _ = run_in_fork(name, work, tmp_path)
        assert reports == ["ok", 0] * 10


# Loops


def test_loops_over_every_step_do_not_grow() -> None:
    """In a child, after a warm-up: resident memory at the end is what it was."""
    code = """
import gc, resource
import numpy as np
from nocopy.runtime import Runtime
def resident():
    gc.collect()
    with open("/proc/self/statm") as f:
        return int(f.read().split()[1]) * resource.getpagesize()
x = np.ones((1, 3, 9, 8), np.float32)
bad = np.ones((1, 3, 9, 9), np.float32)
data = open(argv[0], "rb").read()
method = Runtime.get().load_program(data).load_method("forward")
def refuse():
    try:
        method.set_inputs([bad])
    except RuntimeError:
        pass
steps = {
    "execute": lambda: method.execute([x]),
    "set": lambda: method.set_inputs([x]),
    "refused": refuse,
    "dlpack": lambda: np.from_dlpack(method.execute([x])[0]),
    "load": lambda: Runtime.get().load_program(data).load_method("forward", new=True).execute([x]),
}
for name, step in steps.items():
    for _ in range(300):
        step()
    before = resident()
    for _ in range(2000):
        step()
    report([name, resident() - before])
"""
    for name in ("conv", "conv_unplanned", "conv_xnnpack"):
        for step, growth in children.run_python(code, models.ZOO[name]().path).check().reports:
            assert growth < 1 << 20, f"{name}: {step} grew by {growth} bytes"
