"""Rows of a loss, folds, and the choice of an order by held-out losses."""

import numpy as np
import pytest

from penchant.choquet import _fit
from penchant.choquet._fit import (
    ChoquetOptions,
    ChoquetRows,
    _assign_folds,
    _held_out_loss,
    choose_order,
    fit_rows,
)
from penchant.choquet.solver._losses import SquaredLoss
from penchant.exceptions import DataError
from penchant.kernels import subset_minima

RNG = np.random.default_rng(0)
ITEMS = RNG.uniform(size=(9, 3))
OPTIONS = ChoquetOptions(
    k=2, monotone=False, alpha=0.1, cone="auto", total=None, tol=1e-8, max_iter=100
)


def rows_of(n=9, **options):
    y = ITEMS[:n] @ [1.0, 2.0, 3.0]
    weight = RNG.uniform(0.5, 2.0, n)
    made = {"first": np.arange(n), "sources": np.arange(n)}
    loss = SquaredLoss(y, weight / weight.sum())
    return ChoquetRows(ITEMS, loss, **(made | options))


def test_rows_are_differences_of_items_and_keep_their_weight():
    rows = rows_of(second=np.arange(9)[::-1], groups=np.arange(9) % 2)
    columns = RNG.normal(size=(9, 4))
    np.testing.assert_array_equal(rows.design(columns), columns - columns[::-1])
    alone = rows_of()
    np.testing.assert_array_equal(alone.design(columns), columns)
    some = rows.take(np.array([7, 2]))
    assert some.first.tolist() == [7, 2]
    assert some.second.tolist() == [1, 6]
    assert some.groups.tolist() == [1, 0]
    assert some.sources.tolist() == [7, 2]
    assert some.strata is None
    assert some.loss.weight.sum() == pytest.approx(rows.loss.weight.sum())
    ratio = some.loss.weight / rows.loss.weight[[7, 2]]
    assert ratio[0] == pytest.approx(ratio[1])
    fit = fit_rows(rows, OPTIONS)
    values = subset_minima(ITEMS, 2) @ fit.mobius
    expected = values - values[::-1] + fit.intercepts[np.arange(9) % 2]
    np.testing.assert_allclose(rows.scores(fit, 2), expected)


def test_a_free_fit_is_ridge_regression_and_larger_orders_are_all():
    rows = rows_of()
    A, w = subset_minima(ITEMS, 3), rows.loss.weight
    y = ITEMS @ [1.0, 2.0, 3.0]
    fits = [
        fit_rows(rows, ChoquetOptions(**(vars(OPTIONS) | {"k": k}))) for k in (3, 9)
    ]
    np.testing.assert_allclose(fits[0].mobius, fits[1].mobius)
    # the loss of a row is half its squared error
    system = A.T @ (w[:, None] * A) + 0.1 * np.eye(A.shape[1])
    expected = np.linalg.solve(system, A.T @ (w * y))
    np.testing.assert_allclose(fits[0].mobius, expected, atol=1e-5)


def test_folds_keep_answers_together_and_share_strata():
    sources = np.repeat(np.arange(12), 3)
    strata = np.repeat(np.arange(12) % 3, 3)
    for own in (None, strata):
        rows = rows_of(9, first=np.zeros(36, int), sources=sources[::-1], strata=own)
        folds = _assign_folds(rows, 4, np.random.RandomState(0))
        by_answer = folds.reshape(12, 3)
        assert (by_answer == by_answer[:, :1]).all()
        assert np.bincount(by_answer[:, 0]).tolist() == [3, 3, 3, 3]
        if own is not None:
            for stratum in range(3):
                inside = by_answer[own.reshape(12, 3)[:, 0] == stratum, 0]
                assert sorted(inside) == [0, 1, 2, 3]
        other = _assign_folds(rows, 4, np.random.RandomState(1))
        assert (other != folds).any()


def test_the_loss_of_a_fold_is_that_of_a_fit_to_the_others():
    rows, held = rows_of(), np.arange(9) < 3
    fit = fit_rows(rows.take(np.arange(3, 9)), OPTIONS)
    test = rows.take(np.arange(3))
    expected = test.loss.value(subset_minima(ITEMS[:3], 2) @ fit.mobius)
    assert _held_out_loss(rows, held, OPTIONS) == pytest.approx(expected)


@pytest.mark.parametrize(
    ("losses", "k"),
    [
        # by fold: the gap of the first to the best is 1 +- 1, the error 1 / sqrt(2)
        ([[3.0, 1.0, 2.0], [1.0, 1.0, 2.0]], 1),
        ([[2.0, 1.0, 2.0], [2.0, 1.0, 2.0]], 2),
        ([[4.0, 3.0, 1.0], [4.0, 3.0, 1.0]], 3),
        ([[1.0, 1.0, 1.0], [1.0, 1.0, 1.0]], 1),
        ([[2.1, 1.0, 0.9], [1.9, 1.1, 1.0]], 3),
    ],
)
def test_the_smallest_order_within_a_standard_error_is_taken(monkeypatch, losses, k):
    told = iter(np.ravel(losses))
    monkeypatch.setattr(_fit, "_held_out_loss", lambda *_: float(next(told)))
    found, means = choose_order(
        rows_of(), OPTIONS, range(1, 4), 2, np.random.RandomState(0)
    )
    assert found == k
    assert means == pytest.approx(dict(zip((1, 2, 3), np.mean(losses, 0), strict=True)))


def test_one_answer_cannot_be_held_out():
    rows = rows_of(sources=np.zeros(9, int))
    with pytest.raises(DataError, match=r"at least 2 different answers .*\. Got 1"):
        choose_order(rows, OPTIONS, range(1, 3), 2, np.random.RandomState(0))


@pytest.mark.parametrize(
    ("n_rows", "n", "k", "cone", "numbers"),
    [
        (10, 3, 2, "free", 4.5 * 10 * 6 + 3 * 6**2),
        (4, 3, 2, "free", 4.5 * 4 * 6 + 3 * 4**2),
        (10, 3, 2, "exact", 4.5 * 10 * 12 + 3 * 12**2),
        (10, 3, 1, "exact", 4.5 * 10 * 3 + 3 * 3**2),
    ],
)
def test_memory_is_that_of_designs_and_squares(
    monkeypatch, n_rows, n, k, cone, numbers
):
    asked = []
    monkeypatch.setattr(_fit, "check_memory", lambda *told: asked.append(told))
    _fit._check_memory(n_rows, n, k, cone)
    ((need, what, advice),) = asked
    assert need == pytest.approx(8 * numbers)
    assert f"{n} criteria with k={k} on {n_rows} rows" in what
    assert advice == ("Give fewer items." if k == 1 else "Set a smaller k than 2.")
