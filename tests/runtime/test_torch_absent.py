"""The proof that torch is absent. This process exports the models and knows what they compute in
eager mode; a child in which torch cannot be imported runs them and lists what it has mapped."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import children
import models
import numpy as np
import pytest

CANNOT_RUN = {"missing_operator", "missing_delegate", "incompatible_version", "dynamic_int"}
HEAVY = {"add_one_large_unplanned"}  # covered elsewhere
RUNNABLE = sorted(set(models.ZOO) - CANNOT_RUN - HEAVY)

RUN = """
import numpy as np
from nocopy import _executorch
from nocopy.runtime import Runtime, TensorBuffer

def one(model, data, values, arrays):
    inputs = [
        arrays[v["array"]].transpose(v["back"] or None) if isinstance(v, dict) else v for v in values
    ]
    program = Runtime.get().load_program(model, data_path=data)
    method = program.load_method("forward")
    method.set_inputs(inputs)
    method.execute()
    outputs = method.get_outputs()
    assert all(type(x) in (TensorBuffer, int, float, bool, str, type(None)) for x in outputs)
    return [np.array(x) if isinstance(x, TensorBuffer) else x for x in outputs]

plan = json.load(open(argv[0]))
arrays = np.load(argv[1])
results = {}
for name, entry in plan.items():
    for i, value in enumerate(one(entry["model"], entry["data"], entry["values"], arrays)):
        if isinstance(value, np.ndarray):
            results[f"{name}/{i}"] = value
        else:
            report([name, i, value])
np.savez(argv[2], **results)
libraries = mapped_libraries()
report({
    "links torch": _executorch._links_torch,
    "torch libraries": [l for l in libraries if "libtorch" in l or "libc10" in l],
    "runtime libraries": [l for l in libraries if "/nocopy/" in l],
    "torch modules": [m for m in sys.modules if m.split(".")[0] in ("torch", "executorch")],
})
"""


def plan_of(exported: models.Exported, name: str, arrays: dict[str, np.ndarray]) -> dict[str, Any]:
    values = []
    for i, value in enumerate(exported.arrays):
        if isinstance(value, np.ndarray):
            key = f"{name}/{i}"
            raw = "bfloat16" in name
            arrays[key] = np.frombuffer(value.tobytes(), np.uint8) if raw else value
            # A file keeps no layout but contiguous: the order of the dimensions goes along.
            order = sorted(range(value.ndim), key=lambda d: -value.strides[d])
            arrays[key] = arrays[key] if raw else np.array(value.transpose(order), order="C")
            back = [] if raw else [order.index(d) for d in range(value.ndim)]
            values.append({"array": key, "back": back})
        else:
            values.append(value)
    data = exported.data_path
    return {"model": str(exported.path), "data": data and str(data), "values": values}


def test_every_model_without_torch_matches_eager_and_maps_no_torch(tmp_path: Path) -> None:
    plan, arrays = {}, {}
    for name in RUNNABLE:
        exported = models.ZOO[name]()
        # bfloat16 goes in as raw bytes, which need the full shape
        if exported.recipe.module is not None and name != "dynamic_bfloat16_unplanned":
            plan[name] = plan_of(exported, name, arrays)
    assert {"conv_xnnpack", "quantized", "external_data", "scalars"} <= set(plan)
    (tmp_path / "plan.json").write_text(json.dumps(plan))
    np.savez(tmp_path / "in.npz", **arrays)
    child = children.run_python(
        RUN, tmp_path / "plan.json", tmp_path / "in.npz", tmp_path / "out.npz"
    ).check()
    assert child.stderr == ""
    *values, found = child.reports
    assert found["links torch"] is False
    assert found["torch libraries"] == []
    assert found["torch modules"] == []
    assert any("xnnpack" in library for library in found["runtime libraries"])

    out = np.load(tmp_path / "out.npz")
    plain = {(name, i): value for name, i, value in values}
    for name in plan:
        for i, wanted in enumerate(models.ZOO[name]().expected()):
            if isinstance(wanted, np.ndarray):
                result = out[f"{name}/{i}"]
                assert result.dtype == wanted.dtype, name
                assert result.shape == wanted.shape, name
                np.testing.assert_allclose(
                    result, wanted, rtol=1e-4, atol=tolerance(name), err_msg=name
                )
            else:
                assert plain[name, i] == wanted, name


def tolerance(name: str) -> float:
    return 0.05 if name.startswith("quantized") else 1e-5


def test_execute_without_torch_and_logging_says_nothing(tmp_path: Path) -> None:
    code = """
import numpy as np
from nocopy.runtime import Runtime
x = np.load(argv[1])
for new in range(3):
    Runtime.get().load_program(argv[0]).load_method("forward").execute([x])
"""
    for name in ("conv", "conv_xnnpack", "conv_unplanned"):
        exported = models.ZOO[name]()
        np.save(tmp_path / "x.npy", exported.arrays[0])
        child = children.run_python(code, exported.path, tmp_path / "x.npy").check()
        assert (child.stdout, child.stderr) == ("", "")


def test_import_loads_nothing_of_torch() -> None:
    code = """
import nocopy.runtime
report([m for m in sys.modules if m.split(".")[0] in ("torch", "executorch", "numpy")])
report([l for l in mapped_libraries() if "torch" in l.rsplit("/", 1)[-1] and "execu" not in l])
"""
    child = children.run_python(code, torch=True).check()
    assert child.reports == [[], []]


@pytest.mark.parametrize("module", ["nocopy", "nocopy.errors", "nocopy.dtypes"])
def test_import_of_the_small_modules_loads_no_runtime(module: str) -> None:
    code = """
import importlib
importlib.import_module(argv[0])
report([l for l in mapped_libraries() if "executorch" in l])
"""
    assert children.run_python(code, module).check().reports == [[]]
