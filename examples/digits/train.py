"""Trains a small convolutional classifier of handwritten digits and exports it twice.

Writes next to itself: ``digits.pte`` (portable kernels), ``digits_xnnpack.pte`` (XNNPACK delegate)
and ``samples.npz`` with held-out samples. Needs the ``export`` extra; running the files needs none
of it::

    pip install '.[export]'
    python examples/digits/train.py
    nocopy run examples/digits/digits.pte --input examples/digits/samples.npz --top 1

The data are the 1,797 images of 8 x 8 pixels that scikit-learn brings with it. A quarter is held
out: no image of it is seen in training, and the samples are the first of it.
"""

from __future__ import annotations

import copy
from pathlib import Path

import numpy as np
import torch
from executorch.backends.xnnpack.partition.xnnpack_partitioner import XnnpackPartitioner
from executorch.exir import to_edge_transform_and_lower
from sklearn.datasets import load_digits
from sklearn.model_selection import train_test_split
from torch import nn
from torch.nn import functional

FOLDER = Path(__file__).resolve().parent
SEED = 7
EPOCHS = 40
SAMPLES = 16
LARGEST_BATCH = 64


class Digits(nn.Module):
    """Takes (N, 1, 8, 8) float32 images with values from 0 to 1, returns (N, 10) scores."""

    def __init__(self) -> None:
        super().__init__()
        self.first = nn.Conv2d(1, 16, kernel_size=3, padding=1)
        self.second = nn.Conv2d(16, 32, kernel_size=3, stride=2, padding=1)
        self.third = nn.Conv2d(32, 32, kernel_size=3, stride=2, padding=1)
        self.scores = nn.Linear(32 * 2 * 2, 10)

    def forward(self, images: torch.Tensor) -> torch.Tensor:
        x = functional.relu(self.first(images))
        x = functional.relu(self.second(x))
        x = functional.relu(self.third(x))
        return self.scores(x.flatten(1))


def train(images: torch.Tensor, labels: torch.Tensor) -> Digits:
    torch.manual_seed(SEED)
    model = Digits()
    optimizer = torch.optim.Adam(model.parameters(), lr=3e-3, weight_decay=1e-4)
    schedule = torch.optim.lr_scheduler.CosineAnnealingLR(optimizer, EPOCHS)
    for _ in range(EPOCHS):
        for batch in torch.randperm(len(images)).split(64):
            optimizer.zero_grad()
            functional.cross_entropy(model(images[batch]), labels[batch]).backward()
            optimizer.step()
        schedule.step()
    return model.eval()


def export(model: Digits, path: Path, *, xnnpack: bool) -> None:
    """Write a program that takes batches of 1 to LARGEST_BATCH images."""
    batch = torch.export.Dim("batch", min=1, max=LARGEST_BATCH)
    exported = torch.export.export(
        copy.deepcopy(model), (torch.zeros(SAMPLES, 1, 8, 8),), dynamic_shapes=({0: batch},)
    )
    partitioner = [XnnpackPartitioner()] if xnnpack else []
    program = to_edge_transform_and_lower(exported, partitioner=partitioner).to_executorch()
    path.write_bytes(program.buffer)
    print(f"{path.name}: {path.stat().st_size:,} bytes")


def main() -> None:
    torch.use_deterministic_algorithms(True)
    torch.set_num_threads(1)
    digits = load_digits()
    images = torch.from_numpy(digits.images.astype(np.float32) / 16).unsqueeze(1)
    labels = torch.from_numpy(digits.target)
    kept, held_out = train_test_split(
        np.arange(len(labels)), test_size=0.25, random_state=SEED, stratify=labels
    )

    model = train(images[kept], labels[kept])
    with torch.no_grad():
        predicted = model(images[held_out]).argmax(dim=1)
    right = int((predicted == labels[held_out]).sum())
    print(f"held out: {right} of {len(held_out)} right ({right / len(held_out):.1%})")

    export(model, FOLDER / "digits.pte", xnnpack=False)
    export(model, FOLDER / "digits_xnnpack.pte", xnnpack=True)
    samples = held_out[:SAMPLES]
    np.savez_compressed(
        FOLDER / "samples.npz", images=images[samples].numpy(), labels=labels[samples].numpy()
    )


if __name__ == "__main__":
    main()
