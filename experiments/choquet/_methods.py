"""The models of the comparison; most search one parameter on 3 folds.

``k="auto"`` searches its order in the same way; the curves take the default penalty.
"""

from collections.abc import Callable
from importlib.util import find_spec
from typing import Any

import numpy as np
from sklearn.ensemble import (
    HistGradientBoostingClassifier,
    HistGradientBoostingRegressor,
)
from sklearn.linear_model import LogisticRegression, Ridge
from sklearn.model_selection import GridSearchCV, KFold
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import MinMaxScaler, minmax_scale

from penchant.kernels import choquet_kernel
from penchant.models import (
    ChoquetClassifier,
    ChoquetRegressor,
    ChoquetSVC,
    ChoquetSVR,
)

__all__ = ["METHODS", "REFERENCE", "WHY_ABSENT", "is_absent"]

REFERENCE = "Choquet k=2"
XGBOOST = "XGBoost, monotone"
WHY_ABSENT = "XGBoost not here; pip install xgboost"

_SEED = 0
_ALPHAS = {
    "classes": (1e-4, 1e-3, 1e-2),
    "grades": (1e-4, 1e-3, 1e-2),
    "ratings": (1e-5, 1e-4, 1e-3),
}


def is_absent(column: str) -> bool:
    """Tell whether a method needs a package that is not installed."""
    return column == XGBOOST and find_spec("xgboost") is None


def _search(model: Any, kind: str, **grid: Any) -> GridSearchCV:
    """Choose parameters on 3 folds, by accuracy of two classes, else by the MAE."""
    scoring = "accuracy" if kind == "classes" else "neg_mean_absolute_error"
    folds = KFold(3, shuffle=True, random_state=_SEED)
    return GridSearchCV(model, grid, scoring=scoring, cv=folds)


class _PlainCost:
    """Makes C the cost of one error, not of errors over the mean of K(x, x)."""

    def fit(self: Any, X: np.ndarray, y: np.ndarray) -> Any:
        cost = self.C
        gram = choquet_kernel(minmax_scale(X), damping=1 / X.shape[1])
        self.C = cost * np.diag(gram).mean()
        super().fit(X, y)
        self.C = cost
        return self


class _PlainSVC(_PlainCost, ChoquetSVC):
    pass


class _PlainSVR(_PlainCost, ChoquetSVR):
    pass


def _choquet(kind: str, **options: Any) -> Any:
    model = ChoquetRegressor if kind == "ratings" else ChoquetClassifier
    return model(directions="up", random_state=_SEED, n_folds=3, **options)


def _pairs(kind: str, n_features: int) -> GridSearchCV:
    return _search(_choquet(kind), kind, alpha=_ALPHAS[kind])


def _automatic(kind: str, n_features: int) -> Any:
    return _choquet(kind, k="auto")


def _curves(kind: str, n_features: int) -> Any:
    return _choquet(kind, marginals="spline")


def _machine(kind: str, n_features: int) -> GridSearchCV:
    """Make the damped kernel machine; grades are learned as numbers and rounded."""
    model = _PlainSVC if kind == "classes" else _PlainSVR
    machine = model(damping="auto", directions="up", max_iter=30_000, tol=1e-3)
    return _search(machine, kind, C=(1.0, 10.0, 100.0))


def _linear(kind: str, n_features: int) -> GridSearchCV:
    """Make logistic regression; ridge regression for ratings."""
    if kind == "ratings":
        model = make_pipeline(MinMaxScaler(), Ridge())
        return _search(model, kind, ridge__alpha=(0.01, 0.1, 1.0))
    model = make_pipeline(MinMaxScaler(), LogisticRegression(max_iter=2000))
    return _search(model, kind, logisticregression__C=(1.0, 10.0, 100.0))


def _boosting(kind: str, n_features: int) -> GridSearchCV:
    """Make monotone trees; grades are learned as numbers and rounded.

    scikit-learn has no monotone constraints for three classes or more.
    """
    classes = (HistGradientBoostingRegressor, HistGradientBoostingClassifier)
    model = classes[kind == "classes"](
        monotonic_cst=[1] * n_features, max_iter=100, random_state=_SEED
    )
    return _search(model, kind, max_leaf_nodes=(4, 16))


def _xgboost(kind: str, n_features: int) -> GridSearchCV:
    """Make the same with XGBoost."""
    from xgboost import XGBClassifier, XGBRegressor

    model = (XGBRegressor, XGBClassifier)[kind == "classes"](
        monotone_constraints=(1,) * n_features,
        n_estimators=100,
        learning_rate=0.1,
        n_jobs=1,
        random_state=_SEED,
    )
    return _search(model, kind, max_depth=(2, 4))


METHODS: dict[str, Callable[[str, int], Any]] = {
    REFERENCE: _pairs,
    "Choquet k=auto": _automatic,
    "Choquet k=2, curves": _curves,
    "Choquet SVM, 1/n": _machine,
    "linear": _linear,
    "boosting, monotone": _boosting,
    XGBOOST: _xgboost,
}
