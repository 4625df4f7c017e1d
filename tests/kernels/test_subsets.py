import numpy as np
import pytest

from penchant.kernels._choquet import (
    count_subsets,
    list_subsets,
    subset_minima,
    subset_sizes,
)


@pytest.mark.parametrize(("n", "k"), [(1, None), (4, None), (5, 2), (6, 3), (3, 9)])
def test_minima_sizes_and_subsets_share_one_order(n, k):
    X = np.random.default_rng(0).normal(size=(5, n))
    subsets = list_subsets(n, k)
    assert len(subsets) == count_subsets(n, k) == len(set(subsets))
    np.testing.assert_array_equal(subset_sizes(n, k), [len(s) for s in subsets])
    expected = np.column_stack([X[:, sorted(s)].min(axis=1) for s in subsets])
    np.testing.assert_array_equal(subset_minima(X, k), expected)
