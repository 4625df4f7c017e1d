import numpy as np
import pytest
from scipy import sparse

from penchant.solvers import fictitious_play, regret_matching


def test_rock_paper_scissors_with_a_prize():
    # Rock against scissors pays 2: both play (3, 4, 5) / 12 in some order.
    M = np.array([[0.0, -1.0, 2.0], [1.0, 0.0, -1.0], [-2.0, 1.0, 0.0]])
    solution = regret_matching(M, tol=1e-7)
    assert solution.status == "optimal"
    assert solution.p == pytest.approx([0.25, 0.5, 0.25], abs=1e-3)
    assert solution.q == pytest.approx([0.25, 0.5, 0.25], abs=1e-3)


def test_it_polishes_where_fictitious_play_does_not():
    M = np.random.default_rng(0).uniform(-1.0, 1.0, (60, 50))
    solution = regret_matching(M, tol=1e-4)
    assert solution.status == "optimal"
    same_work = fictitious_play(M, max_iter=20 * solution.n_iter, random_state=0)
    assert same_work.saddle_gap > solution.saddle_gap


def test_sparse_and_dense_take_the_same_steps():
    rng = np.random.default_rng(1)
    M = rng.standard_normal((40, 30)) * (rng.random((40, 30)) < 0.2)
    dense = regret_matching(M, tol=1e-3)
    thin = regret_matching(sparse.csc_matrix(M), tol=1e-3)
    assert dense.n_iter == thin.n_iter
    assert dense.p == pytest.approx(thin.p, abs=1e-9)


def test_the_iteration_limit_is_told():
    M = np.random.default_rng(2).standard_normal((30, 30))
    solution = regret_matching(M, tol=1e-8, max_iter=10)
    assert solution.n_iter == 10
    assert solution.status == "iteration_limit"
