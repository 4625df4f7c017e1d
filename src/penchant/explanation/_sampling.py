"""Contrasts of any model: all coalitions of few attributes, some of many."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd
from sklearn.base import is_classifier

from penchant.data import Items
from penchant.exceptions import DataError
from penchant.explanation._least_squares import draw_sets, smallest_budget
from penchant.explanation._players import Players, frame_of
from penchant.explanation._shapley import membership, shapley_of_table
from penchant.explanation._smooth_games import MAX_INTERPOLATED, smooth_influences
from penchant.typing import BoolArray, FloatArray

_MAX_EXACT = 12
"""Differing attributes up to which all coalitions are asked."""

SETS_PER_ORDER = 10
"""A random order and its reverse would take two sets per attribute, at least 26."""


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
    are no standard errors; above, those of the smoothest games through the worths of
    some sets and their complements (EX-7), which add up to the difference all the same.

    Parameters
    ----------
    output : callable
        Takes a table of items, gives numbers.
    both : Items, DataFrame or ndarray with two rows
        The item and its rival.
    players : Players
        Blocks of columns that change together.
    n_orders : int
        Where more attributes differ, `SETS_PER_ORDER` sets each are asked for.
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
    found = _by_some(worths, len(differ), SETS_PER_ORDER * n_orders, rng)
    values[0, differ], errors[0, differ] = found
    return values, errors


def _by_coalitions(worths: Callable[[BoolArray], FloatArray], size: int) -> FloatArray:
    if size == 0:
        return np.zeros(0)
    sets = np.indices((2,) * size).reshape(size, -1).T == 1
    return shapley_of_table(worths(sets).reshape((2,) * size))


def _by_some(
    worths: Callable[[BoolArray], FloatArray],
    size: int,
    n_sets: int,
    rng: np.random.RandomState,
) -> tuple[FloatArray, FloatArray]:
    budget = max(min(n_sets, MAX_INTERPOLATED), smallest_budget(size))
    masks, _ = draw_sets(size, budget, np.random.default_rng(rng.randint(2**31 - 1)))
    found = worths(membership([0, *masks], size))
    values, errors = smooth_influences(masks, size, found[None, 1:] - found[0])
    return values[0], errors[0]
