"""Write ``src/executorch/operator_signatures.inc`` from the schemas of the runtime's kernels.

Usage: ``python tools/operator_signatures.py NAMES > src/executorch/operator_signatures.inc`` in an
environment with torch and the executorch package, where ``NAMES`` is a file with one registered
kernel name a line, as ``nocopy.runtime.Runtime.get().operator_registry`` lists them.
"""

from __future__ import annotations

import importlib
import re
import sys
from pathlib import Path

# The runtime implements these by hand and torch knows no schema for them.
BY_HAND = {
    "executorch_prim::et_copy_index.tensor": "WTi",
    "executorch_prim::et_view.default": "TNV",
    "executorch_prim::floordiv.int": "iip",
    "executorch_prim::mod.int": "iip",
}

# See operator_signatures.h for what each letter means.
LETTERS = {
    "Tensor": "T",
    "Tensor?": "t",
    "Tensor[]": "L",
    "Tensor?[]": "l",
    "int": "i",
    "SymInt": "i",
    "int?": "I",
    "SymInt?": "I",
    "ScalarType": "i",
    "ScalarType?": "I",
    "MemoryFormat?": "I",
    "float": "f",
    "float?": "F",
    "bool": "b",
    "bool?": "B",
    "Scalar": "s",
    "Scalar?": "S",
    "int[]": "N",
    "SymInt[]": "N",
    "int[]?": "n",
    "SymInt[]?": "n",
    "float[]?": "d",
    "bool[]": "a",
    "str": "c",
    "str?": "C",
}


def letter(argument: str) -> str:
    """Return the letter of one argument of a schema, such as ``SymInt[2] kernel_size``."""
    kind = argument.split(" ")[0]
    if re.fullmatch(r"Tensor\([a-z]!\)", kind):
        return "W"
    if re.fullmatch(r"Tensor\([a-z]!\)\[\]", kind):
        return "M"
    return LETTERS[re.sub(r"\[\d+\]", "[]", kind)]


def signature(schema: str) -> str:
    """Return the letters of a schema's arguments, and of the slot for what it returns."""
    arguments, returns = re.fullmatch(r"[^(]*\((.*)\) -> (.*)", schema).groups()  # type: ignore[union-attr]
    items = [item for item in re.split(r", (?![^(]*\))", arguments) if item and item != "*"]
    letters = "".join(letter(item) for item in items)
    written = letters.count("W")
    if returns == "()":
        return letters + ("r" if "M" in letters else "")
    if written == 0:
        return letters + "p"
    return letters + ("r" if written == 1 else "R")


def main() -> None:
    """Print one row for each name in the file named on the command line, sorted."""
    import torch

    for module in (
        "executorch.exir.dialects.edge._ops",
        "executorch.exir.passes.dim_order_ops_registry",
        "executorch.kernels.quantized",
    ):
        importlib.import_module(module)
    print("// Written by tools/operator_signatures.py.")
    with Path(sys.argv[1]).open(encoding="utf-8") as file:
        names = sorted({line.strip() for line in file if line.strip()})
    for name in names:
        base, _, overload = name.partition(".")
        letters = BY_HAND.get(name) or signature(str(torch._C._get_schema(base, overload)))
        print(f'{{"{name}", "{letters}"}},')


if __name__ == "__main__":
    main()
