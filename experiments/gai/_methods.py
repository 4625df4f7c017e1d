"""The methods of Table 2: the paper's, what a user would pick instead, and ours.

The last four peers are optional: ``pip install lightgbm pygam interpret-core``.
"""

from collections.abc import Callable
from dataclasses import dataclass
from importlib.util import find_spec
from typing import Any

import numpy as np
from sklearn.compose import TransformedTargetRegressor
from sklearn.gaussian_process import GaussianProcessRegressor
from sklearn.gaussian_process.kernels import RBF, ConstantKernel, WhiteKernel
from sklearn.linear_model import LinearRegression
from sklearn.model_selection import GridSearchCV, KFold
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVR

from penchant.models import ChoquetRegressor, GAIRegressor, GAIRegressorCV

__all__ = ["METHODS", "OURS", "Method", "additive"]

_ADDITIVE_COSTS = np.logspace(-1.0, 2.0, 7)
_CHOQUET_ALPHAS = (1e-6, 1e-4, 1e-2)
_SVR_GRID = {
    "regressor__C": [0.3, 1.0, 3.0, 10.0, 50.0],
    "regressor__gamma": [0.1, 0.5, 2.0],
    "regressor__epsilon": [0.01, 0.1, 0.3],
}
_LIGHTGBM_GRID = {
    "objective": ["l1", "l2"],
    "num_leaves": [7, 15],
    "n_estimators": [100, 300],
}


@dataclass(frozen=True)
class Method:
    """A way to learn a rating from attributes.

    Parameters
    ----------
    fit : callable (X, y) -> fitted estimator
    package : str
        What must be installed; its version belongs to the result.
    module : str
        What is imported from it.
    in_paper : bool
        Whether the paper has this column.
    is_interpretable : bool
        Whether a reader can follow the model: the peers that ours must beat on most
        data sets.
    """

    fit: Callable[[np.ndarray, np.ndarray], Any]
    package: str = "penchant"
    module: str = "penchant"
    in_paper: bool = False
    is_interpretable: bool = False

    @property
    def is_here(self) -> bool:
        """Whether its package is installed."""
        return find_spec(self.module) is not None


def additive(order: int, X: np.ndarray, y: np.ndarray) -> Any:
    """Fit the dense utility of all factors up to an order, cost by 3 folds (GAI-9)."""
    model = GAIRegressor(C=10.0, sparse=False, max_order=order, domain=(0, 1))
    return _search(model, {"C": _ADDITIVE_COSTS}, 3).fit(X, y)


def linear(X: np.ndarray, y: np.ndarray) -> Any:
    """Fit ordinary least squares."""
    return LinearRegression().fit(X, y)


def choquet(X: np.ndarray, y: np.ndarray, *, monotone: bool) -> Any:
    """Fit the 2-additive Choquet integral, penalty by 3 folds."""
    model = ChoquetRegressor(k=2, monotone=monotone, domain=(0, 1), directions="up")
    return _search(model, {"alpha": _CHOQUET_ALPHAS}, 3).fit(X, y)


def smkgai(X: np.ndarray, y: np.ndarray) -> Any:
    """Fit the paper's method with its settings, cost by 3 folds."""
    return GAIRegressorCV(preset="paper", domain=(0, 1)).fit(X, y)


def ours(X: np.ndarray, y: np.ndarray) -> Any:
    """Fit our estimator with all defaults."""
    return GAIRegressorCV(preset="fast").fit(X, y)


class Unrounded:
    """A fitted model that predicts its utility, also where ratings are grades."""

    def __init__(self, model: GAIRegressorCV) -> None:
        self.predict = model.utility


def svr(X: np.ndarray, y: np.ndarray) -> Any:
    """Fit a support vector regression, 45 settings compared by 5 folds."""
    model = TransformedTargetRegressor(SVR(), transformer=StandardScaler())
    return _search(model, _SVR_GRID, 5).fit(X, y)


def gpr(X: np.ndarray, y: np.ndarray) -> Any:
    """Fit a Gaussian process with a length scale per attribute, by evidence."""
    scales = RBF(np.ones(X.shape[1]), (0.05, 100.0))
    kernel = ConstantKernel(1.0, (1e-3, 1e4)) * scales + WhiteKernel(0.1, (1e-6, 10.0))
    return GaussianProcessRegressor(kernel, normalize_y=True).fit(X, y)


def pygam(X: np.ndarray, y: np.ndarray) -> Any:
    """Fit an additive model of penalised splines; pyGAM's own grid of penalties."""
    from pygam import LinearGAM

    return LinearGAM().gridsearch(X, y, progress=False)


def ebm(X: np.ndarray, y: np.ndarray) -> Any:
    """Fit an explainable boosting machine with default settings."""
    from interpret.glassbox import ExplainableBoostingRegressor

    return ExplainableBoostingRegressor(n_jobs=1, random_state=0).fit(X, y)


def lightgbm(X: np.ndarray, y: np.ndarray) -> Any:
    """Fit boosted trees, 8 settings compared by 5 folds."""
    from lightgbm import LGBMRegressor

    model = LGBMRegressor(
        learning_rate=0.05, min_child_samples=5, n_jobs=1, random_state=0, verbose=-1
    )
    return _search(model, _LIGHTGBM_GRID, 5).fit(X, y)


def _search(model: Any, grid: dict[str, Any], n_folds: int) -> GridSearchCV:
    folds = KFold(n_folds, shuffle=True, random_state=0)
    return GridSearchCV(model, grid, scoring="neg_mean_absolute_error", cv=folds)


def _readable(fit: Callable[..., Any], *, in_paper: bool = True) -> Method:
    return Method(fit, in_paper=in_paper, is_interpretable=True)


METHODS = {
    "Linear Regression": Method(
        linear, "scikit-learn", "sklearn", in_paper=True, is_interpretable=True
    ),
    "2-add Choquet Integral": _readable(lambda X, y: choquet(X, y, monotone=True)),
    "2-add Choquet, not monotone": _readable(
        lambda X, y: choquet(X, y, monotone=False), in_paper=False
    ),
    "1-GAI": _readable(lambda X, y: additive(1, X, y)),
    "2-GAI": _readable(lambda X, y: additive(2, X, y)),
    "SMKGAI": Method(smkgai, in_paper=True),
    "SVR-RBF": Method(svr, "scikit-learn", "sklearn"),
    "GPR-ARD": Method(gpr, "scikit-learn", "sklearn"),
    "pyGAM": Method(pygam, "pygam", "pygam", is_interpretable=True),
    "EBM": Method(ebm, "interpret-core", "interpret", is_interpretable=True),
    "LightGBM": Method(lightgbm, "lightgbm", "lightgbm"),
    "GAIRegressorCV": Method(ours),
    "GAIRegressorCV, not rounded": Method(lambda X, y: Unrounded(ours(X, y))),
}
OURS = tuple(name for name in METHODS if name.startswith("GAIRegressorCV"))
