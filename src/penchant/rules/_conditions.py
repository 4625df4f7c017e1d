"""Conditions on items, their conjunctions and ramps, and the words for them."""

import math
from collections.abc import Iterable
from dataclasses import dataclass
from itertools import groupby
from typing import Any, Literal, get_args

import numpy as np

from penchant.data import Attribute
from penchant.exceptions import DataError
from penchant.typing import BoolArray, FloatArray

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

    def to_units(self, i: int, values: Any) -> Any:
        """Give encoded values of an attribute in the units of the table.

        Levels are given by their position in the domain of the attribute.
        """
        low, width, is_flipped = self.scale(i)
        share = 1.0 - np.asarray(values) if is_flipped else np.asarray(values)
        return low + width * share

    def from_units(self, i: int, values: Any) -> Any:
        """Encode values of an attribute, the inverse of `to_units`."""
        low, width, is_flipped = self.scale(i)
        share = (np.asarray(values) - low) / (width or 1.0)
        return 1.0 - share if is_flipped else share

    def value_text(self, i: int, value: float) -> str:
        """Write an encoded value of an attribute in the units of the table."""
        number = float(self.to_units(i, value))
        if self.attributes is None:
            # As few digits as tell the number from its neighbours.
            text = f"{number:.6g}"
            return text if float(text) == number else repr(number)
        attribute = self.attributes[i]
        if attribute.levels:
            return attribute.format(attribute.levels[round(number)])
        return attribute.format(number)

    def scale(self, i: int) -> tuple[float, float, bool]:
        """Give where values begin in the table, how far they reach, if they fall."""
        if self.attributes is None:
            return 0.0, 1.0, False
        attribute = self.attributes[i]
        is_flipped = attribute.direction == "down"
        if attribute.levels:
            return 0.0, float(len(attribute.levels) - 1), is_flipped
        low, high = attribute.domain or (0.0, 1.0)
        return low, high - low, is_flipped


@dataclass(frozen=True, order=True)
class Condition:
    """A condition on one attribute.

    Parameters
    ----------
    attribute : int
        Index of the attribute.
    relation : {"<=", ">=", "=", "!="}
    value : float
        What the attribute is compared with, encoded as the items are. With "=" and
        NaN the condition holds where the value is unknown.

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
        if self.value != self.value:  # one NaN for all, so that they are equal
            object.__setattr__(self, "value", math.nan)

    def __eq__(self, other: object) -> bool:
        """Compare as tuples do, to which the one NaN is equal to itself.

        Since Python 3.13 a data class compares field by field, and NaN is unlike NaN.
        """
        if not isinstance(other, Condition):
            return NotImplemented
        ours = (self.attribute, self.relation, self.value)
        return ours == (other.attribute, other.relation, other.value)

    def holds(self, X: FloatArray) -> BoolArray:
        """Tell for which rows of X the condition holds."""
        values = X[:, self.attribute]
        if math.isnan(self.value):
            unknown: BoolArray = np.isnan(values)
            return unknown if self.relation == "=" else ~unknown
        return _COMPARE[self.relation](values, self.value)

    def text(self, vocabulary: Vocabulary) -> str:
        """Write the condition in the words and units of the data."""
        i = self.attribute
        if math.isnan(self.value):
            word = "unknown" if self.relation == "=" else "known"
            return f"{vocabulary.names[i]} {word}"
        *_, is_flipped = vocabulary.scale(i)
        relation = _MIRROR[self.relation] if is_flipped else self.relation
        if vocabulary.kind(i) == "ordinal":  # beyond an end there is no level
            place, last = vocabulary.to_units(i, self.value), vocabulary.scale(i)[1]
            ends = {"<=": 0.0, ">=": last}
            relation = "=" if ends.get(relation) == round(float(place)) else relation
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
    >>> Conjunction.merge(both).text(Vocabulary(("a",)))
    'a <= 5'
    """

    conditions: tuple[Condition, ...]

    @classmethod
    def merge(cls, conditions: Iterable[Condition]) -> "Conjunction":
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
        row = np.full((1, attribute + 1), only.value)
        return [only, *(c for c in conditions if not c.holds(row)[0])]
    kept: list[Condition] = []
    if values[">="]:
        kept.append(Condition(attribute, ">=", low))
    if values["<="]:
        kept.append(Condition(attribute, "<=", high))
    others = sorted(v for v in values["!="] if low <= v <= high)
    return kept + [Condition(attribute, "!=", value) for value in others]


@dataclass(frozen=True)
class Ramp:
    """A feature that rises evenly from 0 at one value of an attribute to 1 at another.

    Parameters
    ----------
    attribute : int
        Index of the attribute.
    low, high : float
        Where it begins and where it ends, encoded as the items are; low < high.

    Examples
    --------
    >>> import numpy as np
    >>> from penchant.models import Ramp, Vocabulary
    >>> large = Ramp(0, 40.0, 80.0)
    >>> large.evaluate(np.array([[30.0], [50.0], [90.0]]))
    array([0.  , 0.25, 1.  ])
    >>> large.text(Vocabulary(("size",)))
    'size from 40 to 80'
    """

    attribute: int
    low: float
    high: float

    def evaluate(self, X: FloatArray) -> FloatArray:
        """Give how far each row of X is on the way; 0 where the value is unknown."""
        share = (X[:, self.attribute] - self.low) / (self.high - self.low)
        return np.nan_to_num(np.clip(share, 0.0, 1.0))

    def text(self, vocabulary: Vocabulary) -> str:
        """Write the ramp in the words and units of the data."""
        ends = (vocabulary.value_text(self.attribute, v) for v in (self.low, self.high))
        return f"{vocabulary.names[self.attribute]} from {' to '.join(ends)}"
