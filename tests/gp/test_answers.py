"""What answers say of draws, against the formulas as they stand."""

import numpy as np
import pytest
from scipy.stats import norm

from penchant.models import Posterior


@pytest.mark.parametrize("lapse", [0.0, 0.05])
def test_a_draw_counts_by_the_likelihood_of_the_answers_over_their_sites(lapse):
    belief = Posterior(np.zeros(3), np.eye(3), noise=0.5, tie_width=0.3)
    evidence = belief.update(0, 1).update_tie(1, 2).update_below(2).evidence
    draws = np.random.default_rng(0).normal(size=(50, 3))

    found = evidence.log_ratios(np.arange(3), draws, 0.5, lapse)

    first, second, third = draws.T
    values = np.stack([first - second, second - third, third])
    chances = np.stack(
        [
            norm.cdf(values[0] / 0.5),
            norm.cdf((values[1] + 0.3) / 0.5) - norm.cdf((values[1] - 0.3) / 0.5),
            norm.cdf(-values[2] / 0.5),
        ]
    )
    logs = np.log(lapse + (1 - 2 * lapse) * chances)
    sites = evidence.shift[:, None] * values
    sites -= 0.5 * evidence.precision[:, None] * values**2
    np.testing.assert_allclose(found, (logs - sites).sum(axis=0), atol=1e-9)
