"""Beliefs that allow for slips, against integration and against no slips."""

import numpy as np
import pytest
from scipy.special import ndtr

from penchant.elicitation import Elicitor
from penchant.exceptions import DataError
from penchant.gp import Answer, LapsePosterior, Posterior

COV = np.array([[1.0, 0.3], [0.3, 0.8]])
MEAN = np.array([0.2, -0.1])
STEP = 0.02
A, B = np.meshgrid(np.arange(-7, 7, STEP), np.arange(-7, 7, STEP), indexing="ij")


def true_posterior(lapse: float, noise: float, low: float, high: float) -> np.ndarray:
    """Give prior times likelihood of low < f_0 - f_1 + noise <= high on a grid."""
    away = np.stack([A - MEAN[0], B - MEAN[1]])
    prior = np.exp(-0.5 * np.einsum("iab,ij,jab->ab", away, np.linalg.inv(COV), away))
    prior /= 2 * np.pi * np.sqrt(np.linalg.det(COV))
    p = ndtr((high - (A - B)) / noise) - ndtr((low - (A - B)) / noise)
    return prior * (lapse + (1 - 2 * lapse) * p) * STEP**2


@pytest.mark.parametrize("kind", ["comparison", "tie"])
def test_one_answer_gives_the_exact_moments(kind: str) -> None:
    lapse, noise, width = 0.15, 0.4, 0.3
    belief = LapsePosterior(MEAN, COV, noise=noise, tie_width=width, lapse=lapse)
    told = belief.with_answers([Answer(kind, (1, 0))])
    ends = (-np.inf, 0.0) if kind == "comparison" else (-width, width)
    exact = true_posterior(lapse, noise, *ends)
    mass = exact.sum()
    first, second = (exact * A).sum() / mass, (exact * B).sum() / mass
    assert told.log_evidence == pytest.approx(np.log(mass), abs=1e-6)
    assert told.mean == pytest.approx([first, second], abs=1e-6)
    if kind == "comparison":
        spread = (exact * A**2).sum() / mass - first**2
        assert told.variance[0] == pytest.approx(spread, abs=1e-6)


def test_without_slips_it_is_expectation_propagation() -> None:
    rng = np.random.default_rng(0)
    root = rng.standard_normal((5, 5))
    mean, cov = rng.standard_normal(5), root @ root.T
    answers = [Answer("comparison", (0, 1)), Answer("tie", (2, 3))]
    answers += [Answer("comparison", (1, 4)), Answer("below", (3,))]
    plain = Posterior(mean, cov, noise=0.5).with_answers(answers)
    ours = LapsePosterior(mean, cov, noise=0.5, lapse=0.0).with_answers(answers)
    assert ours.mean == pytest.approx(plain.mean, abs=1e-5)
    assert ours.cov == pytest.approx(plain.cov, abs=1e-5)
    assert ours.log_evidence == pytest.approx(plain.log_evidence, abs=1e-5)


def test_one_slip_among_many_answers_is_overruled() -> None:
    # utilities 0 < 1 < ... < 5 by many answers, and one that says the opposite
    cov = 9.0 * np.eye(6)
    answers = [Answer("comparison", (i, j)) for i in range(6) for j in range(i)]
    slip = [Answer("comparison", (0, 5))]
    plain = Posterior(np.zeros(6), cov, noise=0.1).with_answers(answers + slip)
    ours = LapsePosterior(np.zeros(6), cov, noise=0.1).with_answers(answers + slip)
    without = LapsePosterior(np.zeros(6), cov, noise=0.1).with_answers(answers)
    assert ours.mean == pytest.approx(without.mean, abs=0.1)
    assert plain.mean[5] - plain.mean[0] < 0.5 * (without.mean[5] - without.mean[0])


def test_leaving_an_answer_out_is_never_having_heard_it() -> None:
    belief = LapsePosterior(np.zeros(3), np.eye(3), noise=0.5)
    both = belief.update(0, 1).update(2, 1)
    assert both.without(1).mean == pytest.approx(belief.update(0, 1).mean, abs=1e-6)
    with pytest.raises(DataError, match="2 answers"):
        both.without(2)


def test_probability_of_being_best_is_that_of_the_true_posterior() -> None:
    lapse, noise = 0.1, 0.3
    belief = LapsePosterior(MEAN, COV, noise=noise, lapse=lapse).update(1, 0)
    chances = Elicitor(belief, random_state=0).probability_best()
    exact = true_posterior(lapse, noise, -np.inf, 0.0)
    ahead = exact[B > A].sum() / exact.sum()
    assert chances[1] == pytest.approx(ahead, abs=0.02)
    assert chances.sum() == pytest.approx(1.0)


def test_evidence_of_ratings_and_the_like_enters_the_chances() -> None:
    belief = LapsePosterior(np.zeros(3), np.eye(3), noise=0.2)
    told = belief.with_answers([Answer("below", (0,)), Answer("tie", (1, 2))])
    chances = Elicitor(told, random_state=0).probability_best()
    draws = np.random.default_rng(0).standard_normal((400_000, 3))
    below = 0.05 + 0.9 * ndtr(-draws[:, 0] / 0.2)
    apart = draws[:, 1] - draws[:, 2]
    tie = 0.05 + 0.9 * (ndtr((0.1 - apart) / 0.2) - ndtr((-0.1 - apart) / 0.2))
    share = np.bincount(draws.argmax(axis=1), below * tie) / (below @ tie)
    assert chances == pytest.approx(share, abs=0.02)
