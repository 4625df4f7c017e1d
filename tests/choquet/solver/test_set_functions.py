import numpy as np
import pytest

from penchant.choquet.solver._set_functions import (
    marginal_gains,
    mobius_transform,
    zeta_transform,
)
from penchant.exceptions import DataError


def test_transforms_equal_sums_over_subsets_and_undo_each_other():
    mobius = np.random.default_rng(0).normal(size=(2, 32))
    values = zeta_transform(mobius)
    expected = [
        mobius[:, [t for t in range(32) if t & ~a == 0]].sum(1) for a in range(32)
    ]
    np.testing.assert_allclose(values, np.array(expected).T)
    np.testing.assert_allclose(mobius_transform(values), mobius, atol=1e-12)


def test_marginal_gains_belong_to_the_sets_they_say():
    values = np.random.default_rng(0).normal(size=16)
    for i in range(4):
        gains = marginal_gains(values, i)
        for (above, below), gain in np.ndenumerate(gains):
            rest = above << (i + 1) | below
            assert gain == values[rest | 1 << i] - values[rest]


def test_a_wrong_number_of_values_is_refused():
    with pytest.raises(DataError, match=r"2\^n"):
        zeta_transform(np.zeros(6))
