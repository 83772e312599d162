"""Exports the programs that ``benchmarks/runtime.py`` runs. Needs the ``export`` extra.

They are committed, so that measuring needs no torch.
"""

from __future__ import annotations

from pathlib import Path

import torch
from executorch.backends.xnnpack.partition.xnnpack_partitioner import XnnpackPartitioner
from executorch.exir import ExecutorchBackendConfig, to_edge_transform_and_lower
from executorch.exir.passes import MemoryPlanningPass
from torch import nn

FOLDER = Path(__file__).resolve().parent
HUNDRED_MEGABYTES = 25_000_000  # float32 elements


class Add(nn.Module):
    """(2, 2) + (2, 2): next to no work, so what is left is the call."""

    def forward(self, a: torch.Tensor, b: torch.Tensor) -> torch.Tensor:
        return a + b


class Classifier(nn.Module):
    """A classifier of (1, 3, 64, 64) images of some millions of multiplications."""

    def __init__(self) -> None:
        super().__init__()
        self.layers = nn.Sequential(
            nn.Conv2d(3, 16, 3, padding=1),
            nn.ReLU(),
            nn.Conv2d(16, 32, 3, stride=2, padding=1),
            nn.ReLU(),
            nn.AdaptiveAvgPool2d(1),
            nn.Flatten(),
            nn.Linear(32, 10),
        )

    def forward(self, images: torch.Tensor) -> torch.Tensor:
        return self.layers(images)


class First(nn.Module):
    """Reads one element of its input, so the time does not depend on how large it is."""

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return x[:1] + 1


def export(
    name: str, module: nn.Module, *inputs: torch.Tensor, xnnpack: bool = False, planned: bool = True
) -> None:
    exported = torch.export.export(module.eval(), inputs)
    program = to_edge_transform_and_lower(
        exported, partitioner=[XnnpackPartitioner()] if xnnpack else []
    ).to_executorch(
        ExecutorchBackendConfig(
            memory_planning_pass=MemoryPlanningPass(
                alloc_graph_input=planned, alloc_graph_output=planned
            )
        )
    )
    path = FOLDER / f"{name}.pte"
    path.write_bytes(program.buffer)
    print(f"{path.name}: {path.stat().st_size:,} bytes")


def main() -> None:
    torch.manual_seed(1)
    export("add", Add(), torch.ones(2, 2), torch.ones(2, 2))
    export("conv_xnnpack", Classifier(), torch.ones(1, 3, 64, 64), xnnpack=True)
    export("first_of_4_bytes", First(), torch.ones(1), planned=False)
    export("first_of_100_megabytes", First(), torch.ones(HUNDRED_MEGABYTES), planned=False)


if __name__ == "__main__":
    main()
