"""How near a utility is to answers, to another order, to true factors, to the best."""

from collections.abc import Iterable
from typing import Any, Literal

import numpy as np
from scipy.stats import kendalltau

from penchant.data import Comparisons
from penchant.exceptions import DataError
from penchant.typing import ArrayLike, FloatArray, IntArray


def false_discovery_rate(
    found: Iterable[Iterable[int]], true: Iterable[Iterable[int]]
) -> float:
    """Give the share of found factors that are included in no true factor.

    A part of a true factor is no false discovery: the ANOVA decomposition of a
    utility of attributes 0 and 1 may have the terms {0}, {1} and {0, 1}.

    Parameters
    ----------
    found, true : iterable of iterables of int
        Factors: sets of attribute indices.

    Returns
    -------
    float
        Between 0 and 1; 0 when nothing was found.

    References
    ----------
    Herin, Perny and Sokolovska (2024), "Learning GAI-decomposable utility models
    for multiattribute decision making", Table 3.

    Examples
    --------
    >>> from penchant.metrics import false_discovery_rate
    >>> false_discovery_rate(found=[(0,), (0, 1), (1, 2), (3,)], true=[(0, 1), (2,)])
    0.5
    """
    discoveries = {frozenset(factor) for factor in found}
    truths = [frozenset(factor) for factor in true]
    false = sum(not any(factor <= truth for truth in truths) for factor in discoveries)
    return false / len(discoveries) if discoveries else 0.0


def regret(
    utility_true: ArrayLike,
    recommended: ArrayLike,
    *,
    normalize: Literal["range", "std"] | None = None,
) -> FloatArray | float:
    """Give how much better than the recommended item the best one is.

    Parameters
    ----------
    utility_true : array-like of shape (n_items,) or (n_users, n_items)
        What the items are worth to one person, or to each of several.
    recommended : int or array-like of int of shape (n_users,)
        The item recommended to each person.
    normalize : {"range", "std"}, optional
        Divide by the person's range (best minus worst) or by the standard
        deviation of the person's utilities, so that people can be averaged. A
        person to whom all items are worth the same has regret 0.

    Returns
    -------
    float or ndarray of shape (n_users,)
        0 for the best item, positive for others.

    Notes
    -----
    With the utility ``n_items - 1 - rank`` the range-normalised regret is the
    normalised loss of Bonilla, Guo and Sanner (2010), ``rank / (n_items - 1)``.

    Examples
    --------
    >>> from penchant.metrics import regret
    >>> regret([3.0, 1.0, 2.0], 2)
    1.0
    >>> regret([[3.0, 1.0, 2.0], [0.0, 4.0, 1.0]], [2, 1], normalize="range").tolist()
    [0.5, 0.0]
    """
    if normalize not in (None, "range", "std"):
        raise DataError(f"normalize must be 'range', 'std' or None. Got {normalize!r}.")
    utility = np.asarray(utility_true, dtype=np.float64)
    table = np.atleast_2d(utility)
    items = _check_recommended(recommended, utility)
    loss: FloatArray = table.max(axis=1) - table[np.arange(len(table)), items]
    if normalize is not None:
        spread = np.ptp(table, axis=1) if normalize == "range" else table.std(axis=1)
        # no loss means 0, whatever the spread: a flat utility has nothing to lose
        loss = np.divide(loss, spread, out=np.zeros_like(loss), where=loss > 0)
    return float(loss[0]) if utility.ndim == 1 else loss


def _check_recommended(recommended: ArrayLike, utility: FloatArray) -> IntArray:
    if utility.ndim not in (1, 2) or not utility.size:
        raise DataError(
            "utility_true must have shape (n_items,) or (n_users, n_items) and not "
            f"be empty. Got shape {utility.shape}."
        )
    if not np.isfinite(utility).all():
        raise DataError("utility_true must be finite. Got nan or infinity.")
    items = np.asarray(recommended)
    if items.shape != utility.shape[:-1] or not np.issubdtype(items.dtype, np.integer):
        raise DataError(
            "recommended must hold one item index per person, shape "
            f"{utility.shape[:-1]}. Got {items.dtype} of shape {items.shape}."
        )
    if items.min() < 0 or items.max() >= utility.shape[-1]:
        raise DataError(
            f"recommended must lie in 0 to {utility.shape[-1] - 1}. "
            f"Got {items.min()} to {items.max()}."
        )
    return items.astype(np.int64)


def pairwise_accuracy(
    utility: ArrayLike, comparisons: Comparisons | tuple[ArrayLike, ArrayLike]
) -> float:
    """Give the share of comparisons that a utility predicts.

    A row scores 1 when the utility says what the person said, 0 when it says the
    opposite, and one half when exactly one of the two says "equal". So a utility
    that knows nothing scores one half on strict answers.

    Parameters
    ----------
    utility : array-like of shape (n_items,) or (n_users, n_items)
        Utility of each item, larger is better. With two dimensions row ``u``
        belongs to user ``u``, and the users of `comparisons` must be row numbers.
    comparisons : Comparisons or tuple (winners, losers)
        The answers; weights count, ties are as above.

    Returns
    -------
    float
        Weighted mean score, between 0 and 1.

    Examples
    --------
    >>> from penchant.data import Comparisons
    >>> from penchant.metrics import pairwise_accuracy
    >>> pairwise_accuracy([3.0, 2.0, 1.0], Comparisons([0, 1, 2], [1, 2, 0]))
    0.6666666666666666
    >>> pairwise_accuracy([3.0, 2.0, 2.0], ([0, 1], [1, 2]))
    0.75
    """
    answers = (
        comparisons
        if isinstance(comparisons, Comparisons)
        else Comparisons(*comparisons)
    )
    total = answers.weights.sum()
    if not total > 0:
        raise DataError(
            "pairwise_accuracy needs at least one comparison of positive weight. "
            f"Got {len(answers)} comparisons of total weight {total}."
        )
    difference = _differences(_check_utility(utility), answers)
    said = np.where(answers.ties, 0.0, 1.0)
    scores = 1.0 - np.abs(said - np.sign(difference)) / 2.0
    return float(answers.weights @ scores / total)


def kendall_tau(utility: ArrayLike, reference: ArrayLike) -> float:
    """Give Kendall's rank correlation (tau-b) of two utilities of the same items.

    1 means the same order, -1 the reverse. Ties on either side are allowed for as
    in tau-b. Where one side finds all items equal, no order can be compared and
    the result is nan.

    Parameters
    ----------
    utility, reference : array-like of shape (n_items,)
        Two utilities, larger is better.

    Returns
    -------
    float

    Examples
    --------
    >>> from penchant.metrics import kendall_tau
    >>> round(kendall_tau([1.0, 2.0, 3.0, 4.0], [1.0, 2.0, 4.0, 3.0]), 3)
    0.667
    """
    first, second = _check_utility(utility), _check_utility(reference)
    if first.ndim != 1 or first.shape != second.shape:
        raise DataError(
            "kendall_tau needs two utilities of shape (n_items,). "
            f"Got shapes {first.shape} and {second.shape}."
        )
    return float(kendalltau(first, second).statistic)


def _check_utility(utility: ArrayLike) -> FloatArray:
    values: FloatArray = np.asarray(utility, dtype=np.float64)
    if values.ndim not in (1, 2) or values.shape[-1] == 0:
        raise DataError(
            "A utility must have shape (n_items,) or (n_users, n_items) and at "
            f"least one item. Got shape {values.shape}."
        )
    if not np.isfinite(values).all():
        place = np.argwhere(~np.isfinite(values))[0].tolist()
        raise DataError(f"A utility must be finite. Entry {place} is not.")
    return values


def _differences(utility: FloatArray, answers: Comparisons) -> FloatArray:
    """Subtract the utility of the loser from that of the winner, per comparison."""
    if answers.n_items > utility.shape[-1]:
        raise DataError(
            "The utility must cover every compared item. It has "
            f"{utility.shape[-1]} items; item {answers.n_items - 1} is compared."
        )
    rows: tuple[Any, ...] = ()
    if utility.ndim == 2:
        rows = (_user_rows(answers, utility.shape[0]),)
    return utility[(*rows, answers.winners)] - utility[(*rows, answers.losers)]


def _user_rows(answers: Comparisons, n_users: int) -> IntArray:
    users = answers.users
    known = users is not None and np.issubdtype(np.asarray(users).dtype, np.integer)
    if not known or np.min(users) < 0 or np.max(users) >= n_users:
        raise DataError(
            "A utility per user needs comparisons whose users are its row numbers, "
            f"0 to {n_users - 1}."
        )
    return np.asarray(users, dtype=np.int64)
