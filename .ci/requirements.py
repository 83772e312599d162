"""Print the requirements of pyproject.toml that CI installs by themselves, one per line.

Usage: requirements.py build | extra:NAME
"""

from __future__ import annotations

import sys
from pathlib import Path

if sys.version_info >= (3, 11):
    import tomllib
else:  # pip has a copy, and every environment that installs requirements has pip
    from pip._vendor import tomli as tomllib

with Path("pyproject.toml").open("rb") as file:
    project = tomllib.load(file)

wanted = sys.argv[1]
if wanted == "build":
    print(*project["build-system"]["requires"], sep="\n")
else:
    print(*project["project"]["optional-dependencies"][wanted.removeprefix("extra:")], sep="\n")
