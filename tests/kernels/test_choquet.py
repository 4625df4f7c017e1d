from itertools import combinations
from math import comb

import numba
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from sklearn.datasets import make_moons
from sklearn.decomposition import KernelPCA
from sklearn.svm import SVC

from penchant.exceptions import PenchantError
from penchant.kernels import choquet_kernel

numbers = st.one_of(
    st.sampled_from([0.0, 1.0, -1.0, 0.5]), st.floats(-3, 3, allow_subnormal=False)
)


def brute_force(X, Y, k, damping):
    """Sum over the subsets, and the sum of absolute terms as a scale of errors."""
    n = X.shape[1]
    gram, scale = np.zeros((len(X), len(Y))), np.zeros((len(X), len(Y)))
    for size in range(1, (n if k is None else min(k, n)) + 1):
        for members in combinations(range(n), size):
            term = damping**size * np.outer(
                X[:, members].min(axis=1), Y[:, members].min(axis=1)
            )
            gram += term
            scale += abs(term)
    return gram, scale


def with_ties(rng, n_rows, n):
    X = rng.normal(size=(n_rows, n))
    X[::3] = rng.integers(-1, 2, size=X[::3].shape)
    X[1::3] = abs(X[1::3])
    return X


@pytest.mark.parametrize("n", [*range(1, 11), 12])
@pytest.mark.parametrize("damping", [1.0, 0.3])
def test_equals_the_sum_over_subsets_for_every_k(n, damping):
    rng = np.random.default_rng(n)
    X, Y = with_ties(rng, 7, n), with_ties(rng, 5, n)
    for k in [None, *range(1, n + 2)]:
        expected, scale = brute_force(X, Y, k, damping)
        computed = choquet_kernel(X, Y, k=k, damping=damping)
        assert np.all(abs(computed - expected) <= 1e-12 * scale + 1e-300), k


@pytest.mark.parametrize("form", ["features", "loops"])
@pytest.mark.parametrize("k", [None, 2, 4])
def test_every_form_equals_the_sum_over_subsets(form, k, monkeypatch):
    module = "penchant.kernels._choquet"
    limit = 10**6 if form == "features" else 0
    monkeypatch.setattr(f"{module}._SUBSETS_PER_SQUARE", limit)
    rng = np.random.default_rng(0)
    X, Y = with_ties(rng, 40, 7), with_ties(rng, 33, 7)
    for left, right in [(X, Y), (X, None)]:
        expected, scale = brute_force(X, X if right is None else Y, k, 0.5)
        computed = choquet_kernel(left, right, k=k, damping=0.5)
        assert np.all(abs(computed - expected) <= 1e-12 * scale + 1e-300)


@given(
    arrays(float, (3, 6), elements=numbers),
    st.sampled_from([None, 1, 2, 3, 5]),
    st.floats(0.01, 2),
)
@settings(max_examples=60, deadline=None)
def test_is_symmetric_and_positive_semidefinite(X, k, damping):
    gram = choquet_kernel(X, k=k, damping=damping)
    np.testing.assert_array_equal(gram, gram.T)
    np.testing.assert_allclose(gram, choquet_kernel(X, X.copy(), k=k, damping=damping))
    eigenvalues = np.linalg.eigvalsh(gram)
    assert eigenvalues.min() >= -1e-10 * max(eigenvalues.max(), 1e-300)


@pytest.mark.parametrize("n", [20, 100])
@pytest.mark.parametrize("k", [None, 5])
def test_many_attributes_agree_with_the_definition_on_sets(n, k):
    # On 0/1 rows the kernel is F(|A n B|), a number that is known exactly.
    rng = np.random.default_rng(n)
    X = (rng.random((6, n)) < 0.7).astype(float)
    common = (X @ X.T).astype(int)
    damping = 1 / n
    value = [brute_value(c, k, damping) for c in range(n + 1)]
    gram = choquet_kernel(X, k=k, damping=damping)
    np.testing.assert_allclose(gram, np.array(value)[common], rtol=1e-12)


def brute_value(c, k, damping):
    top = c if k is None else min(k, c)
    return sum(comb(c, s) * damping**s for s in range(1, top + 1))


@pytest.mark.parametrize("n", [200, 1000])
def test_damping_keeps_many_attributes_finite(n):
    X = np.random.default_rng(0).random((4, n))
    gram = choquet_kernel(X, damping=1 / n)
    assert np.isfinite(gram).all()
    assert 0.05 < gram.min() < gram.max() < np.e


def test_the_largest_full_kernel_is_finite_and_the_next_is_refused():
    ones = np.ones((1, 1023))
    np.testing.assert_allclose(choquet_kernel(ones), 2.0**1023)
    for n in (1024, 5000):
        with pytest.raises(ValueError, match="damping") as caught:
            choquet_kernel(np.ones((1, n)))
        assert isinstance(caught.value, PenchantError)
    with pytest.raises(PenchantError, match="larger than a float"):
        choquet_kernel(np.ones((1, 1000)) * 1e9)
    with pytest.raises(PenchantError, match="larger than a float"):
        choquet_kernel(np.ones((1, 3000)), k=1500)


@pytest.mark.parametrize(
    "arguments", [{"k": 0}, {"k": 1.5}, {"damping": 0.0}, {"damping": np.inf}]
)
def test_refuses_what_is_no_kernel(arguments):
    with pytest.raises(PenchantError, match="must be"):
        choquet_kernel([[1.0, 2.0]], **arguments)


def test_refuses_different_numbers_of_attributes():
    with pytest.raises(ValueError, match="dimension"):
        choquet_kernel(np.ones((2, 3)), np.ones((2, 4)))


@pytest.mark.parametrize("n", [12, 70])
def test_threads_change_nothing(n, monkeypatch):
    X = np.random.default_rng(0).random((150, n))
    alone = choquet_kernel(X, damping=1 / n)
    monkeypatch.setattr("numba.get_num_threads", lambda: 2)
    monkeypatch.setattr("penchant.kernels._choquet._ROWS_PER_TASK", 32)
    np.testing.assert_array_equal(choquet_kernel(X, damping=1 / n), alone)
    assert numba.get_num_threads() >= 1


def test_works_inside_scikit_learn():
    X, y = make_moons(80, noise=0.1, random_state=0)
    X = (X - X.min(axis=0)) / np.ptp(X, axis=0)
    machine = SVC(kernel=choquet_kernel, C=100).fit(X, y)
    assert machine.score(X, y) > 0.75
    by_matrix = SVC(kernel="precomputed", C=100).fit(choquet_kernel(X), y)
    np.testing.assert_allclose(
        machine.decision_function(X), by_matrix.decision_function(choquet_kernel(X))
    )
    pairwise = KernelPCA(n_components=2, kernel=choquet_kernel).fit_transform(X[:30])
    by_matrix = KernelPCA(n_components=2, kernel="precomputed")
    np.testing.assert_allclose(
        abs(pairwise), abs(by_matrix.fit_transform(choquet_kernel(X[:30]))), atol=1e-9
    )
