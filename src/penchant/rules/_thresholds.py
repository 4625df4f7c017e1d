"""The conditions that a table of items suggests: where to cut, what to equate."""

import math
from collections.abc import Sequence

import numpy as np

from penchant.rules._conditions import Condition, Relation, Vocabulary
from penchant.typing import FloatArray, IntArray

__all__ = ["list_conditions", "round_between"]


def list_conditions(
    X: FloatArray,
    vocabulary: Vocabulary,
    relations: Sequence[Relation] | None,
    max_thresholds: int,
    max_cuts: int | None = None,
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
    max_thresholds : int
        Largest number of values per attribute: cuts at evenly spaced quantiles, or
        the most frequent values to be equal to.
    max_cuts : int, optional
        The same of cuts alone, if fewer.

    Returns
    -------
    list of Condition
        Attribute by attribute.
    """
    conditions: list[Condition] = []
    for i in range(X.shape[1]):
        values, counts = np.unique(X[:, i], return_counts=True)
        if values.size < 2:
            continue
        wanted = _relations(relations, vocabulary.kind(i), values.size)
        cuts = _cuts(counts, min(max_thresholds, max_cuts or max_thresholds))
        for relation in wanted:
            if relation in ("=", "!="):
                chosen = _frequent(values, counts, max_thresholds)
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
