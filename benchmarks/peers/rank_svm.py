"""A support vector machine on differences of items, with the Gaussian kernel."""

from typing import Self

import numpy as np
from sklearn.metrics.pairwise import rbf_kernel
from sklearn.svm import SVC

NAME = "RBF rank-SVM"


class RankSVM:
    """Learn a utility from comparisons of items.

    Parameters
    ----------
    C : float
        Cost of a unit of loss.
    gamma : float
        Inverse of twice the squared length scale.
    """

    def __init__(self, *, C: float, gamma: float) -> None:
        self.C = C
        self.gamma = gamma

    def fit(self, X: np.ndarray, winners: np.ndarray, losers: np.ndarray) -> Self:
        """Fit to winners over losers, given as indices of rows of X."""
        # scikit-learn's machine has an intercept; turning every other pair around
        # balances the classes, so that the intercept has nothing to explain
        signs = np.where(np.arange(len(winners)) % 2 == 0, 1, -1)
        pairs = np.zeros((len(winners), len(X)))
        rows = np.arange(len(winners))
        pairs[rows, winners] += signs
        pairs[rows, losers] -= signs
        gram = pairs @ rbf_kernel(X, gamma=self.gamma) @ pairs.T
        machine = SVC(kernel="precomputed", C=self.C).fit(gram, signs)
        self.items_ = X
        self.coef_ = machine.dual_coef_[0] @ pairs[machine.support_]
        return self

    def utility(self, X: np.ndarray) -> np.ndarray:
        """Give the utility of each row of X."""
        return rbf_kernel(X, self.items_, gamma=self.gamma) @ self.coef_
