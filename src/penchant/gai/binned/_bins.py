"""Attributes in bins: codes of one byte, and features that are tables over the bins."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from penchant.typing import FloatArray, IntArray

Codes: TypeAlias = NDArray[np.uint8]

N_CELLS = (254, 96, 16)
"""Largest number of bins in factors of 1, 2 and 3 attributes, without the blanks'."""
SMALL, _FEW_PAIR_CELLS = 2_000, 48
"""Up to so many rows, pairs have so few cells, and few features."""
EDGE_ROWS = 200_000
"""Edges come from at most so many rows."""
_MAX_LEVELS = 64
"""Features of a categorical attribute on its own, for its most frequent levels."""
_ENDS = (0.001, 0.999)
_EIGENVALUE_CUT = 1e-9


@dataclass(frozen=True, eq=False)
class Axis:
    """The bins of one attribute, for factors of every order.

    The last cell is that of blanks and of categories that training did not have. If
    training had none either, its features are 0: the mean utility.

    Parameters
    ----------
    cuts : ndarray
        Numeric: the values that part neighbouring fine cells. Categorical: the codes
        that have a cell of their own, rising.
    is_categorical : bool
    cells : tuple of ndarray of uint8
        For each order the cell of each fine cell.
    shares : tuple of ndarray
        For each order the share of the training rows in each cell.
    features : tuple of ndarray of shape (n_cells, n_features)
        For each order the features of each cell: zero mean and uncorrelated under
        `shares`, falling variance, variances that add up to 1.
    centre, spread : float
        Mean and standard deviation of a numeric attribute, for its linear column.
    ends : tuple of float
        The linear column goes on straight between these, and level outside: the
        lever of a slip of the pen would be too long.
    lines : ndarray
        Mean of the linear column in each fine cell.
    """

    cuts: FloatArray
    is_categorical: bool
    cells: tuple[Codes, ...]
    shares: tuple[FloatArray, ...]
    features: tuple[FloatArray, ...]
    centre: float
    spread: float
    ends: tuple[float, float]
    lines: FloatArray

    def fine(self, values: FloatArray) -> Codes:
        """Give the fine cell of each value."""
        if not self.is_categorical:
            found = np.searchsorted(self.cuts, values, side="right")
            found[np.isnan(values)] = len(self.cuts) + 1
            return found.astype(np.uint8)
        found = np.searchsorted(self.cuts, values)
        inside = np.minimum(found, len(self.cuts) - 1)
        known = self.cuts[inside] == values
        return np.where(known, inside, len(self.cuts)).astype(np.uint8)

    def codes(self, values: FloatArray) -> list[Codes]:
        """Give the cell of each value, for each order."""
        fine = self.fine(values)
        return [cells[fine] for cells in self.cells]

    def line(self, values: FloatArray) -> FloatArray:
        """Standardise values; blanks are at the mean."""
        inside = np.clip(values, *self.ends)
        return np.nan_to_num((inside - self.centre) / self.spread)

    @property
    def has_line(self) -> bool:
        """Whether a linear column makes sense."""
        return not self.is_categorical and self.spread > 0


def make_axes(
    U: FloatArray, categorical: Sequence[bool], n_features: Sequence[int]
) -> list[Axis]:
    """Bin every attribute by its quantiles, a bin per value if there are few.

    Parameters
    ----------
    U : ndarray of shape (n_rows, n_attributes)
        At most EDGE_ROWS rows. NaN is a blank.
    categorical : sequence of bool
        Which attributes are codes of categories.
    n_features : sequence of int
        Number of features in factors of 1, 2, ... attributes.
    """
    return [
        _make_axis(column, is_code, n_features)
        for column, is_code in zip(U.T, categorical, strict=True)
    ]


def sampled(n_rows: int, at_most: int) -> IntArray:
    """Choose rows evenly at random, always the same ones."""
    if n_rows <= at_most:
        return np.arange(n_rows)
    return np.sort(np.random.default_rng(0).choice(n_rows, at_most, replace=False))


def _make_axis(values: FloatArray, is_code: bool, n_features: Sequence[int]) -> Axis:
    known = values[values >= 0] if is_code else values[~np.isnan(values)]
    cuts = _levels(known) if is_code else _cuts(known)
    plain = Axis(
        cuts, is_code, (), (), (), *_line(known[:0] if is_code else known), known
    )
    n_fine = len(cuts) + (not is_code)
    counts = np.bincount(plain.fine(values), minlength=n_fine + 1)
    shares = counts / max(1, len(values))
    lines = _cell_means(plain, values, counts)
    cells: list[Codes] = []
    coarse: list[FloatArray] = []
    features: list[FloatArray] = []
    for order, rank in enumerate(n_features):
        few = order == 1 and len(values) <= SMALL
        most = _FEW_PAIR_CELLS if few else N_CELLS[order]
        merged = _merged(shares, n_fine if is_code else most)
        mass = np.bincount(merged, shares).astype(np.float64)
        # a curve beside a linear column is what the line does not say
        line = np.bincount(merged, shares * lines) / np.maximum(mass, 1e-300)
        beside_line = order == 0 and plain.has_line
        cells.append(merged.astype(np.uint8))
        coarse.append(mass)
        rank = max(rank, _MAX_LEVELS) if is_code and order == 0 else rank
        features.append(features_of(mass, is_code, line if beside_line else None, rank))
    return replace(
        plain,
        cells=tuple(cells),
        shares=tuple(coarse),
        features=tuple(features),
        lines=lines,
    )


def _line(known: FloatArray) -> tuple[float, float, tuple[float, float]]:
    """Give centre, spread and ends of a linear column."""
    if not known.size:
        return 0.0, 0.0, (0.0, 0.0)
    low, high = np.quantile(known, _ENDS)
    inside = np.clip(known, low, high)
    return float(inside.mean()), float(inside.std()), (float(low), float(high))


def _cuts(known: FloatArray) -> FloatArray:
    """Part the values into at most 254 cells with about equally many of them."""
    values = np.unique(known)
    if len(values) <= N_CELLS[0]:
        return values[:-1] + np.diff(values) / 2
    places = np.arange(1, N_CELLS[0]) / N_CELLS[0]
    return np.unique(np.quantile(known, places))


def _levels(known: FloatArray) -> FloatArray:
    """List the categories; the rarest of too many share the cell of blanks."""
    levels, counts = np.unique(known, return_counts=True)
    if not levels.size:
        return np.zeros(1)
    return np.sort(levels[np.argsort(-counts, kind="stable")[: N_CELLS[0]]])


def _cell_means(axis: Axis, values: FloatArray, counts: IntArray) -> FloatArray:
    """Give the mean of the linear column in each fine cell."""
    if not axis.has_line:
        return np.zeros(len(counts))
    sums = np.bincount(axis.fine(values), axis.line(values), len(counts))
    return sums / np.maximum(counts, 1)


def _merged(shares: FloatArray, n_cells: int) -> IntArray:
    """Merge neighbouring cells into about equal shares; blanks keep theirs."""
    known = shares[:-1]
    if len(known) <= n_cells:
        return np.arange(len(shares))
    middles = (np.cumsum(known) - known / 2) / max(known.sum(), 1e-300)
    coarse = np.minimum((middles * n_cells).astype(int), n_cells - 1)
    _, coarse = np.unique(coarse, return_inverse=True)
    return np.append(coarse, coarse[-1] + 1)


def _kernel(shares: FloatArray, is_code: bool) -> FloatArray:
    """Give 1 - ``|s - t|`` between mid-ranks; 0 to blanks and between categories."""
    kernel = np.eye(len(shares))
    if not is_code:
        known = shares[:-1]
        places = (np.cumsum(known) - known / 2) / max(known.sum(), 1e-300)
        kernel[:-1, :-1] = 1.0 - np.abs(np.subtract.outer(places, places))
    return kernel


def features_of(
    shares: FloatArray, is_code: bool, line: FloatArray | None, rank: int
) -> FloatArray:
    """Give so many features of cells with these shares; without a line, if given."""
    moments = np.stack([shares] if line is None else [shares, shares * line])
    return eigenfunctions(_kernel(shares, is_code), shares, moments, rank)


def eigenfunctions(
    kernel: FloatArray, shares: FloatArray, moments: FloatArray, rank: int
) -> FloatArray:
    """Give eigenfunctions of the kernel whose `moments` are 0 (GAI-1)."""
    images = kernel @ moments.T
    centred = kernel - images @ np.linalg.pinv(moments @ images, rcond=1e-10) @ images.T
    roots = np.sqrt(shares)
    values, vectors = np.linalg.eigh(roots[:, None] * centred * roots)
    keep = np.flatnonzero(values > _EIGENVALUE_CUT)[::-1][:rank]
    if not keep.size:
        return np.zeros((len(shares), 0))
    present = np.where(shares > 0, roots, np.inf)  # empty cells: the mean utility
    scaled = vectors[:, keep] * np.sqrt(values[keep] / values[keep].sum())
    return scaled / present[:, None]
