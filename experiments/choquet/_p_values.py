"""P-values of several comparisons, adjusted and written."""

from collections.abc import Sequence

import numpy as np

__all__ = ["holm", "show_p"]


def holm(p_values: Sequence[float]) -> np.ndarray:
    """Adjust p-values for their number, after Holm."""
    p = np.asarray(p_values, dtype=float)
    order = np.argsort(p)
    factors = np.arange(p.size, 0, -1)
    adjusted = np.empty(p.size)
    adjusted[order] = np.minimum(1.0, np.maximum.accumulate(factors * p[order]))
    return adjusted


def show_p(p: float) -> str:
    """Write a p-value with three decimals."""
    return "p < .001" if p < 0.001 else f"p = {p:.3f}".replace("0.", ".", 1)
