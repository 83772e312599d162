"""Messages as text and back, in protobuf's text format.

The functions have the names and keywords of ``google.protobuf.text_format`` and write the same
text. ``str(message)`` writes floating-point numbers as protobuf's own ``str`` does (``1``), these
functions as protobuf's text_format does (``1.0``); both are read back to the same numbers.
"""

from __future__ import annotations

from nocopy import _core
from nocopy.errors import DecodeError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable
    from typing import Protocol, TypeVar

    from nocopy.onnx import Message

    MessageT = TypeVar("MessageT", bound=Message)

    class _Writable(Protocol):
        def write(self, text: str, /) -> object: ...


__all__ = [
    "Merge",
    "MergeLines",
    "MessageToBytes",
    "MessageToString",
    "Parse",
    "ParseError",
    "ParseLines",
    "PrintMessage",
]


class ParseError(DecodeError):
    """A text that is not a message.

    Parameters
    ----------
    message
        What is wrong.
    line, column
        Where, counted from 1, the column in characters.
    """

    def __init__(
        self, message: str = "", line: int | None = None, column: int | None = None
    ) -> None:
        super().__init__(message)
        self._line = line
        self._column = column

    def GetLine(self) -> int | None:
        """Return the line, counted from 1."""
        return self._line

    def GetColumn(self) -> int | None:
        """Return the column, counted from 1."""
        return self._column


def MessageToString(
    message: Message,
    as_utf8: bool = True,
    as_one_line: bool = False,
    use_short_repeated_primitives: bool = False,
    pointy_brackets: bool = False,
    use_index_order: bool = False,
    use_field_number: bool = False,
    *,
    indent: int = 0,
    print_unknown_fields: bool = False,
    force_colon: bool = False,
) -> str:
    """Return the text of a message.

    Parameters
    ----------
    message
        Any message of :mod:`nocopy.onnx`. Raw data is written out whole, four characters for most
        bytes: not for models with their weights.
    as_utf8
        Write characters that are not ASCII as they are rather than as escaped bytes.
    as_one_line
        Separate fields by a space rather than by a new line.
    use_short_repeated_primitives
        Write repeated numbers as ``[1, 2]`` rather than one by one.
    pointy_brackets
        Put submessages into ``<>`` rather than ``{}``.
    use_index_order
        Write fields in the order in which they are declared rather than by number.
    use_field_number
        Write a field's number rather than its name.
    indent
        The number of spaces before the outermost fields.
    print_unknown_fields
        Write also the fields that are not known, by number.
    force_colon
        Write a colon before submessages, too.

    Raises
    ------
    TypeError
        If it is not a message of :mod:`nocopy.onnx`.
    NocopyError
        If messages lie in each other more than 1000 levels deep.
    """
    return _core.print_text(
        message,
        as_utf8=as_utf8,
        as_one_line=as_one_line,
        use_short_repeated_primitives=use_short_repeated_primitives,
        pointy_brackets=pointy_brackets,
        use_index_order=use_index_order,
        use_field_number=use_field_number,
        indent=indent,
        print_unknown_fields=print_unknown_fields,
        force_colon=force_colon,
    )


def MessageToBytes(message: Message, **options: bool) -> bytes:
    """Return the text of a message as bytes, UTF-8; the options are `MessageToString`'s."""
    return MessageToString(message, **options).encode()


def PrintMessage(message: Message, out: _Writable, **options: bool) -> None:
    """Write the text of a message to an open text file; the options are `MessageToString`'s."""
    out.write(MessageToString(message, **options))


def Parse(
    text: str | bytes,
    message: MessageT,
    *,
    allow_field_number: bool = False,
    allow_unknown_field: bool = False,
    max_recursion_depth: int | None = None,
) -> MessageT:
    """Add what a text says to a message.

    Parameters
    ----------
    text
        The text; bytes are read as UTF-8.
    message
        What to add to. Elements of repeated fields come behind those that are there; another field
        that is set already is an error.
    allow_field_number
        Accept the numbers of fields instead of their names.
    allow_unknown_field
        Skip fields that the message does not have.
    max_recursion_depth
        How many messages may lie in each other, the outermost counted: 100 for None, as bytes may
        have, at most 1000.

    Returns
    -------
    Message
        The message that was given. It shares nothing with the text.

    Raises
    ------
    ParseError
        If the text is not such a message; it names line and column, and the message holds what was
        read up to there.
    """
    return _parse(
        text, message, False, allow_field_number, allow_unknown_field, max_recursion_depth
    )


def Merge(
    text: str | bytes,
    message: MessageT,
    *,
    allow_field_number: bool = False,
    allow_unknown_field: bool = False,
    max_recursion_depth: int | None = None,
) -> MessageT:
    """Add what a text says to a message, replacing fields that are not repeated.

    As `Parse`, but a field may be set already, or more than once in the text: the last one counts.
    """
    return _parse(text, message, True, allow_field_number, allow_unknown_field, max_recursion_depth)


def ParseLines(lines: Iterable[str], message: MessageT) -> MessageT:
    """`Parse` of a text that comes as lines, with or without their ends."""
    return Parse(_join(lines), message)


def MergeLines(lines: Iterable[str], message: MessageT) -> MessageT:
    """`Merge` of a text that comes as lines, with or without their ends."""
    return Merge(_join(lines), message)


def _join(lines: Iterable[str]) -> str:
    return "\n".join(line.removesuffix("\n") for line in lines)


def _parse(
    text: str | bytes,
    message: MessageT,
    allow_repeats: bool,
    allow_field_number: bool,
    allow_unknown_field: bool,
    max_recursion_depth: int | None,
) -> MessageT:
    _core.parse_text(
        text,
        message,
        allow_repeats=allow_repeats,
        allow_field_number=allow_field_number,
        allow_unknown_field=allow_unknown_field,
        max_recursion_depth=100 if max_recursion_depth is None else max_recursion_depth,
    )
    return message
