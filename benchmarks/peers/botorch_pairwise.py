"""BoTorch's PairwiseGP: Laplace's approximation with hyper-parameters by evidence.

Needs what `botorch.txt` lists. Where that is missing, the benchmark measures us alone.
"""

from typing import Self

import numpy as np

NAME = "BoTorch PairwiseGP"


class PairwiseRanker:
    """Learn a utility from comparisons of items, with BoTorch's own defaults."""

    def fit(self, X: np.ndarray, winners: np.ndarray, losers: np.ndarray) -> Self:
        """Fit to winners over losers, given as indices of rows of X in [0, 1]."""
        import torch
        from botorch.fit import fit_gpytorch_mll
        from botorch.models.pairwise_gp import (
            PairwiseGP,
            PairwiseLaplaceMarginalLogLikelihood,
        )

        torch.set_num_threads(1)
        pairs = torch.as_tensor(np.stack([winners, losers], axis=1))
        self.model_ = PairwiseGP(torch.as_tensor(X), pairs)
        fit_gpytorch_mll(
            PairwiseLaplaceMarginalLogLikelihood(self.model_.likelihood, self.model_)
        )
        return self

    def utility(self, X: np.ndarray) -> np.ndarray:
        """Give the posterior mean of the utility of each row of X."""
        import torch

        with torch.no_grad():
            return self.model_.posterior(torch.as_tensor(X)).mean.numpy().ravel()
