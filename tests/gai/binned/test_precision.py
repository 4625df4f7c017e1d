import numpy as np
import pytest

from penchant.gai.binned import Rows, Squared, fit_binned
from penchant.gai.binned._losses import Tube
from penchant.gai.binned._precision import factor_errors, has_errors


def fitted(directions=None, loss=None, **options):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(150, 2))
    y = 3.0 * X[:, 0] + rng.normal(size=150)
    rows = Rows([X], y, np.ones(150), [False, False], directions)
    return X, y, fit_binned(rows, loss or Squared(), tol=1e-8, **options)


def test_a_line_has_the_error_of_its_slope_and_of_its_shrinkage():
    X, y, fit = fitted(max_order=1, lam=0.6)
    assert fit.utility.factors == ((0,),)
    axis, slope = fit.utility.axes[0], fit.utility.slopes[0]
    line = axis.line(X[:, 0])
    assert not fit.utility.tables[0].any()
    # the penalty of a line of price .5 takes half of it off its slope
    free = line @ (y - y.mean()) / (line @ line)
    assert slope == pytest.approx(free - 0.3, abs=1e-4)
    left = y - y.mean() - slope * line
    variance = left @ left / (150 - 1 - 1) / 150
    places = np.array([[-1.0], [0.2], [2.0]])
    expected = abs(axis.line(places[:, 0])) * np.sqrt(variance + 0.3**2)
    found = factor_errors(fit, {(0,): places, (1,): places})
    np.testing.assert_allclose(found[(0,)], expected, rtol=1e-3)
    np.testing.assert_allclose(found[(1,)], 0.0)


def test_errors_are_as_large_as_fits_to_new_noise_scatter():
    rng = np.random.default_rng(1)
    X = rng.uniform(size=(300, 1))
    truth, places = np.sin(4 * X[:, 0]), np.linspace(0.05, 0.95, 10)[:, None]
    curves, told = [], []
    for _ in range(15):
        rows = Rows([X], truth + 0.4 * rng.normal(size=300), np.ones(300), [False])
        fit = fit_binned(rows, Squared(), max_order=1, lam=0.003)
        told.append(factor_errors(fit, {(0,): places})[(0,)])
        curves.append(fit.utility.intercept + fit.utility.factor((0,), places))
    off = np.sqrt(np.mean((curves - np.sin(4 * places[:, 0])) ** 2, axis=0))
    assert 0.7 < np.mean(told) / off.mean() < 1.4


def test_who_has_errors():
    assert has_errors(fitted(lam=0.3)[2])
    assert not has_errors(fitted({0: 1}, lam=0.3)[2])
    assert not has_errors(fitted(loss=Tube(0.1, 0.1), lam=0.3)[2])
    assert not has_errors(fitted(max_order=0)[2])
