"""Generated people."""

import numpy as np
import pytest
from scipy.stats import norm

from penchant.datasets import make_population
from penchant.exceptions import DataError
from penchant.metrics import pairwise_accuracy


def test_without_noise_every_answer_follows_the_utility() -> None:
    population = make_population(12, 9, n_comparisons=20, random_state=0)
    assert pairwise_accuracy(population.utilities, population.comparisons) == 1.0


def test_each_person_compares_different_pairs() -> None:
    population = make_population(6, 5, n_comparisons=10, random_state=1)
    for user in range(6):
        answers = population.comparisons.of_user(user)
        pairs = {
            frozenset(p) for p in zip(answers.winners, answers.losers, strict=True)
        }
        assert len(pairs) == len(answers) == 10


def test_noise_makes_answers_wrong_as_often_as_the_normal_law_says() -> None:
    population = make_population(400, 12, n_comparisons=30, noise=0.7, random_state=2)
    answers, utilities = population.comparisons, population.utilities
    users = np.asarray(answers.users)
    gap = np.abs(utilities[users, answers.winners] - utilities[users, answers.losers])
    right = pairwise_accuracy(utilities, answers)
    probability = norm.cdf(gap / 0.7)
    error = np.sqrt((probability * (1 - probability)).sum()) / len(answers)
    assert abs(right - probability.mean()) < 4 * error


def test_people_who_resemble_each_other_agree_more() -> None:
    population = make_population(300, 40, n_user_features=1, random_state=3)
    order = np.argsort(population.X_users[:, 0])
    correlation = np.corrcoef(population.utilities[order])
    near = np.diagonal(correlation, offset=1).mean()
    far = np.diagonal(correlation, offset=250).mean()
    assert near > 0.95
    assert far < 0.8


def test_covariance_of_the_utilities_is_the_documented_one() -> None:
    rng = np.random.default_rng(0)
    # utilities of two users and two items; features differ from draw to draw,
    # so products are compared with the mean of their conditional covariance
    products, expected = [], []
    for _ in range(4000):
        p = make_population(2, 2, n_comparisons=1, agreement=0.4, random_state=rng)
        products.append(p.utilities[0, 0] * p.utilities[1, 1])
        user = np.exp(-0.5 * ((p.X_users[0] - p.X_users[1]) ** 2).sum() * 16 / 2)
        item = np.exp(-0.5 * ((p.X_items[0] - p.X_items[1]) ** 2).sum() * 16 / 3)
        expected.append((0.4 + 0.6 * user) * item)
    difference = np.array(products) - np.array(expected)
    assert abs(difference.mean()) < 4 * difference.std() / np.sqrt(len(difference))


def test_full_agreement_gives_everyone_the_same_taste() -> None:
    utilities = make_population(5, 8, agreement=1.0, random_state=4).utilities
    np.testing.assert_allclose(utilities, np.tile(utilities[0], (5, 1)), atol=1e-3)


def test_same_seed_gives_the_same_people() -> None:
    first, second = (make_population(5, 8, noise=0.5, random_state=6) for _ in range(2))
    np.testing.assert_array_equal(first.utilities, second.utilities)
    assert first.comparisons == second.comparisons


def test_population_cannot_be_written_to() -> None:
    population = make_population(5, 8, random_state=0)
    with pytest.raises(ValueError, match="read-only"):
        population.utilities[0, 0] = 1.0


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"n_users": 0}, "n_users"),
        ({"n_items": 1}, "n_items must be a whole number >= 2"),
        ({"agreement": 1.5}, "agreement must be between 0 and 1"),
        ({"noise": np.nan}, "noise must be"),
        ({"n_items": 4, "n_comparisons": 7}, "4 items make 6 pairs"),
        ({"n_comparisons": 0}, "n_comparisons"),
    ],
)
def test_population_refuses(arguments: dict[str, float], message: str) -> None:
    with pytest.raises(DataError, match=message):
        make_population(**arguments)  # type: ignore[arg-type]
