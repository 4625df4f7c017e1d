"""Pairs as policies are asked about them: some of them, or all as a matrix."""

import numpy as np

from penchant.elicitation._belief import Moments
from penchant.exceptions import DataError
from penchant.typing import ArrayLike, FloatArray, IntArray


def all_pairs(n_items: int) -> IntArray:
    """Give every pair i < j, shape (n_items (n_items - 1) / 2, 2)."""
    pairs: IntArray = np.column_stack(np.triu_indices(n_items, k=1)).astype(np.int64)
    return pairs


def check_pairs_of(posterior: Moments, pairs: ArrayLike | None) -> IntArray:
    """Give the pairs to judge as an array; None means all of them."""
    if posterior.n_items < 2:
        raise DataError(
            f"A question needs 2 items. The posterior has {posterior.n_items}."
        )
    if pairs is None:
        return all_pairs(posterior.n_items)
    table = np.asarray(pairs)
    if table.ndim != 2 or table.shape[1] != 2 or table.dtype.kind not in "iu":
        raise DataError(
            "pairs must be item indices of shape (n_pairs, 2). Got "
            f"{table.dtype} of shape {table.shape}."
        )
    if not len(table):
        raise DataError("pairs must hold at least one pair. Got none.")
    if table.min() < 0 or table.max() >= posterior.n_items:
        raise DataError(
            f"pairs must hold items from 0 to {posterior.n_items - 1}. "
            f"Got {table.min()} to {table.max()}."
        )
    if (table[:, 0] == table[:, 1]).any():
        raise DataError("A pair must be two different items. Got an item with itself.")
    return table.astype(np.int64)


def shaped(
    scores: FloatArray, posterior: Moments, pairs: ArrayLike | None
) -> FloatArray:
    """Give scores as they are asked for: one per pair, or of all pairs as a matrix.

    The matrix is symmetric; its diagonal, where there is nothing to ask, is minus
    infinity.
    """
    if pairs is not None:
        return scores
    matrix = np.full((posterior.n_items, posterior.n_items), -np.inf)
    rows, columns = np.triu_indices(posterior.n_items, k=1)
    matrix[rows, columns] = scores
    matrix[columns, rows] = scores
    return matrix
