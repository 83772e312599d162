"""Runs a range of fuzz cases in this process: ``inputs_worker.py FOLDER SEED START COUNT TORCH``.

Before each case its number is written to the file ``at``, so whoever started this knows what ended
it. At the end one JSON line says what happened.
"""

from __future__ import annotations

import faulthandler
import gc
import json
import logging
import os
import random
import sys
import threading
import traceback
from collections import Counter
from pathlib import Path
from typing import Any

import inputs_capsules
import inputs_values
import numpy as np
from inputs_models import BFLOAT16, Case, Input, table
from nocopy.runtime import Method, Program, Runtime

Item = tuple[Any, np.ndarray | None]


class Wrong(Exception):
    """The method gave what it should not have, or refused what it should not have."""


class Refused(Exception):
    """The formula has no answer for these shapes: set_inputs may take them, a run may not."""


class Fuzzer:
    def __init__(self, folder: Path, seed: int, with_torch: bool) -> None:
        self.seed = seed
        self.tensor = None
        if with_torch:
            from inputs_torch import tensor

            self.tensor = tensor
        runtime = Runtime.get()
        self.cases = table(dict(np.load(folder / "weights.npz")))
        self.programs: dict[str, Program] = {
            case.name: runtime.load_program(folder / f"{case.name}.pte") for case in self.cases
        }
        self.methods: dict[str, Method] = {}
        self.counts: Counter[str] = Counter()
        self.wrong: list[str] = []
        self.previous: Any = None
        self.hooked = 0
        self.rng = random.Random()

    def run(self, index: int) -> None:
        self.rng = rng = random.Random(f"{self.seed}:{index}")
        case = rng.choice(self.cases)
        if case.name not in self.methods or rng.random() < 0.02:
            self.methods[case.name] = self.programs[case.name].load_method("forward", new=True)
        scenario = rng.choice(
            [self.one_call] * 12 + [self.steps, self.reentrant, self.resized] * 3
            + [self.threads, self.container]
        )  # fmt: skip
        kind = scenario.__name__
        try:
            outcome = scenario(case, self.methods[case.name])
        except Wrong as error:
            outcome = "wrong"
            self.wrong.append(f"case {index}, {case.name}, {kind}: {error}")
        except Exception as error:
            outcome = "wrong"
            text = traceback.format_exc(limit=-3)
            self.wrong.append(f"case {index}, {case.name}, {kind}: {error!r} escaped\n{text}")
        finally:
            self.hooked += 1  # what is still held calls nothing any more
            inputs_values.hooks.clear()
            inputs_capsules.on_delete = None
        self.counts[outcome] += 1
        if index % 8 == 0:
            self.still_works(index, case)

    # Making inputs

    def value(self, spec: Any, other: Any = None) -> Item:
        """One input: mostly one that has a chance to run."""
        rng = self.rng
        if not isinstance(spec, Input):
            if rng.random() < 0.6:
                return spec, np.asarray(0)  # compared with nothing
            if isinstance(spec, (bool, int, float)) and rng.random() < 0.5:
                return np.asarray(spec), np.asarray(0)
            return inputs_values.odd(rng, other)[0], None
        kind = rng.randrange(20)
        if kind < 5:
            return inputs_values.good(rng, spec)
        values, _ = inputs_values.good(rng, spec)
        if kind < 12:
            if self.tensor is not None and rng.random() < 0.6:
                return self.tensor(rng, values)
            return inputs_values.carrier(rng, values)
        if kind == 12 and self.previous is not None:
            return self.previous
        if kind < 15:
            return inputs_values.other_array(rng)
        if kind < 19:
            return inputs_values.liar(rng, spec)
        return inputs_values.odd(rng, values)

    def good_set(self, case: Case) -> list[Item]:
        return [
            inputs_values.good(self.rng, spec) if isinstance(spec, Input) else (spec, np.asarray(0))
            for spec in case.inputs
        ]

    def a_set(self, case: Case) -> list[Item]:
        items: list[Item] = []
        for spec in case.inputs:
            items.append(self.value(spec, items[0][0] if items else None))
        return items

    # Judging

    def attempt(self, call: Any) -> tuple[Any, str]:
        """What a call returned, or the name of what it raised."""
        try:
            return call(), "ran"
        except SystemError as error:
            raise Wrong(f"SystemError says that C code broke a rule: {error}") from error
        except Exception as error:
            if type(error) is RuntimeError and "bad_" in str(error):
                raise Wrong(f"an exception of C++ got out as it was: {error}") from error
            return None, type(error).__name__

    def expected(self, case: Case, items: list[Item]) -> list[Any]:
        arguments = []
        for spec, (given, values) in zip(case.inputs, items, strict=True):
            if not isinstance(spec, Input):
                arguments.append(spec)
                continue
            if values is None:
                raise Wrong(f"it ran on {type(given)}, which stands for no values")
            if not spec.accepts(values):
                raise Wrong(f"it ran on {values.dtype} {values.shape}, which it does not take")
            arguments.append(values)
        try:
            return case.formula(*arguments)
        except ValueError as error:
            raise Refused from error

    def compare(self, case: Case, results: list[Any], expected: list[Any]) -> None:
        if len(results) != len(expected):
            raise Wrong(f"{len(results)} results, expected {len(expected)}")
        for result, wanted in zip(results, expected, strict=True):
            if not isinstance(wanted, np.ndarray):
                if result != wanted:
                    raise Wrong(f"gave {result!r}, expected {wanted!r}")
                continue
            array = as_array(result, wanted.dtype)
            if array.shape != wanted.shape or array.dtype != wanted.dtype:
                raise Wrong(
                    f"gave {array.dtype} {array.shape}, expected {wanted.dtype} {wanted.shape}"
                )
            same = (
                np.array_equal(array, wanted)
                if case.exact
                else np.allclose(array, wanted, 1e-4, 1e-4)
            )
            if not same:
                raise Wrong(f"gave {array.ravel()[:8]}, expected {wanted.ravel()[:8]}")

    # Scenarios

    def one_call(self, case: Case, method: Method) -> str:
        items = self.a_set(case)
        given: Any = [x for x, _ in items]
        form = self.rng.randrange(6)
        if form == 0:
            given = tuple(given)
        elif form == 1 and len(given) == 1 and not isinstance(given[0], (list, tuple)):
            given = given[0]
            if isinstance(given, (inputs_values.Container, range, zip, map)):
                return "skipped"
        clone = self.rng.random() < 0.7
        results, outcome = self.attempt(lambda: method.execute(given, clone_outputs=clone))
        if results is not None:
            try:
                expected = self.expected(case, items)
            except Refused:
                raise Wrong("it ran on shapes that cannot be multiplied") from None
            self.compare(case, results, expected)
            if case.exact and isinstance(expected[0], np.ndarray) and self.rng.random() < 0.5:
                self.previous = (results[0], expected[0].copy()) if clone else None
        return outcome

    def still_works(self, index: int, case: Case) -> None:
        """After whatever happened, good inputs give the right numbers."""
        items = self.good_set(case)
        if case.name not in self.methods:
            return
        try:
            results = self.methods[case.name].execute([x for x, _ in items])
            self.compare(case, results, self.expected(case, items))
        except Exception as error:
            self.wrong.append(f"after case {index}, {case.name}: good inputs gave {error!r}")

    def container(self, case: Case, method: Method) -> str:
        items = self.good_set(case)
        given = [x for x, _ in items]
        rng = self.rng
        kind = rng.randrange(6)
        if kind == 0:
            results, outcome = self.attempt(
                lambda: method.execute(inputs_values.Container(rng, given))
            )
        elif kind == 1:
            more = given + given[: rng.randrange(3)]
            more = more[rng.randrange(2) :]
            right = len(more) == len(given) and all(
                a is b for a, b in zip(more, given, strict=True)
            )
            results, outcome = self.attempt(lambda: method.execute(more))
            if results is not None and not right and all(isinstance(x, Input) for x in case.inputs):
                return outcome if len(more) == len(given) else self._wrong_count()
            if not right:
                return outcome
        elif kind == 2:
            forms = [dict.fromkeys("abc"[: len(given)], 1), set(), (x for x in given), iter(given)]
            forms += [map(str, given), object(), 5, "inputs", None, {"x": given}]
            results, outcome = self.attempt(lambda: method.execute(rng.choice(forms)))
        else:
            # A list that its own items change while it is read.
            changes = [
                lambda: given.clear(), lambda: given.append(1), lambda: given.__setitem__(-1, None),
                lambda: given.reverse(), lambda: given.extend(given * 100), lambda: given.pop(),
            ]  # fmt: skip
            change = rng.choice(changes)
            producer = inputs_capsules.Producer(np.ones((2, 2), np.float32), rng, 0)
            producer.before = change
            given[0] = producer
            results, outcome = self.attempt(lambda: method.execute(given))
            return outcome
        if results is not None:
            self.compare(case, results, self.expected(case, items))
        return outcome

    def _wrong_count(self) -> str:
        raise Wrong("it ran on a wrong number of inputs")

    def steps(self, case: Case, method: Method) -> str:
        """set, execute and get_outputs in any order: outputs belong to the last whole set."""
        rng = self.rng
        current: list[Any] | None = None
        ran, runs = False, 0
        held: list[tuple[Any, np.ndarray]] = []
        outcome = "ran"
        kept = []
        for _ in range(rng.randrange(2, 9)):
            step = rng.randrange(6)
            if step < 2:
                items = self.a_set(case) if rng.random() < 0.5 else self.good_set(case)
                kept.append(items)
                _, got = self.attempt(
                    lambda items=items: method.set_inputs([x for x, _ in items]) or 1
                )
                try:
                    current = self.expected(case, items) if got == "ran" else None
                except Refused:
                    current = []
                ran, runs = False, 0
            elif step == 2:
                _, got = self.attempt(lambda: method.execute() or 1)
                known = current is not None
                if got == "ran" and not known and case.inputs and kept:
                    raise Wrong("it ran on a set that was refused")
                if got != "ran" and known:
                    # Only memory that moved may stop it.
                    if got != "IncompleteInputsError" and current:
                        raise Wrong(f"a whole set did not run: {got}")
                    current = None
                ran = got == "ran" and known
                runs += 1
                if runs > 1 and current and case.name.startswith("mutates"):
                    current = []  # what it was given has changed
            elif step < 5:
                clone = rng.random() < 0.5
                results, got = self.attempt(lambda clone=clone: method.get_outputs(clone))
                if results is not None and kept:
                    if not ran:
                        raise Wrong("it gave outputs that no run stands behind")
                    if current:
                        self.compare(case, results, current)
                        if clone and isinstance(current[0], np.ndarray):
                            held.append((results[0], current[0].copy()))
                elif ran and current and got != "ran":
                    raise Wrong(f"outputs of a run were refused: {got}")
            else:
                self.attempt(lambda: method.input_plan([x for x, _ in self.a_set(case)]))
            outcome = got if step != 5 else outcome
            if rng.random() < 0.2:
                gc.collect(0)
        for result, values in held:
            array = as_array(result, values.dtype)
            same = (
                np.array_equal(array, values)
                if case.exact
                else np.allclose(array, values, 1e-4, 1e-4)
            )
            if not same:
                raise Wrong("a result that was handed out has changed")
        return outcome

    def anything(self, case: Case, method: Method, deep: bool = True) -> None:
        """Some use of the method, from code that one of its calls ran."""
        rng = self.rng
        if rng.random() < 0.3:
            return
        good = [x for x, _ in self.good_set(case)]
        choices = [
            lambda: method.execute(good),
            lambda: method.set_inputs(good),
            lambda: method.set_inputs([None] * len(good)),
            lambda: method.set_inputs(3),
            lambda: method.execute(),
            lambda: method.get_outputs(rng.random() < 0.5),
            lambda: method.input_plan(good),
            lambda: self.methods.pop(case.name, None),
            lambda: gc.collect(),
            lambda: repr(method) + repr(method.metadata),
        ]
        if deep:
            choices.append(lambda: self.on_thread(lambda: method.execute(good)))
        self.attempt(rng.choice(choices))

    def on_thread(self, call: Any) -> None:
        thread = threading.Thread(target=lambda: self.attempt(call))
        thread.start()
        thread.join(20)
        if thread.is_alive():
            faulthandler.dump_traceback()
            raise Wrong("a thread hangs")

    def reentrant(self, case: Case, method: Method) -> str:
        """Inputs whose own code uses the method while it is being set, run or let go of."""
        rng = self.rng
        depth = 0
        self.hooked = index = self.hooked + 1

        def hook() -> None:
            nonlocal depth
            if depth < 2 and self.hooked == index:
                depth += 1
                try:
                    self.anything(case, method)
                finally:
                    depth -= 1

        items = self.good_set(case)
        position = rng.randrange(len(items))
        values, copy = items[position]
        if not isinstance(values, np.ndarray):
            position, (values, copy) = 0, items[0]
        kind = rng.randrange(4)
        if kind == 0 or values.dtype == BFLOAT16:
            items[position] = values.view(inputs_values.Hooked), copy
            inputs_values.hooks.append(hook)
        elif kind == 1:
            producer = inputs_capsules.Producer(values, rng, rng.choice([0, 0, 1]))
            producer.before = hook if rng.random() < 0.6 else None
            inputs_capsules.on_delete = hook
            items[position] = producer, copy
        else:
            exporter = inputs_capsules.Exporter([values], rng, rng.random() < 0.2)
            exporter.before = hook if kind == 2 else None
            exporter.released = hook
            items[position] = exporter, copy
        given = [x for x, _ in items]
        items = [(None, copy) for _, copy in items]
        call = rng.randrange(3)
        outcome = "ran"
        if call == 0:
            results, outcome = self.attempt(lambda: method.execute(given))
            if results is not None:
                self.compare(case, results, self.expected(case, items))
        elif call == 1:
            self.attempt(lambda: method.set_inputs(given))
            given.clear()
            _, outcome = self.attempt(lambda: method.execute() or 1)
            self.attempt(lambda: method.get_outputs(False))
        else:
            self.attempt(lambda: method.set_inputs(given))
            given.clear()
            self.methods.pop(case.name, None)
        if case.name not in self.methods:
            self.methods[case.name] = self.programs[case.name].load_method("forward", new=True)
        return outcome

    def resized(self, case: Case, method: Method) -> str:
        """Memory that moves between being set and the run, whatever its owner promised."""
        rng = self.rng
        items = self.good_set(case)
        base = np.array(items[0][1], order="K")
        base = base if base.flags.owndata else base.copy("K")
        given = [x for x, _ in items]
        form = rng.randrange(5)
        given[0] = base
        if form == 1 and base.ndim:
            given[0] = base[:]
        elif form == 2 and base.dtype != BFLOAT16:
            given[0] = memoryview(base)
        elif form == 3:
            given[0] = base.view(inputs_values.Sub)[...]
        elif (
            form == 4
            and len(given) > 1
            and isinstance(given[1], np.ndarray)
            and base.dtype != BFLOAT16
        ):
            producer = inputs_capsules.Producer(given[1], rng, 0)
            producer.before = lambda: self.attempt(
                lambda: base.resize((rng.choice([1, 1 << 16]),), refcheck=False)
            )
            given[1] = producer
            results, outcome = self.attempt(lambda: method.execute(given))
            if results is not None:
                self.compare(case, results, self.expected(case, items))
            return outcome
        _, outcome = self.attempt(lambda: method.set_inputs(given) or 1)
        if outcome != "ran":
            raise Wrong(f"good inputs were refused: {outcome}")
        size = rng.choice([0, 1, base.size * 2, 1 << 16, base.size])
        self.attempt(lambda: base.resize((size,), refcheck=False))
        _, outcome = self.attempt(lambda: method.execute() or 1)
        if outcome == "ran" and size >= base.size:
            results = method.get_outputs()
            self.compare(case, results, self.expected(case, items))
        return outcome

    def threads(self, case: Case, method: Method) -> str:
        """Several threads on one method: each call is refused, or is right."""
        problems: list[str] = []
        seeds = [self.rng.random() for _ in range(3)]
        sets = [[self.good_set(case) for _ in range(4)] for _ in seeds]

        def work(which: int) -> None:
            for items in sets[which]:
                try:
                    results, _ = self.attempt(
                        lambda items=items: method.execute([x for x, _ in items])
                    )
                    if results is not None:
                        self.compare(case, results, self.expected(case, items))
                except Wrong as error:
                    problems.append(str(error))

        workers = [threading.Thread(target=work, args=(i,)) for i in range(len(seeds))]
        for worker in workers:
            worker.start()
        for worker in workers:
            worker.join(60)
            if worker.is_alive():
                faulthandler.dump_traceback()
                raise Wrong("a thread hangs")
        if problems:
            raise Wrong(problems[0])
        return "ran"


def as_array(result: Any, dtype: np.dtype) -> np.ndarray:
    if type(result).__module__.startswith("torch") and dtype == BFLOAT16:
        import torch

        return result.view(torch.int16).numpy().view(BFLOAT16)
    array = np.asarray(result)
    return array.view(BFLOAT16) if dtype == BFLOAT16 else array


def resident_kilobytes() -> int:
    return int(Path("/proc/self/statm").read_text().split()[1]) * 4


def main() -> None:
    folder, seed, start, count, with_torch = sys.argv[1:6]
    sys.unraisablehook = lambda _: None  # deleters and finalizers that raise, as they are meant to
    threading.excepthook = lambda _: None
    np.seterr(all="ignore")
    if seconds := os.environ.get("FUZZ_SECONDS"):  # so that a hang is told with where it is
        faulthandler.dump_traceback_later(float(seconds), exit=True)
    fuzzer = Fuzzer(Path(folder), int(seed), with_torch == "1")
    logging.getLogger("nocopy").addHandler(logging.NullHandler())
    at = Path(sys.argv[6]).open("w")  # noqa: SIM115  (for the life of the process)
    before = 0
    for index in range(int(start), int(start) + int(count)):
        at.seek(0)
        at.write(f"{index:12}")
        at.flush()
        fuzzer.run(index)
        if index - int(start) == int(count) // 2:
            gc.collect()
            before = resident_kilobytes()
    gc.collect()
    grown = resident_kilobytes() - before
    fuzzer.methods.clear()
    fuzzer.previous = None
    gc.collect()
    inputs_capsules.forget_unclaimed()
    if inputs_capsules.outstanding():
        fuzzer.wrong.append(f"{inputs_capsules.outstanding()} claimed capsules were never deleted")
    if inputs_capsules.deleted_twice:
        fuzzer.wrong.append(f"{inputs_capsules.deleted_twice} capsules were deleted twice")
    found = {"counts": fuzzer.counts, "wrong": fuzzer.wrong, "grown_kb": grown}
    print(json.dumps(found), flush=True)


if __name__ == "__main__":
    main()
