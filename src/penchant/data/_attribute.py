"""Attribute: what a column of the table of alternatives means."""

import re
from dataclasses import asdict, dataclass, fields
from typing import Any, Literal, Self, get_args

import numpy as np

from penchant._cached import cached_property
from penchant.exceptions import DataError

DATE = "date"
"""Unit of numbers that are dates, as days since 1970-01-01."""

_YEAR = re.compile(
    r"year|jahr|\bann[ée]e|\bbuilt\b|\bvintage\b|\bmillésime\b", re.IGNORECASE
)
"""Headers of columns that hold years, if the numbers could be some."""

Kind = Literal["numeric", "ordinal", "categorical"]
Direction = Literal["up", "down", "unknown"]


@dataclass(frozen=True)
class Attribute:
    """One column of a table of alternatives.

    Parameters
    ----------
    name : str
        Column name, as people read it.
    kind : {"numeric", "ordinal", "categorical"}
        Numbers, levels with an order, or levels without one.
    direction : {"up", "down", "unknown"}
        Whether more is better, less is better, or nobody said. For an ordinal
        attribute "more" means later in the domain. Categories have no order, so
        a categorical attribute always has direction "unknown".
    domain : (low, high) or sequence of levels, optional
        All values that can occur. Numeric: the two ends. Ordinal: the levels from
        first to last. Categorical: the levels in any order. None: the values of
        the table decide when the attribute meets one.
    unit : str
        Unit for people to read, such as "EUR" or "m²"; a column that was read from a
        file was converted to it. A date is a number with the unit "date": days since
        1970-01-01, of which a time is a fraction; `format` prints it as a date.

    Examples
    --------
    >>> from penchant.data import Attribute
    >>> Attribute("rent", direction="down", domain=(400, 1500), unit="EUR").domain
    (400.0, 1500.0)
    """

    name: str
    kind: Kind = "numeric"
    direction: Direction = "up"
    domain: tuple[Any, ...] | None = None
    unit: str = ""

    def __post_init__(self) -> None:
        if not isinstance(self.name, str) or not self.name.strip():
            raise DataError(f"An attribute needs a name. Got {self.name!r}.")
        self._check_choice("kind", self.kind, get_args(Kind))
        self._check_choice("direction", self.direction, get_args(Direction))
        if self.kind == "categorical":
            if self.direction == "down":
                raise DataError(
                    f"Attribute {self.name!r} is categorical, so it has no "
                    "direction. Use kind='ordinal' and list the levels in order."
                )
            object.__setattr__(self, "direction", "unknown")
        if self.domain is not None:
            check = self._check_range if self.kind == "numeric" else self._check_levels
            object.__setattr__(self, "domain", check(self.domain))

    def _check_choice(self, what: str, value: Any, allowed: tuple[str, ...]) -> None:
        if value not in allowed:
            raise DataError(
                f"{what} of attribute {self.name!r} must be one of "
                f"{', '.join(allowed)}. Got {value!r}."
            )

    def _check_range(self, domain: Any) -> tuple[float, float]:
        try:
            low, high = (float(end) for end in domain)
        except (TypeError, ValueError):
            raise DataError(
                f"The domain of numeric attribute {self.name!r} must be two "
                f"numbers (low, high). Got {domain!r}."
            ) from None
        if not (np.isfinite(low) and np.isfinite(high) and low <= high):
            raise DataError(
                f"The domain of attribute {self.name!r} must be finite with "
                f"low <= high. Got ({low}, {high})."
            )
        return low, high

    def _check_levels(self, domain: Any) -> tuple[str, ...]:
        if isinstance(domain, str):
            raise DataError(
                f"The domain of attribute {self.name!r} must be a list of levels. "
                f"Got the text {domain!r}."
            )
        levels = tuple(str(level) for level in domain)
        if not levels or len(set(levels)) < len(levels):
            raise DataError(
                f"The levels of attribute {self.name!r} must be at least one and "
                f"all different. Got {list(levels)}."
            )
        return levels

    @property
    def levels(self) -> tuple[str, ...]:
        """The levels of an ordinal or categorical attribute; none if numeric."""
        return () if self.kind == "numeric" or self.domain is None else self.domain

    @cached_property
    def is_year(self) -> bool:
        """Whether the numbers are years, which nobody writes in groups of three."""
        if self.kind != "numeric" or self.unit or self.domain is None:
            return False
        low, high = self.domain
        return low >= 1000 and high < 2200 and bool(_YEAR.search(self.name))

    @property
    def unit_beside(self) -> str:
        """The unit as it stands beside the name, where the name does not say it.

        Examples
        --------
        >>> Attribute("size", unit="m²").unit_beside
        'm²'
        >>> Attribute("Preis (€)", unit="€").unit_beside
        ''
        """
        said = re.search(rf"(?<!\w){re.escape(self.unit)}[)\]]?$", self.name)
        return "" if said or self.unit == DATE else self.unit

    def format(self, value: Any) -> str:
        """Give a value as text with its unit; a missing one as an empty text.

        Examples
        --------
        >>> Attribute("size", unit="m²").format(47.0)
        '47 m²'
        >>> Attribute("built", unit="date").format(19783.5)
        '2024-03-01 12:00'
        >>> Attribute("Baujahr", domain=(1911, 2018)).format(1998)
        '1998'
        """
        if value is None or value != value:
            return ""
        if self.unit == DATE and self.kind == "numeric":
            return _format_day(float(value))
        groups = "" if self.is_year else ","
        text = f"{value:{groups}.6g}" if self.kind == "numeric" else str(value)
        return f"{text} {self.unit}" if self.unit else text

    def to_dict(self) -> dict[str, Any]:
        """Give the attribute as plain values for JSON."""
        domain = None if self.domain is None else list(self.domain)
        return {**asdict(self), "domain": domain}

    @classmethod
    def from_dict(cls, values: dict[str, Any]) -> Self:
        """Make an attribute of what `to_dict` gave."""
        unknown = set(values) - {each.name for each in fields(cls)}
        if unknown or "name" not in values:
            raise DataError(
                "An attribute is described by name, kind, direction, domain and "
                f"unit. Got {sorted(values)}."
            )
        return cls(**values)


def _format_day(day: float) -> str:
    """Print days since 1970 as a date, with the time of day to the second if any."""
    try:
        moment = np.datetime64(round(day * 86_400), "s").item()
        text = moment.isoformat(" ")
    except (AttributeError, OverflowError, ValueError):  # beyond the calendar
        return f"{day:,.6g} days"
    return text.removesuffix(":00").removesuffix(" 00:00")
