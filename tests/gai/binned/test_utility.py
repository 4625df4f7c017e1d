from itertools import product

import numpy as np
import pytest

from penchant.exceptions import DataError
from penchant.gai.binned._bins import make_axes
from penchant.gai.binned._utility import BinnedGAI


@pytest.fixture(scope="module")
def case():
    rng = np.random.default_rng(0)
    U = rng.integers(0, 4, size=(60, 3)).astype(float)
    U[:10, 1] = np.nan
    axes = dict(enumerate(make_axes(U, [False] * 3, (3, 3))))
    tables = rng.normal(size=5), rng.normal(size=5), rng.normal(size=(5, 5))
    subsets = (0,), (1,), (0, 2)
    return U, BinnedGAI(axes, subsets, tables, (0.7, 0.0, 0.0), 2.0)


def by_hand(model, subset, row):
    """Look a part up: values 0 to 3 are their cells, blanks are in the last."""
    k = model.subsets.index(subset)
    cells = tuple(4 if np.isnan(v) else int(v) for v in row)
    return (
        model.tables[k][cells]
        + model.slopes[k] * model.axes[subset[0]].line(row[:1])[0]
    )


def test_parts_are_looked_up_and_add_up(case):
    U, model = case
    parts = model.decompose(U)
    for subset in model.factors:
        values = [by_hand(model, subset, row) for row in U[:, subset]]
        np.testing.assert_allclose(parts[subset], values)
        np.testing.assert_allclose(model.factor(subset, U[:, subset]), values)
    np.testing.assert_allclose(model.utility(U), 2.0 + sum(parts.values()))
    with pytest.raises(DataError, match=r"\(0, 1\) is not .*\(0,\), \(1,\), \(0, 2\)"):
        model.factor((0, 1), U[:, :2])


def test_variances_are_mean_squares_over_independent_attributes(case):
    U, model = case
    for subset, variance in zip(model.factors, model.variances, strict=True):
        squares = [
            by_hand(model, subset, np.array(row)) ** 2
            for row in product(*(U[:, i] for i in subset))
        ]
        assert variance == pytest.approx(np.mean(squares))
    np.testing.assert_allclose(model.weights**2, model.variances)


def test_scaled_placed_and_restricted_models(case):
    U, model = case
    np.testing.assert_allclose(
        model.scaled(5.0, -3.0).utility(U), 5.0 - 3.0 * model.utility(U)
    )
    moved = model.placed([2, 0, 4])
    wide = np.zeros((60, 5))
    wide[:, [2, 0, 4]] = U
    assert moved.factors == ((2,), (0,), (2, 4))
    np.testing.assert_allclose(moved.utility(wide), model.utility(U))
    some = model.restricted([(0,), (0, 2)])
    parts = model.decompose(U)
    assert some.factors == ((0,), (0, 2))
    np.testing.assert_allclose(some.utility(U), 2.0 + parts[(0,)] + parts[(0, 2)])
