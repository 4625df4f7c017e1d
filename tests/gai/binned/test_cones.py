import numpy as np
import pytest

from penchant.gai.binned._bins import make_axes
from penchant.gai.binned._cones import rising_curve


@pytest.mark.parametrize("direction", [1, -1])
@pytest.mark.parametrize("n_blank", [0, 30])
def test_curves_have_mean_zero_and_rise_as_told(direction, n_blank):
    values = np.random.default_rng(0).uniform(size=(120, 1)) ** 2
    values[:n_blank] = np.nan
    (axis,) = make_axes(values, [False], (8, 4))
    curves = rising_curve(axis, direction, 5)
    np.testing.assert_allclose(axis.shares[0] @ curves, 0.0, atol=1e-12)
    steps = direction * np.diff(curves[:-1], axis=0)
    assert steps.min() >= -1e-12
    assert (steps.max(axis=0) > 0).sum() == 5  # blanks alone are flat elsewhere
    assert curves.shape[1] == (7 if n_blank else 5)
