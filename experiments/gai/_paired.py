"""Compare two methods that were scored on the same random splits."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from scipy.stats import t as student

__all__ = ["PairedTest", "paired_test"]


@dataclass(frozen=True)
class PairedTest:
    """Ours against theirs: mean difference of errors, wins and p-value."""

    difference: float
    n_wins: int
    n: int
    p: float

    def __str__(self) -> str:
        """Say it in a few words, for the column of notes."""
        return (
            f"accurate {self.difference:+.5f}, wins {self.n_wins}/{self.n}, "
            f"p {self.p:.2g}"
        )


def paired_test(
    ours: Sequence[float], theirs: Sequence[float], *, test_share: float
) -> PairedTest:
    """Test whether two methods err equally, over random splits of one data set.

    The corrected resampled t-test: training sets overlap, so the variance of the mean
    difference is (1/n + n_test/n_train) times that of one difference.

    References
    ----------
    Nadeau and Bengio, "Inference for the generalization error", Machine Learning 52,
    2003.
    """
    differences = np.subtract(ours, theirs)
    n = len(differences)
    mean = float(differences.mean())
    spread = float(differences.std(ddof=1)) if n > 1 else 0.0
    error = spread * np.sqrt(1.0 / n + test_share / (1.0 - test_share))
    p = float(2.0 * student.sf(abs(mean) / error, n - 1)) if error > 0 else 1.0
    return PairedTest(mean, int((differences < 0).sum()), n, p)
