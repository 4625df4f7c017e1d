import numpy as np
import pytest

from penchant.exceptions import DataError
from penchant.models import GAIClassifier, GAIRanker, GAIRegressor, curve_bands


def rated(n_rows=200, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.uniform(size=(n_rows, 3))
    y = np.sin(6 * X[:, 0]) + 3 * (X[:, 1] - 0.5) * (X[:, 2] - 0.5)
    return X, y + 0.3 * rng.normal(size=n_rows)


@pytest.fixture(scope="module")
def bands():
    X, y = rated()
    model = GAIRegressor(domain=(0, 1)).fit(X, y)
    return model, curve_bands(model, X, y)


def test_bands_hold_the_truth_at_most_points(bands):
    model, found = bands
    band = found[0,]
    x = np.array(band.grid[0])
    truth = np.sin(6 * x) - np.sin(6 * rated()[0][:, 0]).mean()  # centred as ours is
    inside = (band.low <= truth) & (truth <= band.high)
    assert inside.mean() > 0.7
    assert 0.05 < np.mean(band.high - band.low) < 1.0
    np.testing.assert_allclose(band.values, model.factor_function((0,))(x))


def test_surfaces_have_bands_too(bands):
    _, found = bands
    band = found[1, 2]
    assert band.values.shape == band.low.shape == (25, 25)
    assert (band.low <= band.values).all()
    assert (band.values <= band.high).all()


def test_surfaces_of_skewed_attributes_hold_the_truth_far_from_most_rows_too():
    held = []
    for seed in range(4):
        rng = np.random.default_rng(seed)
        X = np.exp(rng.normal(size=(300, 2)))
        logs = np.log(X)
        y = 0.7 * logs.prod(axis=1) + 0.5 * rng.normal(size=300)
        band = curve_bands(GAIRegressor().fit(X, y), X, y)[0, 1]
        sides = zip(band.grid, logs.T, strict=True)
        a, b = (np.log(np.asarray(grid)) - own.mean() for grid, own in sides)
        truth = 0.7 * np.outer(a, b)
        held.append(np.mean((band.low <= truth) & (truth <= band.high)))
    assert np.mean(held) > 0.7  # of 0.9, four draws; level surfaces: below 0.5


def test_more_rows_make_narrower_bands(bands):
    X, y = rated(1_000)
    model = GAIRegressor(C=0.05, loss="squared", solver="binned").fit(X, y)
    wide = GAIRegressor(C=0.25, loss="squared", solver="binned").fit(X[:200], y[:200])
    many = curve_bands(model, X, y, n_resamples=4)[0,]
    few = curve_bands(wide, X[:200], y[:200], n_resamples=4)[0,]
    assert np.mean(many.high - many.low) < np.mean(few.high - few.low)


def test_bands_hold_the_truth_as_often_as_they_say():
    held = []
    for seed in range(4):
        X, y = rated(300, seed)
        model = GAIRegressor(domain=(0, 1)).fit(X, y)
        band = curve_bands(model, X, y)[0,]
        truth = np.sin(6 * np.array(band.grid[0])) - np.sin(6 * X[:, 0]).mean()
        held.append(np.mean((band.low <= truth) & (truth <= band.high)))
    assert np.mean(held) > 0.7  # of 0.9, four draws


def test_bands_are_in_the_units_of_the_ratings(bands):
    X, y = rated()
    model = GAIRegressor(domain=(0, 1)).fit(X, 5.0 + 10.0 * y)
    band, small = curve_bands(model, X, 5.0 + 10.0 * y)[0,], bands[1][0,]
    np.testing.assert_allclose(
        band.high - band.low, 10 * (small.high - small.low), rtol=1e-6
    )


def test_classes_have_bands():
    X, y = rated()
    model = GAIClassifier().fit(X, y > 0)
    band = curve_bands(model, X, y > 0)[0,]
    assert (band.low < band.high).all()


@pytest.mark.parametrize("options", [{"loss": "tube"}, {"monotone": {1: 1}}])
def test_other_models_are_fitted_to_resampled_rows(options):
    X, y = rated()
    model = GAIRegressor(C=0.1, solver="binned", max_order=1, **options).fit(X, y)
    few = curve_bands(model, X, y, n_resamples=2)[0,]
    more = curve_bands(model, X, y, n_resamples=3)[0,]
    assert not np.array_equal(few.low, more.low)


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
