import numpy as np
import pytest

from penchant.gai.solver._evidence import row_scaling
from penchant.solvers import Evidence

RATINGS = Evidence.from_ratings(np.arange(5.0))
COMPARISONS = Evidence.from_comparisons([0, 1, 2, 3, 4, 0, 1], [1, 2, 3, 4, 0, 2, 3])
FEW = Evidence.from_comparisons([0, 2], [1, 3])


@pytest.mark.parametrize("evidence", [RATINGS, COMPARISONS, FEW, RATINGS + COMPARISONS])
def test_factors_multiply_to_the_scaled_evidence(evidence):
    n_items = evidence.n_items
    rng = np.random.default_rng(0)
    roots = np.exp(5 * rng.normal(size=len(evidence)))
    scaling = row_scaling(evidence, roots, n_items)
    items = rng.normal(size=n_items)
    np.testing.assert_allclose(
        scaling.to_rows(scaling.scale(items)),
        roots * evidence.differences(items),
        atol=1e-12 * roots.max(),
    )
    inner = rng.normal(size=len(scaling.scale(items)))
    np.testing.assert_allclose(scaling.from_rows(scaling.to_rows(inner)), inner)
    rows = rng.normal(size=len(evidence))
    np.testing.assert_allclose(
        scaling.scale_back(scaling.from_rows(rows)),
        evidence.pull(roots * rows, n_items),
        atol=1e-12 * roots.max(),
    )
    kernel = np.cov(rng.normal(size=(n_items, 20)))
    right = rng.normal(size=len(inner))
    np.testing.assert_allclose(
        scaling.scale(scaling.scale(kernel).T) @ right,
        scaling.scale(kernel @ scaling.scale_back(right)),
    )
