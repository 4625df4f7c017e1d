"""The learned utility: a table over bins for each factor, and lines."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Self

import numpy as np

from penchant.exceptions import DataError
from penchant.gai.binned._bins import Axis, Codes
from penchant.typing import FloatArray
from penchant.utility import Factor, GAIUtility


@dataclass(frozen=True, eq=False)
class BinnedGAI(GAIUtility):
    """Factors as tables over the bins of their attributes; curves have a line, too.

    Factors have zero mean over the training rows' shares of the bins of each of their
    attributes. Blanks and unknown categories have a bin of their own.

    Parameters
    ----------
    axes : dict of int to Axis
        The bins of each attribute that occurs in a factor; others may be there.
    subsets : tuple of tuple of int
        The factors; by size, then by index.
    tables : tuple of ndarray
        One per factor, one axis per attribute of it.
    slopes : tuple of float
        One per factor: that of the standardised attribute; 0 for pairs and triples.
    intercept : float
    """

    axes: dict[int, Axis]
    subsets: tuple[Factor, ...]
    tables: tuple[FloatArray, ...]
    slopes: tuple[float, ...]
    intercept: float

    @property
    def factors(self) -> tuple[Factor, ...]:
        return self.subsets

    @property
    def weights(self) -> FloatArray:
        """Standard deviations: the norms of tables over bins say less."""
        return np.sqrt(self.variances)

    @cached_property
    def variances(self) -> FloatArray:
        variances = []
        parts = zip(self.subsets, self.tables, self.slopes, strict=True)
        for subset, table, slope in parts:
            square = table**2
            if slope:
                square = (table + slope * self.axes[subset[0]].lines) ** 2
            for i in subset:  # each step takes the first axis away
                square = self.axes[i].shares[len(subset) - 1] @ square
            variances.append(float(square))
        return np.array(variances)

    def factor(self, subset: Factor, values: FloatArray) -> FloatArray:
        if subset not in self.subsets:
            raise DataError(
                f"{subset} is not a factor of this utility. Its factors are: "
                f"{', '.join(map(str, self.subsets)) or 'none'}."
            )
        columns = dict(zip(subset, values.T, strict=True))
        fine = {i: self.axes[i].fine(column) for i, column in columns.items()}
        return self._part(self.subsets.index(subset), columns, fine)

    def decompose(self, U: FloatArray) -> dict[Factor, FloatArray]:
        used = sorted({i for subset in self.subsets for i in subset})
        columns = {i: U[:, i] for i in used}
        fine = {i: self.axes[i].fine(columns[i]) for i in used}
        parts = range(len(self.subsets))
        return {self.subsets[k]: self._part(k, columns, fine) for k in parts}

    def _part(
        self, k: int, columns: dict[int, FloatArray], fine: dict[int, Codes]
    ) -> FloatArray:
        subset = self.subsets[k]
        cells = (self.axes[i].cells[len(subset) - 1][fine[i]] for i in subset)
        values: FloatArray = self.tables[k][tuple(cells)]
        if self.slopes[k]:
            (i,) = subset
            values = values + self.slopes[k] * self.axes[i].line(columns[i])
        return values

    def placed(self, places: Sequence[int]) -> "BinnedGAI":
        """Give the attributes new numbers: places[i] for i."""
        return replace(
            self,
            axes={places[i]: axis for i, axis in self.axes.items()},
            subsets=tuple(tuple(places[i] for i in s) for s in self.subsets),
        )

    def restricted(self, factors: Iterable[Factor]) -> "BinnedGAI":
        kept = set(factors)
        chosen = [k for k, subset in enumerate(self.subsets) if subset in kept]
        return replace(
            self,
            subsets=tuple(self.subsets[k] for k in chosen),
            tables=tuple(self.tables[k] for k in chosen),
            slopes=tuple(self.slopes[k] for k in chosen),
        )

    def scaled(self, offset: float, scale: float) -> Self:
        return replace(
            self,
            tables=tuple(scale * table for table in self.tables),
            slopes=tuple(scale * slope for slope in self.slopes),
            intercept=offset + scale * self.intercept,
        )
