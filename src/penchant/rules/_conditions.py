"""Conditions on items and their conjunctions: which to try, and their words."""

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import Any, Literal, get_args

import numpy as np
import pandas as pd

from penchant.data import Attribute
from penchant.exceptions import DataError
from penchant.typing import BoolArray, FloatArray, IntArray

__all__ = [
    "ALWAYS",
    "DAYS",
    "Condition",
    "Conjunction",
    "Relation",
    "Vocabulary",
    "list_conditions",
]

_SOME, _ALL = 8, 20
"""Thresholds of an attribute with many values, and largest number of all."""

DAYS = "days since 1970-01-01"
"""Unit of attributes that are dates."""

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
        if attribute.unit == DAYS:
            day = pd.Timestamp(number, unit="D").round("min")
            return str(day.isoformat(" ", "minutes")).removesuffix(" 00:00")
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

    def holds(self, X: FloatArray) -> BoolArray:
        """Tell for which rows of X the condition holds."""
        return self.fulfilled(X[:, self.attribute])

    def fulfilled(self, values: FloatArray) -> BoolArray:
        """Tell which values of the attribute fulfil the condition."""
        if math.isnan(self.value):
            unknown: BoolArray = np.isnan(values)
            return unknown if self.relation == "=" else ~unknown
        held: BoolArray = _COMPARE[self.relation](values, self.value)
        return held

    def accepts(self, value: float) -> bool:
        """Tell whether a value of the attribute fulfils the condition."""
        return bool(self.fulfilled(np.array([value]))[0])

    def text(self, vocabulary: Vocabulary) -> str:
        """Write the condition in the words and units of the data."""
        i = self.attribute
        if math.isnan(self.value):
            word = "unknown" if self.relation == "=" else "known"
            return f"{vocabulary.names[i]} {word}"
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


def list_conditions(
    X: FloatArray,
    vocabulary: Vocabulary,
    relations: Sequence[Relation] | None,
    max_thresholds: int | Literal["auto"],
) -> list[Condition]:
    """List the conditions on single attributes that tell rows of X apart.

    Parameters
    ----------
    X : ndarray of shape (n_items, n_features)
        Encoded items.
    vocabulary : Vocabulary
        Which attributes have levels, and in which units numbers are round.
    relations : sequence of {"<=", ">=", "=", "!="} or None
        Which relations; categories have only "=" and "!=". None: "<=" and ">=" for
        numbers and ordered levels; "=" and "!=" for categories; "=" for any attribute
        with two values in X, where nothing else is needed.
    max_thresholds : int or "auto"
        Largest number of values per attribute: cuts at evenly spaced quantiles, or
        the most frequent values to be equal to. "auto": 8, but 20 of an attribute that
        has no more; further ones make rules no better, but slower to find.

    Returns
    -------
    list of Condition
        Attribute by attribute; one with unknown values has a condition for them.
    """
    conditions: list[Condition] = []
    for i in range(X.shape[1]):
        unknown = np.isnan(X[:, i])
        values, counts = np.unique(X[~unknown, i], return_counts=True)
        if unknown.any() and values.size:
            conditions.append(Condition(i, "=", math.nan))
        if values.size < 2:
            continue
        most = max_thresholds
        if most == "auto":
            most = _ALL if values.size <= _ALL + 1 else _SOME
        cuts = _cuts(counts, most)
        for relation in _relations(relations, vocabulary.kind(i), values.size):
            if relation in ("=", "!="):
                chosen = _frequent(values, counts, most)
            else:
                chosen = _thresholds(i, relation, values, cuts, vocabulary)
            conditions += [Condition(i, relation, value) for value in chosen]
    return conditions


def round_between(low: float, high: float, *, near_low: bool) -> float:
    """Find the roundest number in [low, high]; of several, one near an end.

    Examples
    --------
    >>> round_between(897.3, 904.6, near_low=False)
    900.0
    """
    nearest = low if near_low else high
    if low == high:
        return nearest
    largest = math.floor(math.log10(high - low)) + 1
    # Two powers further down a multiple lies inside, but for rounding.
    for power in range(largest, largest - 4, -1):
        count = math.ceil(low / 10.0**power) if near_low else high // 10.0**power
        candidate = round(count * 10.0**power, max(-power, 0))
        if low <= candidate <= high:
            return candidate
    return nearest


def _relations(
    relations: Sequence[Relation] | None, kind: str, n_values: int
) -> Sequence[Relation]:
    if relations is None:
        if n_values == 2:
            return ("=",)
        return ("=", "!=") if kind == "categorical" else ("<=", ">=")
    if kind != "categorical":
        return relations
    equalities: list[Relation] = [r for r in relations if r in ("=", "!=")]
    return equalities or ("=", "!=")


def _cuts(counts: IntArray, max_thresholds: int) -> IntArray:
    """Choose gaps between values: gap g lies between values g and g + 1."""
    n_gaps = counts.size - 1
    if n_gaps <= max_thresholds:
        return np.arange(n_gaps)
    below = np.cumsum(counts)
    targets = np.arange(1, max_thresholds + 1) / (max_thresholds + 1) * below[-1]
    gaps = np.searchsorted(below[:-1], targets)
    return np.unique(np.minimum(gaps, n_gaps - 1))


def _frequent(values: FloatArray, counts: IntArray, max_values: int) -> list[float]:
    frequent = np.argsort(-counts, kind="stable")[:max_values]
    return list(values[np.sort(frequent)].tolist())


def _thresholds(
    i: int,
    relation: Relation,
    values: FloatArray,
    cuts: IntArray,
    vocabulary: Vocabulary,
) -> list[float]:
    """Cut each gap at a round number in the half that the condition touches."""
    if vocabulary.kind(i) != "numeric":
        return list(values[cuts + (relation == ">=")].tolist())
    thresholds = []
    for below, above in zip(values[cuts], values[cuts + 1], strict=True):
        end = below if relation == "<=" else above
        middle, known = vocabulary.to_units(i, (below + (above - below) / 2, end))
        cut = round_between(
            float(min(middle, known)),
            float(max(middle, known)),
            near_low=bool(middle < known),
        )
        code = float(vocabulary.from_units(i, cut))
        # Rounding may leave the gap by a bit; then the value of the table stands.
        fits = below <= code < above if relation == "<=" else below < code <= above
        thresholds.append(code if fits else float(end))
    return thresholds
