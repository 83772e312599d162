"""Nothing of a normal run reaches stderr, and who listens to the log hears no false alarm."""

from __future__ import annotations

import models
import pytest
from children import run_python

RUN = """
import sys
from nocopy.runtime import Runtime
import array
method = Runtime.get().load_program(argv[0]).load_method("forward")
infos = [method.metadata.input_tensor_meta(i) for i in range(method.metadata.num_inputs())]
inputs = [memoryview(bytearray(info.nbytes())).cast("f", info.sizes()) for info in infos]
method.execute(inputs)
"""


@pytest.mark.parametrize("name", ["add", "conv", "conv_xnnpack"])
@pytest.mark.parametrize("prelude", ["", "import logging\n"])
def test_normal_run_prints_nothing(name: str, prelude: str) -> None:
    child = run_python(prelude + RUN, models.ZOO[name]().path).check()
    assert (child.stdout, child.stderr) == ("", "")


def test_normal_run_logs_no_error_to_whoever_listens() -> None:
    listen = "import logging\nlogging.basicConfig(level=logging.WARNING)\n"
    child = run_python(listen + RUN, models.add().path).check()
    assert child.stderr == ""
