"""Statistics of people who have votes: two votes are as two people who say the same."""

from collections.abc import Sequence

import numpy as np

from penchant.typing import FloatArray, IntArray


def quantiles(
    values: FloatArray, votes: FloatArray, shares: Sequence[float]
) -> FloatArray:
    """Give quantiles over people, as `numpy.quantile` of everybody's votes would.

    Votes are whole numbers of people in that sense; where some are smaller than 1,
    the smallest is taken as one person.

    Parameters
    ----------
    values : ndarray of shape (n_draws, n_people, n_columns)
        What is looked at, in each draw.
    votes : ndarray of shape (n_people,)
        Above 0.
    shares : sequence of float
        Between 0 and 1.

    Returns
    -------
    ndarray of shape (n_shares, n_draws, n_columns)

    Examples
    --------
    >>> three = np.array([[[1.0], [5.0], [2.0]]])
    >>> quantiles(three, np.array([2.0, 1.0, 1.0]), [0.0, 0.5, 0.9]).ravel()
    array([1. , 1.5, 4.1])
    """
    if np.all(votes == votes[0]):
        return np.quantile(values, shares, axis=1)
    order = np.argsort(values, axis=1, kind="stable")
    ranked = np.take_along_axis(values, order, axis=1)
    ends = np.cumsum((votes / min(1.0, float(votes.min())))[order], axis=1)
    found = []
    for share in shares:
        place = 1.0 + share * (ends[:, -1:] - 1.0)
        sides = [
            np.take_along_axis(ranked, _holder(ends, end), axis=1)[:, 0]
            for end in (np.floor(place), np.floor(place) + 1.0)
        ]
        part = (place - np.floor(place))[:, 0]
        found.append((1.0 - part) * sides[0] + part * sides[1])
    return np.stack(found)


def _holder(ends: FloatArray, place: FloatArray) -> IntArray:
    """Give who holds a place in the row of all votes, counted from 1."""
    before = (ends < place - 1e-9).sum(axis=1, keepdims=True)
    return np.asarray(np.minimum(before, ends.shape[1] - 1))


def deviation(values: FloatArray, votes: FloatArray) -> FloatArray:
    """Give the standard deviation between people, (n_draws, n_columns)."""
    if np.all(votes == votes[0]):
        return np.asarray(values.std(axis=1))
    share = votes / votes.sum()
    mean = (share @ values)[:, None]
    return np.asarray(np.sqrt(share @ (values - mean) ** 2))
