import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import sparse

from penchant.exceptions import DataError
from penchant.solvers import ColumnSource, MatrixSource, SampledSource


def all_columns(X, signs):
    """Every column with its key, by the definition (PRL-2)."""
    scales = np.abs(X).max(axis=0)
    scaled = signs[:, None] * X / np.where(scales > 0.0, scales, 1.0)
    return {
        (j, sign): sign * scaled[:, j] for j in range(X.shape[1]) for sign in (1, -1)
    }


def draw(seed):
    rng = np.random.default_rng(seed)
    X = rng.standard_normal((6, 4)) * (rng.random((6, 4)) < 0.7)
    X[:, 3] = 0.0
    return X, rng.choice([-1.0, 1.0], 6)


@given(
    seed=st.integers(0, 1000),
    form=st.sampled_from([np.asarray, sparse.csr_array, sparse.csc_matrix]),
    n_best=st.integers(1, 60),
)
def test_prices_and_columns_follow_the_definition(seed, form, n_best):
    X, signs = draw(seed)
    source, made = MatrixSource(form(X), signs), all_columns(X, signs)
    assert source.n_columns == len(made)
    weights = np.random.default_rng(seed).standard_normal(source.n_rows)
    pay = {key: column @ weights for key, column in made.items()}
    priced = source.price(weights, n_best)
    assert priced.bound == pytest.approx(max(pay.values()))
    assert len(set(priced.keys)) == len(priced.keys) == min(n_best, len(made) // 2)
    assert priced.payoffs == pytest.approx([pay[key] for key in priced.keys])
    better_halves = sorted((abs(value) for value in pay.values()), reverse=True)[::2]
    assert priced.payoffs == pytest.approx(better_halves[: len(priced.keys)])
    columns = source.columns(priced.keys)
    assert np.abs(columns).max() <= 1.0
    expected = np.array([made[key] for key in priced.keys])
    np.testing.assert_allclose(columns.T, expected)


def test_it_offers_both_protocols():
    source = MatrixSource(np.eye(2), [1.0, -1.0])
    assert isinstance(source, ColumnSource)
    assert isinstance(source, SampledSource)


def test_all_columns_are_drawn_alike():
    source = MatrixSource(np.eye(9), np.ones(9))
    keys = source.sample(20_000, np.random.default_rng(0))
    names, counts = np.unique(np.array(keys), axis=0, return_counts=True)
    assert len(names) == source.n_columns == 18
    assert counts.min() > 0.8 * 20_000 / 18
    assert {key[1] for key in keys} == {-1, 1}


def test_the_matrix_is_not_copied():
    X = np.random.default_rng(0).standard_normal((5, 3))
    source = MatrixSource(X, np.ones(5))
    before = source.price(np.ones(5), 1).bound
    X[:] *= 0.5  # the scales stay, so the payoffs halve
    assert source.price(np.ones(5), 1).bound == pytest.approx(before / 2)


@pytest.mark.parametrize(
    ("X", "directions", "message"),
    [
        (np.ones(3), np.ones(3), "must be a matrix"),
        (np.array([[np.inf]]), [1.0], "must be finite"),
        (np.ones((3, 2)), np.ones(2), "one number per row of X"),
        (np.ones((3, 2)), np.ones((3, 2)), "one number per row of X"),
    ],
    ids=["vector", "infinite", "rows", "labels"],
)
def test_wrong_input_is_refused(X, directions, message):
    with pytest.raises(DataError, match=message):
        MatrixSource(X, directions)
