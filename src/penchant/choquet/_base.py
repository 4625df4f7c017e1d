"""What all Choquet models share: criteria in [0, 1], larger is better, and answers."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any, ClassVar, NamedTuple, Self

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin, RegressorMixin, _fit_context
from sklearn.utils import Tags
from sklearn.utils._param_validation import StrOptions
from sklearn.utils.validation import check_is_fitted

from penchant._progress import PROGRESS, Progress
from penchant._validation import check_weights
from penchant.choquet._directions import (
    CriterionDirection,
    Evidence,
    correlate_ranks,
    effective_size,
    find_directions,
)
from penchant.encoding import (
    Domain,
    check_domain,
    check_items,
    check_labelled_items,
    check_rated_items,
    known_attributes,
)
from penchant.exceptions import DataError
from penchant.typing import ArrayLike, BoolArray, FloatArray, IntArray


class Answers(NamedTuple):
    """Distinct answers about items.

    Attributes
    ----------
    unit : ndarray of shape (n_rows, n_features)
        Items in [0, 1].
    y : ndarray of shape (n_rows,)
        Ratings, or codes of classes.
    weights : ndarray of shape (n_rows,)
        How much each counts.
    rows : ndarray of shape (n_rows,)
        Where they first stand in the training data.
    n_answers : float
        How many there were before equal ones were merged.
    """

    unit: FloatArray
    y: Any
    weights: FloatArray
    rows: IntArray
    n_answers: float

    def correlate(self, y: Any = None) -> Evidence:
        """Correlate the criteria with the answers, or with something else."""
        told = self.y if y is None else y
        return correlate_ranks(self.unit, told, self.weights, self.n_answers)


class ChoquetModel(BaseEstimator):
    """Base of all Choquet models: how criteria are scaled and turned."""

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        "domain": [StrOptions({"data"}), "array-like"],
        "directions": [StrOptions({"auto", "up"}), Mapping, "array-like", None],
        **PROGRESS,
    }

    domain: Any
    directions: Any
    max_time: float | None
    verbose: int
    callback: Any
    # Of several classes: one row, and one dict, per class.
    is_down_: BoolArray
    directions_: Any

    _takes_blanks = True

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = True
        return tags

    def _progress(self) -> Progress:
        name = type(self).__name__
        return Progress(name, self.max_time, self.verbose, self.callback)

    def _fit_domain(self, items: FloatArray, scores: FloatArray) -> FloatArray:
        """Learn the map to [0, 1] and apply it.

        A monotone function needs an order: levels without one get that of the mean
        scores of their items. It has no place for "unknown" either: blank cells get
        the median, see `Domain.filled`.
        """
        domain = check_domain(self.domain, self, items)
        levels = list(domain.levels)
        for i, attribute in enumerate(known_attributes(self) or ()):
            if attribute.kind == "categorical":
                # By scores of the training data: a level's place is learned like a
                # weight.
                levels[i] = _order_levels(items[:, i], scores, len(attribute.levels))
        self.domain_: Domain = replace(domain, levels=tuple(levels)).filled(items)
        return self.domain_.transform(items)

    def _find_directions(
        self, X: Any, evidence: Evidence, *, warns: bool = True
    ) -> tuple[BoolArray, dict[str, CriterionDirection]]:
        names = self._names() or tuple(f"x{i}" for i in range(self.n_features_in_))
        return find_directions(self.directions, X, names, evidence, warns=warns)

    def _turn_answers(self, X: Any, answers: Answers, *, warns: bool = True) -> Answers:
        """Learn the directions, and turn the items."""
        found = self._find_directions(X, answers.correlate(), warns=warns)
        self.is_down_, self.directions_ = found
        return answers._replace(unit=self._turn(answers.unit))

    def _turn(self, unit: FloatArray) -> FloatArray:
        """Make larger better; with directions per class, once for each."""
        return np.where(self.is_down_[..., np.newaxis, :], 1 - unit, unit)

    def _encode(self, X: Any) -> FloatArray:
        """Map items to [0, 1] as in fit."""
        check_is_fitted(self)
        return self._turn(self.domain_.transform(check_items(self, X, reset=False)))

    def _scores(self, X: Any) -> FloatArray:
        """Give the value of each learned function, (n_items, n_functions)."""
        raise NotImplementedError

    def _names(self) -> tuple[str, ...] | None:
        names = getattr(self, "feature_names_in_", None)
        return None if names is None else tuple(names)

    def _merge(self, items: FloatArray, y: Any, weights: FloatArray) -> Answers:
        """Merge equal rows with equal answers, and leave out rows of weight 0.

        The problem stays the same and gets smaller; it no longer depends on the
        order of rows, nor on whether a row is repeated or weighted.
        """
        kept = np.flatnonzero(weights > 0)
        unit, weights = self._fit_domain(items[kept], y), weights[kept]
        # Sorted rows: also the last bits no longer depend on their order.
        _, first, kind = np.unique(
            np.column_stack([unit, y]), axis=0, return_index=True, return_inverse=True
        )
        sums = np.bincount(kind.ravel(), weights).astype(np.float64)
        size = effective_size(weights)
        return Answers(unit[first], y[first], sums, kept[first], size)


class RatingMixin(RegressorMixin, ChoquetModel):
    """Mixin for models of ratings."""

    @_fit_context(prefer_skip_nested_validation=True)  # type: ignore[untyped-decorator]
    def fit(self, X: Any, y: Any, sample_weight: ArrayLike | None = None) -> Self:
        """Learn the capacity.

        Parameters
        ----------
        X : Items or array-like of shape (n_items, n_features)
            Items.
        y : array-like of shape (n_items,)
            Ratings.
        sample_weight : array-like of shape (n_items,), optional
            How much each rating counts.

        Returns
        -------
        self
        """
        items, ratings = check_rated_items(self, X, y)
        weights = _check_weights(sample_weight, ratings.size)
        answers = self._merge(items, ratings[weights > 0], weights)
        self._fit_ratings(self._turn_answers(X, answers))
        return self

    def _fit_ratings(self, answers: Answers) -> None:
        raise NotImplementedError

    def utility(self, X: Any) -> FloatArray:
        """Give the predicted rating of each item.

        Parameters
        ----------
        X : Items or array-like of shape (n_items, n_features)

        Returns
        -------
        ndarray of shape (n_items,)
        """
        return self._scores(X)[:, 0]

    def predict(self, X: Any) -> FloatArray:
        """Give the predicted rating of each item, the same as `utility`."""
        return self.utility(X)


class LabelMixin(ClassifierMixin, ChoquetModel):
    """Mixin for models of grades or classes."""

    @_fit_context(prefer_skip_nested_validation=True)  # type: ignore[untyped-decorator]
    def fit(self, X: Any, y: Any, sample_weight: ArrayLike | None = None) -> Self:
        """Learn the capacity, or one per class.

        Parameters
        ----------
        X : Items or array-like of shape (n_items, n_features)
            Items.
        y : array-like of shape (n_items,)
            Labels; grades in sorted order.
        sample_weight : array-like of shape (n_items,), optional
            How much each label counts.

        Returns
        -------
        self
        """
        items, labels = check_labelled_items(self, X, y)
        weights = _check_weights(sample_weight, labels.size)
        self.classes_, codes = np.unique(labels[weights > 0], return_inverse=True)
        if self.classes_.size < 2:
            raise DataError(
                f"{type(self).__name__} needs at least 2 classes. Got 1 class: "
                f"{self.classes_[0]!r}."
            )
        self._fit_codes(X, self._merge(items, codes, weights))
        return self

    def _fit_codes(self, X: Any, answers: Answers) -> None:
        raise NotImplementedError

    def decision_function(self, X: Any) -> FloatArray:
        """Give the evidence for the second class, or for each of several.

        Parameters
        ----------
        X : Items or array-like of shape (n_items, n_features)

        Returns
        -------
        ndarray of shape (n_items,) or (n_items, n_classes)
            Its largest entry is the predicted class.
        """
        scores = self._scores(X)
        return scores[:, 0] if self.classes_.size == 2 else self._decide(scores)

    def _decide(self, scores: FloatArray) -> FloatArray:
        """Turn scores into one column per class."""
        return scores

    def predict(self, X: Any) -> Any:
        """Give the class of each item.

        Parameters
        ----------
        X : Items or array-like of shape (n_items, n_features)

        Returns
        -------
        ndarray of shape (n_items,)
        """
        decision = self.decision_function(X)
        if decision.ndim == 1:
            return self.classes_[(decision > 0).astype(np.int64)]
        return self.classes_[decision.argmax(axis=1)]


def _order_levels(codes: FloatArray, scores: FloatArray, n_levels: int) -> FloatArray:
    """Give the codes of levels from the worst mean score to the best."""
    places = np.arange(n_levels) / max(n_levels - 1, 1)
    means = [
        # A level that no item has takes the place of the mean.
        scores[codes == place].mean() if (codes == place).any() else scores.mean()
        for place in places
    ]
    return places[np.argsort(means, kind="stable")]


def _check_weights(sample_weight: ArrayLike | None, n_samples: int) -> FloatArray:
    weights = check_weights(sample_weight, n_samples, "sample_weight")
    if not weights.any():
        raise DataError(
            "At least one row must have a positive sample_weight. Got zeros only."
        )
    return weights
