"""Programs that no exporter writes: each is refused, by what is wrong with it, before it runs.

`attacks` holds the files, and a word on each. All of it happens in child processes: without the check
that a test is about, the runtime ends the process, writes where it must not, or runs for ever.
"""

from __future__ import annotations

from pathlib import Path

import pytest
from children import run_python

ATTACKS = Path(__file__).resolve().parent.parent / "attacks"

#: What the error says, by file.
SAYS = {
    "argument_of_another_index": "instruction 0 has as its argument value -1 of 4",
    "argument_of_another_kind": "aten::add.out as argument 1 value 3 (int), which takes a tensor",
    "arguments_missing": "aten::add.out 2 arguments, which takes 5",
    "asks_for_all_memory": "its memory comes to more than",
    "buffer_of_negative_size": "planned buffer 1 has a negative size",
    "constant_of_another_index": "value 1 (tensor) is constant 9 of 0",
    "delegate_of_another_index": "calls delegate 0 of 0",
    "delegate_without_payload": "delegate 0 is payload 3 of 0",
    "dim_order_twice_the_same": "value 0 (tensor) has a dim order that is no permutation",
    "dtype_unknown": "value 0 (tensor) has the unknown dtype 99",
    "frees_what_it_does_not_own": "instruction 1 frees value 0",
    "input_is_constant": "input 0 is a constant",
    "input_of_another_index": "input 1 is value 16777216 of 4",
    "jumps_on_a_number": "instruction 1 jumps on value 3 (int)",
    "jumps_out_of_the_method": "instruction 1 jumps to instruction 3 of 2",
    "list_of_ints_that_are_tensors": "has as item 0 the value 0 (tensor)",
    "list_of_what_comes_later": "has as item 0 the value 5 (tensor)",
    "loops_for_ever": "jumps back to instruction 0 on a condition that nothing in between changes",
    "moves_a_number_over_a_tensor": "moves value 3 to value 2, which is of another kind",
    "named_data_in_another_segment": "named data 0 is in segment 5 of 0",
    "operator_of_another_index": "calls operator 7 of 1",
    "output_of_another_index": "output 0 is value 4 of 4",
    "rank_17": "value 0 (tensor) has rank 17",
    "segment_outside": "segment 0 (offset 0, 1099511627776 bytes) reaches past the end",
    "size_negative": "value 0 (tensor) has the negative size -2",
    "sizes_that_overflow": "value 0 (tensor) has strides that do not fit",
    "tensor_at_an_offset_that_overflows": "does not fit planned buffer 1 of 96 bytes",
    "tensor_in_another_buffer": "value 0 (tensor) lies in planned buffer 2 of 2",
    "tensor_past_its_buffer": "(12000 bytes at offset 64) does not fit planned buffer 1",
    "two_methods_of_one_name": "method 1 has the name of an earlier one, 'forward'",
    "uses_memory_that_is_not_there": "instruction 0 uses value 4, which has no memory by then",
    "writes_a_constant": "instruction 0 writes value 2, which is or may be a constant",
    "writes_over_its_input": "instruction 0 writes value 2 over value 1, which it also uses",
}

#: The same, of files that fuzzing found: each ends the process in the runtime as it is.
FOUND_SAYS = {
    "delegate_call_without_its_output": "2 arguments, which has an output at argument 2",
    "dtype_without_a_kernel": "argument 2 that is of a dtype that it does not compute with",
    "input_dropped": "instruction 0 uses value 0, which has no memory by then",
    "operator_of_no_index": "instruction 1 calls operator 50331648 of 7",
    "output_over_the_indexes": "writes value 37 over value 35, which it also uses",
    "size_above_32_bits": "has the item 1494648619010, above any size",
    "stride_zero": "aten::avg_pool2d.out an argument 2 that cannot be 0",
    "xnnpack_constant_shorter_than_its_shape": "needs 16777216 bytes and its constant has 1280",
    "xnnpack_constant_under_no_name": "value 2 is a constant that no data has the name of",
    "xnnpack_group_of_size_zero": "value 6 has groups that do not divide it",
    "xnnpack_no_channels": "node 1 has an impossible number of channels",
    "xnnpack_node_writes_an_input": "gives value 1, which is a constant, an input or computed",
    "xnnpack_rank_and_dims_differ": "value 2 has an impossible number of dimensions",
    "xnnpack_value_before_it_is_computed": "takes value 5, which nothing has computed by then",
    "xnnpack_window_larger_than_its_weights": "has weights that do not fit its window",
}

#: Loads a file and runs its method; reports the class and the text of what was raised.
LOAD = """
import sys
import numpy
from nocopy.runtime import Runtime

def attempt(data):
    try:
        method = Runtime.get().load_program(data).load_method("forward")
        ones = numpy.ones((2, 3), numpy.float32)
        return ["ran", numpy.asarray(method.execute([ones, ones])[0]).tolist()]
    except Exception as error:
        return [type(error).__name__, str(error)]
"""


@pytest.mark.parametrize("name", sorted(SAYS))
def test_hostile_program_when_loaded_then_refused_by_what_is_wrong(name: str) -> None:
    child = run_python(LOAD + "report(attempt(argv[0]))", ATTACKS / f"{name}.pte").check()
    kind, text = child.reports[0]
    assert kind == "ProgramError", text
    assert SAYS[name] in text


@pytest.mark.parametrize("name", sorted(FOUND_SAYS))
def test_program_that_ended_the_runtime_when_loaded_then_refused(name: str) -> None:
    path = ATTACKS / "found" / f"{name}.pte"
    child = run_python(LOAD + "report(attempt(argv[0]))", path).check()
    kind, text = child.reports[0]
    assert kind == "ProgramError", text
    assert FOUND_SAYS[name] in text


def test_honest_program_when_written_by_the_same_tool_then_runs() -> None:
    child = run_python(LOAD + "report(attempt(argv[0]))", ATTACKS / "honest.pte").check()
    assert child.reports[0] == ["ran", [[2.0] * 3] * 2]


def test_every_attack_has_a_word_and_a_test() -> None:
    files = {path.stem for path in ATTACKS.glob("*.pte")} - {"honest"}
    assert files == set(SAYS)
    assert {path.stem for path in (ATTACKS / "found").glob("*.pte")} == set(FOUND_SAYS)
    readme = (ATTACKS / "README.md").read_text()
    assert not [name for name in files if f"`{name}`" not in readme]


def test_program_when_cut_at_any_length_then_refused() -> None:
    code = """
data = open(argv[0], "rb").read()
outcomes = [attempt(data[:size]) for size in range(0, len(data), 4)]
report(sorted({kind for kind, _ in outcomes}))
"""
    child = run_python(LOAD + code, ATTACKS / "honest.pte").check()
    assert child.reports[0] == ["ProgramError"]


def test_program_when_any_byte_is_inverted_then_runs_or_is_refused() -> None:
    code = """
import os
data = open(argv[0], "rb").read()
kinds = set()
for at in range(len(data)):
    damaged = bytearray(data)
    damaged[at] ^= 0xFF
    kinds.add(attempt(bytes(damaged))[0])
report(sorted(kinds - {"ran", "DTypeError", "ShapeError", "LayoutError", "NocopyError"}))
"""
    child = run_python(LOAD + code, ATTACKS / "honest.pte").check()
    assert child.reports[0] == ["ProgramError"]


def test_file_when_it_is_no_program_then_says_so() -> None:
    code = """
report(attempt(b"PK\\x03\\x04" + bytes(200)))
report(attempt(b"\\x3c\\0\\0\\0ET99" + bytes(200)))
"""
    other, newer = run_python(LOAD + code).check().reports
    assert other[0] == newer[0] == "ProgramError"
    assert "not an ExecuTorch program" in other[1]
    assert "format version 'ET99'" in newer[1]
