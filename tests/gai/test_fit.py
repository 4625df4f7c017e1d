"""Factors with all their parts, and what dense and sparse machines share."""

from itertools import combinations, product

import numpy as np
import pytest

from penchant.encoding import Pairs, make_encoding, make_kernels
from penchant.gai._fit import (
    ComparedItems,
    RatedItems,
    SparseMachine,
    _next_order,
    _orphans,
)

RNG = np.random.default_rng(0)
U = np.round(RNG.uniform(size=(12, 3)), 1)
ENCODING = make_encoding(U, U, [(0, 1)] * 3, None, None)
WEIGHTS = RNG.uniform(0.5, 2.0, 12)
SUBSETS = [s for n in (1, 2, 3, 4) for s in combinations(range(4), n)]


def rated(y=None, **options):
    y = RNG.normal(size=12) if y is None else y
    made = {"U": U, "weights": WEIGHTS, "encoding": ENCODING, "max_order": 2, "y": y}
    return RatedItems(**(made | options))


def compared():
    pairs = Pairs(
        items=U,
        winners=np.array([0, 1, 2, 3]),
        losers=np.array([4, 5, 6, 7]),
        ties=np.array([False, True, False, True]),
        weights=np.array([1.0, 2.0, 3.0, 4.0]),
    )
    return ComparedItems(
        U=U, weights=pairs.weights, encoding=ENCODING, max_order=2, pairs=pairs
    )


def parts(s):
    return set(combinations(s, len(s) - 1)) if len(s) > 1 else set()


def test_the_next_order_has_the_subsets_of_which_all_parts_are_there():
    for seed in range(20):
        chosen = {
            s for s in SUBSETS if np.random.default_rng([seed, *s]).random() < 0.7
        }
        for order in (2, 3, 4):
            # the attribute that comes last must be a factor alone, too
            by_hand = {
                s
                for s in SUBSETS
                if len(s) == order and parts(s) <= chosen and s[-1:] in chosen
            }
            assert _next_order(chosen, order) == by_hand


def test_factors_without_a_part_and_what_rests_on_them_are_orphans():
    for seed in range(20):
        chosen = {
            s for s in SUBSETS if np.random.default_rng([seed, *s]).random() < 0.8
        }
        kept = set(chosen)
        while gone := {s for s in kept if not parts(s) <= kept}:
            kept -= gone
        assert _orphans(chosen) == chosen - kept


@pytest.mark.parametrize("hierarchical", [False, True])
def test_hierarchical_models_have_all_parts_and_cost_no_less(hierarchical):
    y = 3 * U[:, 0] * U[:, 1] + U[:, 2]
    items = rated(y)
    kernels = make_kernels("rbf", 1.0, ENCODING)
    machine = SparseMachine(U, kernels, ENCODING.active, 3)
    found = machine.fit(
        items.evidence(None), C=3.0, tol=1e-4, hierarchical=hierarchical
    )
    factors = set(found.utility.factors)
    assert (found.status, found.solver, found.gap <= 1e-4) == ("optimal", "exact", True)
    if hierarchical:
        assert all(parts(s) <= factors for s in factors)
        path = machine.fit_path(items.evidence(None), (0.5, 3.0), 1e-4)
        assert len(path) == 2
        free = machine.fit(items.evidence(None), C=3.0, tol=1e-4, hierarchical=False)
        both = [m.utility.utility(U) for m in (path[-1], free)]
        np.testing.assert_allclose(*both, atol=0.02)


def test_without_attributes_a_constant_is_learned():
    y = np.array([1.0] * 7 + [5.0] * 5)
    items = rated(y, weights=np.ones(12))
    machine = SparseMachine(U, make_kernels("rbf", 1.0, ENCODING), (), 2)
    found = machine.fit(items.evidence(None), C=1.0, tol=1e-6, hierarchical=False)
    np.testing.assert_allclose(found.utility.utility(U), 1.0, atol=1e-3)  # the median


def test_the_gram_of_a_dense_machine_is_the_sum_over_all_subsets():
    items = rated(U[:, 0])
    kernels = make_kernels("rbf", 1.0, ENCODING)
    order_weights = (0.7, 0.2)
    machine = items.dense_machine(kernels, order_weights)
    single = [kernel.k0(u, u) for kernel, u in zip(kernels, U.T, strict=True)]
    expected = sum(
        order_weights[len(s) - 1] * np.multiply.reduce([single[i] for i in s])
        for n in (1, 2)
        for s in combinations(range(3), n)
    )
    place = machine.item_of
    assert len(machine.gram) == len(np.unique(U, axis=0))
    np.testing.assert_allclose(machine.gram[np.ix_(place, place)], expected)
    mean = np.average(np.diag(expected), weights=WEIGHTS)
    assert machine.mean_diagonal(WEIGHTS) == pytest.approx(mean)
    assert items.machine_cost(6.0, machine, 9.0) == pytest.approx(6.0 / (1 + mean))
    same = items.dense_machine(kernels)
    expected = sum(
        np.multiply.reduce([single[i] for i in s])
        for n in (1, 2)
        for s in combinations(range(3), n)
    )
    np.testing.assert_allclose(same.gram[np.ix_(place, place)], expected)


def test_ratings_are_judged_by_weighted_errors_and_a_tube_of_a_hundredth():
    y = np.linspace(-1, 3, 12)
    items, rows = rated(y), np.array([2, 5])
    assert items.paper_epsilon == pytest.approx(0.04)
    np.testing.assert_array_equal(items.item_weights, WEIGHTS)
    predictions = np.array([[y[2] + 1, y[5]], [y[2], y[5] - 2]])
    w = WEIGHTS[rows] / WEIGHTS[rows].sum()
    np.testing.assert_allclose(items.errors(predictions, rows), [w[0], 2 * w[1]])


def test_comparisons_are_half_wrong_where_utilities_are_equal():
    items = compared()
    assert items.paper_epsilon is None
    np.testing.assert_array_equal(items.item_weights, np.ones(12))
    rows = np.arange(4)
    for predicted in product([-1.0, 0.0, 1.0], repeat=2):
        all_rows = np.array([predicted[0], 9.0, predicted[1], -9.0])  # ties: any
        wrong = [{-1.0: 1.0, 0.0: 0.5, 1.0: 0.0}[p] for p in predicted]
        expected = (1.0 * wrong[0] + 3.0 * wrong[1]) / 4.0
        assert items.errors(all_rows, rows) == pytest.approx(expected)


def test_folds_are_predicted_as_by_machines_of_their_own():
    y = 2 * U[:, 0] + U[:, 1] ** 2
    items = rated(y)
    kernels = make_kernels("rbf", 1.0, ENCODING)
    machine = items.dense_machine(kernels)
    train, test = np.arange(9), np.arange(9, 12)
    found = items.predict_fold(machine, (train, test), C=5.0, epsilon=0.1)
    own = RatedItems(
        U=U[train], weights=WEIGHTS[train], encoding=ENCODING, max_order=2, y=y[train]
    )
    learned = own.fit_machine(own.dense_machine(kernels), C=5.0, epsilon=0.1, tol=1e-6)
    np.testing.assert_allclose(found, learned.utility.utility(U[test]), atol=0.02)
    assert learned.gap <= 1e-6
