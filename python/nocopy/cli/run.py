"""``nocopy run``: run a method of a program on arrays from files, and print what it returns."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import TYPE_CHECKING, Any

from nocopy.cli.command import FAILED, CommandError, Parser, positive

if TYPE_CHECKING:
    import numpy.typing as npt

    from nocopy.runtime import Method

    Array = npt.NDArray[Any]

_DESCRIPTION = """\
Run a method of an ExecuTorch program on arrays from files, and print what it returns.

Inputs come from one .npz file or from one .npy file for each input, in order. Arrays of an .npz
file are given to the inputs of the same names, if the program names its inputs. Otherwise arrays
called arg_0, arg_1, ... (or arr_0, input_0, ...) are given by number, and arrays of other names in
the order of the file, if there are as many as inputs. An array called "labels" is no input: --top
compares the classes with it. Any other array that is left over is named on stderr.
"""

_LABELS = "labels"
_NUMBERED_PREFIXES = ("arg_", "arr_", "input_")


def add_to(subcommands: argparse._SubParsersAction[Parser]) -> None:
    """Declare ``nocopy run``."""
    parser = subcommands.add_parser(
        "run",
        help="run a program on arrays from files",
        description=_DESCRIPTION,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("program", type=Path, metavar="PROGRAM", help="a .pte file")
    parser.add_argument(
        "--input",
        type=Path,
        action="append",
        default=[],
        metavar="FILE",
        help="one .npz file, or a .npy file for each input (repeat the option)",
    )
    parser.add_argument(
        "--method", default="forward", metavar="NAME", help="the method to run (default: forward)"
    )
    parser.add_argument(
        "--data", type=Path, metavar="FILE", help="the program's .ptd file, if it has one"
    )
    parser.add_argument(
        "--top",
        type=positive,
        metavar="K",
        help="print the K best classes of each sample instead of the values; classes are the "
        "last dimension of the first tensor that the method returns",
    )
    parser.add_argument(
        "--output", type=Path, metavar="FILE", help="save what the method returns as .npz"
    )
    parser.add_argument("--threads", type=positive, metavar="N", help="threads to use")
    parser.set_defaults(run=run)


def run(arguments: argparse.Namespace) -> None:
    """Do what ``nocopy run`` was asked to. Raises CommandError."""
    try:
        import numpy  # noqa: F401
    except ImportError:
        raise CommandError(
            "`nocopy run` reads and prints arrays with numpy, which is not installed; "
            "run `pip install numpy`",
            FAILED,
        ) from None
    from nocopy.cli.arrays import load_arrays

    if arguments.output is not None and not arguments.output.absolute().parent.is_dir():
        raise CommandError(f"{arguments.output} is in a folder that does not exist")
    arrays = load_arrays(arguments.input)
    method = _load_method(arguments)
    inputs, left_over = match_inputs(method, arrays)
    outputs = _execute(method, inputs)

    for name in left_over:
        if name != _LABELS:
            _note(f"{name!r} is no input of {arguments.method!r} and was not used")
    if arguments.top is None:
        _print_outputs(outputs)
    else:
        _print_classes(outputs, arguments.top, arrays[_LABELS] if _LABELS in left_over else None)
    if arguments.output is not None:
        _save(arguments.output, outputs)


def match_inputs(method: Method, arrays: dict[str, Array]) -> tuple[list[Any], list[str]]:
    """Decide which array is which input, by the rule that the command's help states.

    Returns
    -------
    inputs : list
        One for each input of the method: the arrays themselves, Python values for inputs that are
        no tensors.
    left_over : list of str
        The names of the arrays that are no input.

    Raises
    ------
    CommandError
        The rule gives no answer.
    """
    meta = method.metadata
    kinds = [meta.input_kind(i) for i in range(meta.num_inputs())]
    names = [
        meta.input_tensor_meta(i).name() if kind == "tensor" else "" for i, kind in enumerate(kinds)
    ]
    wanted = [i for i, kind in enumerate(kinds) if kind != "None"]
    chosen = _choose([names[i] for i in wanted], list(arrays), wanted)
    inputs: list[Any] = [None] * len(kinds)
    for position, name in zip(wanted, chosen, strict=True):
        inputs[position] = _as_input(arrays[name], kinds[position], name)
    return inputs, [name for name in arrays if name not in chosen]


def _choose(names: list[str], given: list[str], positions: list[int]) -> list[str]:
    if names and all(names) and set(names) <= set(given):
        return names
    for prefix in _NUMBERED_PREFIXES:
        numbered = [f"{prefix}{position}" for position in positions]
        if numbered and set(numbered) <= set(given):
            return numbered
    in_order = [name for name in given if name != _LABELS]
    if len(in_order) == len(names):
        return in_order
    called = f" ({', '.join(map(repr, names))})" if names and all(names) else ""
    count = f"{len(names)} input{'' if len(names) == 1 else 's'}{called}"
    if not given:
        raise CommandError(f"the method takes {count}; give a file of arrays with --input")
    has = ", ".join(map(repr, in_order)) or "no array but 'labels'"
    wanted = ", ".join(f"arg_{position}" for position in positions) or "'labels'"
    raise CommandError(
        f"the method takes {count} and the file has {has}; name the arrays {wanted} to say which "
        f"is which"
    )


def _as_input(array: Array, kind: str, name: str) -> Any:
    if kind == "tensor":
        return array
    if array.ndim != 0:
        raise CommandError(
            f"{name!r} is given to an input of type {kind}, so it has to be a 0-d array, "
            f"not one of shape {array.shape}"
        )
    return array.item()


def _load_method(arguments: argparse.Namespace) -> Method:
    from nocopy.errors import NocopyError, ProgramError
    from nocopy.runtime import Runtime, set_num_threads

    try:
        if arguments.threads is not None:
            set_num_threads(arguments.threads)
        program = Runtime.get().load_program(arguments.program, data_path=arguments.data)
        if arguments.method not in program.method_names:
            there_is = ", ".join(sorted(program.method_names))
            raise CommandError(
                f"{arguments.program} has no method {arguments.method!r}; it has {there_is}"
            )
        return program.load_method(arguments.method)
    except OSError as error:
        raise CommandError(error.strerror or str(error)) from error
    except ProgramError as error:
        raise CommandError(f"{arguments.program}: {error}", FAILED) from error
    except NocopyError as error:
        raise CommandError(str(error)) from error


def _execute(method: Method, inputs: list[Any]) -> list[Any]:
    from nocopy.errors import NocopyError

    try:
        method.set_inputs(inputs)
    except (NocopyError, TypeError, ValueError) as error:
        raise CommandError(str(error)) from error
    try:
        method.execute()
        return method.get_outputs()
    except NocopyError as error:
        raise CommandError(str(error), FAILED) from error


def _print_outputs(outputs: list[Any]) -> None:
    from nocopy.cli.arrays import is_tensor, readable, written

    for number, output in enumerate(outputs):
        if not is_tensor(output):
            print(f"output {number}: {output!r}")
            continue
        print(f"output {number}: {output.dtype} {tuple(output.shape)}")
        print(written(readable(output).values))


def _print_classes(outputs: list[Any], top: int, labels: Array | None) -> None:
    from nocopy.cli.arrays import is_tensor, readable

    scores = next((output for output in outputs if is_tensor(output) and output.shape), None)
    if scores is None:
        raise CommandError("--top needs a method that returns a tensor with a last dimension")
    values = readable(scores).values
    if values.dtype.kind not in "fiu":
        raise CommandError(f"--top cannot order classes by values of type {scores.dtype}")
    if top > values.shape[-1]:
        raise CommandError(f"--top {top} is more than the {values.shape[-1]} classes there are")
    samples = values.reshape(-1, values.shape[-1])
    if labels is not None and labels.size != len(samples):
        _note(f"{labels.size} labels for {len(samples)} samples were not compared")
        labels = None
    right = 0
    for number, sample in enumerate(samples):
        best = _best(sample, top)
        line = f"sample {number}: "
        line += ", ".join(f"{i}" if top == 1 else f"{i} ({sample[i]:.4g})" for i in best)
        if labels is not None:
            label = labels.reshape(-1)[number]
            right += bool(label == best[0])
            line += "" if label == best[0] else f" (labelled {label})"
        print(line)
    if labels is not None:
        print(f"{right} of {len(samples)} as labelled")


def _best(sample: Array, top: int) -> list[int]:
    """Return the positions of the largest values, the first of equals first, NaN last."""
    import numpy as np

    keys = np.where(np.isnan(sample), -np.inf, sample) if sample.dtype.kind == "f" else sample
    order = np.argsort(keys[::-1], kind="stable")[::-1]
    return [len(sample) - 1 - int(i) for i in order[:top]]


def _save(path: Path, outputs: list[Any]) -> None:
    import numpy as np

    from nocopy.cli.arrays import is_tensor, readable

    saved: dict[str, Array] = {}
    for number, output in enumerate(outputs):
        name = f"output_{number}"
        if output is None:
            _note(f"output {number} is None and was not saved")
        elif is_tensor(output):
            converted = readable(output)
            saved[name] = converted.values
            if converted.note:
                _note(f"output {number} is {output.dtype}, saved as {converted.note}")
        else:
            saved[name] = np.asarray(output)
    try:
        with path.open("wb") as file:
            # savez writes under the names given as keywords, and no output is called `file`.
            np.savez(file, **saved)  # type: ignore[arg-type]
    except OSError as error:
        raise CommandError(f"{path}: {error.strerror}", FAILED) from error


def _note(message: str) -> None:
    import sys

    print(f"nocopy: {message}", file=sys.stderr)
