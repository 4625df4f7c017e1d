"""Newton steps of the master program, by the equations that they are to solve."""

import numpy as np
import pytest

from penchant.rules.margin._master import _Newton


@pytest.mark.parametrize(("n_columns", "n_rows"), [(3, 7), (7, 3)])
def test_a_step_removes_what_is_missing_from_feasibility(n_columns, n_rows):
    rng = np.random.default_rng(0)
    columns = rng.normal(size=(n_columns, n_rows))
    point = rng.uniform(0.5, 1.5, (2, 1 + n_columns + 2 * n_rows))
    ends = [1, 1 + n_columns, 1 + n_columns + n_rows]
    wanted = rng.normal(size=n_columns + 2 * n_rows)

    step = _Newton(columns, columns, point).step(wanted)

    (v, s, p, _), (rho, q, z, xi) = (np.split(line, ends) for line in point + step)
    assert p.sum() == pytest.approx(1.0)
    assert q.sum() == pytest.approx(1.0)
    np.testing.assert_allclose(s, v - columns @ p, atol=1e-9)
    np.testing.assert_allclose(q @ columns - rho - z + xi, 0.0, atol=1e-9)
    products = step[0, 1:] * point[1, 1:] + point[0, 1:] * step[1, 1:]
    np.testing.assert_allclose(products, wanted, atol=1e-9)
