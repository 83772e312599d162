"""Threads that do all that threads may do with nocopy at once: ``sanitize_threads.py FOLDER``.

Run under a sanitizer by ``sanitize.py``; imports no torch, whose libraries are not instrumented.
FOLDER holds the programs that ``fuzz/inputs.py --export`` writes.
"""

from __future__ import annotations

import gc
import sys
import threading
from collections.abc import Callable
from pathlib import Path
from queue import Queue
from typing import Any

import numpy as np
from nocopy.errors import NocopyError
from nocopy.runtime import Runtime, num_threads, set_num_threads

THREADS = 6
ROUNDS = 60


def main() -> None:
    folder = Path(sys.argv[1])
    runtime = Runtime.get()
    names = ["add", "add_unplanned", "add_xnnpack", "dynamic_xnnpack", "mutates_input_unplanned"]
    programs = {name: runtime.load_program(folder / f"{name}.pte") for name in names}
    shared = programs["add_unplanned"].load_method("forward")
    handed_on: Queue[Any] = Queue()
    failures: list[BaseException] = []

    def inputs(name: str, n: int) -> list[np.ndarray]:
        if name.startswith("dynamic"):
            return [np.full((1 + n % 8, 5), n, np.float32)]
        if name.startswith("mutates"):
            return [np.full((2, 3), n, np.float32)]
        return [np.full((2, 2), n, np.float32), np.full((2, 2), 2 * n, np.float32)]

    def own_methods(which: int) -> None:
        """One method per thread, loaded here, over programs that all threads share."""
        for n in range(ROUNDS):
            name = names[(which + n) % len(names)]
            method = programs[name].load_method("forward", new=True)
            for k in range(5):
                results = method.execute(inputs(name, k), clone_outputs=k % 2 == 0)
                if name.startswith("add"):
                    assert np.all(np.asarray(results[0]) == 3 * k)
                handed_on.put(results)

    def one_shared(_: int) -> None:
        """A method that is in use elsewhere refuses."""
        for n in range(ROUNDS * 10):
            try:
                results = shared.execute(inputs("add", n))
            except NocopyError:
                continue
            assert np.all(np.asarray(results[0]) == 3 * n)
            handed_on.put(results[0].__dlpack__())

    def let_go(_: int) -> None:
        """Results, capsules and what they hold are released on another thread."""
        while (item := handed_on.get()) is not None:
            del item
        handed_on.put(None)

    def ask(_: int) -> None:
        for _ in range(ROUNDS):
            for program in programs.values():
                repr(program.metadata("forward"))
            num_threads()
            gc.collect(0)

    def load_again(_: int) -> None:
        for _ in range(ROUNDS // 2):
            for name in names:
                runtime.load_program(folder / f"{name}.pte").load_method("forward")

    def guarded(work: Callable[[int], None], which: int) -> None:
        try:
            work(which)
        except BaseException as error:
            failures.append(error)
            raise

    works = [own_methods] * THREADS + [one_shared] * 3 + [ask, load_again]
    workers = [threading.Thread(target=guarded, args=(w, i)) for i, w in enumerate(works)]
    releasing = [threading.Thread(target=guarded, args=(let_go, i)) for i in range(2)]
    for thread in workers + releasing:
        thread.start()
    for thread in workers:
        thread.join()
    handed_on.put(None)
    for thread in releasing:
        thread.join()
    programs.clear()
    gc.collect()
    try:
        set_num_threads(2)
    except NocopyError as error:
        print(error)
    assert not failures, failures
    print(f"{len(works)} threads, no failure")


if __name__ == "__main__":
    main()
