"""Threads that are in a call of ours while the interpreter ends."""

from __future__ import annotations

import models
from children import run_python


def test_interpreter_that_ends_while_threads_run_methods_ends_well() -> None:
    exported = models.conv()
    child = run_python(
        """
import threading, time
import numpy
from nocopy.runtime import Runtime
program = Runtime.get().load_program(argv[0])
image = numpy.ones((1, 3, 9, 8), numpy.float32)
running = threading.Barrier(5)
def run():
    method = program.load_method("forward", new=True)
    method.execute([image])
    running.wait()
    while True:
        method.execute([image])
for _ in range(4):
    threading.Thread(target=run, daemon=True).start()
running.wait()
time.sleep(0.2)
report("end")
""",
        exported.path,
        timeout=60,
    ).check()
    assert child.reports == ["end"]
