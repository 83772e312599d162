"""The zoo: small models, each exported to a program once and kept with its eager module and example
inputs.

Every function here returns an `exporting.Exported`, for example ``models.add()``; nothing is
exported before it is asked for. Example values all differ, so a wrong order cannot pass. ``python
tests/models.py`` exports all of them and prints a line each.

Names: ``*_unplanned`` programs reserve no memory for inputs and outputs, so the runtime uses the
caller's.
"""

from __future__ import annotations

from typing import Any

import torch
from exporting import ZOO, Exported, Recipe, clone, model, to_numpy, values
from torch import nn

__all__ = ["ZOO", "Exported", "clone", "dtype_add", "to_numpy", "values"]


class Call(nn.Module):
    """A module made of a function, for models that have no state."""

    def __init__(self, function: Any) -> None:
        super().__init__()
        self.function = function

    def forward(self, *args: Any) -> Any:
        return self.function(*args)


class Add(nn.Module):
    def forward(self, a, b):
        return a + b


class AddOne(nn.Module):
    def forward(self, x):
        return x + 1


class Square(nn.Module):
    """Element-wise without a constant, whose layout would have to match the input's."""

    def forward(self, x):
        return x * x


# Element-wise addition


@model
def add() -> Recipe:
    """(2, 2) + (2, 2), float32."""
    return Recipe(Add(), (values(2, 2), values(2, 2, start=10)))


@model
def add_unplanned() -> Recipe:
    return Recipe(
        Add(), (values(2, 2), values(2, 2, start=10)), planned_inputs=False, planned_outputs=False
    )


@model
def add_unplanned_inputs() -> Recipe:
    """The caller's inputs, the program's own outputs."""
    return Recipe(Add(), (values(2, 2), values(2, 2, start=10)), planned_inputs=False)


@model
def add_unplanned_outputs() -> Recipe:
    """The program's own inputs, fresh memory for outputs."""
    return Recipe(Add(), (values(2, 2), values(2, 2, start=10)), planned_outputs=False)


#: The dtypes there is an ``add_<name>`` (planned) and ``add_<name>_unplanned`` program of. For bool
#: the operator is `or`.
ADD_DTYPES = {
    "float64": torch.float64,
    "float16": torch.float16,
    "bfloat16": torch.bfloat16,
    "int64": torch.int64,
    "int32": torch.int32,
    "int16": torch.int16,
    "int8": torch.int8,
    "uint8": torch.uint8,
    "bool": torch.bool,
    "complex64": torch.complex64,
    "complex128": torch.complex128,
}


def _dtype_recipe(dtype: torch.dtype, planned: bool) -> Recipe:
    module = Call(torch.logical_or) if dtype == torch.bool else Add()
    inputs = (values(2, 3, dtype=dtype), values(2, 3, dtype=dtype, start=10))
    return Recipe(module, inputs, planned_inputs=planned, planned_outputs=planned)


def _dtype_models() -> None:
    for name, dtype in ADD_DTYPES.items():
        for planned in (True, False):

            def build(dtype: torch.dtype = dtype, planned: bool = planned) -> Recipe:
                return _dtype_recipe(dtype, planned)

            build.__name__ = f"add_{name}" if planned else f"add_{name}_unplanned"
            model(build)


_dtype_models()


def dtype_add(name: str, planned: bool = True) -> Exported:
    """``(2, 3) + (2, 3)`` in one of `ADD_DTYPES`."""
    return ZOO[f"add_{name}" if planned else f"add_{name}_unplanned"]()


@model
def add_xnnpack() -> Recipe:
    return Recipe(Add(), (values(2, 2), values(2, 2, start=10)), xnnpack=True)


@model
def add_xnnpack_unplanned() -> Recipe:
    """A delegate that reads and writes the caller's memory."""
    return Recipe(
        Add(),
        (values(2, 2), values(2, 2, start=10)),
        xnnpack=True,
        planned_inputs=False,
        planned_outputs=False,
    )


@model
def output_in_first_input() -> Recipe:
    """Reads its first input for the last time before it makes its output, which the exporter then
    puts in the same planned memory."""
    return Recipe(Call(lambda a, b: (a + a) - b), (values(2, 2), values(2, 2, start=10)))


@model
def add_one_large_unplanned() -> Recipe:
    """One float32 input of 100 MB, never stored: only its size is in the program.

    Returns one element of it.
    """
    return Recipe(
        Call(lambda x: x[:1] + 1),
        (values(25_000_000),),
        planned_inputs=False,
        planned_outputs=False,
    )


@model
def add_one_small_unplanned() -> Recipe:
    """The same as `add_one_large_unplanned` with an input of 4 bytes."""
    return Recipe(
        Call(lambda x: x[:1] + 1), (values(1),), planned_inputs=False, planned_outputs=False
    )


# Convolutions and layouts


class Conv(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.first = nn.Conv2d(3, 8, 3, padding=1)
        self.second = nn.Conv2d(8, 4, 3, stride=2)

    def forward(self, x):
        return self.second(torch.relu(self.first(x)))


class PlusOneConv(nn.Module):
    """Reads the input element by element as well, so a wrong layout changes every value."""

    def __init__(self) -> None:
        super().__init__()
        self.conv = nn.Conv2d(3, 3, 1)

    def forward(self, x):
        return self.conv(x) + x


def _image(*shape: int, channels_last: bool = False) -> torch.Tensor:
    image = values(*shape) / 64
    return image.to(memory_format=torch.channels_last) if channels_last else image


@model
def conv() -> Recipe:
    return Recipe(Conv().eval(), (_image(1, 3, 9, 8),))


@model
def conv_xnnpack() -> Recipe:
    return Recipe(Conv().eval(), (_image(1, 3, 9, 8),), xnnpack=True)


@model
def conv_unplanned() -> Recipe:
    return Recipe(Conv().eval(), (_image(1, 3, 9, 8),), planned_inputs=False, planned_outputs=False)


@model
def conv_channels_last() -> Recipe:
    """A convolution exported with a channels-last input (and so a channels-last output)."""
    module = PlusOneConv().to(memory_format=torch.channels_last).eval()
    return Recipe(module, (_image(2, 3, 5, 4, channels_last=True),))


@model
def channels_last() -> Recipe:
    """Element-wise, channels-last in and out."""
    return Recipe(Square(), (_image(2, 3, 5, 4, channels_last=True),))


@model
def channels_last_unplanned() -> Recipe:
    inputs = (_image(2, 3, 5, 4, channels_last=True),)
    return Recipe(Square(), inputs, planned_inputs=False, planned_outputs=False)


@model
def channels_last_size_one() -> Recipe:
    """Channels-last with one image of one row: these dimensions say nothing about the layout."""
    return Recipe(Square(), (_image(1, 3, 1, 4, channels_last=True),))


@model
def channels_last_one_channel() -> Recipe:
    """Channels-last with one channel, where contiguous and channels-last memory are the same.

    The exporter writes the dim order (0, 2, 1, 3), which the portable kernels refuse and XNNPACK
    does not.
    """
    return Recipe(Square(), (_image(2, 1, 5, 4, channels_last=True),), xnnpack=True)


@model
def image() -> Recipe:
    """Element-wise on a contiguous (2, 3, 5, 4) image."""
    return Recipe(Square(), (_image(2, 3, 5, 4),))


@model
def image_unplanned() -> Recipe:
    return Recipe(Square(), (_image(2, 3, 5, 4),), planned_inputs=False, planned_outputs=False)


# Shapes


@model
def scalar_tensor() -> Recipe:
    """A 0-d input."""
    return Recipe(AddOne(), (values(),))


@model
def scalar_tensor_unplanned() -> Recipe:
    return Recipe(AddOne(), (values(),), planned_inputs=False, planned_outputs=False)


@model
def empty() -> Recipe:
    """An input of no elements."""
    return Recipe(AddOne(), (values(0, 3),))


@model
def empty_unplanned() -> Recipe:
    return Recipe(AddOne(), (values(0, 3),), planned_inputs=False, planned_outputs=False)


@model
def rank5() -> Recipe:
    return Recipe(AddOne(), (values(2, 3, 2, 2, 3),))


@model
def rank8_unplanned() -> Recipe:
    return Recipe(
        AddOne(), (values(1, 2, 1, 3, 2, 1, 2, 2),), planned_inputs=False, planned_outputs=False
    )


class Linear(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.linear = nn.Linear(5, 3)

    def forward(self, x):
        return self.linear(x)


@model
def dynamic() -> Recipe:
    """A linear layer with a batch of up to 8 (exported with 4)."""
    batch = torch.export.Dim("batch", min=1, max=8)
    return Recipe(Linear(), (values(4, 5),), dynamic_shapes=({0: batch},))


@model
def dynamic_unplanned() -> Recipe:
    batch = torch.export.Dim("batch", min=1, max=8)
    return Recipe(
        Linear(),
        (values(4, 5),),
        dynamic_shapes=({0: batch},),
        planned_inputs=False,
        planned_outputs=False,
    )


@model
def dynamic_xnnpack() -> Recipe:
    batch = torch.export.Dim("batch", min=1, max=8)
    return Recipe(Linear(), (values(4, 5),), dynamic_shapes=({0: batch},), xnnpack=True)


@model
def dynamic_bfloat16_unplanned() -> Recipe:
    """bfloat16 with a dynamic batch: raw bytes cannot say its shape."""
    batch = torch.export.Dim("batch", min=1, max=8)
    return Recipe(
        AddOne(),
        (values(4, 5, dtype=torch.bfloat16),),
        dynamic_shapes=({0: batch},),
        planned_inputs=False,
        planned_outputs=False,
    )


# Outputs that are inputs, outputs that repeat, outputs that are no tensors


class Identity(nn.Module):
    def forward(self, x):
        return x


@model
def identity() -> Recipe:
    return Recipe(Identity(), (values(2, 3),))


@model
def identity_unplanned() -> Recipe:
    return Recipe(Identity(), (values(2, 3),), planned_inputs=False, planned_outputs=False)


@model
def identity_and_sum_unplanned() -> Recipe:
    """The second output is the first input."""
    return Recipe(
        Call(lambda a, b: (a + b, a)),
        (values(2, 2), values(2, 2, start=10)),
        planned_inputs=False,
        planned_outputs=False,
    )


def _twice(x):
    y = x + 1
    return y, x * 2, y


@model
def same_output_twice() -> Recipe:
    """Three outputs, of which the first and the last are one tensor."""
    return Recipe(Call(_twice), (values(2, 3),))


@model
def same_output_twice_unplanned() -> Recipe:
    return Recipe(Call(_twice), (values(2, 3),), planned_inputs=False, planned_outputs=False)


@model
def constant_outputs() -> Recipe:
    """Returns a tensor, and a Python int, float, bool and None that do not depend on the input."""
    return Recipe(Call(lambda x: (x + 1, 3, 2.5, True, None)), (values(2, 2),))


class Weight(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.weight = nn.Parameter(values(2, 3, start=5), requires_grad=False)

    def forward(self, x):
        return x + 1, self.weight


@model
def weight_output() -> Recipe:
    """The second output is a constant tensor that lies in the program itself."""
    return Recipe(Weight(), (values(2, 3),))


# Inputs that are no tensors


@model
def scalars() -> Recipe:
    """Takes a tensor, an int, a float, a bool, None and a string; all but the tensor are fixed at
    export.

    The exporter writes a string input as None, so the program is edited to say what was exported.
    """

    def state_string(program: Any) -> None:
        plan = program.execution_plan[0]
        plan.values[plan.inputs[5]].val = schema.String("mean")

    from executorch.exir import schema

    return Recipe(
        Call(lambda x, i, f, b, none, s: (x * i + f, i, f, b, none)),
        (values(2, 2), 3, 2.5, True, None, "mean"),
        edit=state_string,
    )


class Times(nn.Module):
    def forward(self, x, n):
        return x * n, n + 1


@model
def dynamic_int() -> Recipe:
    """Takes a tensor and an int that was left open at export.

    The exporter writes such an input as None, so the runtime refuses any int for it, and its
    operators would read None as an int. No input makes this method run.
    """
    return Recipe(Times(), (values(2, 2), 3), dynamic_shapes=(None, torch.export.Dim.DYNAMIC))


# State and inputs that the method writes. What a method writes in its inputs, it returns as its
# first outputs, which are the inputs themselves.


def _increment(x):
    x.add_(1)
    return x * 2


@model
def mutates_input() -> Recipe:
    """Adds one to its input in place; returns the input and the double of it."""
    return Recipe(Call(_increment), (values(2, 3),), written_inputs=(0,))


@model
def mutates_input_unplanned() -> Recipe:
    """The same, in the caller's memory."""
    return Recipe(
        Call(_increment),
        (values(2, 3),),
        written_inputs=(0,),
        planned_inputs=False,
        planned_outputs=False,
    )


class Accumulate(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.register_buffer("total", torch.zeros(2, 3))

    def forward(self, x):
        self.total.add_(x)
        return self.total * 2


@model
def accumulate() -> Recipe:
    """Keeps a running total, from zero, in a mutable buffer and returns its double."""
    return Recipe(Accumulate(), (values(2, 3),), initial_buffers=("total",))


class Cache(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.register_buffer("cache", torch.zeros(6, 4))

    def forward(self, row, position):
        self.cache.index_copy_(0, position, row)
        return self.cache.sum(0, keepdim=True) + row


@model
def kv_cache() -> Recipe:
    """Writes a row into a cache at an int64 position and sums the rows."""
    return Recipe(Cache(), (values(1, 4), torch.tensor([2])), initial_buffers=("cache",))


# Programs


class Pair(nn.Module):
    def forward(self, a, b):
        return a - b, a * b


@model
def multi_method() -> Recipe:
    """`forward`, `pair` (two outputs), `small` (another shape) and four that return a constant."""
    return Recipe(
        Add(),
        (values(2, 2), values(2, 2, start=10)),
        methods={
            "pair": (Pair(), (values(2, 2), values(2, 2, start=10))),
            "small": (AddOne(), (values(3),)),
        },
        constants={"get_int": 5, "get_float": 2.5, "get_bool": True, "get_string": "nocopy"},
    )


@model
def without_forward() -> Recipe:
    return Recipe(None, (), methods={"encode": (AddOne(), (values(3),))})


@model
def external_data() -> Recipe:
    """A linear layer whose weights are in a ``.ptd`` file."""
    return Recipe(Linear(), (values(2, 5),), external_data=True)


class Mlp(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.layers = nn.Sequential(nn.Linear(6, 16), nn.ReLU(), nn.Linear(16, 4))

    def forward(self, x):
        return self.layers(x)


def _quantized(module: nn.Module, inputs: tuple[Any, ...]) -> nn.Module:
    from executorch.backends.xnnpack.quantizer.xnnpack_quantizer import (
        XNNPACKQuantizer,
        get_symmetric_quantization_config,
    )
    from torchao.quantization.pt2e.quantize_pt2e import convert_pt2e, prepare_pt2e

    quantizer = XNNPACKQuantizer().set_global(get_symmetric_quantization_config())
    prepared = prepare_pt2e(torch.export.export(module, inputs).module(), quantizer)
    prepared(*inputs)
    return convert_pt2e(prepared)


@model
def quantized_xnnpack() -> Recipe:
    """int8 through XNNPACK. Compare with a tolerance of one quantization step."""
    inputs = (values(3, 6) / 4,)
    return Recipe(_quantized(Mlp().eval(), inputs), inputs, xnnpack=True)


@model
def quantized() -> Recipe:
    """int8 with `quantized_decomposed` operators, which need the quantized kernels."""
    import executorch.kernels.quantized  # noqa: F401  (registers the operators' out variants)

    inputs = (values(3, 6) / 4,)
    return Recipe(_quantized(Mlp().eval(), inputs), inputs)


def _replacing(old: bytes, new: bytes) -> Any:
    assert len(old) == len(new)

    def patch(data: bytes) -> bytes:
        assert old in data, f"{old!r} is not in the program"
        return data.replace(old, new)

    return patch


@model
def missing_operator() -> Recipe:
    """`add`, asking for the operator ``aten::zdd`` that no build has."""
    return Recipe(
        Add(), (values(2, 2), values(2, 2, start=10)), patch=_replacing(b"aten::add", b"aten::zdd")
    )


@model
def missing_delegate() -> Recipe:
    """`add_xnnpack`, asking for the delegate ``YnnpackBackend`` that no build has."""
    return Recipe(
        Add(),
        (values(2, 2), values(2, 2, start=10)),
        xnnpack=True,
        patch=_replacing(b"XnnpackBackend", b"YnnpackBackend"),
    )


@model
def incompatible_version() -> Recipe:
    """`add`, whose file identifier names a version of the format that does not exist."""
    return Recipe(Add(), (values(2, 2), values(2, 2, start=10)), patch=_replacing(b"ET12", b"ET99"))


if __name__ == "__main__":
    for name, exported in ZOO.items():
        try:
            print(f"{name:32} {exported().path.stat().st_size:8} bytes", flush=True)
        except Exception as error:
            print(f"{name:32} {type(error).__name__}: {str(error)[:300]}", flush=True)
