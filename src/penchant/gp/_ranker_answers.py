"""Answers of one person, of several kinds, as sites about distinct items."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from penchant.data import Choices, Comparisons, Rankings, Ratings, check_items_exist
from penchant.encoding import check_items, check_pairs
from penchant.exceptions import DataError
from penchant.gp.inference._sites import Rows, Sites
from penchant.typing import FloatArray, IntArray

_CHOICE, _TIE, _RATING, _CLEAR = 0, 1, 2, 3
_MAX_LEVELS = 20
"""Ratings with more different values than this are not levels of a scale."""


@dataclass(frozen=True, eq=False)
class PersonalAnswers:
    """Distinct answers about distinct items, each with the number of times it came.

    Parameters
    ----------
    items : ndarray of shape (n_items, n_features)
        The items that occur in answers; distinct.
    rows : Rows
        Winner and loser, the two tied items, or the rated item alone.
    kinds : ndarray of shape (n_answers,)
        0 a comparison that had to be decided, 1 a tie, 2 a rating, 3 a comparison
        that could have been a tie, so that the difference exceeds the tie width.
    levels : ndarray of shape (n_answers,)
        Position of a rating on the scale; 0 for other kinds.
    weights : ndarray of shape (n_answers,)
        How often each answer came, or its weight.
    scale : ndarray of shape (n_levels,)
        The different values of ratings; empty without ratings.
    """

    items: FloatArray
    rows: Rows
    kinds: IntArray
    levels: IntArray
    weights: FloatArray
    scale: FloatArray

    @property
    def has_ties(self) -> bool:
        """Whether there is a tie."""
        return bool((self.kinds == _TIE).any())

    @property
    def n_thresholds(self) -> int:
        """Number of thresholds between the levels of ratings."""
        return max(len(self.scale) - 1, 0)

    def level_shares(self) -> FloatArray:
        """Give the share of ratings at or below each threshold."""
        rated = self.kinds == _RATING
        counts = np.bincount(self.levels[rated], self.weights[rated], len(self.scale))
        return np.cumsum(counts)[:-1] / max(counts.sum(), 1e-300)

    def take(self, some: IntArray) -> tuple["PersonalAnswers", IntArray]:
        """Keep some answers and the items that they speak of; say which items."""
        rows, used = self.rows.take(some)
        kept = replace(
            self,
            items=self.items[used],
            rows=rows,
            kinds=self.kinds[some],
            levels=self.levels[some],
            weights=self.weights[some],
        )
        return kept, used

    def sites(self, tie_width: float, thresholds: FloatArray) -> Sites:
        """Give the answers as sites with noise 1."""
        return Sites(*self.ends(tie_width, thresholds), weights=self.weights)

    def ends(
        self, tie_width: float, thresholds: FloatArray
    ) -> tuple[FloatArray, FloatArray]:
        """Give the intervals in which noisy utilities or differences fell (GP-10)."""
        walls = np.concatenate([[-np.inf], thresholds, [np.inf]])
        kinds = [self.kinds == kind for kind in (_CHOICE, _CLEAR, _TIE)]
        lower = np.select(kinds, [0.0, tie_width, -tie_width], walls[self.levels])
        upper = np.select(kinds, [np.inf, np.inf, tie_width], walls[self.levels + 1])
        return lower, upper

    def pull_ends(
        self, lower: FloatArray, upper: FloatArray
    ) -> tuple[float, FloatArray]:
        """Take derivatives by ends back to tie width and thresholds."""
        ties, clear = self.kinds == _TIE, self.kinds == _CLEAR
        rated = self.kinds == _RATING
        size, level = self.n_thresholds + 2, self.levels[rated]
        walls = np.bincount(level, lower[rated], size)
        walls = walls + np.bincount(level + 1, upper[rated], size)
        width = (upper - lower)[ties].sum() + lower[clear].sum()
        return float(width), np.asarray(walls[1:-1], dtype=np.float64)


def check_answers(
    estimator: Any, X: Any, y: Any, sample_weight: Any = None
) -> tuple[FloatArray, PersonalAnswers]:
    """Bring all ways of giving answers into one form.

    Parameters
    ----------
    estimator : ranker
        Its ``n_features_in_`` (and feature names) are set.
    X : array-like of shape (n_pairs, 2, n_features), or items
    y : array-like of shape (n_pairs,), evidence, or a list of evidence
        Evidence is Comparisons, Ratings, Rankings or Choices about the items.
    sample_weight : array-like of shape (n_pairs,), optional
        For pairs or Comparisons alone.

    Returns
    -------
    items : ndarray of shape (n_items, n_features)
        All items of X, whether answers speak of them or not.
    answers : PersonalAnswers
    """
    evidence = _as_list(y)
    alone = evidence[0] if evidence and len(evidence) == 1 else y
    if evidence is None or isinstance(alone, Comparisons):
        pairs = check_pairs(estimator, X, alone, sample_weight)
        kinds = np.where(pairs.ties, _TIE, _CLEAR)
        columns = np.stack([kinds, pairs.winners, pairs.losers, np.zeros_like(kinds)])
        return pairs.items, _merge(pairs.items, columns, pairs.weights, np.empty(0))
    if sample_weight is not None:
        raise DataError(
            "sample_weight is for pairs and Comparisons. Give the weights to the "
            "Comparisons and Ratings themselves."
        )
    items = check_items(estimator, X, reset=True)
    distinct, place = np.unique(items, axis=0, return_inverse=True)
    scale = _check_scale(evidence)
    parts = [_columns(part, len(items), place.ravel(), scale) for part in evidence]
    columns = np.concatenate([part[0] for part in parts], axis=1)
    weights = np.concatenate([part[1] for part in parts])
    return distinct, _merge(distinct, columns, weights, scale)


def _as_list(y: Any) -> list[Any] | None:
    """Give evidence as a list; None if y holds labels of pairs."""
    kinds = (Comparisons, Ratings, Rankings, Choices)
    if isinstance(y, kinds):
        return [y]
    if isinstance(y, Sequence) and y and all(isinstance(part, kinds) for part in y):
        return list(y)
    return None


def _check_scale(evidence: list[Any]) -> FloatArray:
    """Give the different values of all ratings; they must be levels of one scale."""
    values = [part.values for part in evidence if isinstance(part, Ratings)]
    scale: FloatArray = np.unique(np.concatenate([np.empty(0), *values]))
    if len(scale) > _MAX_LEVELS:
        raise DataError(
            f"Ratings must be on a scale of at most {_MAX_LEVELS} levels. Got "
            f"{len(scale)} different values; round them, or compare the items with "
            "to_comparisons()."
        )
    return scale


def _columns(
    part: Any, n_items: int, place: IntArray, scale: FloatArray
) -> tuple[IntArray, FloatArray]:
    """Give kind, raised, lowered and level of each answer, and the weights."""
    if part.users is not None and np.unique(part.users).size > 1:
        raise DataError(
            f"The answers are by {np.unique(part.users).size} people, and this model "
            "is of one. Keep those of one person, or give all the same user to mix "
            "people on purpose."
        )
    if isinstance(part, Ratings):
        check_items_exist(1 + int(part.items.max(initial=-1)), n_items)
        rated, levels = place[part.items], np.searchsorted(scale, part.values)
        nobody = np.full(len(part), -1)
        return np.stack([np.full(len(part), _RATING), rated, nobody, levels]), (
            part.weights
        )
    pairs, decided = part, _CLEAR
    if isinstance(part, Rankings):
        pairs = part.to_comparisons(pairs="adjacent")  # the others follow from these
        decided = _CHOICE
    elif isinstance(part, Choices):
        pairs, decided = part.to_comparisons(), _CHOICE
    check_items_exist(pairs.n_items, n_items)
    kinds = np.where(pairs.ties, _TIE, decided)
    winners, losers = place[pairs.winners], place[pairs.losers]
    return np.stack([kinds, winners, losers, np.zeros_like(kinds)]), pairs.weights


def _merge(
    items: FloatArray, columns: IntArray, weights: FloatArray, scale: FloatArray
) -> PersonalAnswers:
    """Sort answers, add up equal ones, leave out those that can say nothing."""
    kinds, raised, lowered, levels = columns
    tied = kinds == _TIE
    if not tied.any():  # nobody knows whether a tie was allowed
        kinds = np.where(kinds == _CLEAR, _CHOICE, kinds)
    first = np.where(tied, np.minimum(raised, lowered), raised)
    second = np.where(tied, np.maximum(raised, lowered), lowered)
    telling = np.where(kinds == _RATING, len(scale) > 1, raised != lowered)
    keep = telling & (weights > 0)
    if not keep.any():
        raise DataError(
            "At least one answer must tell items apart: a comparison of two different "
            "items, or ratings with two different values, with a positive weight. "
            f"Got none among {keep.size}."
        )
    table = np.stack([kinds, first, second, levels])[:, keep]
    answers, row_of = np.unique(table, axis=1, return_inverse=True)
    totals = np.bincount(row_of.ravel(), weights[keep])
    rows, used = Rows(answers[1], answers[2]).take(np.arange(len(totals)))
    return PersonalAnswers(
        items=items[used],
        rows=rows,
        kinds=answers[0],
        levels=answers[3],
        weights=totals.astype(np.float64),
        scale=scale,
    )
