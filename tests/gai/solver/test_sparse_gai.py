"""The solver against an independent one (cvxpy with Clarabel) over all subsets."""

from itertools import combinations

import cvxpy as cp
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from penchant.exceptions import DataError
from penchant.kernels import RBF, Categorical
from penchant.solvers import Evidence, SparseGAIProblem, evaluate_factor


def rbf_features(X, kernel=None):
    feature_map = (kernel or RBF(1.0)).feature_map()
    return [feature_map(x) for x in X.T]


def smooth_data(seed, n_items=30, n_attributes=4):
    rng = np.random.default_rng(seed)
    X = rng.random((n_items, n_attributes))
    y = np.sin(5 * X[:, 0]) * X[:, 1] + X[:, 2] + 0.1 * rng.normal(size=n_items)
    return X, y


def evidence_of(kind, y, seed):
    rng = np.random.default_rng(seed)
    ratings = Evidence.from_ratings(y, weights=rng.uniform(0.2, 2.0, len(y)))
    i = rng.integers(0, len(y), 40)
    j = (i + rng.integers(1, len(y), 40)) % len(y)
    better, worse = np.where(y[i] > y[j], (i, j), (j, i))
    answers = Evidence.from_comparisons(better[:30], worse[:30]) + Evidence.from_ties(
        i[30:], j[30:], epsilon=0.1
    )
    return {"ratings": ratings, "answers": answers, "both": ratings + answers}[kind]


def all_subsets(n_attributes, max_order=None):
    orders = range(1, (max_order or n_attributes) + 1)
    return [s for k in orders for s in combinations(range(n_attributes), k)]


def reference(features, evidence, C, max_order=None):
    """Solve over all subsets at once; give objective and utilities of the items."""
    n_items = len(features[0])
    utilities, penalty = 0, 0
    for subset in all_subsets(len(features), max_order):
        columns = features[subset[0]]
        for i in subset[1:]:
            columns = (columns[:, :, None] * features[i][:, None, :]).reshape(
                n_items, -1
            )
        columns = np.linalg.qr(columns.T)[1].T
        weights = cp.Variable(columns.shape[1])
        utilities += columns @ weights
        penalty += cp.norm(weights, 2)
    sides = np.eye(n_items + 1)[:, :n_items]
    differences = sides[evidence.raised] - sides[evidence.lowered]
    intercept = cp.Variable()
    reached = differences @ utilities + evidence.levels * intercept
    loss = (C * evidence.costs) @ cp.pos(evidence.targets - reached)
    problem = cp.Problem(cp.Minimize(loss + penalty))
    tight = {"tol_gap_rel": 1e-10, "tol_gap_abs": 1e-10, "tol_feas": 1e-10}
    problem.solve(solver=cp.CLARABEL, **tight)
    shift = intercept.value if evidence.levels.any() else 0.0
    return problem.value, utilities.value + shift


def utilities_of(result, features):
    total = np.full(len(features[0]), result.intercept)
    for factor, tensor in zip(result.factors, result.tensors, strict=True):
        total += evaluate_factor(tensor, [features[i] for i in factor])
    return total


@pytest.mark.parametrize("kind", ["ratings", "answers", "both"])
@pytest.mark.parametrize("C", [0.3, 3.0, 30.0])
@pytest.mark.parametrize("seed", range(3))
def test_agrees_with_an_independent_solver(kind, C, seed):
    X, y = smooth_data(seed)
    features, evidence = rbf_features(X), evidence_of(kind, y, seed)
    best, utilities = reference(features, evidence, C)
    problem = SparseGAIProblem(features, evidence)
    loose, tight = problem.solve(C), problem.solve(C, tol=1e-9)
    assert loose.status == tight.status == "optimal"
    assert loose.gap <= 1e-5
    assert loose.dual <= best * (1 + 1e-8)
    assert loose.primal == pytest.approx(best, rel=1e-5)
    assert tight.primal == pytest.approx(best, rel=1e-8)
    # The objective is flat near the optimum: utilities need the tighter tolerance.
    scale = abs(utilities).max()
    np.testing.assert_allclose(
        utilities_of(tight, features), utilities, atol=2e-5 * scale
    )


@pytest.mark.parametrize(
    ("kind", "C", "most"),
    [("ratings", 1.0, 14), ("answers", 1.0, 21), ("both", 1.0, 24), ("both", 30.0, 34)],
)
def test_few_steps_are_enough(kind, C, most):
    # Newton's steps: a wrong direction would need many more, if it arrived at all
    X, y = smooth_data(0)
    problem = SparseGAIProblem(rbf_features(X), evidence_of(kind, y, 0))
    result = problem.solve(C, tol=1e-9)
    assert result.status == "optimal"
    assert result.n_iter <= most


@pytest.mark.parametrize("max_order", [1, 2, 3])
def test_order_limits_agree_with_an_independent_solver(max_order):
    X, y = smooth_data(7)
    features, evidence = rbf_features(X), Evidence.from_ratings(y)
    best, _ = reference(features, evidence, 10.0, max_order)
    result = SparseGAIProblem(features, evidence, max_order=max_order).solve(10.0)
    assert result.status == "optimal"
    assert result.max_order == max_order
    assert max(map(len, result.factors)) <= max_order
    assert result.primal == pytest.approx(best, rel=1e-5)


@settings(max_examples=25)
@given(
    seed=st.integers(0, 10_000),
    kind=st.sampled_from(["ratings", "answers", "both"]),
    C=st.floats(0.05, 1e4),
)
def test_the_returned_model_has_the_certified_objective(seed, kind, C):
    X, y = smooth_data(seed, n_items=20)
    features, evidence = rbf_features(X), evidence_of(kind, y, seed)
    result = SparseGAIProblem(features, evidence).solve(C)
    assert result.status == "optimal"
    utilities = utilities_of(result, features) - result.intercept
    loss = C * evidence.loss(utilities, result.intercept)
    assert loss + result.norms.sum() == pytest.approx(result.primal, rel=1e-7)
    assert result.dual <= result.primal
    assert result.gap == pytest.approx(1 - result.dual / result.primal, abs=1e-12)


def test_a_path_gives_the_same_optima_as_single_fits():
    X, y = smooth_data(3, n_items=60, n_attributes=5)
    problem = SparseGAIProblem(rbf_features(X), Evidence.from_ratings(y))
    values = np.geomspace(0.1, 100.0, 6)
    for C, result in zip(values, problem.solve_path(values), strict=True):
        assert result.status == "optimal"
        assert C == result.C
        alone = SparseGAIProblem(rbf_features(X), Evidence.from_ratings(y)).solve(C)
        assert result.primal == pytest.approx(alone.primal, rel=2e-5)


def test_weights_count_like_repetitions():
    X, y = smooth_data(1, n_items=15)
    twice = np.r_[0:15, 0:5]
    repeated = SparseGAIProblem(
        rbf_features(X[twice]), Evidence.from_ratings(y[twice])
    ).solve(5.0)
    weights = np.bincount(twice)
    weighted = SparseGAIProblem(
        rbf_features(X), Evidence.from_ratings(y, weights=weights)
    ).solve(5.0)
    assert repeated.primal == pytest.approx(weighted.primal, rel=1e-12)
    assert repeated.factors == weighted.factors


def test_finds_the_interaction_that_made_the_ratings():
    X = np.random.default_rng(0).random((150, 12))
    y = (X[:, 2] - 0.5) * (X[:, 7] - 0.5) * 4 + X[:, 4]
    problem = SparseGAIProblem(rbf_features(X), Evidence.from_ratings(y))
    result = problem.solve(3.0)
    largest = np.argsort(-result.norms)[:2]
    assert {result.factors[s] for s in largest} == {(4,), (2, 7)}
    assert result.n_nodes < 4095


def test_categories_and_numbers_mix():
    rng = np.random.default_rng(0)
    x, codes = rng.random(80), rng.integers(0, 3, 80)
    y = np.array([1.0, 0.0, -1.0])[codes] * x
    features = [RBF(1.0).feature_map()(x), Categorical(3).feature_map()(codes)]
    result = SparseGAIProblem(features, Evidence.from_ratings(y)).solve(100.0)
    assert result.status == "optimal"
    np.testing.assert_allclose(utilities_of(result, features), y, atol=0.02)


def test_a_search_cut_short_still_gives_a_valid_bound():
    X, y = smooth_data(0, n_items=40, n_attributes=9)
    features, evidence = rbf_features(X, RBF(0.3)), Evidence.from_ratings(y)
    problem = SparseGAIProblem(features, evidence)
    best = problem.solve(30.0)
    cut = problem.solve(30.0, max_nodes=1)
    assert cut.status == "node_limit"
    assert cut.gap > 1e-5
    assert cut.dual <= best.primal
    assert cut.primal >= best.dual


def test_too_few_rounds_are_reported_as_stalled():
    X, y = smooth_data(0)
    problem = SparseGAIProblem(rbf_features(X), Evidence.from_ratings(y))
    result = problem.solve(30.0, max_rounds=1)
    assert result.status == "stalled"
    assert result.dual < result.primal


EDGE_ITEMS = np.random.default_rng(0).random((60, 4))
EDGE_RATINGS = EDGE_ITEMS[:, 0] * EDGE_ITEMS[:, 1] + EDGE_ITEMS[:, 2]


def edge_cases():
    """Give (name, items, evidence), as small as they can be."""
    rng = np.random.default_rng(1)
    X, y = EDGE_ITEMS, EDGE_RATINGS
    rate, compare = Evidence.from_ratings, Evidence.from_comparisons
    binary = rng.integers(0, 2, (300, 6)).astype(float)
    grade = binary[:, 0] * binary[:, 1] + 0.1 * rng.normal(size=300)
    i = rng.integers(0, 60, 300)
    j = (i + rng.integers(1, 60, 300)) % 60
    some = compare(i[:200], j[:200])
    ties = Evidence.from_ties(i[200:], j[200:])
    return [
        ("constant ratings", X, rate(np.full(60, 0.5))),
        ("constant, no tube", X, rate(np.full(60, 0.3), epsilon=0.0)),
        ("inside the tube", X, rate(0.5 + 0.005 * rng.random(60))),
        ("no tube", X, rate(y, epsilon=0.0)),
        ("pure noise", X, rate(rng.normal(size=60))),
        ("one row", X[:1], rate(y[:1])),
        ("two rows", X[:2], rate(y[:2])),
        ("all items equal", np.repeat(X[:1], 60, axis=0), rate(y)),
        ("one attribute", X[:, :1], rate(y)),
        ("binary attributes", binary, rate(grade)),
        ("constant column", np.where([1, 0, 1, 1], X, 0.3), rate(y)),
        ("large ratings", X, rate(1e3 * y)),
        ("small ratings", X, rate(1e-3 * y, epsilon=1e-5)),
        ("near-duplicates", np.vstack([X, X + 1e-9]), rate(np.append(y, y + 0.05))),
        ("one comparison", X[:5], compare([0], [1])),
        ("equal items compared", np.repeat(X[:1], 2, axis=0), compare([0], [1])),
        ("contradiction", X[:5], compare([0, 1], [1, 0])),
        ("cycle", X[:5], compare([0, 1, 2], [1, 2, 0])),
        ("star", X, compare(np.zeros(59, dtype=int), np.arange(1, 60))),
        ("random answers", X, compare(i, j)),
        ("only ties", X, ties),
        ("answers and ties", X, some + ties),
        ("ratings, answers and ties", X, rate(y) + some + ties),
    ]


@pytest.mark.parametrize("C", [0.1, 100.0, 1e4])
@pytest.mark.parametrize("case", edge_cases(), ids=lambda case: case[0])
def test_edge_cases_are_certified(case, C):
    _, X, evidence = case
    result = SparseGAIProblem(rbf_features(X), evidence).solve(C)
    assert result.status == "optimal"
    assert result.gap <= 1e-5


@pytest.mark.parametrize("C", [100.0, 1e3, 1e4])
def test_touching_tubes_of_near_duplicates_get_an_honest_gap(C):
    # Items that no utility can tell apart, rated exactly two epsilon apart: no point
    # lies strictly inside both tubes, the hardest case for an interior point.
    X = np.vstack([EDGE_ITEMS, EDGE_ITEMS + 1e-12])
    y = np.append(EDGE_RATINGS, EDGE_RATINGS + 0.02)
    result = SparseGAIProblem(rbf_features(X), Evidence.from_ratings(y)).solve(C)
    assert result.status == ("optimal" if result.gap <= 1e-5 else "stalled")
    assert 0.0 < result.gap <= (1e-5 if C < 1e3 else 1e-3)


def test_flat_evidence_gives_the_constant_utility():
    X = EDGE_ITEMS
    result = SparseGAIProblem(
        rbf_features(X), Evidence.from_ratings(np.full(60, 0.5), epsilon=0.0)
    ).solve(10.0)
    assert result.factors == ()
    assert result.intercept == 0.5
    assert result.primal == result.dual == 0.0


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda f, e: SparseGAIProblem(f, e).solve(0.0), "C must be positive"),
        (lambda f, e: SparseGAIProblem([], e), "one 2-D matrix per attribute"),
        (lambda f, e: SparseGAIProblem([f[0], f[1][:3]], e), "equally many rows"),
        (lambda f, e: SparseGAIProblem([m[:9] for m in f], e), "names item 59"),
        (lambda f, e: SparseGAIProblem([f[0] * np.nan], e), "finite"),
        (lambda f, e: SparseGAIProblem(f, e, max_order=0), "max_order"),
    ],
)
def test_wrong_input_is_refused(call, message):
    features = rbf_features(EDGE_ITEMS)
    with pytest.raises(DataError, match=message):
        call(features, Evidence.from_ratings(EDGE_RATINGS))


def test_candidates_limit_the_search_and_the_certificate():
    rng = np.random.default_rng(3)
    X = rng.uniform(-1.0, 1.0, (40, 3))
    features = list(X.T[:, :, None])
    y = X[:, 0] * X[:, 1] + X[:, 1] * X[:, 2]
    problem = SparseGAIProblem(features, Evidence.from_ratings(y, epsilon=0.0))
    free = problem.solve(10.0)
    bound = problem.solve(10.0, candidates=[(0, 1)])
    assert {(0, 1), (1, 2)} <= set(free.factors)
    assert (0, 1) in bound.factors
    assert all(s == (0, 1) or len(s) == 1 for s in bound.factors)
    assert bound.gap <= 1e-5
    assert bound.primal > free.primal
    everything = problem.solve(10.0, candidates=[(0, 1), (0, 2), (1, 2), (0, 1, 2)])
    assert np.isclose(everything.primal, free.primal, rtol=2e-5)


def test_flat_evidence_without_a_tube_has_no_gap():
    evidence = Evidence.from_ratings(np.zeros(5), epsilon=0.0)
    result = SparseGAIProblem([np.arange(5.0)[:, None]], evidence).solve(1.0)
    assert (result.status, result.gap, result.factors) == ("optimal", 0.0, ())
