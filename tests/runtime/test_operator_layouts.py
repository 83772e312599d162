"""Operators on tensors that are not contiguous: eager mode's numbers, or an error at load.

Most kernels of the runtime read a tensor as if it were contiguous, or spread one over another as if
both were, without asking in which order it lies.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import torch
from exporting import Recipe, export, values
from models import Call
from nocopy.errors import ProgramError
from nocopy.runtime import Runtime
from torch.nn import functional

Model = tuple[Callable[..., Any], tuple[torch.Tensor, ...]]


def image(*shape: int, **options: Any) -> torch.Tensor:
    """Values in no order, none of them twice."""
    flat = values(*shape, **options).flatten()
    step = next(n for n in (7, 11, 13, 17) if flat.numel() % n)
    return flat[torch.arange(flat.numel()) * step % flat.numel()].reshape(shape)


def indexes(bound: int, *shape: int) -> torch.Tensor:
    return image(*shape, dtype=torch.int64) * 5 % bound


X = image(2, 3, 4, 5) / 8
Y = image(2, 3, 4, 5, start=200) / 8
MASK = image(2, 3, 4, 5, dtype=torch.int64) % 3 == 0
WIDE = image(2, 3, 1, 5, start=300) / 64
WHOLE = image(2, 3, 4, 5, dtype=torch.int64) % 7
WHOLE_WIDE = image(2, 3, 1, 5, dtype=torch.int64) % 7

#: What the runtime would get wrong with channels-last inputs (transposed ones where they are
#: matrices): the model, and the operator that the error names.
REFUSED: dict[str, tuple[Model, str]] = {
    "log_softmax": ((lambda x: torch.log_softmax(x, 1), (X,)), "aten::_log_softmax.out"),
    "softmax": ((lambda x: torch.softmax(x, 1), (X,)), "aten::_softmax.out"),
    "cat": ((lambda a, b: torch.cat([a, b], 1), (X, Y)), "aten::cat.out"),
    "pad": ((lambda x: functional.pad(x, [1, 2], value=3.5), (X,)), "aten::constant_pad_nd.out"),
    "layer_norm": (
        (lambda x: functional.layer_norm(x, [5]), (X,)),
        "aten::native_layer_norm.out",
    ),
    "gather": (
        (lambda x, i: torch.gather(x, 1, i), (X, indexes(3, 2, 3, 4, 5))),
        "aten::gather.out",
    ),
    "topk": ((lambda x: tuple(torch.topk(x, 2, 1)), (X,)), "aten::topk.values"),
    "flip": ((lambda x: torch.flip(x, [1]), (X,)), "aten::flip.out"),
    "flip_two": ((lambda x: torch.flip(x, [0, 1]), (X,)), "aten::flip.out"),
    "mm": ((torch.mm, (image(4, 3), image(3, 5))), "aten::mm.out"),
    "bmm": ((torch.bmm, (image(2, 4, 3), image(2, 3, 5))), "aten::bmm.out"),
    "scatter": (
        (lambda x, i, y: torch.scatter(x, 1, i, y), (X, indexes(3, 2, 1, 4, 5), Y)),
        "aten::scatter.src_out",
    ),
    "scatter_value": (
        (lambda x, i: torch.scatter(x, 1, i, 9.5), (X, indexes(3, 2, 1, 4, 5))),
        "aten::scatter.value_out",
    ),
    "slice_scatter": (
        (lambda x, y: torch.slice_scatter(x, y, 2, 1, 2), (X, image(2, 3, 1, 5, start=300))),
        "aten::slice_scatter.out",
    ),
    "unsqueeze": ((lambda x: (x * x).unsqueeze(2), (X,)), "aten::unsqueeze_copy.out"),
    "nonzero": ((torch.nonzero, (MASK,)), "aten::nonzero.out"),
    "mask": ((lambda x, m: x[m], (X, MASK)), "aten::index.Tensor_out"),
    "add_wide": ((torch.add, (X, WIDE)), "aten::add.out"),
    "sub_wide": ((torch.sub, (X, WIDE)), "aten::sub.out"),
    "mul_wide": ((torch.mul, (X, WIDE)), "aten::mul.out"),
    "div_wide": ((torch.div, (X, WIDE)), "aten::div.out"),
    "maximum_wide": ((torch.maximum, (X, WIDE)), "aten::maximum.out"),
    "minimum_wide": ((torch.minimum, (X, WIDE)), "aten::minimum.out"),
    "pow_wide": ((torch.pow, (X, WIDE)), "aten::pow.Tensor_Tensor_out"),
    "atan2_wide": ((torch.atan2, (X, WIDE)), "aten::atan2.out"),
    "fmod_wide": ((torch.fmod, (X, WIDE)), "aten::fmod.Tensor_out"),
    "remainder_wide": ((torch.remainder, (X, WIDE)), "aten::remainder.Tensor_out"),
    "eq_wide": ((torch.eq, (WHOLE, WHOLE_WIDE)), "aten::eq.Tensor_out"),
    "ne_wide": ((torch.ne, (WHOLE, WHOLE_WIDE)), "aten::ne.Tensor_out"),
    "lt_wide": ((torch.lt, (WHOLE, WHOLE_WIDE)), "aten::lt.Tensor_out"),
    "le_wide": ((torch.le, (WHOLE, WHOLE_WIDE)), "aten::le.Tensor_out"),
    "gt_wide": ((torch.gt, (WHOLE, WHOLE_WIDE)), "aten::gt.Tensor_out"),
    "ge_wide": ((torch.ge, (WHOLE, WHOLE_WIDE)), "aten::ge.Tensor_out"),
    "and_wide": ((torch.bitwise_and, (WHOLE, WHOLE_WIDE)), "aten::bitwise_and.Tensor_out"),
    "where_wide": ((torch.where, (MASK[:, :, :1].contiguous(), X, Y)), "aten::where.self_out"),
    "copy_wide": (
        (lambda x, y: torch.ops.aten.copy(x, y), (X, image(2, 3, 1, 1, start=300))),
        "aten::copy.out",
    ),
    "pixel_shuffle": (
        (lambda x: functional.pixel_shuffle(x, 2), (image(2, 8, 3, 5),)),
        "as a view of value",
    ),
    "view": ((lambda x: (x * x).view(2, 3, 20) * 2.0, (X,)), "as a view of value"),
    "flatten": ((lambda x: torch.relu((x * x).flatten(2)), (X,)), "as a view of value"),
}

#: What it gets right with such inputs.
RIGHT: dict[str, Model] = {
    "add": (torch.add, (X, Y)),
    "mul": (torch.mul, (X, Y)),
    "exp": (torch.exp, (X / 16,)),
    "where": (torch.where, (MASK, X, Y)),
    "copy": (lambda x, y: torch.ops.aten.copy(x, y), (X, Y)),
    "cat_images": (lambda a, b: torch.cat([a, b], 0), (X, Y)),
    "flip_images": (lambda x: torch.flip(x, [0]), (X,)),
    "slice_scatter_images": (lambda x, y: torch.slice_scatter(x, y, 0, 1, 2), (X, Y[:1])),
    "contiguous_first": (lambda x: torch.log_softmax(x.contiguous(), 1), (X,)),
    "to_channels_last": (
        lambda x: torch.relu(x.contiguous().to(memory_format=torch.channels_last)),
        (X,),
    ),
    "clone": (lambda x: x.clone(), (X,)),
    "to_float64": (lambda x: x.to(torch.float64), (X,)),
    "max_pool": (lambda x: functional.max_pool2d(x, 2), (X,)),
    "max_pool_to_one": (lambda x: functional.max_pool2d(x, (4, 5)), (X,)),
    "upsample": (lambda x: functional.interpolate(x, scale_factor=2), (X,)),
    "prod": (lambda x: torch.prod(x, 1), (X / 16,)),
    "var": (lambda x: torch.var(x, 1), (X,)),
    "mean": (lambda x: torch.mean(x, (2, 3)), (X,)),
    "convolution": (functional.conv2d, (X, image(6, 3, 2, 3) / 64)),
    "flatten_all": (lambda x: torch.relu((x * x).flatten(1)), (X,)),
    # Memory without a channel or without pixels is in either order.
    "log_softmax_no_pixels": (lambda x: torch.log_softmax(x, 1), (image(2, 3, 1, 1),)),
    "cat_no_pixels": (lambda a, b: torch.cat([a, b], 1), (image(2, 3, 1, 1), image(2, 4, 1, 1))),
    "mm_one_column": (torch.mm, (image(4, 1), image(1, 5))),
    "view_no_pixels": (lambda x: (x * x).view(2, 3) * 2.0, (image(2, 3, 1, 1),)),
    "log_softmax_empty": (lambda x: torch.log_softmax(x, 1), (values(0, 3, 4, 5),)),
}

CONTIGUOUS: dict[str, Model] = {name: model for name, (model, _) in REFUSED.items()} | RIGHT


def reordered(x: torch.Tensor) -> torch.Tensor:
    """The same tensor, with its channels or, without pixels, its columns in another place."""
    if x.dim() == 4:
        strides = (math.prod(x.shape[1:]), 1, x.shape[3] * x.shape[1], x.shape[1])
        return torch.empty_strided(x.shape, strides, dtype=x.dtype).copy_(x)
    return x.transpose(-1, -2).contiguous().transpose(-1, -2)


def make(model: Model, folder: Path) -> Any:
    function, inputs = model
    return export("model", Recipe(Call(function), inputs), folder)


def check(model: Model, folder: Path) -> None:
    exported = make(model, folder)
    method = Runtime.get().load_program(exported.path).load_method("forward")
    for _ in range(2):
        results = method.execute(list(exported.inputs))
        for result, expected in zip(results, exported.eager(), strict=True):
            torch.testing.assert_close(result, expected, rtol=1e-4, atol=1e-5, check_stride=False)


@pytest.mark.parametrize("name", CONTIGUOUS)
def test_operator_when_its_tensors_are_contiguous_then_as_in_eager_mode(
    name: str, tmp_path: Path
) -> None:
    check(CONTIGUOUS[name], tmp_path)


@pytest.mark.parametrize("name", RIGHT)
def test_operator_when_the_order_does_not_matter_then_as_in_eager_mode(
    name: str, tmp_path: Path
) -> None:
    function, inputs = RIGHT[name]
    check((function, tuple(map(reordered, inputs))), tmp_path)


@pytest.mark.parametrize("name", REFUSED)
def test_operator_when_it_would_misread_its_tensors_then_refused_when_loaded(
    name: str, tmp_path: Path
) -> None:
    (function, inputs), says = REFUSED[name]
    exported = make((function, tuple(map(reordered, inputs))), tmp_path)
    with pytest.raises(ProgramError) as raised:
        Runtime.get().load_program(exported.path)
    assert says in str(raised.value)
    assert "call .contiguous() on the tensor before that operation" in str(raised.value)


def test_refusal_when_a_kernel_misreads_an_input_then_names_it_and_says_what_to_do(
    tmp_path: Path,
) -> None:
    exported = make((lambda x: torch.log_softmax(x, 1), (reordered(X),)), tmp_path)
    with pytest.raises(ProgramError) as raised:
        Runtime.get().load_program(exported.path)
    assert str(raised.value) == (
        "the program is malformed: method 'forward', instruction 0 gives aten::_log_softmax.out an "
        "argument 0 that is of shape (2, 3, 4, 5) in the dim order (0, 2, 3, 1), which it takes for "
        "contiguous; the runtime would not read it right: call .contiguous() on the tensor before "
        "that operation, and export the model again"
    )


def test_refusal_when_a_dimension_is_dynamic_then_counts_its_upper_bound(tmp_path: Path) -> None:
    def exported(height: int, shapes: Any = None) -> Any:
        x = reordered(image(2, 3, height, 1))
        model = Call(lambda x: torch.log_softmax(x, 3))
        return export(f"height_{height}", Recipe(model, (x,), dynamic_shapes=shapes), tmp_path)

    with pytest.raises(ProgramError, match=r"of shape up to \(2, 3, 8, 1\) in the dim order"):
        Runtime.get().load_program(
            exported(4, (({2: torch.export.Dim("height", min=1, max=8)},),)).path
        )
    one = exported(1)
    method = Runtime.get().load_program(one.path).load_method("forward")
    torch.testing.assert_close(method.execute(list(one.inputs))[0], one.eager()[0])


def test_view_when_made_at_run_time_of_another_order_then_refused(tmp_path: Path) -> None:
    model = Call(lambda x: torch.relu((x * x).view(x.shape[0], 3, 20)))
    shapes = (({0: torch.export.Dim("batch", min=1, max=8)},),)
    exported = export("view", Recipe(model, (reordered(X),), dynamic_shapes=shapes), tmp_path)
    with pytest.raises(ProgramError, match=r"et_view.* and makes a view of it of shape up to"):
        Runtime.get().load_program(exported.path)


@pytest.mark.parametrize("function", [torch.exp, functional.gelu])
def test_operator_when_its_output_is_in_another_order_then_refused(
    function: Callable[..., Any], tmp_path: Path
) -> None:
    # No exporter writes such a program.
    def reorder_output(program: Any) -> None:
        plan = program.execution_plan[0]
        plan.values[plan.outputs[0]].val.dim_order = [0, 2, 3, 1]

    recipe = Recipe(Call(function), (X / 16,), edit=reorder_output)
    exported = export("edited", recipe, tmp_path)
    with pytest.raises(ProgramError, match=r"and an output of shape .* which it takes for alike"):
        Runtime.get().load_program(exported.path)


NONZERO = {
    "rank_1": image(11, dtype=torch.int64) % 3,
    "rank_2": image(4, 5, dtype=torch.int64) % 3,
    "rank_3": image(2, 3, 5, dtype=torch.int64) % 3,
}


@pytest.mark.parametrize("planned", [True, False])
@pytest.mark.parametrize("name", NONZERO)
def test_nonzero_when_run_twice_then_lists_what_eager_mode_does(
    name: str, planned: bool, tmp_path: Path
) -> None:
    x = NONZERO[name]
    recipe = Recipe(Call(torch.nonzero), (x,), planned_inputs=planned, planned_outputs=planned)
    exported = export(name, recipe, tmp_path)
    method = Runtime.get().load_program(exported.path).load_method("forward")
    one = torch.zeros_like(x)
    one.view(-1)[-2] = 5
    for given in (x, (x + 1) % 3, torch.zeros_like(x), torch.ones_like(x), one, x):
        result = method.execute([given])[0]
        assert result.shape == exported.eager(given)[0].shape
        assert result.tolist() == exported.eager(given)[0].tolist()


def test_nonzero_when_an_operator_reads_it_then_as_in_eager_mode(tmp_path: Path) -> None:
    model = Call(lambda x: torch.nonzero(x).contiguous() * torch.tensor([100, 1]))
    exported = export("read", Recipe(model, (NONZERO["rank_2"],)), tmp_path)
    method = Runtime.get().load_program(exported.path).load_method("forward")
    for _ in range(2):
        assert method.execute(list(exported.inputs))[0].tolist() == exported.eager()[0].tolist()
