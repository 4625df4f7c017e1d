"""Checks of what a ranker says to bad input."""

from functools import partial
from typing import Any

import numpy as np
from sklearn.exceptions import NotFittedError
from sklearn.utils import get_tags

from penchant.data import Comparisons
from penchant.testing._example_answers import make_answers
from penchant.testing._requirements import accepts_sample_weight, fresh, require_error


def check_unfitted(ranker: Any) -> None:
    """Check that nothing can be asked before fit."""
    answers = make_answers()
    calls = {
        "predict": partial(fresh(ranker).predict, answers.pairs),
        "utility": partial(fresh(ranker).utility, answers.values),
        "score": partial(fresh(ranker).score, answers.pairs, answers.y),
    }
    for name, call in calls.items():
        require_error(NotFittedError, "fit", call, f"{name} before fit")


def check_shapes_in_fit(ranker: Any) -> None:
    """Check that fit takes pairs with labels or items with Comparisons only."""
    answers = make_answers()
    pairs, y = answers.pairs, answers.y
    triples = np.concatenate([pairs, pairs[:, :1]], axis=1)
    cases = {
        "items with labels": (answers.values, y[: len(answers.values)], "shape"),
        "one-dimensional X": (pairs[:, 0, 0], y, ""),
        "four-dimensional X": (pairs[None], y, "shape"),
        "triples instead of pairs": (triples, y, "shape"),
        "no pairs": (pairs[:0], y[:0], "0|empty|least"),
        "too few labels": (pairs, y[:-1], "y|inconsistent"),
        "labels in a column": (pairs, y[:, None], "y"),
        "pairs with Comparisons": (pairs, answers.comparisons, "dim|shape"),
        "no comparisons": (answers.values, Comparisons([], []), "none|0|least"),
        "an item that is not there": (answers.values, Comparisons([99], [0]), "99"),
    }
    for case, (X, labels, pattern) in cases.items():
        _require_fit_error(ranker, X, labels, pattern, case)


def check_labels(ranker: Any) -> None:
    """Check that labels are 0 and 1."""
    answers = make_answers()
    for case, labels in {
        "labels -1 and 1": 2 * answers.y - 1,
        "labels 1 and 2": answers.y + 1,
        "labels with NaN": np.where(answers.y == 1, 1.0, np.nan),
        "labels between 0 and 1": 0.5 * answers.y,
        "labels that are words": np.where(answers.y == 1, "first", "second"),
    }.items():
        _require_fit_error(ranker, answers.pairs, labels, r"\b0\b", case)


def check_values_in_fit(ranker: Any) -> None:
    """Check that values are finite numbers, or blank if the tags allow that."""
    answers = make_answers()
    blanks = () if _takes_blanks(ranker) else (("NaN in fit", np.nan, "nan|missing"),)
    for case, value, pattern in (
        *blanks,
        ("inf in fit", np.inf, "inf"),
        ("-inf in fit", -np.inf, "inf"),
    ):
        pairs, values = answers.pairs.copy(), answers.values.copy()
        pairs[3, 1, 2] = values[3, 2] = value
        _require_fit_error(ranker, pairs, answers.y, pattern, f"{case} of pairs")
        _require_fit_error(
            ranker, values, answers.comparisons, pattern, f"{case} of items"
        )


def check_weights_in_fit(ranker: Any) -> None:
    """Check that weights are finite, not negative, and one per pair."""
    if not accepts_sample_weight(ranker):
        return
    answers = make_answers()
    good = np.ones(len(answers.y))
    for case, weights in {
        "too few weights": good[:-1],
        "a negative weight": np.where(np.arange(good.size) == 2, -1.0, good),
        "a NaN weight": np.where(np.arange(good.size) == 2, np.nan, good),
    }.items():
        require_error(
            ValueError,
            "weight",
            partial(fresh(ranker).fit, answers.pairs, answers.y, sample_weight=weights),
            case,
        )


def check_bad_input_after_fit(ranker: Any) -> None:
    """Check that predict and utility refuse other shapes, other features and gaps."""
    answers = make_answers()
    model = fresh(ranker).fit(answers.pairs, answers.y)
    pairs, values = answers.pairs, answers.values
    takes_blanks = _takes_blanks(ranker)
    for case, X, pattern in (
        ("predict with one feature less", pairs[:, :, :2], "feature"),
        ("predict of items", values, "shape"),
        ("predict of triples", np.repeat(pairs[:, :1], 3, axis=1), "shape"),
        ("predict with NaN", np.where(pairs == 0, np.nan, pairs), "nan|missing"),
        ("predict with inf", np.where(pairs == 1, np.inf, pairs), "inf"),
    ):
        if not (takes_blanks and case.endswith("NaN")):
            require_error(ValueError, pattern, partial(model.predict, X), case)
    for case, X, pattern in (
        ("utility with one feature less", values[:, :2], "feature"),
        ("utility with one feature more", values[:, [0, 0, 1, 2]], "feature"),
        ("utility of pairs", pairs, "dim|shape"),
        ("utility of one row without brackets", values[0], "dim|shape|2D"),
        ("utility with NaN", np.where(values == 0, np.nan, values), "nan|missing"),
        ("utility with inf", np.where(values == 1, np.inf, values), "inf"),
    ):
        if not (takes_blanks and case.endswith("NaN")):
            require_error(ValueError, pattern, partial(model.utility, X), case)


def _takes_blanks(ranker: Any) -> bool:
    return bool(get_tags(ranker).input_tags.allow_nan)


def _require_fit_error(ranker: Any, X: Any, y: Any, pattern: str, case: str) -> None:
    require_error(ValueError, pattern, partial(fresh(ranker).fit, X, y), case)
