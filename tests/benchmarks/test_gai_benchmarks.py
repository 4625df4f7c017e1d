"""The peers of the GAI benchmarks do the work that the claims say."""

import numpy as np
import pytest

from benchmarks import bench_gai_path, bench_gai_ranker, bench_gai_solver
from benchmarks.peers import cvxpy_gai
from benchmarks.peers.rank_svm import RankSVM
from penchant.kernels import RBF


@pytest.mark.parametrize("factored", [True, False])
def test_the_program_over_all_subsets_has_our_optimum(factored: bool) -> None:
    X, y = bench_gai_solver.draw(20, 4)
    grams = [RBF(1.0).k0(column, column) for column in X.T]
    epsilon = bench_gai_solver.EPSILON
    optimum = cvxpy_gai.solve(grams, y, C=2.0, epsilon=epsilon, factored=factored)
    ours = bench_gai_solver.solve(bench_gai_solver.features_of(X), y, 2.0)
    assert ours.primal == pytest.approx(optimum, rel=2e-5)


def test_rank_svm_learns_an_order() -> None:
    rng = np.random.default_rng(0)
    X = rng.random((60, 2))
    utility = X @ [1.0, -2.0]
    left, right = rng.integers(0, 60, (2, 300))
    keep = left != right
    winners = np.where(utility[left] > utility[right], left, right)[keep]
    losers = np.where(utility[left] > utility[right], right, left)[keep]
    machine = RankSVM(C=10.0, gamma=1.0).fit(X, winners, losers)
    answers = bench_gai_ranker.Answers(winners, losers)
    assert answers.accuracy(machine.utility(X)) > 0.95
    assert answers.accuracy(-machine.utility(X)) < 0.05


def test_every_fit_of_a_path_is_certified() -> None:
    rng = np.random.default_rng(0)
    X = rng.random((30, 2))
    results = bench_gai_path.paths(X, X[:, 0] * X[:, 1])
    assert len(results) == 60
    assert max(result.gap for result in results) <= 1e-5


def test_limits_are_those_of_the_claims() -> None:
    with bench_gai_path.cases() as budgets:
        assert budgets[0].name.startswith("LEV, 1000 ratings of 4 attributes")
        assert budgets[0].seconds == 2.5
    assert bench_gai_solver.LIMITS[30, 1.0] == 0.8
