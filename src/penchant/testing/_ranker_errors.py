"""Checks of what a ranker says to bad input, and of what must not change it."""

from functools import partial
from typing import Any

import numpy as np
from sklearn.exceptions import NotFittedError
from sklearn.utils import get_tags

from penchant.data import Comparisons
from penchant.testing._example_answers import make_answers
from penchant.testing._requirements import (
    accepts_sample_weight,
    clear_differences,
    fresh,
    require,
    require_error,
    require_same_utility,
)


def check_items_equal_their_encoding(ranker: Any) -> None:
    """Check that Items whose encoding is X give the utilities of X."""
    answers = make_answers()
    plain = fresh(ranker).fit(answers.values, answers.comparisons)
    named = fresh(ranker).fit(answers.items, answers.comparisons)
    require_same_utility(
        plain.utility(answers.values),
        named.utility(answers.items),
        "fit and utility with Items and with their encoding",
    )


def check_pairs_equal_comparisons(ranker: Any) -> None:
    """Check that pairs with y equal items with Comparisons."""
    answers = make_answers()
    from_items = (answers.values, answers.comparisons)
    _require_same_fit(ranker, from_items, "fit(pairs, y) and fit(items, Comparisons)")


def check_winners_first(ranker: Any) -> None:
    """Check that labels of one kind, as Comparisons.stack gives, are enough."""
    answers = make_answers()
    stacked = answers.comparisons.stack(answers.values)
    _require_same_fit(
        ranker, stacked, "the preferred item on either side and always first"
    )


def check_swap_flips(ranker: Any) -> None:
    """Check that swapping the two items of a pair flips the answer and nothing else."""
    answers = make_answers()
    swapped = (answers.pairs[:, ::-1], 1 - answers.y)
    _require_same_fit(ranker, swapped, "fit(X, y) and fit(X[:, ::-1], 1 - y)")
    model = fresh(ranker).fit(answers.pairs, answers.y)
    clear = clear_differences(model, answers.pairs)
    require(
        np.array_equal(
            model.predict(answers.pairs)[clear],
            1 - model.predict(answers.pairs[:, ::-1])[clear],
        ),
        "predict(X[:, ::-1]) must be 1 - predict(X)",
    )


def check_order_of_pairs_is_irrelevant(ranker: Any) -> None:
    """Check that permuting the pairs changes nothing."""
    answers = make_answers()
    order = np.random.default_rng(1).permutation(len(answers.y))
    _require_same_fit(ranker, answers.take(order), "the same pairs in another order")


def check_order_of_items_is_irrelevant(ranker: Any) -> None:
    """Check that permuting and renumbering the items changes nothing."""
    answers = make_answers()
    order = np.random.default_rng(2).permutation(len(answers.values))
    number = np.argsort(order)
    renumbered = Comparisons(
        number[answers.comparisons.winners], number[answers.comparisons.losers]
    )
    permuted = (answers.values[order], renumbered)
    _require_same_fit(ranker, permuted, "the same items in another order")


def check_zero_weight_equals_removal(ranker: Any) -> None:
    """Check that a pair with weight zero counts as if it were not there."""
    if not accepts_sample_weight(ranker):
        return
    answers = make_answers()
    kept = np.ones(len(answers.y), dtype=bool)
    kept[-8:] = False  # extra rows: every item still occurs
    _require_same_fit(
        ranker,
        answers.take(kept),
        "rows of weight 0 and the same rows removed",
        sample_weight=kept.astype(float),
    )


def check_weights_of_comparisons(ranker: Any) -> None:
    """Check that the weights of Comparisons are the sample_weight of pairs."""
    if not accepts_sample_weight(ranker):
        return
    answers = make_answers()
    weights = np.random.default_rng(3).uniform(0.5, 2.0, len(answers.y))
    given = answers.comparisons
    weighted = Comparisons(given.winners, given.losers, weights=weights)
    _require_same_fit(
        ranker,
        (answers.values, weighted),
        "sample_weight and the weights of Comparisons",
        sample_weight=weights,
    )


def check_contradictions(ranker: Any) -> None:
    """Check that repeated and opposite answers are evidence, not errors."""
    answers = make_answers()
    winners, losers = answers.comparisons.winners, answers.comparisons.losers
    doubtful = Comparisons(
        np.concatenate([winners, winners[:5], losers[:5]]),
        np.concatenate([losers, losers[:5], winners[:5]]),
    )
    utility = fresh(ranker).fit(answers.values, doubtful).utility(answers.values)
    require(
        np.isfinite(utility).all(),
        f"contradictions must leave utility finite: {utility}",
    )


def _require_same_fit(
    ranker: Any, other: tuple[Any, Any], case: str, **weights: Any
) -> None:
    """Require the utilities of the pairs, weighted if asked for, of other answers."""
    answers = make_answers()
    plain = fresh(ranker).fit(answers.pairs, answers.y, **weights)
    changed = fresh(ranker).fit(*other)
    require_same_utility(
        plain.utility(answers.values), changed.utility(answers.values), case
    )


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
