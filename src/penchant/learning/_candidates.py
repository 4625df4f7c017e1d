"""The models that are compared: how each is fitted, what it says, how much it is."""

from collections.abc import Callable, Mapping
from copy import copy
from dataclasses import dataclass
from typing import Any, Final

import numpy as np
from sklearn.ensemble import (
    HistGradientBoostingClassifier,
    HistGradientBoostingRegressor,
)

from penchant.data import Items
from penchant.learning._target import Target
from penchant.models import (
    ChoquetClassifier,
    ChoquetRanker,
    ChoquetRegressor,
    GAIClassifier,
    GAIRanker,
    GAIRegressor,
    GaussianProcessRanker,
    RuleClassifier,
    RuleRanker,
)
from penchant.typing import FloatArray, IntArray

_LEAST_SHARE: Final = 0.01
"""Parts of a sum with a smaller share of its variance are left out before judging."""
_LEAST_WEIGHT: Final = 1e-3
"""Weights of a capacity below this share of the whole are rounding of the solver."""
_MOST_LEVELS: Final = 255
"""That scikit-learn's boosted trees take."""
_MOST_PROCESSED: Final = 2_000
"""Comparisons up to which a Gaussian process is worth its time."""


@dataclass(frozen=True)
class Candidate:
    """A way to learn.

    Parameters
    ----------
    name : str
    title : str
        For people.
    makers : mapping from str to callable
        For each kind of target, makes an estimator from whether there is an order
        among classes and a random_state.
    cost : float
        Seconds of a fit compared with that of a linear model, about; only for the
        time that is left before anything was measured.
    readable : bool
        Whether somebody can read it: others are compared for reference alone.
    refuses : callable
        Says why it does not suit a target; empty if it does.
    """

    name: str
    title: str
    makers: Mapping[str, Callable[[bool, int], Any]]
    cost: float
    readable: bool = True
    refuses: Callable[[Target], str] = lambda target: ""

    def objection(self, target: Target) -> str:
        """Say why it does not suit a target; empty if it does."""
        if target.kind not in self.makers:
            kinds = ", ".join(self.makers)
            return f"it learns {kinds}, and the target has {target.kind}"
        return self.refuses(target)

    def fit(self, target: Target, rows: IntArray, random_state: int) -> Any:
        """Fit to some rows of a target."""
        ordered = target.kind == "grades"
        model = self.makers[target.kind](ordered, random_state)
        if target.kind == "comparisons":
            return shortened(model.fit(target.items, target.values.take(rows)))
        items, values = target.items.take(rows), target.values[rows]
        if target.kind == "numbers":
            return shortened(model.fit(items, values))
        if self.name == "rules":  # they name what they speak for
            return model.fit(items, target.labels[values])
        model = shortened(model.fit(items, values))  # in the order of the grades
        model.classes_ = target.labels[model.classes_]
        return model


def shortened(model: Any) -> Any:
    """Leave out the parts of a sum of curves and pairs that hardly matter."""
    if isinstance(model, GAIClassifier):
        short = copy(model)
        short.utilities_ = tuple(
            utility.restricted(
                factor
                for factor, variance in zip(
                    utility.factors, utility.variances, strict=True
                )
                if variance >= _LEAST_SHARE * utility.variance
            )
            for utility in model.utilities_
        )
        return short
    is_sum = isinstance(model, GAIRegressor | GAIRanker)
    return model.select(_LEAST_SHARE) if is_sum else model


def parts_of(model: Any) -> dict[str, int]:
    """Count what there is to read: curves, pairs, criteria, rules.

    A part of a model with several utilities, one per class, is read once for each.
    """
    if hasattr(model, "rules_"):
        return {"rules": len(model.rules_)}
    if hasattr(model, "factors_"):
        utilities = getattr(model, "utilities_", None) or [model.utility_]
        sizes = [len(factor) for each in utilities for factor in each.factors]
        first = "weights" if model.solver_ == "linear" else "curves"
        names = {1: first, 2: "pairs", 3: "triples"}
        return {name: sizes.count(k) for k, name in names.items() if k in sizes}
    if hasattr(model, "capacity_"):
        capacity = model.capacity_
        least = _LEAST_WEIGHT * abs(capacity.total)
        pairs = np.triu(np.abs(capacity.interaction()), k=1)
        counts = {
            "criteria": int((np.abs(capacity.shapley()) > least).sum()),
            "interactions": int((pairs > least).sum()),
        }
        return {name: count for name, count in counts.items() if count}
    return {}


def predict_rows(model: Any, target: Target, rows: IntArray) -> FloatArray:
    """Give what a model says about rows.

    Returns
    -------
    ndarray of shape (n_rows,) or (n_rows, n_labels)
        Numbers; the chances of all labels; or by how much the preferred item of a
        comparison is better.
    """
    if target.kind == "comparisons":
        pairs = target.values.take(rows)
        if isinstance(model, _BoostedPairs):
            return model.differences(target.items, pairs)
        utility = model.utility(target.items)
        return utility[pairs.winners] - utility[pairs.losers]
    items = target.items.take(rows)
    if target.kind == "numbers":
        return np.asarray(model.predict(items), dtype=np.float64)
    chances = np.zeros((len(rows), len(target.labels)))
    places = [int(np.flatnonzero(target.labels == c)[0]) for c in model.classes_]
    chances[:, places] = model.predict_proba(items)
    return chances


def _refuse_unordered(target: Target) -> str:
    """Choquet integrals need a best end; levels and blanks find their places."""
    if target.kind == "classes" and len(target.labels) > 2:
        return "the classes have no order, so that nothing is better than another"
    return ""


def _refuse_many(target: Target) -> str:
    if len(target) > _MOST_PROCESSED:
        return f"it takes too long with more than {_MOST_PROCESSED:,} comparisons"
    return ""


def _refuse_levels(target: Target) -> str:
    for attribute in target.items.attributes:
        if attribute.kind == "categorical" and len(attribute.levels) > _MOST_LEVELS:
            return f"{attribute.name!r} has more than {_MOST_LEVELS} levels"
    return ""


class _Boosted:
    """Boosted trees on the encoded table."""

    def __init__(self, trees: Any) -> None:
        self.trees = trees

    def fit(self, items: Items, y: Any) -> "_Boosted":
        self.trees.set_params(
            categorical_features=[a.kind == "categorical" for a in items.attributes]
        )
        self.trees.fit(_codes(items), y)
        self.classes_ = getattr(self.trees, "classes_", None)
        return self

    def predict(self, items: Items) -> Any:
        return self.trees.predict(_codes(items))

    def predict_proba(self, items: Items) -> Any:
        return self.trees.predict_proba(_codes(items))


class _BoostedPairs:
    """Boosted trees on both items of a pair, shown in both orders."""

    def __init__(self, trees: Any) -> None:
        self.trees = trees

    def fit(self, items: Items, pairs: Any) -> "_BoostedPairs":
        U = _codes(items)
        there = np.hstack([U[pairs.winners], U[pairs.losers]])
        back = np.hstack([U[pairs.losers], U[pairs.winners]])
        kinds = [a.kind == "categorical" for a in items.attributes]
        self.trees.set_params(categorical_features=kinds + kinds)
        y = np.repeat([1, 0], len(there))
        self.trees.fit(np.vstack([there, back]), y)
        return self

    def differences(self, items: Items, pairs: Any) -> FloatArray:
        U = _codes(items)
        there = np.hstack([U[pairs.winners], U[pairs.losers]])
        back = np.hstack([U[pairs.losers], U[pairs.winners]])
        score = self.trees.decision_function
        return score(there) - score(back)


def _codes(items: Items) -> FloatArray:
    """Encode a table as trees take it: categories as whole numbers, gaps as NaN."""
    U = items.encode(missing="keep")
    for i, attribute in enumerate(items.attributes):
        if attribute.kind == "categorical":
            U[:, i] = np.round(U[:, i] * max(len(attribute.levels) - 1, 1))
    return U


def _additive(max_order: int) -> Mapping[str, Callable[[bool, int], Any]]:
    """Make sums of parts of up to so many attributes; 0: lines."""

    def classify(ordered: bool, _: int) -> Any:
        return GAIClassifier(max_order=max_order, ordered=ordered)

    return {
        "numbers": lambda _, __: GAIRegressor(max_order=max_order, solver="binned"),
        "classes": classify,
        "grades": classify,
        "comparisons": lambda _, __: GAIRanker(max_order=max_order, solver="binned"),
    }


def _choquet(ordered: bool, _: int) -> Any:
    return ChoquetClassifier()


def _rules(ordered: bool, random_state: int) -> Any:
    return RuleClassifier(random_state=random_state)


def _boosted(ordered: bool, random_state: int) -> Any:
    return _Boosted(HistGradientBoostingClassifier(random_state=random_state))


_LISTED = (
    Candidate("linear", "Linear: a weight per attribute", _additive(0), 1.0),
    Candidate("curves", "A curve per attribute", _additive(1), 4.0),
    Candidate(
        "rules",
        "Weighted rules",
        {
            "classes": _rules,
            "grades": _rules,
            "comparisons": lambda _, seed: RuleRanker(random_state=seed),
        },
        15.0,
    ),
    Candidate(
        "choquet",
        "Choquet integral, monotone",
        {
            "numbers": lambda _, __: ChoquetRegressor(),
            "classes": _choquet,
            "grades": _choquet,
            "comparisons": lambda _, __: ChoquetRanker(),
        },
        1.0,
        refuses=_refuse_unordered,
    ),
    Candidate("gai", "Curves and few pairs (sparse GAI)", _additive(2), 12.0),
    Candidate(
        "process",
        "Gaussian process",
        {"comparisons": lambda _, __: GaussianProcessRanker()},
        40.0,
        readable=False,
        refuses=_refuse_many,
    ),
    Candidate(
        "boosting",
        "Boosted trees, which nobody can read",
        {
            "numbers": lambda _, seed: _Boosted(
                HistGradientBoostingRegressor(random_state=seed)
            ),
            "classes": _boosted,
            "grades": _boosted,
            "comparisons": lambda _, seed: _BoostedPairs(
                HistGradientBoostingClassifier(random_state=seed)
            ),
        },
        6.0,
        readable=False,
        refuses=_refuse_levels,
    ),
)

CANDIDATES: Final = {candidate.name: candidate for candidate in _LISTED}
"""From what is read most easily to what cannot be read; of equal sizes the first."""
