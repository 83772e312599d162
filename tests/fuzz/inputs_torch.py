"""torch tensors for the input fuzzer, as they should be and as they should not."""

from __future__ import annotations

import random
from typing import Any

import numpy as np
import torch
from inputs_models import BFLOAT16


def to_torch(values: np.ndarray) -> torch.Tensor:
    if values.dtype == BFLOAT16:
        return torch.from_numpy(values.view(np.int16).copy("K")).view(torch.bfloat16)
    return torch.from_numpy(values)


class Subclass(torch.Tensor):
    pass


def tensor(rng: random.Random, values: np.ndarray) -> tuple[Any, np.ndarray | None]:
    """A tensor of these values and what they are, or None if it has to be refused."""
    copy = values.copy("K")
    t = to_torch(values)
    kind = rng.randrange(22)
    if kind < 5:
        return t, copy
    if kind == 5 and values.ndim:
        store = torch.zeros(values.size + 3, dtype=t.dtype)
        part = store[3:].view(t.shape)
        part.copy_(t)
        return part, np.ascontiguousarray(copy)
    if kind == 6 and t.is_floating_point():
        return torch._neg_view(t), None
    if kind == 7 and t.is_floating_point():
        return t.clone().requires_grad_(), copy
    if kind == 8 and t.is_floating_point():
        return torch.nn.Parameter(t.clone(), requires_grad=False), copy
    if kind == 9:
        return t.to_sparse() if t.ndim and t.dtype != torch.bool else t.to("meta"), None
    if kind == 10:
        return t.to("meta"), None
    if kind == 11 and t.dtype == torch.float32:
        return torch.quantize_per_tensor(t, 0.1, 0, rng.choice([torch.qint8, torch.quint8])), None
    if kind == 12:
        return t.as_subclass(Subclass), None
    if kind == 13 and values.nbytes > 8:
        shrunk = t.clone()
        shrunk.untyped_storage().resize_(rng.choice([0, 1, 8, values.nbytes - 1]))
        return shrunk, None
    if kind == 14:
        liar = t.clone()
        lies: dict[str, Any] = {
            "data_ptr": lambda: 16,
            "stride": lambda *_: (0,) * 9,
            "element_size": lambda: 1,
            "is_neg": lambda: "x",
            "storage_offset": lambda: 2**60,
            "untyped_storage": lambda: None,
            "__dlpack__": lambda **_: None,
        }
        for name in rng.sample(sorted(lies), 3):
            setattr(liar, name, lies[name])
        return liar, copy
    if kind == 15 and t.ndim:
        return t[:1].expand(t.shape), np.broadcast_to(copy[:1], copy.shape)
    if kind == 16 and t.ndim > 1:
        return t.transpose(0, 1), copy.swapaxes(0, 1)
    if kind == 17:
        odd = rng.choice([
            torch.nested.nested_tensor([torch.ones(2), torch.ones(3)]),
            torch.ones(2, 2, dtype=torch.complex64).conj(),
            torch.ones(2, 2, dtype=torch.complex64).conj().imag,
            torch.ones((1,) * 20),
            torch.empty((0, 2**40)),
            torch.ones(2, 2, dtype=torch.uint16),
            torch.ones(4, dtype=torch.uint8).view(torch.float8_e5m2),
        ])  # fmt: skip
        return odd, None
    if kind == 18 and t.ndim and t.is_floating_point():
        found: list[Any] = []
        torch.vmap(lambda x: (found.append(x), x)[1])(t[None] if t.ndim < 2 else t)
        return found[0], None
    if kind == 19:
        return t.clone().numpy() if t.dtype != torch.bfloat16 else t.clone(), copy
    if kind == 20:
        freed = t.clone()
        freed.data = torch.empty(0, dtype=t.dtype)
        return freed, None if copy.size else copy
    return t.clone(memory_format=torch.preserve_format), copy
