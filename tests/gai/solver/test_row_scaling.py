import numpy as np
import pytest

from penchant.gai.solver._evidence import (
    from_rows,
    row_scaling,
    sandwich,
    scale,
    scale_back,
    scaled_columns,
    to_rows,
)
from penchant.solvers import Evidence

RATINGS = Evidence.from_ratings(np.arange(5.0))
COMPARISONS = Evidence.from_comparisons([0, 1, 2, 3, 4, 0, 1], [1, 2, 3, 4, 0, 2, 3])
FEW = Evidence.from_comparisons([0, 2], [1, 3])


@pytest.mark.parametrize(
    ("evidence", "diagonal"),
    [
        (RATINGS, True),
        (COMPARISONS, False),
        (FEW, False),
        (RATINGS + COMPARISONS, False),
    ],
)
def test_factors_multiply_to_the_scaled_evidence(evidence, diagonal):
    n_items = evidence.n_items
    rng = np.random.default_rng(0)
    roots = np.exp(5 * rng.normal(size=len(evidence)))
    scaled = row_scaling(evidence, roots, n_items)
    assert (len(scaled.diagonal) > 0) == diagonal
    items = rng.normal(size=n_items)
    np.testing.assert_allclose(
        to_rows(scaled, scale(scaled, items)),
        roots * evidence.differences(items),
        atol=1e-12 * roots.max(),
    )
    inner = rng.normal(size=len(scale(scaled, items)))
    np.testing.assert_allclose(from_rows(scaled, to_rows(scaled, inner)), inner)
    rows = rng.normal(size=len(evidence))
    np.testing.assert_allclose(
        scale_back(scaled, from_rows(scaled, rows)),
        evidence.pull(roots * rows, n_items),
        atol=1e-12 * roots.max(),
    )
    kernel = np.cov(rng.normal(size=(n_items, 20)))
    right = rng.normal(size=len(inner))
    np.testing.assert_allclose(
        sandwich(scaled, kernel) @ right,
        scale(scaled, kernel @ scale_back(scaled, right)),
    )
    np.testing.assert_allclose(
        scaled_columns(scaled, kernel)[:, 1], scale(scaled, kernel[:, 1].copy())
    )
