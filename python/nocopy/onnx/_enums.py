"""Enums of messages, with the surface that protobuf's have."""

from __future__ import annotations

from _operator import index

TYPE_CHECKING = False  # typing itself takes longer to import than all of this
if TYPE_CHECKING:
    from nocopy.onnx._descriptors import EnumDescriptor

__all__ = ["EnumTypeWrapper"]


class EnumTypeWrapper:
    """An enum: its values are plain integers, its names are attributes.

    Parameters
    ----------
    name, full_name : str
        Without and with package and containing message.
    values : tuple of (str, int)
        Names and numbers in the order of the definition.
    """

    def __init__(self, name: str, full_name: str, values: tuple[tuple[str, int], ...]) -> None:
        self._name = name
        self._full_name = full_name
        self._values = values
        self._numbers = dict(values)

    @property
    def DESCRIPTOR(self) -> EnumDescriptor:
        """What describes this enum."""
        from nocopy.onnx._descriptors import enum_descriptor

        return enum_descriptor(self._full_name)

    def Name(self, number: int) -> str:
        """Return the name of a number; ValueError where it has none."""
        try:
            number = index(number)  # numpy's integers are no int
        except TypeError:
            raise TypeError(
                f"Enum value for {self._name} must be an int, but got {type(number)} {number!r}."
            ) from None
        for name, value in self._values:
            if value == number:
                return name
        raise ValueError(f"Enum {self._name} has no name defined for value {number!r}")

    def Value(self, name: str) -> int:
        """Return the number of a name; ValueError where there is none."""
        try:
            return self._numbers[name]
        except KeyError:
            raise ValueError(f"Enum {self._name} has no value defined for name {name!r}") from None

    def keys(self) -> list[str]:
        """Return the names in the order of the definition."""
        return [name for name, _ in self._values]

    def values(self) -> list[int]:
        """Return the numbers in the order of the definition."""
        return [number for _, number in self._values]

    def items(self) -> list[tuple[str, int]]:
        """Return pairs of name and number in the order of the definition."""
        return list(self._values)

    def __getattr__(self, name: str) -> int:
        try:
            return self.__dict__["_numbers"][name]  # type: ignore[no-any-return]
        except KeyError:
            raise AttributeError(
                f"Enum {self.__dict__.get('_name')} has no value defined for name {name!r}"
            ) from None

    def __repr__(self) -> str:
        return f"<enum {self._full_name}>"
