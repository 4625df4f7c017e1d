"""Items, labels and pairs as rule learners take them."""

from collections.abc import Sequence
from typing import Any

import numpy as np
import pandas as pd
from scipy import sparse
from sklearn.model_selection import check_cv
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import (
    _check_y,
    check_array,
    check_consistent_length,
    validate_data,
)

from penchant._validation import check_weights
from penchant.encoding import Pairs, check_items
from penchant.exceptions import DataError
from penchant.rules._data import LabelData, PairData
from penchant.typing import FloatArray, IntArray

__all__ = [
    "Folds",
    "check_rule_items",
    "labelled_data",
    "pair_data",
    "split_codes",
]

Folds = list[tuple[FloatArray, FloatArray]]
"""Weights of the units for training and for testing."""


def check_rule_items(estimator: Any, X: Any, *, reset: bool) -> Any:
    """Return items as a float array, or a CSR array if they are sparse.

    Blank cells, and levels that the fit has not seen, are NaN, where the generator
    takes them as a value of their own.
    """
    if not sparse.issparse(X):
        return check_items(estimator, X, reset=reset)
    if reset:
        vars(estimator).pop("attributes_in_", None)
    table = validate_data(
        estimator, X, reset=reset, accept_sparse="csr", dtype=np.float64
    )
    return sparse.csr_array(table) if sparse.issparse(table) else table


def labelled_data(
    estimator: Any, X: Any, y: Any, sample_weight: Any, classes: Any = None
) -> tuple[LabelData, Any, IntArray]:
    """Bring items and their labels, grades or preferences into one form.

    Parameters
    ----------
    estimator : estimator
        For messages.
    X : ndarray or CSR array of shape (n_items, n_features)
        Checked items.
    y : array-like
        Labels of shape (n_items,); grades of shape (n_items, n_labels) with NaN for
        unknown; or one list of (preferred, other) labels per item.
    sample_weight : array-like of shape (n_items,) or None
    classes : array-like or None
        All labels, if more than y has.

    Returns
    -------
    LabelData
        Equal items with equal labels are merged; weights of 0 are left out.
    ndarray of shape (n_labels,)
        The labels.
    ndarray of shape (n_items,)
        The unit of each item; -1 if left out.
    """
    n_items = X.shape[0]
    weights = check_weights(sample_weight, n_items, "sample_weight")
    if not weights.any():
        raise DataError("At least one sample_weight must be positive. All are zero.")
    if y is None:
        raise DataError(
            f"{type(estimator).__name__} requires y to be passed, but the target y is "
            "None."
        )
    if _is_preferences(y):
        rows, labels = _check_preferences(y, classes)
    elif _is_grades(y):
        rows, labels = _check_grades(y, classes)
    else:
        return _of_labels(estimator, X, y, weights, classes)
    check_consistent_length(X, y)
    return _of_preferences(X, rows, labels, weights)


def _of_labels(
    estimator: Any, X: Any, y: Any, weights: FloatArray, classes: Any
) -> tuple[LabelData, Any, IntArray]:
    labels = _check_y(y, estimator=estimator)
    check_classification_targets(labels)
    check_consistent_length(X, labels)
    kept = weights > 0
    known = np.unique(labels[kept]) if classes is None else np.unique(classes)
    if known.size < 2:
        raise DataError(
            f"{type(estimator).__name__} needs at least 2 classes. Got 1 class: "
            f"{known[0] if known.size else None!r}."
        )
    strays = np.setdiff1d(labels[kept], known)
    if strays.size:
        raise DataError(
            f"y has the label {strays[0]!r}, which is not among classes="
            f"{known.tolist()}."
        )
    codes = np.searchsorted(known, labels[kept]).astype(np.int64)
    units = np.full(labels.size, -1)
    items, first, units[kept] = _merge_equal(X[kept], codes)
    totals = np.bincount(units[kept], weights[kept]).astype(np.float64)
    return LabelData.of_codes(items, totals, codes[first], known.size), known, units


def _merge_equal(X: Any, codes: IntArray) -> tuple[Any, IntArray, IntArray]:
    """Merge equal rows with equal labels, in an order that rows cannot change."""
    if sparse.issparse(X):
        marks = _row_marks(X, codes)
        first, units = np.unique(marks, return_index=True, return_inverse=True)[1:]
        return X[first], first, units
    table = np.column_stack([X, codes])
    _, first, units = np.unique(table, axis=0, return_index=True, return_inverse=True)
    return X[first], first, units.ravel()


def _row_marks(X: Any, codes: IntArray) -> IntArray:
    """Give sparse rows numbers: the same to equal ones with equal labels."""
    tidy = X.copy()
    tidy.sum_duplicates()
    tidy.eliminate_zeros()
    ends = zip(tidy.indptr[:-1], tidy.indptr[1:], strict=True)
    rows = [
        (code, tidy.indices[a:b].tobytes(), tidy.data[a:b].tobytes())
        for code, (a, b) in zip(codes.tolist(), ends, strict=True)
    ]
    numbers = {row: number for number, row in enumerate(sorted(set(rows)))}
    return np.array([numbers[row] for row in rows], dtype=np.int64)


def _is_preferences(y: Any) -> bool:
    """Tell a list with a list of pairs for each item from labels and grades."""
    if not isinstance(y, (list, tuple)) or not y:
        return False
    return all(
        isinstance(entry, (list, tuple))
        and all(isinstance(pair, tuple) and len(pair) == 2 for pair in entry)
        for entry in y
    )


def _is_grades(y: Any) -> bool:
    """Tell a table with a column for each label from labels."""
    if isinstance(y, (list, tuple)) and y and isinstance(y[0], (list, tuple)):
        return len(y[0]) > 1
    is_table = isinstance(y, (np.ndarray, pd.DataFrame)) and y.ndim == 2
    return is_table and y.shape[1] > 1


def _check_preferences(
    y: Sequence[Sequence[tuple[Any, Any]]], classes: Any
) -> tuple[IntArray, Any]:
    """Give rows of (item, preferred, other) and the labels."""
    items = [i for i, entry in enumerate(y) for _ in entry]
    pairs = [pair for entry in y for pair in entry]
    if not pairs:
        raise DataError("y must hold at least one preference. Got none.")
    same = [k for k, (preferred, other) in enumerate(pairs) if preferred == other]
    if same:
        raise DataError(
            f"A label cannot be preferred to itself: {pairs[same[0]]!r} at item "
            f"{items[same[0]]}."
        )
    mentioned = np.unique(np.asarray(pairs))
    known = mentioned if classes is None else np.unique(classes)
    if np.setdiff1d(mentioned, known).size or known.size < 2:
        raise DataError(
            f"The labels {mentioned.tolist()} must be at least 2 and among "
            f"classes={known.tolist()}."
        )
    codes = np.searchsorted(known, np.asarray(pairs))
    return np.column_stack([items, codes]), known


def _check_grades(y: Any, classes: Any) -> tuple[IntArray, Any]:
    """Prefer labels with a higher grade; labels are the columns."""
    names = y.columns if isinstance(y, pd.DataFrame) else range(np.shape(y)[1])
    if classes is not None and list(names) != list(classes):
        raise DataError(
            f"y must have a column for each of classes={list(classes)}, in this order. "
            f"Got {list(names)}."
        )
    grades: FloatArray = check_array(
        y, dtype=np.float64, ensure_all_finite="allow-nan", input_name="y"
    )
    above = grades[:, :, np.newaxis] > grades[:, np.newaxis, :]
    rows = np.argwhere(above)
    if not len(rows):
        raise DataError("y must grade two labels of an item differently. It does not.")
    return rows, np.asarray(list(names))


def _of_preferences(
    X: Any, rows: IntArray, labels: Any, weights: FloatArray
) -> tuple[LabelData, Any, IntArray]:
    kept = np.zeros(X.shape[0], dtype=np.bool_)
    kept[rows[:, 0]] = True
    items, preferred, others = np.ascontiguousarray(rows.T)
    data = LabelData(
        X, np.ones(X.shape[0]), None, items, preferred, others, labels.size
    )
    kept &= weights > 0
    if not kept.any():
        raise DataError("No item with a preference has a positive weight.")
    units = np.where(kept, np.cumsum(kept) - 1, -1)
    return data.take(np.where(kept, weights, 0.0)), labels, units


def pair_data(pairs: Pairs, *, with_ties: bool) -> tuple[PairData, IntArray]:
    """Merge equal pairs, in an order that the order of the pairs cannot change.

    Returns
    -------
    PairData
    ndarray of shape (n_pairs,)
        The unit of each pair; -1 if left out.
    """
    low = np.minimum(pairs.winners, pairs.losers)
    high = np.maximum(pairs.winners, pairs.losers)
    winners = np.where(pairs.ties, low, pairs.winners)
    losers = np.where(pairs.ties, high, pairs.losers)
    table = np.column_stack([winners, losers, pairs.ties])
    kept = ~pairs.ties | with_ties | pairs.ties.all()
    units = np.full(kept.size, -1)
    distinct, unit_of = np.unique(table[kept], axis=0, return_inverse=True)
    units[kept] = unit_of.ravel()
    weights = np.bincount(units[kept], pairs.weights[kept]).astype(np.float64)
    data = PairData(
        pairs.items, weights, distinct[:, 0], distinct[:, 1], distinct[:, 2] == 1
    )
    return data.take(weights), units


def split_codes(
    codes: IntArray, units: IntArray, weights: FloatArray, cv: Any, rng: Any
) -> Folds:
    """Split rows into folds, the same share of each code in all.

    Parameters
    ----------
    codes : ndarray of shape (n_rows,)
    units : ndarray of shape (n_rows,)
        The unit of each row; -1 if left out. Equal rows have the same unit.
    weights : ndarray of shape (n_rows,)
    cv : int, splitter or iterable
    rng : RandomState

    Returns
    -------
    list of (train, test)
        The weights of the units in each part.
    """
    n_units = int(units.max()) + 1
    if isinstance(cv, (int, np.integer)):
        kept = np.flatnonzero(units >= 0)
        # Shuffled within each code, then dealt out in turn.
        order = kept[np.lexsort((units[kept], codes[kept]))]
        order = order[np.lexsort((rng.permutation(order.size), codes[order]))]
        n_folds = min(int(cv), order.size)
        numbers = np.empty(codes.size, dtype=np.int64)
        numbers[order] = np.arange(order.size) % n_folds
        splits = [
            (kept[numbers[kept] != fold], kept[numbers[kept] == fold])
            for fold in range(n_folds)
        ]
    else:
        splits = list(check_cv(cv, codes, classifier=True).split(codes, codes))

    def totals(rows: IntArray) -> FloatArray:
        used = rows[units[rows] >= 0]
        return np.bincount(units[used], weights[used], n_units).astype(np.float64)

    folds = [(totals(train), totals(test)) for train, test in splits]
    return [fold for fold in folds if fold[0].any() and fold[1].any()]
