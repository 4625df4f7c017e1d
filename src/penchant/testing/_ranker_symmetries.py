"""Checks that the form in which answers come makes no difference."""

from typing import Any

import numpy as np

from penchant.data import Comparisons
from penchant.testing._example_answers import make_answers
from penchant.testing._requirements import (
    accepts_sample_weight,
    clear_differences,
    fresh,
    require,
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
