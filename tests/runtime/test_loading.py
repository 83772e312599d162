"""What a program is loaded from, and who may load it: names of files, data files, the arguments of
existing callers of ``executorch.runtime``, and interpreters."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

import models
import numpy as np
import pytest
from children import run_python
from nocopy.errors import NocopyError, ProgramError
from nocopy.runtime import Runtime


def copied(source: Path, name: bytes, folder: Path) -> bytes:
    path = os.fsencode(folder) + b"/" + name
    shutil.copyfile(source, path)
    return path


@pytest.mark.parametrize("name", ["mödel 模型".encode(), b"no-utf8-\xff\xfe"])
def test_file_of_any_name_is_loaded(name: bytes, tmp_path: Path) -> None:
    exported = models.external_data()
    assert exported.data_path is not None
    program = os.fsdecode(copied(exported.path, name + b".pte", tmp_path))
    data = os.fsdecode(copied(exported.data_path, name + b".ptd", tmp_path))
    method = Runtime.get().load_program(program, data_path=data).load_method("forward")
    np.testing.assert_allclose(
        np.asarray(method.execute(exported.arrays)[0]), exported.expected()[0], rtol=1e-6
    )


def test_missing_file_of_a_name_that_is_no_utf8_is_named_in_the_error(tmp_path: Path) -> None:
    name = os.fsdecode(os.fsencode(tmp_path) + b"/\xff.pte")
    with pytest.raises(FileNotFoundError) as raised:
        Runtime.get().load_program(name)
    assert name in str(raised.value)


def test_name_with_a_null_byte_is_refused_and_opens_nothing() -> None:
    exported = models.external_data()
    with pytest.raises(ValueError, match="null byte"):
        Runtime.get().load_program(f"{exported.path}\0.txt")
    with pytest.raises(ValueError, match="null byte"):
        Runtime.get().load_program(exported.path, data_path=f"{exported.data_path}\0.txt")


def test_method_without_its_data_file_says_to_give_it() -> None:
    program = Runtime.get().load_program(models.external_data().path)
    with pytest.raises(ProgramError, match=r"\.ptd file .* data_path="):
        program.load_method("forward")


def test_data_file_that_is_none_says_what_it_is_to_be() -> None:
    exported = models.external_data()
    with pytest.raises(ProgramError, match=r"data_path is to be the \.ptd file"):
        Runtime.get().load_program(exported.path, data_path=exported.path)


def test_arguments_of_existing_callers_are_taken_and_etdump_is_refused() -> None:
    exported = models.add()
    program = Runtime.get().load_program(
        exported.path, enable_etdump=False, debug_buffer_size=int(1e7)
    )
    assert program.method_names == {"forward"}
    with pytest.raises(NocopyError, match="enable_etdump=True"):
        Runtime.get().load_program(exported.path, enable_etdump=True)


SUBINTERPRETER = """
import importlib, sys
interpreters = importlib.import_module(
    "_interpreters" if sys.version_info >= (3, 13) else "_xxsubinterpreters"
)
def in_another(module):
    code = f'''
import sys
sys.path[:] = {sys.path!r}
try:
    import {module}
except ImportError as error:
    assert "main interpreter" in str(error), error
else:
    raise AssertionError("imported")
'''
    arguments = ("legacy",) if sys.version_info >= (3, 13) else ()
    other = interpreters.create(*arguments)
    failure = interpreters.run_string(other, code)
    assert failure is None, failure
    interpreters.destroy(other)
"""


@pytest.mark.parametrize("module", ["nocopy.runtime", "nocopy.onnx"])
def test_subinterpreter_is_refused_and_the_main_one_goes_on(module: str) -> None:
    exported = models.add()
    run_python(
        SUBINTERPRETER
        + """
module, path = argv
in_another(module)
import numpy
import nocopy.onnx
from nocopy.runtime import Runtime
method = Runtime.get().load_program(path).load_method("forward")
x = numpy.arange(4, dtype=numpy.float32).reshape(2, 2)
in_another(module)
assert (numpy.asarray(method.execute([x, x])[0]) == x + x).all()
assert nocopy.onnx.ModelProto.FromString(b"").SerializeToString() == b""
""",
        module,
        exported.path,
        timeout=60,
    ).check()
