"""Policies that name one pair: baselines, and draws from the belief."""

from collections.abc import Iterable

import numpy as np

from penchant.elicitation._belief import Moments, Pair
from penchant.elicitation.policies._pairs import check_pairs_of
from penchant.exceptions import DataError
from penchant.gp import Answer, covariance_root
from penchant.typing import ArrayLike, IntArray, RandomState


def check_generator(random_state: RandomState) -> np.random.Generator:
    """Return a generator: the one given, or one seeded by what was given."""
    if isinstance(random_state, np.random.RandomState):
        return np.random.default_rng(random_state.randint(2**31))
    return np.random.default_rng(random_state)


def random_pair(
    posterior: Moments,
    pairs: ArrayLike | None = None,
    *,
    random_state: RandomState = None,
) -> Pair:
    """Name any pair, all with equal chance.

    Parameters
    ----------
    posterior : Posterior
        What is known of the person.
    pairs : array-like of int of shape (n_pairs, 2), optional
        The pairs to choose from; default: all.
    random_state : int, RandomState, Generator or None
        Seed or source of randomness.

    Returns
    -------
    (int, int)

    Examples
    --------
    >>> import numpy as np
    >>> from penchant.elicitation.policies import random_pair
    >>> from penchant.models import Posterior
    >>> posterior = Posterior(np.zeros(3), np.eye(3), noise=0.5)
    >>> random_pair(posterior, [[0, 2]], random_state=0)
    (0, 2)
    """
    rng = check_generator(random_state)
    if pairs is None and posterior.n_items >= 2:
        first, second = rng.choice(posterior.n_items, 2, replace=False)
        return int(first), int(second)
    table = check_pairs_of(posterior, pairs)
    return _pair(table[rng.integers(len(table))])


def thompson(
    posterior: Moments,
    pairs: ArrayLike | None = None,
    *,
    random_state: RandomState = None,
) -> Pair:
    """Name the best items of two draws of all utilities from the belief.

    Where both draws have the same best item, one of the two takes its best other
    item, whichever costs less.

    Parameters
    ----------
    posterior : Posterior
        What is known of the person.
    pairs : array-like of int of shape (n_pairs, 2), optional
        The pairs to choose from; default: all.
    random_state : int, RandomState, Generator or None
        Seed or source of randomness.

    Returns
    -------
    (int, int)

    Notes
    -----
    Time is cubic in the number of different items in `pairs`.

    Examples
    --------
    >>> import numpy as np
    >>> from penchant.elicitation.policies import thompson
    >>> from penchant.models import Posterior
    >>> posterior = Posterior(np.array([5.0, 0.0, 5.0]), np.eye(3), noise=0.5)
    >>> sorted(thompson(posterior, random_state=0))
    [0, 2]
    """
    table = check_pairs_of(posterior, pairs)
    items, places = np.unique(table, return_inverse=True)
    places = places.reshape(table.shape)
    rng = check_generator(random_state)
    root = covariance_root(posterior.block(items))
    draws = root @ rng.standard_normal((root.shape[1], 2)) + posterior.mean[items, None]
    one, other = draws[places[:, 0]], draws[places[:, 1]]
    scores = np.maximum(one[:, 0] + other[:, 1], one[:, 1] + other[:, 0])
    return _pair(table[np.argmax(scores)])


def best_and_largest(posterior: Moments, pairs: ArrayLike | None = None) -> Pair:
    """Name the item of the largest mean and the other item of largest variance.

    A baseline of the paper.

    Parameters
    ----------
    posterior : Posterior
        What is known of the person.
    pairs : array-like of int of shape (n_pairs, 2), optional
        The pairs to choose from; default: all. The leader is the best of their
        items.

    Returns
    -------
    (int, int)

    Examples
    --------
    >>> import numpy as np
    >>> from penchant.elicitation.policies import best_and_largest
    >>> from penchant.models import Posterior
    >>> posterior = Posterior(np.array([1.0, 0, 0]), np.diag([9.0, 1, 4]), noise=0.5)
    >>> best_and_largest(posterior)
    (0, 2)
    """
    table = check_pairs_of(posterior, pairs)
    items = np.unique(table)
    leader = items[np.argmax(posterior.mean[items])]
    with_leader = table[(table == leader).any(axis=1)]
    others = with_leader.sum(axis=1) - leader
    return int(leader), int(others[np.argmax(posterior.variance[others])])


def knockout(
    posterior: Moments,
    pairs: ArrayLike | None = None,
    *,
    order: ArrayLike | None = None,
    among: IntArray | None = None,
) -> Pair:
    """Name the champion and the most popular item that was not tested yet.

    The champion is the winner of the duels so far. With exact answers the champion
    after n - 1 questions is the best of n items: the baseline to beat.

    Parameters
    ----------
    posterior : Posterior
        What is known of the person; its answers say who won.
    pairs : array-like of int of shape (n_pairs, 2), optional
        The pairs to choose from; default: all.
    order : array-like of int of shape (n_items,), optional
        All items, most popular first; default: by the mean of the posterior.
    among : ndarray of int, optional
        Items whose duels count; default: all.

    Returns
    -------
    (int, int)
        The champion first. When all items have been tested: the champion and the
        most popular item among the pairs.

    Examples
    --------
    >>> import numpy as np
    >>> from penchant.elicitation.policies import knockout
    >>> from penchant.models import Posterior
    >>> posterior = Posterior(np.array([1.0, 3.0, 2.0]), np.eye(3), noise=0.5)
    >>> knockout(posterior), knockout(posterior.update(2, 1))
    ((1, 2), (2, 0))
    """
    table = check_pairs_of(posterior, pairs)
    rank = _ranks(posterior, order)
    champion, tested = find_champion(posterior.answers, among)
    fresh = np.ones(posterior.n_items, dtype=bool)
    fresh[sorted(tested)] = False
    if champion is None:
        champion = int(min(np.unique(table), key=lambda item: rank[item]))
    is_champion = table == champion
    # sorted by: no champion in the pair, the challenger was tested, its popularity
    other = np.where(is_champion[:, 0], table[:, 1], table[:, 0])
    keys = (rank[other], ~fresh[other], ~is_champion.any(axis=1))
    chosen = np.lexsort(keys)[0]
    first, second = _pair(table[chosen])
    return (second, first) if second == champion else (first, second)


def find_champion(
    answers: Iterable[Answer], among: IntArray | None = None
) -> tuple[int | None, set[int]]:
    """Give the winner of the duels so far and all items that were in one.

    A duel between two items that are not the champion does not change it; a tie
    leaves the champion in place. Items below 0 are no longer among the items. Where
    `among` is given, only duels between these count.
    """
    champion: int | None = None
    tested: set[int] = set()
    known = None if among is None else set(among.tolist())
    for answer in answers:
        if known is not None and not known.issuperset(answer.items):
            continue
        tested.update(item for item in answer.items if item >= 0)
        if answer.kind == "below" or min(answer.items) < 0:
            continue
        if champion is None or (
            champion in answer.items and answer.kind == "comparison"
        ):
            champion = answer.items[0]
    return champion, tested


def _ranks(posterior: Moments, order: ArrayLike | None) -> IntArray:
    n_items = posterior.n_items
    if order is None:
        order = np.argsort(-posterior.mean, kind="stable")
    items = np.asarray(order)
    if not np.array_equal(np.sort(items), np.arange(n_items)):
        raise DataError(
            f"order must list every item from 0 to {n_items - 1} once, most popular "
            f"first. Got {items.size} entries."
        )
    ranks = np.empty(n_items, dtype=np.int64)
    ranks[items] = np.arange(n_items)
    return ranks


def _pair(row: IntArray) -> Pair:
    return int(row[0]), int(row[1])
