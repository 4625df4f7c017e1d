"""Conjunctions of conditions: which conditions to try, and the price of them all."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import Any, Literal, get_args

import numpy as np

from penchant.exceptions import DataError
from penchant.rules._conditions import Condition, Conjunction, Relation, Vocabulary
from penchant.rules._conjunction_search import SearchedFeatures
from penchant.rules._features import (
    Feature,
    FeatureSet,
    ListedFeatures,
    SummableGenerator,
    dense_items,
)
from penchant.typing import BoolArray, FloatArray, IntArray

_SOME, _ALL = 8, 20
"""Thresholds of an attribute with many values, and largest number of all."""


@dataclass(frozen=True)
class Conjunctions(SummableGenerator):
    """Conditions such as ``price <= 900``, and several of them at once.

    None is listed: up to degree 2 all are priced by histograms, above the best ones are
    found by branch and bound.

    Parameters
    ----------
    degree : int, default=2
        Largest number of conditions in a rule.
    relations : tuple of {"<=", ">=", "=", "!="} or None, default=None
        None: "<=" and ">=" for numbers and ordered levels; "=" and "!=" for
        categories; "=" for attributes with two values.
    max_thresholds : int or "auto", default=20
        Largest number of thresholds per attribute, at evenly spaced quantiles; round
        numbers between the values of the items. "auto": 8, or all up to 20.

    Examples
    --------
    >>> import numpy as np
    >>> from penchant.models import Conjunctions, Vocabulary
    >>> X = np.array([[1.0, 0.0], [2.0, 1.0], [4.0, 1.0]])
    >>> features = Conjunctions(2).bind(X, Vocabulary(("size", "balcony")))
    >>> best = features.price(np.array([[-1.0], [2.0], [-1.0]]), n_best=1)
    >>> features.feature(best.keys[0]).text(Vocabulary(("size", "balcony")))
    'size >= 2 and size <= 3'
    """

    degree: int = 2
    relations: tuple[Relation, ...] | None = None
    max_thresholds: int | Literal["auto"] = 20

    def __post_init__(self) -> None:
        if self.degree < 1:
            raise DataError(f"degree must be at least 1. Got {self.degree!r}.")
        if self.max_thresholds != "auto" and self.max_thresholds < 1:
            raise DataError(
                f"max_thresholds must be at least 1. Got {self.max_thresholds!r}."
            )
        strays = set(self.relations or ()) - set(get_args(Relation))
        if strays or self.relations == ():
            raise DataError(
                f"relations must be some of {', '.join(get_args(Relation))}. "
                f"Got {self.relations!r}."
            )

    def bind(self, X: Any, vocabulary: Vocabulary) -> FeatureSet:
        """List conditions, and prepare to price conjunctions of them."""
        items = dense_items(X, "Rules")
        conditions = list_conditions(
            items, vocabulary, self.relations, self.max_thresholds
        )
        if self.degree <= 2:
            return HistogramFeatures(items, conditions, with_pairs=self.degree == 2)
        covers = np.array([condition.holds(items) for condition in conditions])
        return SearchedFeatures(
            covers.reshape(-1, len(items)),
            self.degree,
            lambda numbers: Conjunction.merge(conditions[j] for j in numbers),
        )


class HistogramFeatures(ListedFeatures):
    """Conditions and conjunctions of two, priced by histograms, never materialised.

    Conditions cut an attribute into bins between which none of them tells. With H the
    histogram of the items over the bins of two attributes, weighted, and M the 0/1
    tables of which bins a condition covers, ``M_a H_ab M_b'`` are the totals of all
    conjunctions of a and b at once: n d^2 / 2 steps for the histograms and nothing else
    that grows with the number of items. Conditions come first, so that they win against
    conjunctions that cover the same items.

    Parameters
    ----------
    X : ndarray of shape (n_items, n_features)
    conditions : sequence of Condition
        Sorted by attribute.
    with_pairs : bool, default=True
        Whether to join conditions.
    allowed : ndarray of bool of shape (n_conditions, n_conditions), optional
        Which conditions may be joined; on the diagonal, which may stand alone.
    """

    def __init__(
        self,
        X: FloatArray,
        conditions: Sequence[Condition],
        *,
        with_pairs: bool = True,
        allowed: BoolArray | None = None,
    ) -> None:
        self.n_items = len(X)
        self.conditions = list(conditions)
        covers = [condition.holds(X) for condition in self.conditions]
        self._covers = np.array(covers, dtype=np.bool_).reshape(-1, self.n_items)
        groups = groupby(range(len(covers)), lambda c: self.conditions[c].attribute)
        owned = [list(group) for _, group in groups]
        # Items that the same conditions of an attribute cover share a bin.
        bins = [
            np.unique(
                np.packbits(self._covers[own], axis=0),
                axis=1,
                return_index=True,
                return_inverse=True,
            )
            for own in owned
        ]
        n_most = max(map(len, owned), default=0)
        n_bins = max((first.size for _, first, _ in bins), default=0)
        # All attributes get the same number of conditions and bins, so that one call
        # multiplies them all; what is too much covers nothing and is never looked at.
        self._tells = np.zeros((len(owned), n_most, n_bins))
        self._codes = np.empty((len(owned), self.n_items), dtype=np.int64)
        numbers = np.full((len(owned), n_most), -1)
        for a, (own, (_, first, codes)) in enumerate(zip(owned, bins, strict=True)):
            self._tells[a, : len(own), : first.size] = self._covers[own][:, first]
            self._codes[a] = codes.ravel()
            numbers[a, : len(own)] = own
        self._lay_out(numbers, with_pairs, allowed)

    def _lay_out(
        self, numbers: IntArray, with_pairs: bool, allowed: BoolArray | None
    ) -> None:
        """Give features their numbers: single conditions first, then joined ones."""
        some = others = np.arange(len(numbers))
        if with_pairs:
            some, others = np.triu_indices(len(numbers))
        shape = (some.size, numbers.shape[1], numbers.shape[1])
        first = np.broadcast_to(numbers[some][:, :, np.newaxis], shape)
        second = np.broadcast_to(numbers[others][:, np.newaxis, :], shape)
        alone = (first == second) & (first >= 0)
        joined = (first >= 0) & (second > first) & with_pairs
        for a in np.flatnonzero(some == others):
            # Two conditions on one attribute must say more than either alone.
            tells = self._tells[some[a]]
            n_bins, own = tells @ tells.T, tells.sum(axis=1)
            joined[a] &= (n_bins > 0) & (n_bins < np.minimum.outer(own, own))
        if allowed is not None:
            alone &= allowed[first, second]
            joined &= allowed[first, second]
        self._n_single = int(alone.sum())
        self._places = np.append(np.flatnonzero(alone), np.flatnonzero(joined))
        self._first = first.ravel()[self._places]
        self._second = second.ravel()[self._places]
        starts = np.flatnonzero(some == others)
        self._widths = np.diff([*starts, some.size]).tolist()
        self.n_features = self._places.size

    def sums(self, channels: FloatArray) -> FloatArray:
        """Multiply histograms with what conditions tell of their bins."""
        totals = np.empty((self.n_features, channels.shape[1]))
        n_bins = self._tells.shape[2]
        for c, weights in enumerate(channels.T):
            blocks = [np.empty(0)]
            for a, width in enumerate(self._widths):
                # An attribute with itself and with those after it, at once.
                places = self._codes[a : a + width] + n_bins * self._codes[a]
                places += n_bins**2 * np.arange(width)[:, np.newaxis]
                counts = np.bincount(
                    places.ravel(), np.tile(weights, width), width * n_bins**2
                ).reshape(width, n_bins, n_bins)
                # M_a H_ab M_b': the histogram stands for all items.
                others = self._tells[a : a + width].transpose(0, 2, 1)
                blocks.append((self._tells[a] @ counts @ others).ravel())
            totals[:, c] = np.concatenate(blocks)[self._places]
        return totals

    def values(self, keys: Sequence[Any]) -> FloatArray:
        """Intersect what the conditions cover."""
        kept = np.asarray(keys, dtype=np.int64)
        both = self._covers[self._first[kept]] & self._covers[self._second[kept]]
        return both.T.astype(np.float64)

    def feature(self, key: Any) -> Feature:
        """Make the conjunction of one or two conditions."""
        both = {int(self._first[key]), int(self._second[key])}
        return Conjunction.merge(self.conditions[j] for j in sorted(both))

    def basis(self) -> list[Feature]:
        """Give the conditions "<=" and "=": their opposites tell the same."""
        single = (self.conditions[j] for j in self._first[: self._n_single])
        return [Conjunction((c,)) for c in single if c.relation in ("<=", "=")]


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
        for relation in _relations(relations, vocabulary.kind(i), values.size):
            if relation in ("=", "!="):
                frequent = np.argsort(-counts, kind="stable")[:most]
                chosen = values[np.sort(frequent)].tolist()
            else:
                chosen = _thresholds(i, relation, values, counts, most, vocabulary)
            conditions += [Condition(i, relation, value) for value in chosen]
    return conditions


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


def _thresholds(
    i: int,
    relation: Relation,
    values: FloatArray,
    counts: IntArray,
    most: int,
    vocabulary: Vocabulary,
) -> list[float]:
    """Cut gaps between values at a round number in the half that it touches.

    Gap g lies between values g and g + 1; of many those near evenly spaced quantiles.
    """
    cuts = np.arange(counts.size - 1)
    if cuts.size > most:
        below = np.cumsum(counts)
        targets = np.arange(1, most + 1) / (most + 1) * below[-1]
        cuts = np.unique(
            np.minimum(np.searchsorted(below[:-1], targets), cuts.size - 1)
        )
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
