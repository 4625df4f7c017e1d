"""What may be said about groups: closed forms, symmetries, and small worlds."""

from itertools import product

import numpy as np
import pytest

from penchant.elicitation.groups import (
    Consensus,
    GroupBelief,
    Newcomer,
    PersonAnswers,
    believe_group,
    careless_kind,
    log_careless,
    own_checks,
)
from penchant.elicitation.groups._group_belief import _data as weighted_data
from penchant.elicitation.groups._mixture import (
    Data,
    Mixture,
    fit_mixture,
    matched_log_likelihood,
)
from penchant.exceptions import DataError
from penchant.gp import Answer, LapsePosterior, Posterior

N_ITEMS = 12


def _data(newcomer: Newcomer, people: list[PersonAnswers]) -> Data:
    return weighted_data(newcomer, people, np.ones(len(people)))


TABLE = np.random.default_rng(0).standard_normal((N_ITEMS, 4))
COV = TABLE @ TABLE.T / 4 + 0.02 * np.eye(N_ITEMS)
NEWCOMER = Newcomer.from_moments(0.1 * TABLE[:, 0], COV)
TASTE, OTHER = np.array([2.0, 1.0, 0.0, 0.3]), np.array([-1.5, 1.0, 1.5, -0.5])


def person(
    taste: np.ndarray, seed: int, n_answers: int = 12, *, press: str = ""
) -> PersonAnswers:
    """Let somebody compare random pairs; `press` does not look at the items."""
    rng = np.random.default_rng(seed)
    worth = TABLE @ taste
    worth = (worth - worth.mean()) / worth.std()
    answers, sides = [], []
    for number in range(n_answers):
        a, b = rng.choice(N_ITEMS, 2, replace=False)
        left = bool(worth[a] + 0.2 * rng.standard_normal() > worth[b])
        if press:
            left = press == "left" or (press == "alternating" and number % 2 == 0)
        answers.append(Answer("comparison", (a, b) if left else (b, a)))
        sides.append(left)
    return PersonAnswers(tuple(answers), tuple(sides))


def crowd(n: int, first: int = 0) -> list[PersonAnswers]:
    rng = np.random.default_rng(first)
    return [
        person(TASTE + 0.3 * rng.standard_normal(4), 100 + first + k) for k in range(n)
    ]


@pytest.fixture(scope="module")
def two() -> GroupBelief:
    people = [person((TASTE, OTHER)[k % 2], k) for k in range(24)]
    return believe_group(NEWCOMER, people)


def test_one_person_alone_is_the_belief_about_that_person() -> None:
    told = person(TASTE, 3)
    answers = (*told.answers, Answer("tie", (1, 5)), Answer("below", (7,)))
    own = LapsePosterior(
        NEWCOMER.mean,
        COV,
        noise=0.3 * NEWCOMER.unit,
        tie_width=0.1 * NEWCOMER.unit,
    ).with_answers(answers)
    data = _data(NEWCOMER, [PersonAnswers(answers)])
    alone = Mixture.begin(data, 1.0, np.zeros((1, NEWCOMER.factor.shape[1])))
    assert alone.state.log_z[0, 0] == pytest.approx(own.log_evidence, abs=1e-4)
    x = alone.state.weights[0, 0] @ data.rows.H[0]
    mean = NEWCOMER.mean + NEWCOMER.factor @ x
    assert mean == pytest.approx(own.mean, abs=1e-3)  # a dozen sweeps


def _evidence(people: list[PersonAnswers]) -> float:
    data = _data(NEWCOMER, people)
    fit = fit_mixture(data, 0.3, np.zeros((1, NEWCOMER.factor.shape[1])))
    return fit.log_evidence(data)


def test_evidence_does_not_depend_on_the_order_of_people_answers_or_sides() -> None:
    people = [PersonAnswers(each.answers) for each in crowd(6)]
    value = _evidence(people)
    turned = [PersonAnswers(each.answers[::-1]) for each in people]
    assert _evidence(people[::-1]) == pytest.approx(value, abs=1e-8)
    assert _evidence(turned) == pytest.approx(value, abs=1e-8)
    # sides are about carelessness only, of which so few answers say nothing
    some = [
        PersonAnswers(each.answers[:6], sides)
        for each, sides in zip(people, product([True, False], repeat=6), strict=False)
    ]
    none = [PersonAnswers(each.answers[:6]) for each in people]
    assert _evidence(some) == pytest.approx(_evidence(none), abs=1e-8)


def test_two_clouds_in_one_place_are_no_more_than_one() -> None:
    data = _data(NEWCOMER, crowd(5))
    same = np.zeros((2, NEWCOMER.factor.shape[1]))
    mixture = Mixture.begin(data, 0.3, same)
    gain = mixture.log_likelihood(data) - matched_log_likelihood(data, mixture)
    assert gain == pytest.approx(0.0, abs=1e-9)


def test_probabilities_of_sides_add_up_to_one() -> None:
    total = sum(
        np.exp(log_careless(sides)) for sides in product([True, False], repeat=7)
    )
    assert total == pytest.approx(1.0)
    kinds = [careless_kind(sides) for sides in ([True] * 9, [False] * 9)]
    assert kinds == ["left", "right"]
    assert careless_kind([True, False] * 5) == "alternating"
    assert careless_kind([True, True, False, False, True, False, False, True]) == (
        "random"
    )


def test_many_items_need_few_columns() -> None:
    rng = np.random.default_rng(1)
    factor = rng.standard_normal((300, 5))
    belief = Posterior(np.zeros(300), factor @ factor.T + 1e-12 * np.eye(300))
    found = Newcomer.from_belief(belief)
    assert found.factor.shape[1] < 20
    assert found.factor @ found.factor.T == pytest.approx(factor @ factor.T, abs=1e-6)
    assert found.unit == pytest.approx(np.sqrt((factor**2).sum(axis=1).mean()))


def test_people_of_two_kinds_are_told_apart(two: GroupBelief) -> None:
    assert two.statement in ("two", "lean")
    assert len(two.kinds) == 2
    truth = np.arange(24) % 2
    sure = two.kind >= 0
    assert sure.mean() > 0.7
    agree = np.mean(two.kind[sure] == truth[sure])
    assert max(agree, 1 - agree) > 0.95
    assert two.differ is not None
    sizes = np.bincount(two.kind[sure])
    assert sizes[0] >= sizes[1]
    for kind in two.kinds:  # people of a kind are nearer to each other
        width, all_width = (
            each.people_high - each.people_low for each in (kind, two.everybody)
        )
        assert width.mean() < all_width.mean()
        assert np.all(kind.least <= kind.people_low)


def test_one_crowd_is_not_split_and_does_not_differ() -> None:
    found = believe_group(NEWCOMER, crowd(20))
    assert (found.statement, found.kinds, found.differ) == ("none", (), None)
    assert set(found.kind) == {0}
    assert found.careless.sum() <= 1
    worth = TABLE @ TASTE
    assert np.corrcoef(found.everybody.mean, worth)[0, 1] > 0.9
    assert found.points.min() >= 0
    assert found.points.max() <= 100
    again = believe_group(NEWCOMER, crowd(20))
    assert np.array_equal(again.everybody.mean, found.everybody.mean)


@pytest.mark.parametrize("press", ["left", "alternating"])
def test_people_who_do_not_read_are_noticed(press: str) -> None:
    people = [*crowd(14), person(TASTE, 7, press=press)]
    found = believe_group(NEWCOMER, people)
    assert found.careless[-1]
    assert found.careless[:-1].sum() <= 1


def test_nothing_is_said_of_people_without_sides() -> None:
    rated = PersonAnswers(person(TASTE, 1).answers)
    few = person(TASTE, 2, 7, press="left")
    found = believe_group(NEWCOMER, [*crowd(6), rated, few])
    assert np.isneginf(found.log_odds[-2:]).all()
    assert not found.careless[-2:].any()


def test_ties_speak_neither_for_nor_against_reading() -> None:
    first, *rest = crowd(8)
    ties = tuple(Answer("tie", (k, k + 1)) for k in range(3))
    tied = PersonAnswers((*first.answers, *ties), (*first.sides, None, None, None))
    plain: Data = _data(NEWCOMER, [first, *rest])
    more: Data = _data(NEWCOMER, [tied, *rest])
    alone = np.zeros((1, NEWCOMER.factor.shape[1]))
    odds = [Mixture.begin(d, 1.0, alone).log_odds_careless(d)[0] for d in (plain, more)]
    assert odds[0] == pytest.approx(odds[1], abs=1e-3)
    assert more.log_careless[0] < plain.log_careless[0]


def test_tiers_are_clearly_behind_their_leaders() -> None:
    rng = np.random.default_rng(2)
    draws = np.linspace(80, 20, 9) + 8 * rng.standard_normal((400, 9))
    found = Consensus.from_draws(draws, np.zeros((3, 9)))
    assert found.order[0] == draws.mean(axis=0).argmax()
    leaders = [
        next(item for item in found.order if found.tier[item] == tier)
        for tier in range(found.tier.max() + 1)
    ]
    assert len(leaders) > 1
    for item, tier in enumerate(found.tier):
        ahead = (draws[:, leaders] > draws[:, [item]]).mean(axis=0)
        assert (ahead[:tier] >= 0.95).all()
        assert ahead[tier] < 0.95
    best = (draws[:, found.order[0]] >= draws.max(axis=1) - 2).mean()
    assert found.chance == pytest.approx(best)


def test_checks_are_the_surest_pairs_that_were_not_asked() -> None:
    rng = np.random.default_rng(3)
    draws = np.arange(6.0) + 0.3 * rng.standard_normal((500, 6))
    first, second = own_checks(draws, asked=[(0, 5)])
    assert (0, 5) not in (first, first[::-1])
    assert len({*first, *second}) == 4
    for winner, loser in (first, second):
        assert winner > loser
    both = np.concatenate([draws, -draws])
    weights = np.repeat([0.0, 1.0], len(draws))
    assert own_checks(both, weights)[0] == own_checks(draws)[0][::-1]
    assert own_checks(draws[:, :2], asked=[(1, 0)]) == []


def test_a_group_of_nobody_is_refused() -> None:
    with pytest.raises(DataError, match="at least one person"):
        believe_group(NEWCOMER, [])


def test_a_group_can_speak_of_some_items_only() -> None:
    newcomer = Newcomer.from_moments(np.zeros(4), np.eye(4))
    likes = tuple(Answer("comparison", pair) for pair in ((3, 2), (2, 1), (1, 0)))
    people = [PersonAnswers(likes)] * 5
    some = believe_group(newcomer, people, among=np.array([0, 1, 3]))
    assert some.points.shape == (5, 3)
    assert some.everybody.order.tolist() == [2, 1, 0]
    assert believe_group(newcomer, people).everybody.order.tolist() == [3, 2, 1, 0]


def test_draws_agree_with_the_answers_that_they_are_drawn_for():
    alone = person(TASTE, 0, 40)
    draws = believe_group(NEWCOMER, [alone]).everybody.draws
    agree = [
        (draws[:, winner] > draws[:, loser]).mean()
        for winner, loser in (answer.items for answer in alone.answers)
    ]
    assert np.mean(agree) > 0.9


def test_ranges_hold_nine_draws_in_ten():
    draws = np.linspace(0.0, 100.0, 201)[:, None] * [1.0, 0.5]
    found = Consensus.from_draws(draws, np.zeros((3, 2)))
    np.testing.assert_allclose(found.low, [5.0, 2.5])
    np.testing.assert_allclose(found.high, [95.0, 47.5])
