"""Writes the hostile programs of this folder: ``python tests/attacks/make.py``.

Each is a small honest program with one thing changed, in the terms of the format's own schema. Needs
the executorch package, for the exporter and for its copy of flatc.
"""

from __future__ import annotations

import copy
import json
import subprocess
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

HERE = Path(__file__).resolve().parent
Json = dict[str, Any]

ATTACKS: dict[str, Callable[[Json], None]] = {}


def attack(edit: Callable[[Json], None]) -> Callable[[Json], None]:
    """Adds an edit of the honest program."""
    ATTACKS[edit.__name__] = edit
    return edit


def plan(program: Json) -> Json:
    """The one method."""
    return program["execution_plan"][0]


def tensor(program: Json, i: int) -> Json:
    """The i-th value, which is a tensor."""
    return plan(program)["values"][i]["val"]


def instruction(program: Json) -> Json:
    """The one instruction: values 0 + 1 into 2, with alpha in 3."""
    return plan(program)["chains"][0]["instructions"][0]["instr_args"]


def instructions(program: Json) -> list[Json]:
    """All of them."""
    return plan(program)["chains"][0]["instructions"]


@attack
def input_of_another_index(p: Json) -> None:
    plan(p)["inputs"][1] = 1 << 24


@attack
def input_is_constant(p: Json) -> None:
    del tensor(p, 0)["allocation_info"]
    tensor(p, 0)["data_buffer_idx"] = 1
    p["constant_buffer"] = [{"storage": []}, {"storage": [0] * 24}]


@attack
def output_of_another_index(p: Json) -> None:
    plan(p)["outputs"][0] = 4


@attack
def argument_of_another_index(p: Json) -> None:
    instruction(p)["args"][1] = -1


@attack
def argument_of_another_kind(p: Json) -> None:
    instruction(p)["args"][1] = 3


@attack
def arguments_missing(p: Json) -> None:
    del instruction(p)["args"][2:]


@attack
def operator_of_another_index(p: Json) -> None:
    instruction(p)["op_index"] = 7


@attack
def writes_a_constant(p: Json) -> None:
    del tensor(p, 2)["allocation_info"]
    tensor(p, 2)["data_buffer_idx"] = 1
    p["constant_buffer"] = [{"storage": []}, {"storage": [0] * 24}]


@attack
def writes_over_its_input(p: Json) -> None:
    tensor(p, 2)["allocation_info"]["memory_offset_low"] = 36


@attack
def uses_memory_that_is_not_there(p: Json) -> None:
    plan(p)["values"].append(copy.deepcopy(plan(p)["values"][0]))
    del tensor(p, 4)["allocation_info"]
    instruction(p)["args"][1] = 4


@attack
def loops_for_ever(p: Json) -> None:
    plan(p)["values"].append({"val_type": "Bool", "val": {"bool_val": False}})
    jump = {"cond_value_index": 4, "destination_instruction": 0}
    instructions(p).append({"instr_args_type": "JumpFalseCall", "instr_args": jump})


@attack
def jumps_out_of_the_method(p: Json) -> None:
    plan(p)["values"].append({"val_type": "Bool", "val": {"bool_val": False}})
    jump = {"cond_value_index": 4, "destination_instruction": 3}
    instructions(p).append({"instr_args_type": "JumpFalseCall", "instr_args": jump})


@attack
def jumps_on_a_number(p: Json) -> None:
    jump = {"cond_value_index": 3, "destination_instruction": 2}
    instructions(p).append({"instr_args_type": "JumpFalseCall", "instr_args": jump})


@attack
def frees_what_it_does_not_own(p: Json) -> None:
    instructions(p).append({"instr_args_type": "FreeCall", "instr_args": {"value_index": 0}})


@attack
def moves_a_number_over_a_tensor(p: Json) -> None:
    move = {"move_from": 3, "move_to": 2}
    instructions(p).append({"instr_args_type": "MoveCall", "instr_args": move})


@attack
def asks_for_all_memory(p: Json) -> None:
    plan(p)["non_const_buffer_sizes"] = [0, 1 << 62]


@attack
def buffer_of_negative_size(p: Json) -> None:
    plan(p)["non_const_buffer_sizes"] = [0, -1]


@attack
def tensor_past_its_buffer(p: Json) -> None:
    tensor(p, 0)["sizes"] = [1000, 3]


@attack
def tensor_at_an_offset_that_overflows(p: Json) -> None:
    info = tensor(p, 0)["allocation_info"]
    info["memory_offset_low"] = info["memory_offset_high"] = 0xFFFFFFF0


@attack
def tensor_in_another_buffer(p: Json) -> None:
    tensor(p, 0)["allocation_info"]["memory_id"] = 2


@attack
def size_negative(p: Json) -> None:
    tensor(p, 0)["sizes"][0] = -2


@attack
def sizes_that_overflow(p: Json) -> None:
    tensor(p, 0)["sizes"] = [1 << 30, 1 << 30, 1 << 30]
    tensor(p, 0)["dim_order"] = [0, 1, 2]


@attack
def rank_17(p: Json) -> None:
    tensor(p, 0)["sizes"] = [1] * 17
    tensor(p, 0)["dim_order"] = list(range(17))


@attack
def dim_order_twice_the_same(p: Json) -> None:
    tensor(p, 0)["dim_order"] = [1, 1]


@attack
def dtype_unknown(p: Json) -> None:
    tensor(p, 0)["scalar_type"] = 99


@attack
def constant_of_another_index(p: Json) -> None:
    del tensor(p, 1)["allocation_info"]
    tensor(p, 1)["data_buffer_idx"] = 9
    plan(p)["inputs"] = [0]


@attack
def list_of_what_comes_later(p: Json) -> None:
    plan(p)["values"].append({"val_type": "TensorList", "val": {"items": [5]}})
    plan(p)["values"].append(copy.deepcopy(plan(p)["values"][0]))


@attack
def list_of_ints_that_are_tensors(p: Json) -> None:
    plan(p)["values"].append({"val_type": "IntList", "val": {"items": [0]}})


@attack
def delegate_of_another_index(p: Json) -> None:
    call = {"delegate_index": 0, "args": [0, 1, 2]}
    instructions(p)[0] = {"instr_args_type": "DelegateCall", "instr_args": call}


@attack
def delegate_without_payload(p: Json) -> None:
    processed = {"location": "INLINE", "index": 3}
    plan(p)["delegates"] = [{"id": "XnnpackBackend", "processed": processed, "compile_specs": []}]


@attack
def two_methods_of_one_name(p: Json) -> None:
    p["execution_plan"].append(copy.deepcopy(plan(p)))


@attack
def segment_outside(p: Json) -> None:
    p["segments"] = [{"offset": 0, "size": 1 << 40}]


@attack
def named_data_in_another_segment(p: Json) -> None:
    p["named_data"] = [{"key": "weights", "segment_index": 5}]


def honest() -> bytes:
    """Exports (2, 3) + (2, 3)."""
    import torch
    from executorch.exir import to_edge

    class Add(torch.nn.Module):
        def forward(self, a, b):
            return a + b

    inputs = (torch.ones(2, 3), torch.ones(2, 3))
    return to_edge(torch.export.export(Add(), inputs, strict=True)).to_executorch().buffer


def main() -> None:
    """Writes all files."""
    import executorch

    package = Path(next(iter(executorch.__path__)))
    flatc, schema = package / "data/bin/flatc", package / "schema/program.fbs"
    with tempfile.TemporaryDirectory() as folder:
        source = Path(folder, "honest.pte")
        source.write_bytes(honest())
        to_json = ["--json", "--raw-binary", "--strict-json", "-o", folder, schema, "--", source]
        subprocess.run([flatc, *to_json], check=True)
        program = json.loads(Path(folder, "honest.json").read_text())
        # What flatc writes has no header, and so no place for segments.
        program.pop("segments", None)
        for name, edit in {"honest": lambda _: None, **ATTACKS}.items():
            changed = copy.deepcopy(program)
            edit(changed)
            text = Path(folder, f"{name}.json")
            text.write_text(json.dumps(changed))
            subprocess.run([flatc, "--binary", "-o", folder, schema, text], check=True)
            data = Path(folder, f"{name}.pte").read_bytes()
            (HERE / f"{name}.pte").write_bytes(data)
            print(name, len(data))


if __name__ == "__main__":
    main()
