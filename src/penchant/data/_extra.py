"""Extra: a column of the table of alternatives that is shown, not learned from."""

from dataclasses import dataclass
from typing import Any, Literal, Self, get_args

from penchant.exceptions import DataError

ExtraRole = Literal["shown", "picture", "link", "text", "identifier"]


@dataclass(frozen=True)
class Extra:
    """A column that people see beside the attributes, and that nothing learns from.

    Parameters
    ----------
    name : str
        Column name, as people read it.
    role : {"shown", "picture", "link", "text", "identifier"}
        Short text, the name or address of a picture, an address, long text, or a
        key such as an article number.
    values : tuple of str
        One per item; empty where the table has none.

    Examples
    --------
    >>> from penchant.data import Extra
    >>> Extra("photo", "picture", ("a.jpg", "")).values[0]
    'a.jpg'
    """

    name: str
    role: ExtraRole
    values: tuple[str, ...]

    def __post_init__(self) -> None:
        if not isinstance(self.name, str) or not self.name.strip():
            raise DataError(f"A column needs a name. Got {self.name!r}.")
        if self.role not in get_args(ExtraRole):
            raise DataError(
                f"The role of column {self.name!r} must be one of "
                f"{', '.join(get_args(ExtraRole))}. Got {self.role!r}."
            )
        object.__setattr__(self, "values", tuple(map(str, self.values)))

    def take(self, rows: Any) -> "Extra":
        """Keep the values of the given rows."""
        return Extra(self.name, self.role, tuple(self.values[row] for row in rows))

    def to_dict(self) -> dict[str, Any]:
        """Give the column as plain values for JSON."""
        return {"name": self.name, "role": self.role, "values": list(self.values)}

    @classmethod
    def from_dict(cls, values: dict[str, Any]) -> Self:
        """Make a column of what `to_dict` gave."""
        if not isinstance(values, dict) or set(values) != {"name", "role", "values"}:
            raise DataError(
                "A column that is shown is described by name, role and values. "
                f"Got {values!r}."
            )
        return cls(values["name"], values["role"], tuple(values["values"]))
