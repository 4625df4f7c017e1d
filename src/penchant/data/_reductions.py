"""How a rating, a ranking or a choice becomes comparisons (METHODS.md, section 0).

Each function gives (winners, losers, ties) of one person.
"""

from itertools import combinations

import numpy as np

from penchant._validation import check_indices
from penchant.exceptions import DataError
from penchant.typing import ArrayLike, BoolArray, FloatArray, IntArray


def check_ranking(order: ArrayLike, row: int) -> IntArray:
    """Return one ranking as item indices without repetition."""
    items = check_indices(order, f"orders[{row}]")
    values, counts = np.unique(items, return_counts=True)
    if np.any(counts > 1):
        raise DataError(
            f"A ranking lists each item once. Ranking {row} lists item "
            f"{values[counts > 1][0]} {counts.max()} times."
        )
    return items


def pairs_of_ratings(
    values: FloatArray, items: IntArray | None = None
) -> tuple[IntArray, IntArray, BoolArray]:
    """Compare all rated items, except an item with itself.

    ``values[i]`` rates item i, or item ``items[i]``, which may be rated again; NaN
    does not rate it.
    """
    rated = np.flatnonzero(~np.isnan(values))
    rates = rated if items is None else items[rated]
    left, right = np.triu_indices(rated.size, k=1)
    differ = rates[left] != rates[right]
    left, right = left[differ], right[differ]
    first, second = values[rated[left]], values[rated[right]]
    winners = rates[np.where(second > first, right, left)]
    losers = rates[np.where(second > first, left, right)]
    return winners, losers, first == second


def pairs_of_ranking(
    order: IntArray, pairs: str
) -> tuple[IntArray, IntArray, BoolArray]:
    """Compare all ranked items ("all"), or each with the next ("adjacent")."""
    if pairs == "adjacent":
        winners, losers = order[:-1], order[1:]
    else:
        both = np.array(list(combinations(order.tolist(), 2)), dtype=np.int64)
        winners, losers = both.reshape(-1, 2).T
    return winners, losers, np.zeros(winners.size, dtype=bool)


def pairs_of_choice(
    offered: IntArray, pick: int, row: int
) -> tuple[IntArray, IntArray, BoolArray]:
    """Compare the picked item with the others on offer."""
    if pick not in offered:
        raise DataError(
            f"The chosen item must be among those offered. "
            f"Choice {row} chose item {pick} out of {offered.tolist()}."
        )
    losers = offered[offered != pick]
    return np.full(losers.size, pick), losers, np.zeros(losers.size, dtype=bool)


def pairs_of_best_worst(
    shown: IntArray, best: int, worst: int, row: int
) -> tuple[IntArray, IntArray, BoolArray]:
    """Compare the best item with all others, and the others with the worst."""
    for word, item in (("best", best), ("worst", worst)):
        if item not in shown:
            raise DataError(
                f"The {word} item must be among those shown. "
                f"Answer {row} names item {item}, shown were {shown.tolist()}."
            )
    if best == worst:
        raise DataError(
            f"An item cannot be best and worst. Answer {row} names item {best} twice."
        )
    middle = shown[(shown != best) & (shown != worst)]
    losers = shown[shown != best]
    winners = np.concatenate([np.full(losers.size, best), middle])
    losers = np.concatenate([losers, np.full(middle.size, worst)])
    return winners, losers, np.zeros(winners.size, dtype=bool)
