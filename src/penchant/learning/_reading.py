"""What there is to read in a model: weights, curves, pairs, criteria, rules."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final, Self

import numpy as np

from penchant.exceptions import DataError
from penchant.learning._candidates import parts_of
from penchant.models import FactorFunction, GAIClassifier, curve_bands

_CURVE_POINTS: Final = 25
_SURFACE_POINTS: Final = 11

Bands = dict[tuple[int, ...], Any]


@dataclass(frozen=True)
class ModelPart:
    """One thing to read.

    Parameters
    ----------
    kind : {"weight", "curve", "pair", "criterion", "interaction", "rule"}
    names : tuple of str
        The attributes; a rule has none.
    size : float
        Share of the variance of the sum; Shapley value or interaction index; weight of
        a rule, which is positive.
    label : str
        The class it speaks for; empty: more is better, or larger.
    text : str
        Of a rule.
    grid : tuple of tuple
        Values of each attribute at which `values` are given; of a rule, its conditions:
        an attribute, what must hold of it, and whether it is a number.
    values : tuple
        What is added at each value, or at each pair of values (rows: the first).
    low, high : tuple
        The band of `curve_bands` around a curve, of level .9; empty: not known.
    """

    kind: str
    names: tuple[str, ...]
    size: float
    label: str = ""
    text: str = ""
    grid: tuple[tuple[Any, ...], ...] = ()
    values: tuple[Any, ...] = ()
    low: tuple[float, ...] = ()
    high: tuple[float, ...] = ()

    @classmethod
    def from_dict(cls, values: Mapping[str, Any]) -> Self:
        """Make a part of plain values, as JSON gives them back."""
        return cls(**{name: _tuples(value) for name, value in values.items()})


def _tuples(value: Any) -> Any:
    return tuple(map(_tuples, value)) if isinstance(value, list | tuple) else value


def read_model(model: Any, bands: Bands | None = None) -> tuple[ModelPart, ...]:
    """List what there is to read in a fitted model, the largest first.

    Parameters
    ----------
    model : GAI, Choquet or rule model
    bands : dict or None
        As `read_bands` gives them.
    """
    if hasattr(model, "rules_"):
        return tuple(_read_rule(rule, model.vocabulary_) for rule in model.rules_)
    if hasattr(model, "capacity_"):
        return _read_capacity(model)
    if hasattr(model, "factors_"):
        return _read_sum(model, bands or {})
    raise DataError(f"There is nothing to read in a {type(model).__name__}.")


def _read_rule(rule: Any, vocabulary: Any) -> ModelPart:
    conditions = []
    for condition in getattr(rule.feature, "conditions", ()):
        i = condition.attribute
        name, words = vocabulary.names[i], condition.text(vocabulary)
        told = words.removeprefix(f"{name} "), vocabulary.kind(i) == "numeric"
        conditions.append((name, *told))
    size, target = float(rule.weight), str(rule.target)
    return ModelPart("rule", (), size, target, rule.text, tuple(conditions))


def read_bands(model: Any, X: Any, y: Any, n_resamples: int) -> Bands:
    """Give the bands of a sum of curves; empty for other models, or without time."""
    if not getattr(model, "factors_", ()) or n_resamples < 2:
        return {}
    return curve_bands(model, X, y, n_resamples=n_resamples, n_points=_CURVE_POINTS)


def _read_capacity(model: Any) -> tuple[ModelPart, ...]:
    capacity = model.capacity_
    names = capacity.names or tuple(f"x{i}" for i in range(capacity.n))
    limits = parts_of(model)
    importance, together = capacity.shapley(), capacity.interaction()
    criteria = [
        ModelPart("criterion", (names[i],), float(importance[i]))
        for i in np.argsort(-np.abs(importance), kind="stable")
    ]
    pairs = [
        ModelPart("interaction", (names[i], names[j]), float(together[i, j]))
        for i in range(capacity.n)
        for j in range(i + 1, capacity.n)
    ]
    pairs.sort(key=lambda part: -abs(part.size))
    return (
        *criteria[: limits.get("criteria", 0)],
        *pairs[: limits.get("interactions", 0)],
    )


def _read_sum(model: Any, bands: Bands) -> tuple[ModelPart, ...]:
    utilities = [model.utility_]
    labels = [""]
    if isinstance(model, GAIClassifier):
        utilities = list(model.utilities_)
        several = len(utilities) > 1
        labels = list(map(str, model.classes_ if several else model.classes_[1:]))
        if model.ordered:
            labels = [""]
    parts = []
    for utility, label in zip(utilities, labels, strict=False):
        shares = utility.variances / (utility.variance or 1.0)
        known = bands if utility is utilities[0] else {}
        for factor, share in zip(utility.factors, shares, strict=True):
            if len(factor) > 2:
                continue
            names = tuple(model.encoding_.names[i] for i in factor)
            function = FactorFunction(factor, names, utility, model.encoding_)
            parts.append(_part(model, function, float(share), label, known))
    order = {label: k for k, label in enumerate(labels)}
    return tuple(sorted(parts, key=lambda p: (order[p.label], len(p.names), -p.size)))


def _part(
    model: Any, function: FactorFunction, share: float, label: str, bands: Bands
) -> ModelPart:
    factor = function.attributes
    n_points = _CURVE_POINTS if len(factor) == 1 else _SURFACE_POINTS
    grid = tuple(tuple(model.encoding_.grid(i, n_points)) for i in factor)
    single = "weight" if model.solver_ == "linear" else "curve"
    if len(factor) == 2:
        rows = np.asarray(grid[0])[:, None], np.asarray(grid[1])[None, :]
        table = function(*rows)
        values: Any = tuple(tuple(map(float, row)) for row in table)
        return ModelPart("pair", function.names, share, label, "", grid, values)
    heights = tuple(map(float, function(np.asarray(grid[0]))))
    band = bands.get(factor)
    low = () if band is None else tuple(map(float, band.low))
    high = () if band is None else tuple(map(float, band.high))
    return ModelPart(single, function.names, share, label, "", grid, heights, low, high)
