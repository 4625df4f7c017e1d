"""Paired tests of two methods on the folds of repeated cross-validation."""

from collections.abc import Sequence

import numpy as np
from scipy.stats import t as student

__all__ = ["corrected_t_test", "holm", "show_p"]


def corrected_t_test(differences: Sequence[float], test_to_train: float) -> float:
    """Give the two-sided p-value of the corrected resampled t-test.

    The training sets of the folds overlap, so the plain variance of the mean is too
    small; its factor 1/J grows by the ratio of test to training rows.

    References
    ----------
    C. Nadeau, Y. Bengio, "Inference for the generalization error", Machine Learning
    52, 2003.
    """
    values = np.asarray(differences, dtype=float)
    variance = values.var(ddof=1) * (1 / values.size + test_to_train)
    if variance == 0.0:
        return 1.0 if values.mean() == 0.0 else 0.0
    statistic = abs(values.mean()) / np.sqrt(variance)
    return float(2 * student.sf(statistic, values.size - 1))


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
