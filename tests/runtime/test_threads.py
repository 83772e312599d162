from __future__ import annotations

import models
import numpy as np
import pytest
import torch
from nocopy.errors import NocopyError, ShapeError
from nocopy.runtime import Runtime, num_threads, set_num_threads


@pytest.fixture(autouse=True)
def restore_threads():
    before = num_threads()
    yield
    set_num_threads(before)


def load(exported: models.Exported):
    return Runtime.get().load_program(exported.path).load_method("forward")


def test_set_num_threads_is_what_num_threads_tells() -> None:
    set_num_threads(3)
    assert num_threads() == 3


def test_method_run_after_the_number_changed_matches_eager() -> None:
    exported = models.conv()
    method = load(exported)
    for n in (1, 4, 2):
        set_num_threads(n)
        torch.testing.assert_close(method.execute(exported.arrays), exported.eager())


@pytest.mark.parametrize("n", [0, 1025])
def test_set_num_threads_given_no_number_of_threads_raises(n: int) -> None:
    with pytest.raises(ShapeError, match="1 to 1024"):
        set_num_threads(n)


def test_set_num_threads_while_a_delegate_holds_the_pool_raises_and_changes_nothing() -> None:
    exported = models.conv_xnnpack()
    method = load(exported)
    before = num_threads()
    with pytest.raises(NocopyError, match="before loading"):
        set_num_threads(before + 1)
    assert num_threads() == before
    np.testing.assert_allclose(
        method.execute(exported.arrays)[0], exported.expected()[0], rtol=1e-4, atol=1e-6
    )
    set_num_threads(before)  # no change, so nothing is freed
    del method
    set_num_threads(before + 1)
    assert num_threads() == before + 1
