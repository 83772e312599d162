"""Ways to damage a program file. Each is a function of the bytes and of one number."""

from __future__ import annotations

import random
import struct
from collections.abc import Callable, Sequence

#: Numbers at which indexes, sizes and offsets tend to break.
EDGES = (0, 1, 2, 3, 4, 5, 7, 8, 16, 17, 64, 100, 255, 256, 1000, 4096, 65536, 1 << 24, 1 << 28)
EDGES_32 = (*EDGES, 0x7FFFFFFF, 0x80000000, 0xFFFFFFFE, 0xFFFFFFFF)
#: Where the identifier and the extended header end.
HEAD = 64


def flip(data: bytearray, rng: random.Random, pool: Sequence[bytes]) -> None:
    """Turn one to eight bits over, anywhere."""
    for _ in range(rng.randint(1, 8)):
        data[rng.randrange(len(data))] ^= 1 << rng.randrange(8)


def edge_bytes(data: bytearray, rng: random.Random, pool: Sequence[bytes]) -> None:
    """Set bytes to values at which 8-bit fields break."""
    for _ in range(rng.randint(1, 4)):
        data[rng.randrange(len(data))] = rng.choice((0, 1, 2, 4, 8, 16, 64, 0x7F, 0x80, 0xFF))


def edge_words(data: bytearray, rng: random.Random, pool: Sequence[bytes]) -> None:
    """Set aligned 32-bit words to values at which offsets and sizes break."""
    for _ in range(rng.randint(1, 3)):
        at = 4 * rng.randrange(len(data) // 4)
        struct.pack_into("<I", data, at, rng.choice(EDGES_32))


def nudge_words(data: bytearray, rng: random.Random, pool: Sequence[bytes]) -> None:
    """Add a little to aligned 32-bit words, as an index or an offset gone astray would have."""
    for _ in range(rng.randint(1, 3)):
        at = 4 * rng.randrange(len(data) // 4)
        word = struct.unpack_from("<I", data, at)[0]
        step = rng.choice((-16, -8, -4, -2, -1, 1, 2, 4, 8, 16))
        struct.pack_into("<I", data, at, (word + step) & 0xFFFFFFFF)


def small_numbers(data: bytearray, rng: random.Random, pool: Sequence[bytes]) -> None:
    """Change words and bytes that look like small numbers: most are sizes, indexes and ids, so that
    the file stays readable and says something else."""
    left = rng.randint(1, 2)
    for _ in range(400):
        at = HEAD + 4 * rng.randrange(max(1, (len(data) - HEAD) // 4))
        if at + 4 > len(data):
            continue
        if rng.random() < 0.2:
            at += rng.randrange(4)
            if data[at] > 20:
                continue
            data[at] = rng.randrange(24)
        else:
            word = struct.unpack_from("<I", data, at)[0]
            if 4096 < word < 0xFFFFFF00:
                continue
            near = (word + rng.choice((-1, 1))) & 0xFFFFFFFF
            struct.pack_into("<I", data, at, near if rng.random() < 0.2 else rng.choice(EDGES_32))
        left -= 1
        if left == 0:
            return


def truncate(data: bytearray, rng: random.Random, pool: Sequence[bytes]) -> None:
    """Cut the file short."""
    del data[rng.randrange(len(data)) :]


def splice(data: bytearray, rng: random.Random, pool: Sequence[bytes]) -> None:
    """Write a piece of this or of another program over a place in this one."""
    source = rng.choice((bytes(data), rng.choice(pool)))
    size = rng.choice((4, 8, 16, 64, 256))
    start, at = rng.randrange(len(source)), rng.randrange(len(data))
    if rng.random() < 0.5:
        start, at = start & ~3, at & ~3
    piece = source[start : start + size][: len(data) - at]
    data[at : at + len(piece)] = piece


def shift(data: bytearray, rng: random.Random, pool: Sequence[bytes]) -> None:
    """Take out or put in a few bytes, so that everything after them moves."""
    at, size = rng.randrange(len(data)), rng.randint(1, 32)
    if rng.random() < 0.5:
        del data[at : at + size]
    else:
        data[at:at] = rng.randbytes(size)


MUTATIONS: tuple[Callable[[bytearray, random.Random, Sequence[bytes]], None], ...] = (
    flip,
    edge_bytes,
    edge_words,
    nudge_words,
    small_numbers,
    small_numbers,
    truncate,
    splice,
    shift,
)


def mutate(program: bytes, pool: Sequence[bytes], seed: int) -> tuple[bytes, str]:
    """Return a damaged copy of a program and the name of what was done to it."""
    rng = random.Random(seed)
    mutation = rng.choice(MUTATIONS)
    data = bytearray(program)
    mutation(data, rng, pool)
    return bytes(data), mutation.__name__
