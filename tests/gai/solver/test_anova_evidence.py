import numpy as np
import pytest
from scipy.optimize import check_grad
from scipy.stats import multivariate_normal

from penchant.exceptions import DataError
from penchant.solvers import AnovaEvidence

POINTS, SHARES = np.polynomial.legendre.leggauss(64)
UNIFORM = ((POINTS + 1) / 2, SHARES / 2)
CODES = (np.arange(3.0), np.array([0.5, 0.25, 0.25]))


def centred(x, y, measure, scale, rate):
    """The normalised zero-mean Gaussian kernel, term by term."""
    points, shares = measure

    def warp(values):
        return np.log1p(rate * values) / np.log1p(rate) if rate else values

    def kernel(left, right):
        distance = np.subtract.outer(warp(left), warp(right)) / scale
        return np.exp(-0.5 * distance**2)

    def zero_mean(left, right):
        total = shares @ kernel(points, points) @ shares
        ends = np.outer(kernel(left, points) @ shares, kernel(right, points) @ shares)
        return kernel(left, right) - ends / total

    return zero_mean(x, y) / (shares @ np.diagonal(zero_mean(points, points)))


def anova(left, right, measures, result):
    """The kernel of a result as a sum over all subsets of attributes."""
    n_features = left.shape[1]
    terms = [
        result.weights[i]
        * centred(
            left[:, i], right[:, i], measures[i], result.scales[i], result.rates[i]
        )
        for i in range(n_features)
    ]
    total = np.zeros((len(left), len(right)))
    for code in range(2**n_features):
        members = [i for i in range(n_features) if code >> i & 1]
        if len(members) < len(result.order_weights):
            product = np.ones_like(total)
            for i in members:
                product = product * terms[i]
            total += result.order_weights[len(members)] * product
    return total


@pytest.fixture
def problem():
    rng = np.random.default_rng(0)
    items = rng.uniform(size=(25, 4))
    items[:, 3] = rng.integers(3, size=25)
    items[5:8] = items[0]  # replicates
    measures = [UNIFORM, UNIFORM, UNIFORM, CODES]
    y = np.sin(4 * items[:, 0]) + items[:, 1] * items[:, 2] + 0.1 * rng.normal(size=25)
    return items, (y - y.mean()) / y.std(), measures


def build(problem, **options):
    items, y, measures = problem
    options = {"max_order": 3, "warped": [True, False, True, False]} | options
    fixed = [None, None, None, 0.05]
    return AnovaEvidence(items, y, measures, fixed_scales=fixed, **options)


@pytest.mark.parametrize("max_order", [1, 2, 4])
@pytest.mark.parametrize("weighted", [False, True])
def test_gradient_equals_finite_differences(problem, max_order, weighted):
    rng = np.random.default_rng(1)
    weights = rng.uniform(0.5, 2.0, 25) if weighted else None
    evidence = build(problem, max_order=max_order, weights=weights)
    # the scale of the categories is fixed, so its slope is never used
    free = np.delete(np.arange(len(evidence.start)), 3)
    place = evidence.start + 0.3 * rng.normal(size=len(evidence.start))

    def value(changed):
        parameters = place.copy()
        parameters[free] = changed
        return evidence.objective(parameters)[0]

    def slope(changed):
        parameters = place.copy()
        parameters[free] = changed
        return evidence.objective(parameters)[1][free]

    size = np.linalg.norm(slope(place[free]))
    assert check_grad(value, slope, place[free], epsilon=1e-6) < 1e-4 * size


def test_value_is_the_density_of_the_raw_rows(problem):
    """Merging equal items changes the value by a constant only."""
    items, y, measures = problem
    evidence = build(problem)
    differences = []
    for step in (0.0, 0.2):
        result = evidence.solve(evidence.start + step, max_iter=0)
        K = anova(items, items, measures, result)
        density = multivariate_normal(cov=K + result.noise * np.eye(len(y)))
        mean, deviation = evidence._prior
        score = (result.parameters - mean) / deviation
        value = -density.logpdf(y) + 0.5 * score @ score
        differences.append(result.objective - value)
    # The jitter of 1e-8 moves the two values apart by less than this.
    assert differences[0] == pytest.approx(differences[1], abs=1e-4)


def test_coefficients_give_the_posterior_mean(problem):
    items, y, measures = problem
    result = build(problem).solve(max_iter=5)
    K = anova(items, items, measures, result)
    noisy = K + result.noise * np.eye(len(y))
    expected = K @ np.linalg.solve(noisy, y)
    found = anova(items, result.items, measures, result) @ result.coef
    np.testing.assert_allclose(found, expected, atol=1e-5)


def test_replicates_equal_weights(problem):
    items, y, measures = problem
    options = {"max_order": 2}
    repeated = AnovaEvidence(
        np.repeat(items, 2, axis=0), np.repeat(y, 2), measures, **options
    )
    weighted = AnovaEvidence(
        items, y, measures, weights=np.full(len(y), 2.0), **options
    )
    one, other = repeated.objective(repeated.start), weighted.objective(weighted.start)
    assert one[0] == pytest.approx(other[0])
    np.testing.assert_allclose(one[1], other[1], atol=1e-9)


def test_solve_improves_and_ends_flat(problem):
    evidence = build(problem)
    result = evidence.solve(max_iter=200)
    assert result.status == "optimal"
    assert result.objective < evidence.objective(evidence.start)[0] - 1.0
    assert result.gradient_norm < 0.05
    assert result.rates[1] == 0.0
    assert result.scales[3] == pytest.approx(0.05)


def test_a_cut_run_says_so(problem):
    result = build(problem).solve(max_iter=1)
    assert result.status == "stalled"
    assert result.n_iter == 1


def test_warm_start_needs_fewer_iterations(problem):
    evidence = build(problem)
    result = evidence.solve(max_iter=200)
    assert evidence.solve(result.parameters).n_iter < result.n_iter / 2


def test_relevant_attributes_get_the_larger_weight():
    rng = np.random.default_rng(3)
    items = rng.uniform(size=(80, 2))
    y = np.cos(5 * items[:, 0])
    problem = AnovaEvidence(items, y / y.std(), [UNIFORM, UNIFORM], max_order=2)
    result = problem.solve()
    assert result.weights[0] > 10 * result.weights[1]
    assert result.noise < 1e-2


def test_an_impossible_matrix_is_refused_by_its_value():
    items = np.linspace(0, 1, 40)[:, None]
    problem = AnovaEvidence(items, np.zeros(40), [UNIFORM], max_order=1)
    start = problem.start.copy()
    start[1:3] = 60.0  # weights that no jitter can save from rounding
    value, gradient = problem.objective(start)
    assert value == 1e10
    assert not gradient.any()


def test_shapes_are_checked():
    with pytest.raises(DataError, match="one rating each"):
        AnovaEvidence(np.zeros((3, 1)), np.zeros(2), [UNIFORM], max_order=1)
