"""What all rankers share: pairs in, preferred side out."""

from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
from sklearn.utils import Tags
from sklearn.utils.validation import check_array, check_is_fitted

from penchant._validation import check_weights
from penchant.data import Comparisons, ItemPairs, Items, check_items_exist
from penchant.encoding._domain import check_items, takes_blanks
from penchant.exceptions import DataError
from penchant.typing import BoolArray, FloatArray, IntArray


@dataclass(frozen=True)
class Pairs:
    """Comparisons between distinct items.

    Parameters
    ----------
    items : ndarray of shape (n_items, n_features)
        Distinct rows, in lexicographic order.
    winners, losers : ndarray of shape (n_pairs,)
        Indices into items; never equal.
    ties : ndarray of bool of shape (n_pairs,)
        True where both are about equally good.
    weights : ndarray of shape (n_pairs,)
        How much each pair counts; never 0.
    """

    items: FloatArray
    winners: IntArray
    losers: IntArray
    ties: BoolArray
    weights: FloatArray


class RankerMixin:
    """Mixin for estimators that learn a utility from comparisons.

    A ranker implements ``fit(X, y, sample_weight=None)`` and ``utility(X)``; it
    gets `decision_function`, `predict` and `score` from here.
    """

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()  # type: ignore[misc]
        tags.input_tags.three_d_array = True
        tags.input_tags.allow_nan = takes_blanks(self)
        tags.target_tags.required = True
        return tags

    def decision_function(self, X: Any) -> FloatArray:
        """Give the utility of the first item minus that of the second.

        Parameters
        ----------
        X : array-like of shape (n_pairs, 2, n_features), ItemPairs, or items
            Of Items and data frames, which hold no pairs, each item's utility.

        Returns
        -------
        ndarray of shape (n_pairs,) or (n_items,)
        """
        check_is_fitted(self)
        if isinstance(X, Items | pd.DataFrame):
            return self._utility_of_rows(X)
        if isinstance(X, ItemPairs):
            values = self._utility_of_rows(X.items)
            return values[X.first] - values[X.second]
        pairs = _check_pair_array(self, X)
        n_pairs, _, n_features = pairs.shape
        values = self._utility_of_rows(pairs.reshape(-1, n_features))
        return values.reshape(n_pairs, 2) @ np.array([1.0, -1.0])

    def _utility_of_rows(self, items: Any) -> FloatArray:
        """Call utility with the feature names of fit, so that it does not warn."""
        names = getattr(self, "feature_names_in_", None)
        is_raw = not hasattr(self, "attributes_in_")  # otherwise it names arrays itself
        if isinstance(items, np.ndarray) and names is not None and is_raw:
            items = pd.DataFrame(items, columns=names)
        return self.utility(items)  # type: ignore[attr-defined]

    def predict(self, X: Any) -> Any:
        """Tell which side is preferred: 1 the first item, 0 the second.

        Parameters
        ----------
        X : array-like of shape (n_pairs, 2, n_features), ItemPairs, or items
            Of Items and data frames, which hold no pairs, each item's utility is
            given, as rankers of other libraries do.

        Returns
        -------
        ndarray of shape (n_pairs,) or (n_items,)
        """
        decision = self.decision_function(X)
        if isinstance(X, Items | pd.DataFrame):
            return decision
        return (decision > 0).astype(np.int64)

    def score(self, X: Any, y: Any, sample_weight: Any = None) -> float:
        """Give the share of pairs whose preferred side is predicted.

        A pair with equal utilities counts as half right; ties and pairs of equal
        items are left out.

        Parameters
        ----------
        X : array-like of shape (n_pairs, 2, n_features), ItemPairs, or items
        y : array-like of shape (n_pairs,), or Comparisons
        sample_weight : array-like of shape (n_pairs,), optional

        Returns
        -------
        float
        """
        check_is_fitted(self)
        pairs = check_pairs(self, X, y, sample_weight, reset=False)
        values = self._utility_of_rows(pairs.items)
        strict = ~pairs.ties
        if not strict.any():
            raise DataError("score needs a pair with a preferred side. Got ties only.")
        difference = values[pairs.winners[strict]] - values[pairs.losers[strict]]
        # A constant utility scores one half, like a coin, and not 0 or 1 by its sign.
        right = np.where(difference == 0, 0.5, difference > 0)
        return float(np.average(right, weights=pairs.weights[strict]))


def check_pairs(
    estimator: Any,
    X: Any,
    y: Any,
    sample_weight: Any = None,
    *,
    reset: bool = True,
) -> Pairs:
    """Bring the two ways of giving comparisons into one form.

    Parameters
    ----------
    estimator : ranker
        Its ``n_features_in_`` (and feature names) are set, or checked.
    X : array-like of shape (n_pairs, 2, n_features), ItemPairs, or items
        Pairs; or Items, a data frame or an array of shape (n_items, n_features).
    y : array-like of shape (n_pairs,), or Comparisons
        1 where the first of the pair is preferred, 0 where the second is; or the
        comparisons between the items.
    sample_weight : array-like of shape (n_pairs,), optional
        Multiplies the weights of the comparisons.
    reset : bool
        True in fit, False afterwards.

    Returns
    -------
    Pairs
        Equal items are merged; pairs of equal items and of weight 0 are left out.
    """
    if isinstance(y, Comparisons):
        items, winners, losers, ties, weights = _from_comparisons(
            estimator, X, y, reset
        )
    else:
        items, winners, losers, ties, weights = _from_array(estimator, X, y, reset)
    if sample_weight is not None:
        weights = weights * check_weights(sample_weight, weights.size, "sample_weight")
    # NaN differs from itself, and would keep equal items apart.
    # Kernels are computed on distinct items: pairs repeat them many times. Sorted rows
    # also make the fit independent of the order of the pairs.
    distinct, position = np.unique(
        np.where(np.isnan(items), np.inf, items), axis=0, return_inverse=True
    )
    distinct[np.isinf(distinct)] = np.nan
    position = position.ravel()
    winners, losers = position[winners], position[losers]
    keep = (winners != losers) & (weights > 0)
    if not keep.any():
        raise DataError(
            "At least one comparison of two different items with a positive weight "
            f"is needed. Got none among {keep.size}."
        )
    return Pairs(distinct, winners[keep], losers[keep], ties[keep], weights[keep])


def _from_comparisons(
    estimator: Any, X: Any, y: Comparisons, reset: bool
) -> tuple[FloatArray, IntArray, IntArray, BoolArray, FloatArray]:
    items = check_items(estimator, X, reset=reset)
    check_items_exist(y.n_items, items.shape[0])
    # The average of people who disagree is a utility that nobody has.
    if y.users is not None and np.unique(y.users).size > 1:
        raise DataError(
            f"The comparisons are by {np.unique(y.users).size} people, and this model "
            "is of one. Keep one with of_user(...), or mix them on purpose with "
            "pooled()."
        )
    return items, y.winners, y.losers, y.ties, y.weights


def _from_array(
    estimator: Any, X: Any, y: Any, reset: bool
) -> tuple[FloatArray, IntArray, IntArray, BoolArray, FloatArray]:
    if isinstance(X, Items) or hasattr(X, "columns"):
        raise DataError(
            "With a table of items as X, y must be Comparisons between its rows, such "
            f"as Comparisons(winners, losers). Got {type(y).__name__}."
        )
    if isinstance(X, ItemPairs):
        n_pairs, items = len(X), check_items(estimator, X.items, reset=reset)
        first, second = X.first, X.second
    else:
        pairs = _check_pair_array(estimator, X, reset=reset)
        n_pairs, items = len(pairs), pairs.reshape(-1, pairs.shape[2])
        # Rows 2k and 2k + 1 of the flattened pairs.
        first = 2 * np.arange(n_pairs)
        second = first + 1
    preferred = np.asarray(y)
    if preferred.shape != (n_pairs,):
        raise DataError(
            f"y must have one entry per pair ({n_pairs}). Got shape {preferred.shape}."
        )
    bad = np.flatnonzero((preferred != 0) & (preferred != 1))
    if bad.size:
        raise DataError(
            "y must be 1 (first preferred) or 0 (second preferred). "
            f"Got {preferred[bad[0]]!r} at position {bad[0]}."
        )
    winners = np.where(preferred == 1, first, second)
    losers = np.where(preferred == 1, second, first)
    return items, winners, losers, np.zeros(n_pairs, bool), np.ones(n_pairs)


def _check_pair_array(estimator: Any, X: Any, *, reset: bool = False) -> FloatArray:
    text = np.asarray(X) if isinstance(X, np.ndarray | list | tuple) else None
    if text is not None and text.dtype.kind in "OU" and text.shape[1:2] == (2,):
        rows = check_items(estimator, text.reshape(-1, text.shape[-1]), reset=reset)
        return rows.reshape(text.shape)
    pairs: FloatArray = check_array(
        X,
        allow_nd=True,
        dtype=np.float64,
        ensure_all_finite="allow-nan" if takes_blanks(estimator) else True,
    )
    if pairs.ndim != 3 or pairs.shape[1] != 2 or pairs.shape[2] == 0:
        raise DataError(
            "X must hold pairs of items, shape (n_pairs, 2, n_features). "
            f"Got shape {pairs.shape}."
        )
    if reset:
        estimator.n_features_in_ = pairs.shape[2]
        for name in ("feature_names_in_", "attributes_in_"):
            if hasattr(estimator, name):
                delattr(estimator, name)
    elif pairs.shape[2] != estimator.n_features_in_:
        raise DataError(
            f"X has {pairs.shape[2]} features, but {type(estimator).__name__} is "
            f"expecting {estimator.n_features_in_} features as input."
        )
    return pairs
