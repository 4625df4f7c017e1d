"""Conditions on items and their conjunctions, and their words."""

from collections.abc import Iterable
from dataclasses import dataclass
from itertools import groupby
from typing import Any, Literal, get_args

import numpy as np

from penchant.data import Attribute
from penchant.exceptions import DataError
from penchant.typing import BoolArray, FloatArray

__all__ = ["ALWAYS", "Condition", "Conjunction", "Relation", "Vocabulary"]

Relation = Literal["<=", ">=", "=", "!="]

_COMPARE = {
    "<=": np.less_equal,
    ">=": np.greater_equal,
    "=": np.equal,
    "!=": np.not_equal,
}
_MIRROR = {"<=": ">=", ">=": "<=", "=": "=", "!=": "!="}


@dataclass(frozen=True)
class Vocabulary:
    """The names of the attributes and the units of their values.

    Parameters
    ----------
    names : tuple of str
        One per attribute.
    attributes : tuple of Attribute or None
        The columns of Items, whose encoded values in [0, 1] are told in the units of
        the table again. None: plain arrays, whose values are told as they are.
    """

    names: tuple[str, ...]
    attributes: tuple[Attribute, ...] | None = None

    def kind(self, i: int) -> str:
        """Tell whether an attribute is numeric, ordinal or categorical."""
        return "numeric" if self.attributes is None else self.attributes[i].kind

    def is_flipped(self, i: int) -> bool:
        """Tell whether a larger encoded value is a smaller one in the table."""
        return self.attributes is not None and self.attributes[i].direction == "down"

    def to_units(self, i: int, values: Any) -> Any:
        """Give encoded values of an attribute in the units of the table.

        Levels are given by their position in the domain of the attribute.
        """
        low, width = self._range(i)
        if self.is_flipped(i):
            return low + width * (1.0 - np.asarray(values))
        return low + width * np.asarray(values)

    def from_units(self, i: int, values: Any) -> Any:
        """Encode values of an attribute, the inverse of `to_units`."""
        low, width = self._range(i)
        share = (np.asarray(values) - low) / (width or 1.0)
        return 1.0 - share if self.is_flipped(i) else share

    def value_text(self, i: int, value: float) -> str:
        """Write an encoded value of an attribute in the units of the table."""
        number = float(self.to_units(i, value))
        if self.attributes is None:
            return _shortest(number)
        attribute = self.attributes[i]
        if attribute.levels:
            return attribute.format(attribute.levels[round(number)])
        return attribute.format(number)

    def _range(self, i: int) -> tuple[float, float]:
        """Give where encoded values begin in the table, and how far they reach."""
        if self.attributes is None:
            return 0.0, 1.0
        attribute = self.attributes[i]
        if attribute.levels:
            return 0.0, float(len(attribute.levels) - 1)
        low, high = attribute.domain or (0.0, 1.0)
        return low, high - low


@dataclass(frozen=True, order=True)
class Condition:
    """A condition on one attribute.

    Parameters
    ----------
    attribute : int
        Index of the attribute.
    relation : {"<=", ">=", "=", "!="}
    value : float
        What the attribute is compared with, encoded as the items are.

    Examples
    --------
    >>> from penchant.models import Condition, Vocabulary
    >>> Condition(0, "<=", 900.0).text(Vocabulary(("price",)))
    'price <= 900'
    """

    attribute: int
    relation: Relation
    value: float

    def __post_init__(self) -> None:
        if self.relation not in get_args(Relation):
            raise DataError(
                f"relation must be one of {', '.join(get_args(Relation))}. "
                f"Got {self.relation!r}."
            )

    def holds(self, X: FloatArray) -> BoolArray:
        """Tell for which rows of X the condition holds."""
        held: BoolArray = _COMPARE[self.relation](X[:, self.attribute], self.value)
        return held

    def accepts(self, value: float) -> bool:
        """Tell whether a value of the attribute fulfils the condition."""
        return bool(_COMPARE[self.relation](value, self.value))

    def text(self, vocabulary: Vocabulary) -> str:
        """Write the condition in the words and units of the data."""
        i = self.attribute
        flipped = vocabulary.is_flipped(i)
        relation = _MIRROR[self.relation] if flipped else self.relation
        value = vocabulary.value_text(i, self.value)
        return f"{vocabulary.names[i]} {relation} {value}"


@dataclass(frozen=True)
class Conjunction:
    """A rule's condition: all of some conditions hold; with none it always does.

    Parameters
    ----------
    conditions : tuple of Condition

    Examples
    --------
    >>> from penchant.models import Condition, Conjunction, Vocabulary
    >>> both = [Condition(0, "<=", 5.0), Condition(0, "<=", 10.0)]
    >>> Conjunction.of(both).text(Vocabulary(("a",)))
    'a <= 5'
    """

    conditions: tuple[Condition, ...]

    @classmethod
    def of(cls, conditions: Iterable[Condition]) -> "Conjunction":
        """Merge redundant conditions, and sort the rest by attribute."""
        merged: list[Condition] = []
        by_attribute = groupby(sorted(set(conditions)), key=lambda c: c.attribute)
        for attribute, group in by_attribute:
            merged += _merge(attribute, list(group))
        return cls(tuple(merged))

    def evaluate(self, X: FloatArray) -> FloatArray:
        """Give 1 for every row of X where all conditions hold, else 0."""
        held = np.ones(X.shape[0], dtype=np.bool_)
        for condition in self.conditions:
            held &= condition.holds(X)
        return held.astype(np.float64)

    def text(self, vocabulary: Vocabulary) -> str:
        """Write the rule's condition in the words and units of the data."""
        return " and ".join(c.text(vocabulary) for c in self.conditions) or "always"


ALWAYS = Conjunction(())
"""The rule that always holds: the bias of a classifier."""


def _merge(attribute: int, conditions: list[Condition]) -> list[Condition]:
    """Keep the conditions on one attribute that are not implied by the others."""
    values: dict[str, list[float]] = {relation: [] for relation in _COMPARE}
    for condition in conditions:
        values[condition.relation].append(condition.value)
    low = max(values[">="], default=-np.inf)
    high = min(values["<="], default=np.inf)
    if low == high:
        values["="].append(low)
    if values["="]:
        only = Condition(attribute, "=", min(values["="]))
        # Conditions that contradict it stay, so that the rule never holds.
        return [only, *(c for c in conditions if not c.accepts(only.value))]
    kept: list[Condition] = []
    if values[">="]:
        kept.append(Condition(attribute, ">=", low))
    if values["<="]:
        kept.append(Condition(attribute, "<=", high))
    others = sorted(v for v in values["!="] if low <= v <= high)
    return kept + [Condition(attribute, "!=", value) for value in others]


def _shortest(number: float) -> str:
    """Write a number with as few digits as tell it from its neighbours."""
    text = f"{number:.6g}"
    return text if float(text) == number else repr(number)
