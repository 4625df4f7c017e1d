"""The penalty is the largest whose held-out error is about the least."""

import numpy as np
import pytest

from penchant.gai.binned._blocks import make_blocks
from penchant.gai.binned._groups import make_groups
from penchant.gai.binned._losses import Squared
from penchant.gai.binned._path import Table, choose, fit_at, hold_out


def case(n_rows=120, noise=0.5):
    rng = np.random.default_rng(0)
    X = rng.uniform(size=(n_rows, 3))
    y = np.sin(5 * X[:, 0]) + X[:, 1] + noise * rng.normal(size=n_rows)
    axes, groups = make_groups(X, [False] * 3, 1)
    blocks = make_blocks(axes, [X], y, np.ones(n_rows), 50)
    table = Table(blocks, groups, Squared(), [len(block.y) for block in blocks])
    return table, y, hold_out(y, np.random.RandomState(0))


def test_prices_and_shares_of_rows():
    table, y, held_out = case()
    assert table.prices.tolist() == [0.5] * 3 + [1.0] * 3
    kept = 1.0 - held_out[0]
    some = table.problem(kept)
    assert some.total == kept.sum()
    assert table.problem().total == len(y)


def test_the_choice_is_that_of_brute_force():
    table, y, held_out = case()
    chosen = choose(table, held_out, 1e-6, keep_scores=True)
    prices, step = table.prices, 1e-4 ** (1 / 20)  # 20 steps: four decades
    errors, scores = [np.var(y)], []
    for k in range(1, 13):
        lost, out = 0.0, np.zeros(len(y))
        for share in held_out:
            problem = table.problem(1.0 - share)
            lam = problem.largest_lam(prices) * step**k
            point = problem.solve(lam, prices, problem.start(), 1e-4)
            f = np.concatenate(point.scores) + point.offsets
            lost += ((y - f)[share > 0] ** 2).sum() / 2
            out[share > 0] = f[share > 0]
        errors.append(lost / len(y))
        scores.append(out)
    errors[0] = sum(
        ((y - y[share == 0].mean())[share > 0] ** 2).sum() / 2 for share in held_out
    ) / len(y)
    errors = np.array(errors)
    least = errors.min()
    slack = 0.005 * min(least, errors[0] - least)
    best = int(np.argmax(errors <= least + slack))
    assert chosen.least == pytest.approx(least, rel=0.01)  # paths have wider gaps
    assert chosen.error == pytest.approx(errors[best], rel=0.01)
    lam = table.problem().largest_lam(prices) * step**best
    assert chosen.lam == pytest.approx(lam)
    assert chosen.point.status == "optimal"
    np.testing.assert_allclose(chosen.scores, scores[best - 1], atol=0.1)


def test_a_given_penalty_is_fitted_to_its_gap():
    table, _, _ = case()
    problem, prices = table.problem(), table.prices
    top = problem.largest_lam(prices)
    for share in (0.05, 2.0):
        fitted = fit_at(table, share * top, 1e-7)
        straight = problem.solve(share * top, prices, problem.start(), 1e-7)
        assert fitted.lam == share * top
        assert fitted.point.gap <= 1e-7
        for k, group in enumerate(table.groups):
            nothing = np.zeros(group.size)
            one, other = (at.coefs.get(k, nothing) for at in (fitted.point, straight))
            np.testing.assert_allclose(one, other, atol=1e-3)
        found = any(coef.any() for coef in fitted.point.coefs.values())
        assert found == (share < 1)


def test_pure_noise_gives_a_constant():
    rng = np.random.default_rng(1)
    X, y = rng.uniform(size=(200, 2)), rng.normal(size=200)
    axes, groups = make_groups(X, [False] * 2, 1)
    blocks = make_blocks(axes, [X], y, np.ones(200))
    table = Table(blocks, groups, Squared(), [200])
    chosen = choose(table, hold_out(y, np.random.RandomState(0)), 1e-3)
    assert chosen.error <= np.var(y) / 2 * 1.03
    assert sum(np.linalg.norm(c) for c in chosen.point.coefs.values()) < 0.3


@pytest.mark.parametrize("n_rows", [3, 12, 5_000])
def test_folds_part_the_rows_evenly_and_by_grade(n_rows):
    y = np.random.default_rng(0).normal(size=n_rows)
    folds = np.array(hold_out(y, np.random.RandomState(0)))
    assert len(folds) == min(5, n_rows)
    np.testing.assert_array_equal(folds.sum(axis=0), 1.0)
    ranked = folds[:, np.argsort(y)]
    for low in range(0, n_rows - 4, 5):  # of five neighbours each is elsewhere
        np.testing.assert_array_equal(ranked[:, low : low + 5].sum(axis=1), 1.0)
    equal = np.array(hold_out(np.zeros(n_rows), np.random.RandomState(0)))
    assert np.ptp(equal.sum(axis=1)) <= 1


@pytest.mark.parametrize(
    ("n_rows", "n_judges"), [(5_001, 1_000), (20_000, 2_000), (600_000, 50_000)]
)
def test_of_many_rows_one_part_judges(n_rows, n_judges):
    (share,) = hold_out(np.zeros(n_rows), np.random.RandomState(0))
    assert (share.sum(), set(share.tolist())) == (n_judges, {0.0, 1.0})
    assert 0.4 < np.flatnonzero(share).mean() / n_rows < 0.6
