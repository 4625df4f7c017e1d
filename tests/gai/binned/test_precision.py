import numpy as np
import pytest

from penchant.gai.binned import Rows, Squared, fit_binned
from penchant.gai.binned._losses import Tube
from penchant.gai.binned._precision import _Posterior, factor_errors, has_errors


def fitted(directions=None, loss=None, **options):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(150, 2))
    y = 3.0 * X[:, 0] + rng.normal(size=150)
    rows = Rows([X], y, np.ones(150), [False, False], directions)
    return X, y, fit_binned(rows, loss or Squared(), tol=1e-8, **options)


def test_the_truth_of_a_shrunk_line_is_expected_near_the_free_one():
    X, y, fit = fitted(max_order=1, lam=0.6)
    assert fit.utility.factors == ((0,),)
    axis, slope = fit.utility.axes[0], fit.utility.slopes[0]
    line = axis.line(X[:, 0])
    # the penalty of a line of price .5 takes half of it off its slope
    free = line @ (y - y.mean()) / (line @ line)
    assert slope == pytest.approx(free - 0.3, abs=1e-4)
    left = y - y.mean() - free * line
    places = np.array([[-1.0], [0.2], [2.0]])
    at = axis.line(places[:, 0])
    found = factor_errors(fit, {(0,): places, (1,): places})
    assert (abs(found[(0,)].shift - 0.3 * at) < found[(0,)].spread).all()
    least = abs(at) * np.sqrt(left @ left / 148 / 150)  # of a line that bends nowhere
    assert (least < found[(0,)].spread).all()
    assert (abs(found[(1,)].shift) < 2 * found[(1,)].spread).all()


def test_errors_are_as_large_as_fits_to_new_noise_scatter():
    rng = np.random.default_rng(1)
    X = rng.uniform(size=(300, 1))
    truth, places = np.sin(4 * X[:, 0]), np.linspace(0.05, 0.95, 10)[:, None]
    curves, told = [], []
    for _ in range(15):
        rows = Rows([X], truth + 0.4 * rng.normal(size=300), np.ones(300), [False])
        fit = fit_binned(rows, Squared(), max_order=1, lam=0.003)
        error = factor_errors(fit, {(0,): places})[(0,)]
        told.append(np.hypot(error.shift, error.spread))
        curves.append(fit.utility.intercept + fit.utility.factor((0,), places))
    off = np.sqrt(np.mean((curves - np.sin(4 * places[:, 0])) ** 2, axis=0))
    assert 0.7 < np.mean(told) / off.mean() < 1.4


def test_rounding_of_a_singular_curvature_is_no_error():
    root = np.random.default_rng(0).normal(size=(5, 8))
    posterior = _Posterior(
        H=root.T @ root - 1e-8 * np.eye(8),
        pull=np.zeros(8),
        coef=np.zeros(8),
        n_rows=40.0,
        loss=1e-6,
        noise=1e-9,
        slices=[slice(0, 8)],
        scales=[np.inf],
    )
    assert (np.diag(posterior.covariance) > 0).all()
    assert posterior.n_free < 5.1  # none of what only rounding tells of


def test_who_has_errors():
    assert has_errors(fitted(lam=0.3)[2])
    assert not has_errors(fitted({0: 1}, lam=0.3)[2])
    assert not has_errors(fitted(loss=Tube(0.1, 0.1), lam=0.3)[2])
    assert not has_errors(fitted(max_order=0)[2])
