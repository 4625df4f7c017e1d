from dataclasses import replace

import numpy as np
import pytest
from scipy import sparse
from scipy.optimize import linprog

from penchant.models import Condition, Conjunction, Monomial
from penchant.rules._games import (
    Certificate,
    RuleGame,
    RuleVotes,
    margin_bounds,
    vote_matrix,
)


@pytest.fixture
def game():
    rng = np.random.default_rng(0)
    signs = rng.choice([-1.0, 1.0], 40)
    columns = rng.random((40, 6)) * signs[:, None]
    columns[:, 0] = (signs > 0) * 1.0
    weights = rng.random(40)
    return RuleGame(
        columns,
        signs[:, None],
        np.array([[-0.5, 0.5]]),
        weights / weights.sum(),
        weights / weights.sum(),
        40.0,
    )


def test_weights_are_those_of_the_margin_program_with_a_bias_of_either_sign(game):
    weights, bias, reached = game.margin_weights(0.3, 1e-9, climb=False)
    table = np.hstack([game.columns, game.bias, -game.bias])
    n, k = table.shape
    found = linprog(
        np.concatenate([[-1.0], np.zeros(k), game.weights / 0.3]),
        np.hstack([np.ones((n, 1)), -table, -np.eye(n)]),
        np.zeros(n),
        np.concatenate([[0.0], np.ones(k), np.zeros(n)])[np.newaxis],
        [1.0],
        [(None, None)] + [(0, None)] * (k + n),
    )
    assert reached.value == pytest.approx(-found.fun, abs=1e-8)
    assert reached.has_margin
    assert weights.sum() + np.ptp(bias) == pytest.approx(1)
    assert bias.sum() == 0


def test_some_rules_reach_no_more_than_all(game):
    _, _, every = game.margin_weights(0.3, 1e-9, climb=False)
    weights, _, few = game.take([0, 3]).margin_weights(0.3, 1e-9, climb=False)
    assert weights.shape == (2,)
    assert few.value <= every.value + 1e-9


def test_rules_that_are_not_needed_get_no_weight():
    # "a = 0", or neither "a = 1" nor "a = 2": the bias makes up for the difference.
    signs = np.array([1.0, -1.0, -1.0])
    thirds = np.full(3, 1 / 3)
    votes = np.array([[-0.5, 0.5]])
    game = RuleGame(np.eye(3), signs[:, None], votes, thirds, thirds, 3.0)
    weights, bias, reached = game.margin_weights(None, "auto", climb=False)
    np.testing.assert_allclose(weights, [2 / 3, 0, 0], atol=1e-9)
    np.testing.assert_allclose(bias, [1 / 6, -1 / 6], atol=1e-9)
    assert reached.value == pytest.approx(1 / 3)


@pytest.mark.parametrize("nu", [None, 0.1])
def test_rules_without_a_margin_climb_to_one(nu):
    columns = np.array([[1.0], [1.0], [1.0], [-1.0]])
    none, quarters = np.zeros((4, 0)), np.full(4, 0.25)
    game = RuleGame(columns, none, np.zeros((0, 2)), quarters, quarters, 4.0)
    _, _, stays = game.margin_weights(nu, "auto", climb=False)
    assert not stays.has_margin
    assert stays.nu == nu
    _, _, climbs = game.margin_weights(nu, "auto", climb=True)
    # A quarter says no: the others outweigh it when nature may not take half of it.
    assert climbs.nu == 0.6
    assert climbs.value == pytest.approx(1 - 2 * 0.25 / 0.6)


def test_logistic_weights_may_turn_a_rule_round(game):
    weights, bias = game.logistic_weights(ridge=0.1)
    turned = replace(game, columns=-game.columns)
    against, same = turned.logistic_weights(ridge=0.1)
    np.testing.assert_allclose(against, -weights, atol=1e-6)
    np.testing.assert_allclose(same, bias, atol=1e-6)


def test_bounds_of_the_rows():
    weights = np.array([0.5, 0.3, 0.2])
    assert margin_bounds(weights, None).tolist() == [1, 1, 1]
    np.testing.assert_allclose(margin_bounds(weights, 0.5), 2 * weights)


def test_votes_move_two_labels_apart():
    votes = vote_matrix(np.array([2, 0]), np.array([0, 1]), np.array([4.0, 1.0]), 3)
    np.testing.assert_allclose(votes, [[-2, 0, 2], [0.5, -0.5, 0]])


def test_scores_add_up_votes_dense_or_sparse():
    X = np.array([[0.0, 2.0], [1.0, 0.0]])
    features = (Conjunction((Condition(0, ">=", 1.0),)), Monomial((1,), (0.0,), 0.5))
    votes = np.array([[-1.0, 1.0], [0.25, -0.25]])
    model = RuleVotes(features, votes, np.array([0.1, -0.1]))
    np.testing.assert_allclose(model.scores(X), [[0.35, -0.35], [-0.9, 0.9]])
    powers = RuleVotes(features[1:], votes[1:], model.bias)
    np.testing.assert_allclose(powers.scores(sparse.csr_array(X)), powers.scores(X))


def test_a_margin_of_rounding_errors_is_none():
    assert not Certificate(1e-9, 1e-6, "optimal", 3).has_margin
    assert Certificate(1e-3, 1e-3, "optimal", 3).has_margin
