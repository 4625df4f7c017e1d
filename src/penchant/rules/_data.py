"""What rules are learned from: items with preferences between labels, or pairs.

A unit is what people gave and what folds keep together: a labelled item, or a pair. A
row is a preference, and a row of the margin program: that of an item's label to another
label, or of one item to another (PRL-2).
"""

from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any, Self

import numpy as np
import pandas as pd
from scipy import sparse
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import (
    _check_y,
    check_array,
    check_consistent_length,
    validate_data,
)

from penchant._validation import check_weights
from penchant.encoding import check_items
from penchant.exceptions import DataError
from penchant.typing import FloatArray, IntArray


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


@dataclass(frozen=True, eq=False)
class RuleData(ABC):
    """Items and what is preferred to what.

    Parameters
    ----------
    X : ndarray or CSR array of shape (n_items, n_features)
        Encoded items.
    weights : ndarray of shape (n_units,)
        How much each unit counts; positive.
    """

    X: Any
    weights: FloatArray
    scale = 1.0
    """What a rule of weight 1 counts in the margins."""
    n_labels = 2
    """Labels that a rule can speak for; of pairs 1 means better and 0 worse."""

    @property
    @abstractmethod
    def n_rows(self) -> int:
        """Number of preferences."""

    @property
    @abstractmethod
    def item_weights(self) -> FloatArray:
        """How much each item counts, shape (n_items,)."""

    @abstractmethod
    def channels(self, weights: FloatArray) -> FloatArray:
        """Give the weight of each item in each label, shape (n_items, n_channels).

        The payoff of a rule is its total in one channel minus that in another; with
        two labels a single channel holds the difference.
        """

    @abstractmethod
    def margins(
        self, values: FloatArray, rules: Sequence[tuple[Any, int, int]]
    ) -> FloatArray:
        """Tell by how much rules speak for each preference, shape (n_rows, k).

        Parameters
        ----------
        values : ndarray of shape (n_items, k)
            The features of the rules.
        rules : sequence of (feature, int, int)
            With the labels that they speak for and against.
        """

    @abstractmethod
    def gaps(self, scores: FloatArray) -> FloatArray:
        """Tell by how much scores speak for each preference, shape (n_rows,).

        Parameters
        ----------
        scores : ndarray of shape (n_items, n_labels)
        """

    @abstractmethod
    def draw_labels(
        self, size: int, rng: np.random.Generator
    ) -> tuple[IntArray, IntArray]:
        """Draw pairs of labels to speak for and against, as they are preferred."""

    @abstractmethod
    def row_weights(
        self, *, balanced: bool = False, strict: bool = False
    ) -> FloatArray:
        """Give the weights of the preferences, which add up to 1.

        If strict without ties, which can have no margin.
        """

    @abstractmethod
    def take(self, weights: FloatArray) -> Self:
        """Give the units the weights, and keep those where they are positive."""

    @abstractmethod
    def join(self, other: Self) -> Self:
        """Add more units."""

    def thin(self, n_units: int) -> Self:
        """Keep about so many units, of every label the same share."""
        if self.weights.size <= n_units:
            return self
        drawn = np.random.default_rng(0).permutation(self.weights.size)
        order = drawn[np.argsort(self._strata()[drawn], kind="stable")]
        kept = order[np.linspace(0, order.size - 1, n_units).astype(np.int64)]
        weights = np.zeros(self.weights.size)
        weights[kept] = self.weights[kept]
        return self.take(weights)

    def _strata(self) -> IntArray:
        """Give the kind of each unit."""
        return np.zeros(self.weights.size, dtype=np.int64)


@dataclass(frozen=True, eq=False)
class LabelData(RuleData):
    """Items with preferences between their labels.

    A rule that speaks for label a and against b adds half its value to the score of a
    and takes half from b (PRL-2: the preference index of a column collapses).

    Parameters
    ----------
    codes : ndarray of shape (n_items,) or None
        The label of each item; None if only preferences are known.
    items, preferred, others : ndarray of shape (n_rows,)
        The preferences.
    n_labels : int
    """

    codes: IntArray | None
    items: IntArray
    preferred: IntArray
    others: IntArray
    n_labels: int

    @classmethod
    def of_codes(
        cls, X: Any, weights: FloatArray, codes: IntArray, n_labels: int
    ) -> "LabelData":
        """Prefer the label of each item to all others."""
        n_items = codes.size
        items = np.repeat(np.arange(n_items), n_labels - 1)
        shifts = np.tile(np.arange(1, n_labels), n_items)
        preferred = codes[items]
        others = (preferred + shifts) % n_labels
        return cls(X, weights, codes, items, preferred, others, n_labels)

    @property
    def n_rows(self) -> int:
        """Number of preferences."""
        return self.items.size

    @property
    def item_weights(self) -> FloatArray:
        """Those of the units."""
        return self.weights

    def channels(self, weights: FloatArray) -> FloatArray:
        """Add the weights of the rows to their items and labels."""
        n_items = self.weights.size
        if self.n_labels == 2:
            signed = np.where(self.preferred == 1, weights, -weights)
            total = np.bincount(self.items, signed, n_items).astype(np.float64)
            return total[:, np.newaxis]
        place, size = self.items * self.n_labels, n_items * self.n_labels
        gained = np.bincount(place + self.preferred, weights, size)
        lost = np.bincount(place + self.others, weights, size)
        channels: FloatArray = 0.5 * (gained - lost).astype(np.float64)
        return channels.reshape(-1, self.n_labels)

    def margins(
        self, values: FloatArray, rules: Sequence[tuple[Any, int, int]]
    ) -> FloatArray:
        """Multiply each value with half the product of the differences of labels."""
        half = 0.5 * np.eye(self.n_labels)
        columns: FloatArray = np.empty((self.n_rows, len(rules)), order="F")
        # Column by column, since all at once would take twice the memory.
        for j, (column, rule) in enumerate(zip(values.T, rules, strict=True)):
            vote = half[rule[1]] - half[rule[2]]
            agreement = vote[self.preferred] - vote[self.others]
            np.multiply(column[self.items], agreement, out=columns[:, j])
        return columns

    def gaps(self, scores: FloatArray) -> FloatArray:
        """Subtract the score of the other label from that of the preferred one."""
        rows = scores[self.items]
        places = np.arange(self.n_rows)
        return rows[places, self.preferred] - rows[places, self.others]

    def draw_labels(
        self, size: int, rng: np.random.Generator
    ) -> tuple[IntArray, IntArray]:
        """Draw rows, each with equal probability."""
        rows = rng.integers(0, self.n_rows, size)
        return self.preferred[rows], self.others[rows]

    def row_weights(
        self, *, balanced: bool = False, strict: bool = False
    ) -> FloatArray:
        """Share the weight of an item among its preferences."""
        n_rows = np.bincount(self.items, minlength=self.weights.size)
        shares = (self.weights / np.maximum(n_rows, 1))[self.items]
        if balanced:
            # PRL-3: every label counts the same, whether frequent or rare.
            of_label = np.bincount(self.preferred, shares, self.n_labels)
            shares = shares / of_label[self.preferred]
        return shares / shares.sum()

    def take(self, weights: FloatArray) -> "LabelData":
        """Keep items, and number them anew."""
        kept = weights > 0
        rows = kept[self.items]
        return replace(
            self,
            X=self.X[kept],
            weights=weights[kept],
            codes=None if self.codes is None else self.codes[kept],
            items=(np.cumsum(kept) - 1)[self.items[rows]],
            preferred=self.preferred[rows],
            others=self.others[rows],
        )

    def join(self, other: "LabelData") -> "LabelData":
        """Add more items; their labels are known if all are."""
        both = self.codes is not None and other.codes is not None
        return replace(
            self,
            X=stack_items(self.X, other.X),
            weights=np.concatenate([self.weights, other.weights]),
            codes=np.concatenate([self.codes, other.codes]) if both else None,
            items=np.concatenate([self.items, other.items + self.X.shape[0]]),
            preferred=np.concatenate([self.preferred, other.preferred]),
            others=np.concatenate([self.others, other.others]),
        )

    def _strata(self) -> IntArray:
        return super()._strata() if self.codes is None else self.codes


def stack_items(first: Any, second: Any) -> Any:
    """Put rows below each other, dense or sparse."""
    if sparse.issparse(first):
        return sparse.vstack([first, second], format="csr")
    return np.vstack([first, second])


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
    check = _states_preferences(y)
    if check is None:
        return _of_labels(estimator, X, y, weights, classes)
    rows, labels = check(y, classes)
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
    items = X[kept]
    # Equal rows with equal labels are one, in an order that rows cannot change.
    if sparse.issparse(X):
        table = _row_marks(items, codes)
    else:
        table = np.column_stack([items, codes])
    _, first, places = np.unique(table, axis=0, return_index=True, return_inverse=True)
    units[kept] = places.ravel()
    summed = np.bincount(units[kept], weights[kept]).astype(np.float64)
    data = LabelData.of_codes(items[first], summed, codes[first], known.size)
    return data, known, units


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


def _states_preferences(y: Any) -> Callable[[Any, Any], tuple[IntArray, Any]] | None:
    """Tell pairs for each item, or a column of grades for each label, from labels."""
    is_list = isinstance(y, (list, tuple)) and len(y) > 0
    if is_list and all(
        isinstance(entry, (list, tuple))
        and all(isinstance(pair, tuple) and len(pair) == 2 for pair in entry)
        for entry in y
    ):
        return _check_preferences
    if is_list and isinstance(y[0], (list, tuple)):
        return _check_grades if len(y[0]) > 1 else None
    is_table = isinstance(y, (np.ndarray, pd.DataFrame)) and y.ndim == 2
    return _check_grades if is_table and y.shape[1] > 1 else None


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
