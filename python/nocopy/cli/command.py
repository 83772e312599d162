"""What the subcommands share: how they fail and how they read arguments."""

from __future__ import annotations

import argparse
from typing import NoReturn

__all__ = ["BAD_REQUEST", "FAILED", "CommandError", "Parser", "positive", "sentence"]

BAD_REQUEST = 2
"""Exit code: what was asked for or given cannot be used."""

FAILED = 1
"""Exit code: a usable request failed."""


class CommandError(Exception):
    """Ends the command with one line on stderr."""

    def __init__(self, message: str, exit_code: int = BAD_REQUEST) -> None:
        super().__init__(sentence(message))
        self.exit_code = exit_code


class Parser(argparse.ArgumentParser):
    """An argument parser that fails with one line instead of the whole usage."""

    def error(self, message: str) -> NoReturn:
        """Raise `CommandError`."""
        raise CommandError(f"{message}; see `{self.prog} --help`")


def positive(text: str) -> int:
    """Read a whole number from 1 up, for ``add_argument(type=...)``."""
    try:
        number = int(text)
    except ValueError:
        number = 0
    if number < 1:
        raise argparse.ArgumentTypeError(f"{text!r} is not a whole number from 1 up")
    return number


def sentence(message: object) -> str:
    """Write a message on one line."""
    return " ".join(str(message).split())
