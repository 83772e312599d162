"""The ``nocopy`` command.

Each subcommand is a module with a function ``add_to(subcommands)``, which declares its arguments
and sets ``run`` to the function that does it. A subcommand imports what it needs when it runs, so
``nocopy --help`` loads no extension.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence

from nocopy import __version__
from nocopy.cli import run
from nocopy.cli.command import CommandError, Parser

__all__ = ["main"]

_SUBCOMMANDS = (run,)


def main(argv: Sequence[str] | None = None) -> int:
    """Run the ``nocopy`` command.

    Parameters
    ----------
    argv
        The arguments after the command's name; those of the process by default.

    Returns
    -------
    int
        The exit code: 0; 2 where what was asked for or given cannot be used; 1 where a usable
        request failed. An error is one line on stderr.
    """
    parser = Parser(
        prog="nocopy", description="Run ExecuTorch programs and edit ONNX models on plain memory."
    )
    parser.add_argument("--version", action="version", version=f"nocopy {__version__}")
    subcommands = parser.add_subparsers(metavar="COMMAND", required=True)
    for subcommand in _SUBCOMMANDS:
        subcommand.add_to(subcommands)
    try:
        arguments = parser.parse_args(argv)
        arguments.run(arguments)
        sys.stdout.flush()
    except CommandError as error:
        print(f"nocopy: {error}", file=sys.stderr)
        return error.exit_code
    except BrokenPipeError:
        # Whoever read the output has seen enough. Python would complain when it closes stdout.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 1
    except KeyboardInterrupt:
        return 130
    return 0
