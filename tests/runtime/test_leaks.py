"""Loops over everything that takes or gives memory: after a warm-up, the process does not grow and
nobody is left holding a reference.

Each loop runs in a process of its own, so that what other tests left behind neither hides a leak nor
looks like one.
"""

from __future__ import annotations

import children
import models
import pytest

MEGABYTE = 1024

_PRELUDE = """
import gc, sys
import numpy as np
from nocopy.runtime import Runtime
runtime = Runtime.get()
path = argv[0]
def load(): return runtime.load_program(path).load_method("forward")
a = np.arange(4, dtype=np.float32).reshape(2, 2)
b = a + 10

def resident():
    gc.collect()
    with open("/proc/self/statm") as file:
        return int(file.read().split()[1]) * 4

def measure(step, times, warm_up):
    held = [a, b]
    for _ in range(warm_up):
        step()
    gc.collect()
    objects, counts, before = len(gc.get_objects()), [sys.getrefcount(held[i]) for i in range(2)], resident()
    for _ in range(times):
        step()
    grown = resident() - before
    gc.collect()
    report({
        "grown_kb": grown,
        "objects": len(gc.get_objects()) - objects,
        "references": [sys.getrefcount(held[i]) - counts[i] for i in range(2)],
    })
"""

#: name -> (model, needs torch, setup, one step, times)
LOOPS = {
    "execute": ("add", False, "m = load()", "m.execute([a, b])", 100_000),
    "execute_unplanned": ("add_unplanned", False, "m = load()", "m.execute([a, b])", 100_000),
    "execute_dynamic": (
        "dynamic_unplanned",
        False,
        "m = load(); xs = [np.ones((n, 5), np.float32) for n in (1, 8, 3)]",
        "for x in xs: m.execute([x])",
        30_000,
    ),
    "execute_delegate": ("add_xnnpack", False, "m = load()", "m.execute([a, b])", 20_000),
    "set_inputs": ("add_unplanned", False, "m = load()", "m.set_inputs([a, b])", 100_000),
    "set_inputs_read_only": (
        "add_unplanned",
        False,
        "m = load(); r = a.copy(); r.flags.writeable = False",
        "m.set_inputs([r, b])",
        50_000,
    ),
    "outputs_in_place": (
        "add",
        False,
        "m = load(); m.execute([a, b])",
        "m.execute([a, b], clone_outputs=False); m.get_outputs(clone_outputs=False)",
        50_000,
    ),
    "refused_sets": (
        "add_unplanned",
        False,
        """
m = load()
bad = [[a, b.astype("f8")], [a, b.T], [a], [a, None], [a, object()], 3, {}, [a, [1.0]], [b, "x"]]
def refused():
    for inputs in bad:
        try:
            m.set_inputs(inputs)
        except RuntimeError:
            pass
        else:
            raise AssertionError(inputs)
""",
        "refused()",
        10_000,
    ),
    "refused_runs": (
        "add_unplanned",
        False,
        """
m = load()
def moved():
    x = a.copy()
    m.set_inputs([x, b])
    x.resize((4000,), refcheck=False)
    try:
        m.execute()
    except RuntimeError:
        return
    raise AssertionError("ran on memory that moved")
""",
        "moved()",
        20_000,
    ),
    "load_and_drop": ("add", False, "", "load().execute([a, b])", 1_000),
    "load_and_drop_delegate": ("conv_xnnpack", False, "", "load()", 1_000),
    "load_from_bytes_and_drop": (
        "add",
        False,
        "data = open(path, 'rb').read()",
        "runtime.load_program(data).load_method('forward'); runtime.load_program(bytearray(data))",
        1_000,
    ),
    "load_damaged": (
        "add",
        False,
        """
data = open(path, "rb").read()[:-200]
def damaged():
    try:
        runtime.load_program(data).load_method("forward")
    except RuntimeError:
        return
    raise AssertionError("a damaged program was loaded")
""",
        "damaged()",
        5_000,
    ),
    "dlpack_in": (
        "add_unplanned",
        False,
        """
m = load()
class Producer:
    def __init__(self, array): self.array = array
    def __dlpack__(self, **kind): return self.array.__dlpack__(**kind)
    def __dlpack_device__(self): return self.array.__dlpack_device__()
""",
        "m.execute([Producer(a), Producer(b)])",
        50_000,
    ),
    "dlpack_out": (
        "add",
        False,
        "m = load(); out = m.execute([a, b])[0]",
        "np.from_dlpack(out); out.__dlpack__(); out.__dlpack__(max_version=(1, 0), copy=True)",
        100_000,
    ),
    "buffer_out": (
        "add",
        False,
        "m = load(); out = m.execute([a, b])[0]",
        "np.asarray(out); memoryview(out).release()",
        100_000,
    ),
    "results_back_in": (
        "add_unplanned",
        False,
        "m = load(); state = [m.execute([a, b])[0]]",
        "state[0] = m.execute([state[0], b])[0]",
        100_000,
    ),
    "plans_and_metadata": (
        "add_unplanned",
        False,
        "m = load()",
        "m.input_plan([a, b]); repr(m); repr(m.metadata); m.metadata.input_tensor_meta(0).sizes()",
        20_000,
    ),
    "torch_results": (
        "add_unplanned",
        True,
        "import torch; m = load(); x, y = torch.ones(2, 2), torch.ones(2, 2)",
        "m.execute([x, y])[0] + 1; m.get_outputs()",
        50_000,
    ),
    "torch_bfloat16_results": (
        "add_bfloat16",
        True,
        "import torch; m = load(); x = torch.ones(2, 3, dtype=torch.bfloat16)",
        "m.execute([x, x])",
        50_000,
    ),
}


@pytest.mark.parametrize("name", LOOPS)
def test_loop_after_warm_up_keeps_nothing(name: str) -> None:
    model, torch, setup, step, times = LOOPS[name]
    code = f"{_PRELUDE}\n{setup}\ndef step():\n    {step}\nmeasure(step, {times}, {times // 5})\n"
    child = children.run_python(code, models.ZOO[model]().path, torch=torch, timeout=300)
    (found,) = child.check().reports
    assert found["grown_kb"] < MEGABYTE, found
    assert found["references"] == [0, 0], found
    assert found["objects"] <= 5, found
