"""Compare two methods that were scored on the same random splits."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from experiments._paired import corrected_t_test

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
            f"ours {self.difference:+.5f}, wins {self.n_wins}/{self.n}, p {self.p:.2g}"
        )


def paired_test(
    ours: Sequence[float], theirs: Sequence[float], *, test_share: float
) -> PairedTest:
    """Test whether two methods err equally, over random splits of one data set.

    `test_share` is the share of the rows that each split tests on.
    """
    differences = np.subtract(ours, theirs)
    p = corrected_t_test(differences, test_share / (1.0 - test_share))
    n_wins = int((differences < 0).sum())
    return PairedTest(float(differences.mean()), n_wins, len(differences), p)
