"""Explainable boosting machine of interpret, with its defaults on one core."""

from importlib.util import find_spec
from typing import Any

import numpy as np

NAME = "EBM (interpret)"


def is_here() -> bool:
    """Tell whether interpret is installed: ``pip install interpret-core``."""
    return find_spec("interpret") is not None


def fit(X: np.ndarray, y: np.ndarray) -> Any:
    """Fit a regressor with default bags."""
    from interpret.glassbox import ExplainableBoostingRegressor

    return ExplainableBoostingRegressor(n_jobs=1, random_state=0).fit(X, y)
