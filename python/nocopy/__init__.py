"""nocopy: run ExecuTorch programs and edit ONNX models, and say who owns which memory.

Importing this package loads no extension. :mod:`nocopy.runtime` loads the ExecuTorch runtime,
:mod:`nocopy.onnx` never does, and nothing here ever imports torch.
"""

from __future__ import annotations

__version__ = "0.1.0"
__all__ = ["__version__"]
