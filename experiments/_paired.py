"""Compare two methods that were scored on the same splits of one data set."""

from collections.abc import Sequence

import numpy as np
from scipy.stats import t as student

__all__ = ["corrected_t_test"]


def corrected_t_test(differences: Sequence[float], test_to_train: float) -> float:
    """Give the two-sided p-value of the corrected resampled t-test.

    The training sets of the splits overlap, so the plain variance of the mean is too
    small; its factor 1/n grows by the ratio of test to training rows.

    Parameters
    ----------
    differences : sequence of float
        Scores of one method minus those of the other, one per split.
    test_to_train : float
        Number of test rows per training row.

    References
    ----------
    Nadeau and Bengio, "Inference for the generalization error", Machine Learning 52,
    2003.
    """
    values = np.asarray(differences, dtype=float)
    if values.size < 2:
        return 1.0
    variance = values.var(ddof=1) * (1 / values.size + test_to_train)
    if variance == 0.0:
        return 1.0 if values.mean() == 0.0 else 0.0
    statistic = abs(values.mean()) / np.sqrt(variance)
    return float(2 * student.sf(statistic, values.size - 1))
