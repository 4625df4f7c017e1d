"""How strongly attributes of any kind go together: ranks, categories, blocks."""

from itertools import combinations, pairwise
from typing import Any

import numpy as np
import pandas as pd
from scipy.stats import rankdata
from scipy.stats.contingency import association

from penchant.explanation._players import Players, is_one_hot
from penchant.typing import BoolArray, FloatArray, IntArray

_NO_VARIANCE = 1e-10  # eigenvalues of a correlation matrix below this count as 0


def associations(frame: pd.DataFrame, players: Players) -> FloatArray:
    """Give the strength of association of each pair of players, in [0, 1].

    Numbers and ordered levels: ``|Spearman|``. Two categorical players: Cramer's V.
    One of each: the correlation ratio of the ranks. A one-hot block is one
    categorical player; of any other block the column counts that associates most.
    A constant has no association (EX-5).

    Returns
    -------
    ndarray of shape (n_players, n_players)
        Symmetric, with zeros on the diagonal.
    """
    columns = [_columns_of(frame, player) for player in players.columns]
    strengths = np.zeros((len(players), len(players)))
    for i, j in combinations(range(len(players)), 2):
        best = max(_association(a, b) for a in columns[i] for b in columns[j])
        strengths[i, j] = strengths[j, i] = best
    return strengths


def constant_players(frame: pd.DataFrame, players: Players) -> BoolArray:
    """Tell which players have a single value in all rows."""
    blocks = (frame.iloc[:, list(columns)] for columns in players.columns)
    return np.array([len(block.drop_duplicates()) <= 1 for block in blocks])


def design_blocks(frame: pd.DataFrame, players: Players) -> list[FloatArray]:
    """Give the centred columns of each player: categories become 0/1 columns."""
    blocks = []
    for columns in players.columns:
        parts = [_numbers_of(frame.iloc[:, column]) for column in columns]
        block = np.concatenate(parts, axis=1)
        blocks.append(block - block.mean(axis=0))
    return blocks


def inflations(blocks: list[FloatArray]) -> FloatArray:
    """Give the variance inflation factor of each block among all of them.

    One column: 1/(1 - R^2) of its regression on the others. More: the generalised
    factor of Fox and Monette per dimension, det((R^-1)_bb)^(1/df) after the block's
    columns are made orthonormal. Infinite where others determine it; 1 for a
    constant.
    """
    bases = [_orthonormal(block) for block in blocks]
    edges = np.cumsum([0, *(basis.shape[1] for basis in bases)])
    everything = np.concatenate(bases, axis=1)
    values, vectors = np.linalg.eigh(everything.T @ everything)
    free = values > _NO_VARIANCE
    inverse = (vectors[:, free] / values[free]) @ vectors[:, free].T
    null = (vectors[:, ~free] ** 2).sum(axis=1)
    factors = np.ones(len(blocks))
    for block, (start, stop) in enumerate(pairwise(edges)):
        if stop == start:
            continue
        within = inverse[start:stop, start:stop]
        determined = null[start:stop].max() > np.sqrt(_NO_VARIANCE)
        size = np.linalg.det(within) ** (1.0 / (stop - start))
        factors[block] = np.inf if determined else max(size, 1.0)
    return factors


def _orthonormal(block: FloatArray) -> FloatArray:
    """Give an orthonormal basis of the span of centred columns."""
    scale = np.linalg.norm(block, axis=0)
    kept = block[:, scale > 0] / scale[scale > 0]
    left, values, _ = np.linalg.svd(kept, full_matrices=False)
    return left[:, values**2 > _NO_VARIANCE]


def _columns_of(frame: pd.DataFrame, columns: tuple[int, ...]) -> list[Any]:
    """Give ranks as floats and categories as whole numbers; constants as no rank."""
    block = frame.iloc[:, list(columns)]
    if len(columns) > 1 and is_one_hot(block):
        return [block.to_numpy(np.float64).argmax(axis=1).astype(np.int64)]
    return [_coded(block.iloc[:, k]) for k in range(len(columns))]


def _coded(column: pd.Series) -> Any:
    if is_ordered(column):
        ranks: FloatArray = rankdata(_as_numbers(column), nan_policy="omit")
        return np.where(np.isnan(ranks), np.nanmean(ranks), ranks) - np.nanmean(ranks)
    return pd.factorize(column, use_na_sentinel=False)[0].astype(np.int64)


def is_ordered(column: pd.Series) -> bool:
    """Tell whether a column holds numbers or levels with an order."""
    levels = isinstance(column.dtype, pd.CategoricalDtype)
    return bool(
        column.dtype.ordered if levels else pd.api.types.is_numeric_dtype(column)
    )


def _as_numbers(column: pd.Series) -> FloatArray:
    """Give an ordered column as floats, missing values as NaN."""
    if isinstance(column.dtype, pd.CategoricalDtype):
        codes = column.cat.codes.to_numpy(np.float64)
        return np.where(codes < 0, np.nan, codes)
    return column.to_numpy(np.float64, na_value=np.nan)


def _numbers_of(column: pd.Series) -> FloatArray:
    """Give a column as numbers, shape (n, 1), or its levels as 0/1 columns."""
    if not is_ordered(column):
        codes = pd.factorize(column, use_na_sentinel=False)[0]
        return np.asarray(np.eye(codes.max() + 1)[codes])
    numbers = _as_numbers(column)
    known = numbers[np.isfinite(numbers)]
    filled = np.where(np.isfinite(numbers), numbers, known.mean() if known.size else 0)
    return filled[:, None]


def _association(first: Any, second: Any) -> float:
    kinds = (first.dtype.kind, second.dtype.kind)
    if kinds == ("f", "f"):
        return _cosine(first, second)
    if kinds == ("i", "i"):
        return _cramers_v(first, second)
    ranks, codes = (first, second) if kinds[0] == "f" else (second, first)
    return _correlation_ratio(ranks, codes)


def _cosine(first: FloatArray, second: FloatArray) -> float:
    length = np.sqrt((first @ first) * (second @ second))
    return min(float(abs(first @ second) / length), 1.0) if length > 0 else 0.0


def _cramers_v(first: IntArray, second: IntArray) -> float:
    counts = np.zeros((first.max() + 1, second.max() + 1), dtype=np.int64)
    np.add.at(counts, (first, second), 1)
    counts = counts[counts.sum(axis=1) > 0][:, counts.sum(axis=0) > 0]
    if min(counts.shape) < 2:
        return 0.0
    return min(float(association(counts, method="cramer")), 1.0)


def _correlation_ratio(ranks: FloatArray, codes: IntArray) -> float:
    total = ranks @ ranks
    if total == 0:
        return 0.0
    sums = np.bincount(codes, weights=ranks)
    counts = np.maximum(np.bincount(codes), 1)
    return min(float(np.sqrt((sums**2 / counts).sum() / total)), 1.0)
