"""Why A rather than B: 2 ms at 9 attributes, 10 ms at 50, a tenth of KernelSHAP at 20.

Kernel ridge regression with the Gaussian kernel on 300 rows, one thread; each case asks
ten times, so that its limit is ten times that of one answer. KernelSHAP gets the rival
as its only background row, which makes its game the same: at 9 attributes it is exact,
and the numbers must agree to 1e-8; at 20 it samples. The last cases are Gaussian
processes with error bars on every contribution.
"""

from collections.abc import Callable, Iterator
from contextlib import contextmanager

import numpy as np
from sklearn.gaussian_process import GaussianProcessRegressor
from sklearn.gaussian_process.kernels import RBF
from sklearn.kernel_ridge import KernelRidge

from benchmarks._measure import Budget, Case, Missing
from benchmarks.peers import is_here, kernel_shap
from penchant.explanation import Attribution, contrast

N_ROWS, N_ASKED = 300, 10
LIMITS = {9: 0.002, 20: 0.004, 50: 0.010}
PROCESS_LIMITS = {9: 0.005, 30: 0.020}
PEERS = ("shap",)
PACKAGES = ("numpy", "scipy", "scikit-learn", "shap")
SEEDS = "the number of attributes"


@contextmanager
def cases() -> Iterator[list[Case | Budget | Missing]]:
    """Yield the limits, the comparisons with KernelSHAP, then Gaussian processes."""
    yield [
        *(_limit(d, seconds) for d, seconds in LIMITS.items()),
        *(_against_shap(d, at_most) for d, at_most in ((9, 0.5), (20, 0.1))),
        *(_process(d, seconds) for d, seconds in PROCESS_LIMITS.items()),
    ]


def _data(d: int) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(d)
    X = rng.random((N_ROWS, d))
    return X, X @ rng.random(d) + np.sin(4 * X[:, 0]) * X[:, 1]


def _asking(model: object, X: np.ndarray) -> Callable[[], Attribution]:
    def ask() -> Attribution:
        for k in range(N_ASKED):
            found = contrast(model, X[k], X[k + 1])
        return found

    return ask


def _limit(d: int, seconds: float) -> Budget:
    X, y = _data(d)
    model = KernelRidge(kernel="rbf", alpha=0.1).fit(X, y)
    return Budget(
        name=f"{N_ASKED} contrasts, kernel ridge, {N_ROWS} rows, {d} attributes",
        ours=_asking(model, X),
        seconds=N_ASKED * seconds,
        check=lambda found: abs(found.gap[0]) < 1e-9,
    )


def _against_shap(d: int, at_most: float) -> Case | Missing:
    name = f"1 contrast, kernel ridge, {N_ROWS} rows, {d} attributes"
    if not is_here("shap"):
        return Missing(name, "KernelSHAP", "shap")
    X, y = _data(d)
    model = KernelRidge(kernel="rbf", alpha=0.1).fit(X, y)
    return Case(
        name=name,
        ours=lambda: contrast(model, X[0], X[1]).values[0],
        theirs=kernel_shap.contrast(model, X[0], X[1]),
        peer="KernelSHAP",
        at_most=at_most,
        agree=_same if d < 10 else None,
    )


def _same(ours: np.ndarray, theirs: np.ndarray) -> bool:
    return bool(np.abs(ours - theirs).max() < 1e-8)


def _process(d: int, seconds: float) -> Budget:
    X, y = _data(d)
    model = GaussianProcessRegressor(RBF(np.sqrt(d)), alpha=0.1, optimizer=None)
    model.fit(X, y)
    cov = model.predict(X[[N_ASKED - 1, N_ASKED]], return_cov=True)[1]
    variance = cov[0, 0] + cov[1, 1] - 2 * cov[0, 1]
    return Budget(
        name=f"{N_ASKED} contrasts with error bars, {N_ROWS} rows, {d} attributes",
        ours=_asking(model, X),
        seconds=N_ASKED * seconds,
        check=lambda found: abs(found.cov[0].sum() - variance) < 1e-9,
    )
