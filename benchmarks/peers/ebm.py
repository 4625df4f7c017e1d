"""Explainable boosting machine of interpret (`interpret.txt`), defaults, one core."""

from typing import Any

import numpy as np

NAME = "EBM (interpret)"


def fit(X: np.ndarray, y: np.ndarray) -> Any:
    """Fit a regressor with default bags."""
    from interpret.glassbox import ExplainableBoostingRegressor

    return ExplainableBoostingRegressor(n_jobs=1, random_state=0).fit(X, y)
