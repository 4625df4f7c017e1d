import numpy as np
import pytest

from penchant.solvers import Evidence
from penchant.solvers._row_scaling import (
    DiagonalScaling,
    HouseholderScaling,
    row_scaling,
)

RATINGS = Evidence.from_ratings(np.arange(5.0))
COMPARISONS = Evidence.from_comparisons([0, 1, 2, 3, 4, 0, 1], [1, 2, 3, 4, 0, 2, 3])
FEW = Evidence.from_comparisons([0, 2], [1, 3])


@pytest.mark.parametrize(
    ("evidence", "kind"),
    [
        (RATINGS, DiagonalScaling),
        (COMPARISONS, HouseholderScaling),
        (FEW, HouseholderScaling),
        (RATINGS + COMPARISONS, HouseholderScaling),
    ],
)
def test_factors_multiply_to_the_scaled_evidence(evidence, kind):
    n_items = evidence.n_items
    rng = np.random.default_rng(0)
    roots = np.exp(5 * rng.normal(size=len(evidence)))
    scaled = row_scaling(evidence, roots, n_items)
    assert isinstance(scaled, kind)
    items = rng.normal(size=n_items)
    np.testing.assert_allclose(
        scaled.to_rows(scaled.scale(items)),
        roots * evidence.differences(items),
        atol=1e-12 * roots.max(),
    )
    inner = rng.normal(size=len(scaled.scale(items)))
    np.testing.assert_allclose(scaled.from_rows(scaled.to_rows(inner)), inner)
    rows = rng.normal(size=len(evidence))
    np.testing.assert_allclose(
        scaled.scale_back(scaled.from_rows(rows)),
        evidence.pull(roots * rows, n_items),
        atol=1e-12 * roots.max(),
    )
    kernel = np.cov(rng.normal(size=(n_items, 20)))
    right = rng.normal(size=len(inner))
    np.testing.assert_allclose(
        scaled.sandwich(kernel) @ right,
        scaled.scale(kernel @ scaled.scale_back(right)),
    )
