"""Contrasts of any model: all coalitions of few attributes, orders of many."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd
from sklearn.base import is_classifier

from penchant.data import Items
from penchant.exceptions import DataError
from penchant.explanation._players import Players, frame_of
from penchant.explanation._shapley import shapley_of_table
from penchant.typing import BoolArray, FloatArray

_MAX_EXACT = 12
"""Differing attributes up to which all coalitions are asked."""


def output_of(model: Any, rows: Any) -> Callable[[Any], FloatArray]:
    """Find the number that a model gives an item.

    Its utility, else its prediction; of a classifier the probability (or the decision)
    for the class that it predicts for the first of the rows.
    """
    if not (hasattr(model, "classes_") and is_classifier(model)):
        found = getattr(model, "utility", getattr(model, "predict", None))
        if found is None:
            raise DataError(
                "A model must have utility(X) or predict(X). Got "
                f"{type(model).__name__}."
            )
        return found
    place = int(np.flatnonzero(model.classes_ == model.predict(rows)[0])[0])
    if hasattr(model, "predict_proba"):
        return lambda rows: np.asarray(model.predict_proba(rows))[:, place]
    if len(model.classes_) == 2:
        sign = 1.0 if place else -1.0
        return lambda rows: sign * np.asarray(model.decision_function(rows))
    return lambda rows: np.asarray(model.decision_function(rows))[:, place]


def mix_rows(both: Any, masks: BoolArray) -> Any:
    """Give rows that take some columns of one item and the others of another.

    Parameters
    ----------
    both : Items, DataFrame or ndarray with two rows
        The item and its rival.
    masks : ndarray of bool of shape (n, n_columns)
        True: the column of the item.
    """
    if isinstance(both, np.ndarray):
        return np.where(masks, both[0], both[1])
    frame = both.frame if isinstance(both, Items) else both
    columns = {
        name: frame[name].take((~mask).astype(np.int64)).reset_index(drop=True)
        for name, mask in zip(frame.columns, masks.T, strict=True)
    }
    mixed = pd.DataFrame(columns)
    if not isinstance(both, Items):
        return mixed
    return Items(mixed, both.attributes, tuple(map(str, range(len(mixed)))))


def contrast_any(
    output: Callable[[Any], FloatArray],
    both: Any,
    players: Players,
    *,
    n_orders: int,
    rng: np.random.RandomState,
) -> tuple[FloatArray, FloatArray | None]:
    """Give Shapley values of the contrast game, and their standard errors.

    Attributes in which the items agree get 0. Exact for up to 12 others, where there
    are no standard errors; above, the mean over random orders of the attributes, each
    with its reverse, so that values add up to the difference all the same.

    Parameters
    ----------
    output : callable
        Takes a table of items, gives numbers.
    both : Items, DataFrame or ndarray with two rows
        The item and its rival.
    players : Players
        Blocks of columns that change together.
    n_orders : int
        Number of random orders, reverses not counted.
    rng : RandomState

    Returns
    -------
    values : ndarray of shape (1, n_players)
    errors : ndarray of shape (1, n_players) or None
    """
    first, second = np.asarray(frame_of(both), dtype=object)
    same = [a == b for a, b in zip(first, second, strict=True)]
    differ = [k for k, c in enumerate(players.columns) if not all(same[i] for i in c)]
    blocks = [list(players.columns[k]) for k in differ]

    def worths(sets: BoolArray) -> FloatArray:
        masks = np.zeros((len(sets), len(same)), dtype=bool)
        for k, block in enumerate(blocks):
            masks[:, block] = sets[:, [k]]
        return np.asarray(output(mix_rows(both, masks)), dtype=np.float64)

    values = np.zeros((1, len(players)))
    if len(differ) <= _MAX_EXACT:
        values[0, differ] = _by_coalitions(worths, len(differ))
        return values, None
    errors = np.zeros((1, len(players)))
    found = _by_orders(worths, len(differ), n_orders, rng)
    values[0, differ], errors[0, differ] = found
    return values, errors


def _by_coalitions(worths: Callable[[BoolArray], FloatArray], size: int) -> FloatArray:
    if size == 0:
        return np.zeros(0)
    sets = np.indices((2,) * size).reshape(size, -1).T == 1
    return shapley_of_table(worths(sets).reshape((2,) * size))


def _by_orders(
    worths: Callable[[BoolArray], FloatArray],
    size: int,
    n_orders: int,
    rng: np.random.RandomState,
) -> tuple[FloatArray, FloatArray]:
    orders = np.array([rng.permutation(size) for _ in range(n_orders)])
    # Where no more than two attributes interact, an order and its reverse are exact.
    orders = np.stack([orders, orders[:, ::-1]], axis=1).reshape(-1, size)
    ranks = np.argsort(orders, axis=1)
    steps = np.arange(size + 1)
    sets = ranks[:, None, :] < steps[None, :, None]
    table = worths(sets.reshape(-1, size)).reshape(len(orders), size + 1)
    gains = np.take_along_axis(np.diff(table, axis=1), ranks, axis=1)
    # The two of a pair depend on each other: the pair is what is drawn.
    pairs = gains.reshape(n_orders, 2, size).mean(axis=1)
    errors = pairs.std(axis=0, ddof=1) / np.sqrt(n_orders)
    return pairs.mean(axis=0), errors
