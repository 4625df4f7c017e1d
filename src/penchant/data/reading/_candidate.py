"""Candidate: one way to read all cells of a column."""

from dataclasses import dataclass

import numpy as np

from penchant.typing import FloatArray

Cell = object
"""Text, or a number, a date, a truth value where the file has types."""


@dataclass(frozen=True, eq=False)
class Candidate:
    """Cells under one reading.

    Parameters
    ----------
    reading : str
        Its name, by which it can be asked for.
    values : ndarray of shape (n_cells,)
        Numbers; NaN for cells that it does not explain.
    unit : str
        To which the numbers were converted.
    converted : tuple of str
        Sentences about what became something else.
    """

    reading: str
    values: FloatArray
    unit: str = ""
    converted: tuple[str, ...] = ()

    def agrees(self, other: "Candidate") -> bool:
        """Tell whether both mean the same numbers."""
        return self.unit == other.unit and np.array_equal(
            self.values, other.values, equal_nan=True
        )


def rounded(value: float) -> float:
    """Take away what a conversion of units adds in the last digits."""
    return float(f"{value:.12g}")
