import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.optimize import linprog

from penchant.rules.margin._bounds import prune, soft_margin


def draw(n_rows, seed, nu):
    rng = np.random.default_rng(seed)
    weights = rng.random(n_rows) + 0.01
    return rng.standard_normal(n_rows), weights / (nu * weights.sum())


@given(
    n_rows=st.integers(1, 30),
    seed=st.integers(0, 1000),
    nu=st.sampled_from([0.01, 0.3, 0.8, 1.0]),
)
def test_the_soft_margin_is_natures_best_answer(n_rows, seed, nu):
    margins, upper = draw(n_rows, seed, nu)
    reached, rho = soft_margin(margins, upper)
    answer = linprog(
        margins, A_eq=np.ones((1, n_rows)), b_eq=[1.0], bounds=np.c_[0 * upper, upper]
    )
    assert reached == pytest.approx(answer.fun, abs=1e-9)
    assert reached == pytest.approx(rho - upper @ np.maximum(rho - margins, 0.0))
    nearby = rho + np.linspace(-1.0, 1.0, 41)
    losses = np.maximum(nearby[:, None] - margins, 0.0) @ upper
    assert (nearby - losses <= reached + 1e-12).all()


def test_the_hard_margin_is_the_smallest():
    margins = np.array([0.4, -0.1, 0.9])
    assert soft_margin(margins, np.ones(3)) == (-0.1, -0.1)


@given(
    k=st.integers(1, 20),
    seed=st.integers(0, 1000),
    slack=st.sampled_from([0.0, 0.01, 1]),
)
def test_pruning_keeps_the_floor(k, seed, slack):
    rng = np.random.default_rng(seed)
    columns = rng.uniform(-1.0, 1.0, (k, 12))
    weights = rng.dirichlet(np.full(k, 0.3))
    upper = np.full(12, 0.3)
    floor = soft_margin(weights @ columns, upper)[0] - slack
    kept = prune(columns, weights, upper, floor)
    shares = weights[kept] / weights[kept].sum()
    assert soft_margin(shares @ columns[kept], upper)[0] >= floor - 1e-12
    assert kept.any()
    assert weights[kept].min() >= weights[~kept].max(initial=0.0)


def test_pruning_drops_what_does_not_matter():
    columns = np.array([[0.5, 0.5], [0.5, 0.5], [-1.0, -1.0]])
    weights = np.array([0.9, 0.09, 0.01])
    kept = prune(columns, weights, np.ones(2), floor=0.48)
    assert kept.tolist() == [True, False, False]
