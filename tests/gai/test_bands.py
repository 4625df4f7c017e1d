import numpy as np
import pytest

from penchant.exceptions import DataError
from penchant.models import GAIRanker, GAIRegressor, curve_bands


def rated(n_rows=200, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.uniform(size=(n_rows, 3))
    y = np.sin(6 * X[:, 0]) + 3 * (X[:, 1] - 0.5) * (X[:, 2] - 0.5)
    return X, y + 0.3 * rng.normal(size=n_rows)


@pytest.fixture(scope="module")
def bands():
    X, y = rated()
    model = GAIRegressor(domain=(0, 1)).fit(X, y)
    return model, curve_bands(model, X, y, n_resamples=8)


def test_bands_hold_the_truth_at_most_points(bands):
    model, found = bands
    band = found[0,]
    x = np.array(band.grid[0])
    truth = np.sin(6 * x) - np.sin(6 * rated()[0][:, 0]).mean()  # centred as ours is
    inside = (band.low <= truth) & (truth <= band.high)
    assert inside.mean() > 0.6
    assert 0.05 < np.mean(band.high - band.low) < 1.0
    np.testing.assert_allclose(band.values, model.factor_function((0,))(x))


def test_surfaces_have_bands_too(bands):
    _, found = bands
    band = found[1, 2]
    assert band.values.shape == band.low.shape == (25, 25)
    assert (band.low <= band.values).all()
    assert (band.values <= band.high).all()


def test_more_rows_make_narrower_bands(bands):
    X, y = rated(1_000)
    model = GAIRegressor(C=0.05, loss="squared", solver="binned").fit(X, y)
    wide = GAIRegressor(C=0.25, loss="squared", solver="binned").fit(X[:200], y[:200])
    many = curve_bands(model, X, y, n_resamples=4)[0,]
    few = curve_bands(wide, X[:200], y[:200], n_resamples=4)[0,]
    assert np.mean(many.high - many.low) < np.mean(few.high - few.low)


def test_rankers_have_bands():
    rng = np.random.default_rng(0)
    pairs = rng.uniform(size=(120, 2, 2))
    first = (pairs[:, 0, 0] > pairs[:, 1, 0]).astype(int)
    model = GAIRanker(C=1.0, max_order=1).fit(pairs, first)
    band = curve_bands(model, pairs, first, n_resamples=3)[0,]
    assert band.values[0] < band.values[-1]


@pytest.mark.parametrize("options", [{"level": 1.0}, {"n_resamples": 1}])
def test_impossible_bands_are_refused(bands, options):
    with pytest.raises(DataError, match="must"):
        curve_bands(bands[0], *rated(), **options)
