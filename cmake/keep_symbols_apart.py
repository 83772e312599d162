"""Make the unique symbols of a shared library ordinary ones.

The loader keeps one definition of a symbol with the binding STB_GNU_UNIQUE per process, across
libraries of any name and scope. GCC gives it to static variables of inline functions, so two copies
of a library under two sonames still share those (a pool, tables of types, caches), also when the
copies are of different versions and disagree about what is in them. As global symbols they are
looked up as all others are, and the other copy is not where the loader looks.

Usage: keep_symbols_apart.py LIBRARY...
"""

from __future__ import annotations

import struct
import sys
from pathlib import Path

SECTION = struct.Struct("<IIQQQQIIQQ")
SHT_DYNSYM = 11
STB_GLOBAL = 1
STB_GNU_UNIQUE = 10


def unique_symbols(elf: bytes | bytearray) -> list[int]:
    """Return where in the file the binding of each unique dynamic symbol is written."""
    if elf[:4] != b"\x7fELF" or elf[4] != 2 or elf[5] != 1:
        raise ValueError("not a 64-bit little-endian ELF file")
    [table] = struct.unpack_from("<Q", elf, 40)
    size, count = struct.unpack_from("<HH", elf, 58)
    found = []
    for section in range(table, table + count * size, size):
        _, kind, _, _, start, length, _, _, _, entry = SECTION.unpack_from(elf, section)
        if kind == SHT_DYNSYM:
            infos = range(start + 4, start + length, entry)
            found += [info for info in infos if elf[info] >> 4 == STB_GNU_UNIQUE]
    return found


def main() -> None:
    """Rewrite each library given on the command line."""
    for path in map(Path, sys.argv[1:]):
        elf = bytearray(path.read_bytes())
        for info in unique_symbols(elf):
            elf[info] = STB_GLOBAL << 4 | elf[info] & 15
        path.write_bytes(elf)


if __name__ == "__main__":
    main()
