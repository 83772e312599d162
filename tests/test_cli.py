"""The ``nocopy`` command, run as users run it: in a process of its own, without torch."""

from __future__ import annotations

import sys
from pathlib import Path

import children
import models
import numpy as np
import pytest

DIGITS = Path(__file__).resolve().parent.parent / "examples" / "digits"
SAMPLES = DIGITS / "samples.npz"


def nocopy(*arguments: object) -> children.Child:
    return children.run_command([sys.executable, "-m", "nocopy", *map(str, arguments)])


def assert_refused(child: children.Child, *words: str, code: int = 2) -> None:
    """One line on stderr with these words, nothing on stdout, and this exit code."""
    assert child.returncode == code, child
    assert child.stdout == ""
    assert child.stderr.startswith("nocopy: ") and child.stderr.count("\n") == 1, child.stderr
    for word in words:
        assert word in child.stderr


@pytest.fixture
def pair(tmp_path: Path) -> Path:
    """The inputs of `models.add` under the names that say their order."""
    a, b = models.add().arrays
    path = tmp_path / "pair.npz"
    np.savez(path, arg_1=b, arg_0=a)
    return path


# Digits


@pytest.mark.parametrize("program", ["digits.pte", "digits_xnnpack.pte"])
def test_run_with_top_one_prints_the_class_of_each_sample_and_compares_labels(program: str) -> None:
    child = nocopy("run", DIGITS / program, "--input", SAMPLES, "--top", 1).check()
    *lines, total = child.stdout.splitlines()
    labels = np.load(SAMPLES)["labels"]
    right = 0
    for number, (line, label) in enumerate(zip(lines, labels, strict=True)):
        predicted = int(line.removeprefix(f"sample {number}: ").split()[0])
        right += predicted == label
        assert ("labelled" in line) == (predicted != label)
    assert right >= len(labels) - 1
    assert total == f"{right} of {len(labels)} as labelled"
    assert child.stderr == ""


def test_run_with_top_three_prints_classes_with_falling_scores() -> None:
    child = nocopy("run", DIGITS / "digits.pte", "--input", SAMPLES, "--top", 3).check()
    scores = child.stdout.splitlines()[0].removeprefix("sample 0: ").split(", ")
    assert len(scores) == 3
    values = [float(score.partition("(")[2].rstrip(")")) for score in scores]
    assert values == sorted(values, reverse=True)


def test_run_without_top_prints_dtype_shape_and_values() -> None:
    child = nocopy("run", DIGITS / "digits.pte", "--input", SAMPLES).check()
    assert child.stdout.startswith("output 0: float32 (16, 10)\n[[")
    assert child.stderr == ""


def test_digits_programs_agree_and_take_any_batch_up_to_the_bound(tmp_path: Path) -> None:
    images = np.load(SAMPLES)["images"]
    results = []
    for program in ("digits.pte", "digits_xnnpack.pte"):
        whole, part = tmp_path / "whole.npz", tmp_path / "part.npz"
        np.save(tmp_path / "part.npy", images[3:4])
        nocopy("run", DIGITS / program, "--input", SAMPLES, "--output", whole).check()
        nocopy("run", DIGITS / program, "--input", tmp_path / "part.npy", "--output", part).check()
        scores = np.load(whole)["output_0"]
        np.testing.assert_allclose(np.load(part)["output_0"], scores[3:4], rtol=1e-4, atol=1e-4)
        results.append(scores)
    np.testing.assert_allclose(*results, rtol=1e-4, atol=1e-4)


# Which array is which input


def test_numbered_arrays_are_given_by_number_whatever_their_order(
    pair: Path, tmp_path: Path
) -> None:
    exported = models.multi_method()
    out = tmp_path / "out.npz"
    nocopy("run", exported.path, "--method", "pair", "--input", pair, "--output", out).check()
    saved = np.load(out)
    for number, expected in enumerate(exported.expected(method="pair")):
        np.testing.assert_array_equal(saved[f"output_{number}"], expected)


def test_npy_files_are_given_in_the_order_of_the_options(tmp_path: Path) -> None:
    exported = models.multi_method()
    a, b = (value.numpy() for value in exported.method_inputs("pair"))
    np.save(tmp_path / "z.npy", a)
    np.save(tmp_path / "a.npy", b)
    out = tmp_path / "out.npz"
    inputs = ["--input", tmp_path / "z.npy", "--input", tmp_path / "a.npy"]
    nocopy("run", exported.path, "--method", "pair", *inputs, "--output", out).check()
    np.testing.assert_array_equal(np.load(out)["output_0"], a - b)


def test_arrays_of_other_names_are_given_in_file_order_and_labels_are_not(tmp_path: Path) -> None:
    a, b = models.add().arrays
    path, out = tmp_path / "in.npz", tmp_path / "out.npz"
    np.savez(path, left=a, labels=np.array([0, 1]), right=b)
    child = nocopy("run", models.add().path, "--input", path, "--output", out).check()
    np.testing.assert_array_equal(np.load(out)["output_0"], a + b)
    assert child.stderr == ""


def test_an_array_that_is_no_input_is_named_on_stderr(tmp_path: Path) -> None:
    a, b = models.add().arrays
    np.savez(tmp_path / "in.npz", arg_0=a, arg_1=b, extra=a)
    child = nocopy("run", models.add().path, "--input", tmp_path / "in.npz").check()
    assert child.stderr == "nocopy: 'extra' is no input of 'forward' and was not used\n"


def test_arrays_that_do_not_say_which_input_they_are_are_refused(tmp_path: Path) -> None:
    a, b = models.add().arrays
    np.savez(tmp_path / "in.npz", left=a, right=b, more=a)
    child = nocopy("run", models.add().path, "--input", tmp_path / "in.npz")
    assert_refused(child, "2 inputs", "'left', 'right', 'more'", "arg_0, arg_1")


def test_inputs_that_are_no_tensors_are_read_from_0d_arrays(tmp_path: Path) -> None:
    exported = models.scalars()
    arrays = {f"arg_{i}": x for i, x in enumerate(exported.arrays) if x is not None}
    np.savez(tmp_path / "in.npz", **arrays)
    child = nocopy("run", exported.path, "--input", tmp_path / "in.npz").check()
    assert "output 1: 3\noutput 2: 2.5\noutput 3: True\noutput 4: None\n" in child.stdout


# Outputs


def test_output_saves_what_eager_mode_computes(pair: Path, tmp_path: Path) -> None:
    exported = models.add()
    out = tmp_path / "saved"  # the very name that was asked for, without an extension
    nocopy("run", exported.path, "--input", pair, "--output", out).check()
    with np.load(out) as saved:
        assert saved.files == ["output_0"]
        np.testing.assert_array_equal(saved["output_0"], exported.expected()[0])


def test_values_that_are_no_tensors_are_printed_and_saved_except_none(tmp_path: Path) -> None:
    exported = models.constant_outputs()
    np.save(tmp_path / "x.npy", exported.arrays[0])
    out = tmp_path / "out.npz"
    child = nocopy("run", exported.path, "--input", tmp_path / "x.npy", "--output", out).check()
    assert "output 1: 3\noutput 2: 2.5\noutput 3: True\noutput 4: None\n" in child.stdout
    with np.load(out) as saved:
        assert saved.files == ["output_0", "output_1", "output_2", "output_3"]
        assert saved["output_2"][()] == 2.5
    assert child.stderr == "nocopy: output 4 is None and was not saved\n"


def test_bfloat16_results_are_printed_and_saved_as_the_numbers_they_are(tmp_path: Path) -> None:
    exported = models.dtype_add("bfloat16")
    for number, bits in enumerate(exported.arrays):
        np.save(tmp_path / f"{number}.npy", bits.view(np.uint8).reshape(-1))
    out = tmp_path / "out.npz"
    inputs = ["--input", tmp_path / "0.npy", "--input", tmp_path / "1.npy"]
    child = nocopy("run", exported.path, *inputs, "--output", out).check()
    assert "output 0: bfloat16 (2, 3)" in child.stdout
    np.testing.assert_array_equal(np.load(out)["output_0"], exported.eager()[0].float().numpy())
    assert "saved as float32" in child.stderr


def test_external_data_is_read_from_the_file_given(tmp_path: Path) -> None:
    exported = models.external_data()
    np.save(tmp_path / "x.npy", exported.arrays[0])
    out = tmp_path / "out.npz"
    nocopy(
        "run", exported.path, "--data", exported.data_path, "--threads", 1,
        "--input", tmp_path / "x.npy", "--output", out,
    ).check()  # fmt: skip
    np.testing.assert_allclose(np.load(out)["output_0"], exported.expected()[0], rtol=1e-5)


# What is refused


def test_a_missing_program_is_refused(pair: Path) -> None:
    assert_refused(nocopy("run", "nowhere.pte", "--input", pair), "nowhere.pte", "No such file")


def test_a_missing_input_file_is_refused() -> None:
    child = nocopy("run", models.add().path, "--input", "nowhere.npz")
    assert_refused(child, "nowhere.npz", "No such file")


def test_no_input_where_the_method_takes_some_is_refused() -> None:
    assert_refused(nocopy("run", models.add().path), "takes 2 inputs", "--input")


def test_a_file_that_is_no_program_is_refused(pair: Path) -> None:
    assert_refused(nocopy("run", pair, "--input", pair), "pair.npz", code=1)


def test_an_unknown_method_is_refused_with_those_there_are(pair: Path) -> None:
    child = nocopy("run", models.multi_method().path, "--method", "pears", "--input", pair)
    assert_refused(child, "'pears'", "forward, get_bool, get_float, get_int, get_string, pair")


def test_a_missing_operator_is_named(pair: Path) -> None:
    child = nocopy("run", models.missing_operator().path, "--input", pair)
    assert_refused(child, "aten::zdd", code=1)


def test_a_wrong_dtype_is_refused_with_both_named(tmp_path: Path) -> None:
    np.savez(tmp_path / "in.npz", arg_0=np.ones((2, 2)), arg_1=np.ones((2, 2)))
    child = nocopy("run", models.add().path, "--input", tmp_path / "in.npz")
    assert_refused(child, "float64", "float32")


def test_pickled_arrays_are_not_loaded(tmp_path: Path) -> None:
    np.savez(tmp_path / "in.npz", arg_0=np.array([object], object), arg_1=np.ones(2))
    child = nocopy("run", models.add().path, "--input", tmp_path / "in.npz")
    assert_refused(child, "in.npz cannot be read", "allow_pickle")


@pytest.mark.parametrize("content", [b"", b"PK", b"PK\x03\x04 and no archive", b"\x93NUMPY\x01"])
def test_a_damaged_input_file_is_refused(content: bytes, tmp_path: Path) -> None:
    path = tmp_path / "in.npz"
    path.write_bytes(content)
    assert_refused(nocopy("run", models.add().path, "--input", path), "in.npz")


def test_an_output_folder_that_does_not_exist_is_refused_before_running(pair: Path) -> None:
    child = nocopy("run", models.add().path, "--input", pair, "--output", "/nowhere/out.npz")
    assert_refused(child, "/nowhere/out.npz")


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ([], "COMMAND"),
        (["walk"], "walk"),
        (["run"], "PROGRAM"),
        (["run", "x.pte", "--top", "0"], "whole number"),
        (["run", "x.pte", "--threads", "two"], "whole number"),
    ],
)
def test_arguments_that_make_no_sense_are_refused(arguments: list[str], words: str) -> None:
    assert_refused(nocopy(*arguments), words, "--help")


def test_more_classes_than_there_are_are_refused() -> None:
    child = nocopy("run", DIGITS / "digits.pte", "--input", SAMPLES, "--top", 11)
    assert_refused(child, "--top 11", "10 classes")


def test_the_command_without_numpy_says_what_to_install(pair: Path) -> None:
    code = """
sys.modules["numpy"] = None
from nocopy.cli import main
sys.exit(main(["run", argv[0], "--input", argv[1]]))
"""
    child = children.run_python(code, models.add().path, pair)
    assert_refused(child, "pip install numpy", code=1)


def test_help_loads_no_extension() -> None:
    code = """
from nocopy.cli import main
try:
    main(["run", "--help"])
except SystemExit:
    pass
report([name for name in sys.modules if name in ("numpy", "nocopy._core", "nocopy._executorch")])
"""
    assert children.run_python(code).check().reports == [[]]


def test_running_the_digits_maps_no_library_of_torch() -> None:
    code = """
from nocopy.cli import main
assert main(["run", *argv]) == 0
report([name for name in mapped_libraries() if "libtorch" in name or "libc10" in name])
report("torch" in sys.modules)
"""
    child = children.run_python(code, DIGITS / "digits.pte", "--input", SAMPLES, "--top", 1)
    assert child.check().reports == [[], False]
