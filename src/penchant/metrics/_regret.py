"""What a recommendation costs the person who follows it."""

from typing import Literal

import numpy as np

from penchant.exceptions import DataError
from penchant.typing import ArrayLike, FloatArray, IntArray


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
