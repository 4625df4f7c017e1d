"""How many models groups need, and the threshold that needs so many (EX-6)."""

from collections.abc import Sequence

import numpy as np

from penchant.exceptions import DataError
from penchant.explanation._coalitions import submasks
from penchant.explanation.retraining._groups import groups_at
from penchant.typing import FloatArray

MAX_MODELS = 1 << 20
"""More models than this are refused: listing their sets would fill the memory."""


def count_subsets(groups: Sequence[int], limit: int) -> int:
    """Count the distinct non-empty subsets of groups; stop above a limit.

    Returns
    -------
    int
        The count, or some number above `limit` if the count is above it.
    """
    largest = max((group.bit_count() for group in groups), default=0)
    if (1 << largest) - 1 > limit:
        return (1 << largest) - 1
    seen: set[int] = set()
    for group in sorted(groups, key=int.bit_count, reverse=True):
        seen.update(submasks(group))
        if len(seen) > limit:
            break
    return len(seen)


def share_of_all(n_models: int, n_players: int) -> float:
    """Give a number of models as a share of all non-empty sets."""
    return n_models / ((1 << n_players) - 1)


def choose_alpha(table: FloatArray, target: int, *, at_most: bool) -> float:
    """Find the threshold whose groups need a wanted number of models.

    Groups grow with alpha, and only at the finitely many entries of the table, so a
    binary search over these finds the best threshold with few counts. None of them
    goes beyond twice the target.

    Parameters
    ----------
    table : ndarray of shape (n_candidates, n_players)
        From `thresholds`.
    target : int
        Wanted number of distinct non-empty subsets of groups.
    at_most : bool
        Whether more than the target are forbidden; otherwise the nearest number
        wins, the smaller one of two equally near.

    Returns
    -------
    float
        The smallest alpha >= 0 with that number, from 0 on.
    """
    steps = np.unique(table[np.isfinite(table) & (table >= 0.0)])
    alphas = np.append(0.0, np.nextafter(steps, np.inf))
    limit = target if at_most else 2 * target

    def count(k: int) -> int:
        return count_subsets(groups_at(table, alphas[k]), limit)

    below, above = -1, len(alphas)
    while above - below > 1:
        middle = (below + above) // 2
        below, above = (middle, above) if count(middle) <= target else (below, middle)
    if at_most and below < 0:
        raise DataError(
            f"The budget must allow at least the {count(0):,} models of the smallest "
            f"groups. Got {target:,}."
        )
    if below < 0:
        return float(alphas[0])
    if not at_most and above < len(alphas):
        shortage, excess = target - count(below), count(above) - target
        if excess < shortage:
            return float(alphas[above])
    return float(alphas[below])
