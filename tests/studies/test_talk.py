"""What is believed of a person: from the log alone, whatever the way to it."""

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from scipy.special import ndtr

from penchant._cached import LRUCache
from penchant.data import Attribute, Comparisons, Items
from penchant.datasets import load_flats, make_flats_population
from penchant.elicitation import PersonBelief, Reason
from penchant.exceptions import ModelNotFoundError
from penchant.models import PopulationGP
from penchant.studies import (
    FORMS,
    AnsweredQuestion,
    Participation,
    StudySettings,
    _talk,
    simulated_answer,
)
from penchant.studies import _results as results
from penchant.studies._asking import choose_check, end_check
from penchant.studies._start import Start, complete
from penchant.studies._talk import Memory, Talk

FLATS = load_flats().take(range(12))


def nothing(model: str) -> PopulationGP:
    raise ModelNotFoundError(f"There is no model {model}.")


def talk_for(n: int, form: str = "pair", seed: int = 0) -> Participation:
    rng = np.random.default_rng(seed)
    utilities = rng.standard_normal(len(FLATS))
    talk = Talk.from_start(Start.from_items(FLATS), 1)
    for k in range(n):
        items, _ = FORMS[form].choose(talk)
        answer = simulated_answer(form, items, utilities, rng)
        talk = talk.after(AnsweredQuestion(str(k), form, items, answer))
    return Participation(len(FLATS), answered=talk.answers)


@pytest.mark.parametrize("form", ["pair", "best-worst", "ranking", "rating"])
def test_carried_on_or_rebuilt_it_is_the_same_belief(form: str) -> None:
    full = talk_for(6, form)
    kept, fresh = Memory(FLATS, nothing), Memory(FLATS, nothing)
    for n in (1, 4, 6, 2, 6):  # 2: answers were taken back
        part = Participation(12, answered=full.answered[:n])
        carried = kept.talk("p", part)
    rebuilt = fresh.talk("p", full)
    assert np.array_equal(carried.posterior.mean, rebuilt.posterior.mean)
    assert np.array_equal(
        carried.belief.draws.utilities, rebuilt.belief.draws.utilities
    )
    assert FORMS[form].choose(carried) == FORMS[form].choose(rebuilt)
    assert carried.evidence_rows == rebuilt.evidence_rows


def test_people_differ_in_questions_that_are_equally_good() -> None:
    memory = Memory(FLATS, nothing)
    now = Participation(12)
    pairs = {FORMS["pair"].choose(memory.talk(f"p{k}", now))[0] for k in range(20)}
    assert len(pairs) > 1
    again = FORMS["pair"].choose(memory.talk("p3", now))
    assert again == FORMS["pair"].choose(Memory(FLATS, nothing).talk("p3", now))


def test_a_model_that_is_gone_or_foreign_is_named_and_not_used(
    caplog: pytest.LogCaptureFixture,
) -> None:
    other = PopulationGP().fit(FLATS.take([0, 1, 2]), Comparisons([], []))
    for load in (nothing, lambda _: (other, FLATS)):
        memory = Memory(FLATS, load)
        now = Participation(12, model="m1")
        found = memory.talk("p", now)
        assert found.start.space.posterior is None
    assert len([r for r in caplog.records if "m1" in r.getMessage()]) == 2


def test_a_reason_amends_the_last_answer_as_if_it_had_come_with_it() -> None:
    told = talk_for(4)
    last = told.answered[-1]
    memory = Memory(FLATS, nothing)
    plain = memory.talk("p", told)
    offered = Reason.offered(memory.space, last.choice)
    named = replace(last, because=offered[0])
    amended = replace(told, answered=(*told.answered[:-1], named))
    found = memory.talk("p", amended)
    rebuilt = Memory(FLATS, nothing).talk("p", amended)
    assert np.array_equal(found.belief.mean, rebuilt.belief.mean)
    assert not np.array_equal(found.belief.mean, plain.belief.mean)
    assert found.belief.answers[-1].kind == "reason"
    rows = found.evidence_rows
    assert rows[-1] == [3, 4]  # the comparison and why


def test_a_reason_that_cannot_be_is_no_evidence() -> None:
    told = talk_for(1)
    odd = replace(told.answered[0], because="poem")
    memory = Memory(FLATS, nothing)
    found = memory.talk("p", replace(told, answered=(odd,)))
    assert np.array_equal(found.belief.mean, memory.talk("p", told).belief.mean)


def test_learned_population_is_what_people_may_be_like() -> None:
    flats = load_flats()
    people = make_flats_population(40, random_state=1)
    population = PopulationGP().fit(flats, people.comparisons)
    start = Start.from_items(flats, population)
    mean = population.for_user().mean
    assert np.corrcoef(start.posterior.mean, mean)[0, 1] > 0.8
    assert 0.2 < start.posterior.like_others < 0.8


def test_before_anybody_has_answered_good_things_are_believed_to_be_good() -> None:
    start = Start.from_items(FLATS)
    directed = [a.direction != "unknown" for a in FLATS.attributes]
    good = FLATS.encode()[:, directed].sum(axis=1)
    assert np.corrcoef(start.posterior.mean, good)[0, 1] > 0.9
    unknown = [
        Attribute(a.name, a.kind, "unknown", a.domain, a.unit) for a in FLATS.attributes
    ]
    neutral = Start.from_items(Items(FLATS.frame, tuple(unknown), FLATS.names))
    assert np.allclose(neutral.posterior.mean, 0.0)


def test_gaps_single_items_and_constant_columns_are_no_obstacle() -> None:
    gaps = Items.from_frame(pd.DataFrame({"a": [1.0, None, 3.0], "b": [2.0, 1.0, 0.0]}))
    assert not complete(gaps).missing()
    assert FORMS["pair"].choose(Talk.from_start(Start.from_items(gaps), 0)) is not None
    one = Items.from_frame(pd.DataFrame({"a": [1.0], "b": [2.0]}, index=["only"]))
    talk = Talk.from_start(Start.from_items(one), 0)
    assert all(form.choose(talk) is None for form in FORMS.values())
    assert (talk.favourite, talk.recommendation.expected_regret) == (0, 0.0)
    assert talk.recommendation.probability_best == pytest.approx(1.0)
    same = Items.from_frame(pd.DataFrame({"a": [1.0, 1.0]}, index=["x", "y"]))
    assert FORMS["pair"].choose(Talk.from_start(Start.from_items(same), 0)) is not None


def certainty_by_hand(duels: list[tuple[int, int]], favourite: int) -> float:
    """Weigh people from the prior by the likelihood of slips; no propagation."""
    start, total, near = Start.from_items(FLATS), 0.0, 0.0
    for seed in range(30):
        drawn = PersonBelief.begin(start.space, seed).draws
        weights = drawn.weights.copy()
        for winner, loser in duels:
            d = drawn.utilities[:, winner] - drawn.utilities[:, loser]
            chance = ndtr((d - drawn.width) / drawn.noise)
            weights *= drawn.lapse + (1.0 - 2.0 * drawn.lapse) * chance
        known = Talk.from_start(start, 0).contenders
        gaps = drawn.utilities[:, known].max(axis=1) - drawn.utilities[:, favourite]
        near += float(weights @ (gaps <= np.maximum(0.1, drawn.width)))
        total += float(weights.sum())
    return near / total


def test_certainty_knows_that_answers_may_be_slips() -> None:
    # Once the certainty was that of people who never slip.
    talk = Talk.from_start(Start.from_items(FLATS), 1)
    best = talk.favourite
    others = [item for item in talk.contenders.tolist() if item != best][:5]
    duels = [(best, other) for other in others] * 2 + [(others[0], best)]
    for k, duel in enumerate(duels):
        talk = talk.after(AnsweredQuestion(str(k), "pair", duel, "left"))
    assert talk.favourite == best
    by_hand = certainty_by_hand(duels, best)
    assert talk.recommendation.probability_best == pytest.approx(by_hand, abs=0.08)


def test_what_is_kept_of_conversations_has_a_bound(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Draws take megabytes; of all but the last few, only what goes on is kept."""
    monkeypatch.setattr(_talk, "_WHOLE", LRUCache(2))
    monkeypatch.setattr(_talk, "_TALKS", LRUCache(4))
    memory, now = Memory(FLATS, nothing), talk_for(3)
    for who in "abcdef":
        assert memory.talk(who, now).belief.draws is not None
    assert list(_talk._WHOLE._values) == ["e", "f"]
    assert list(_talk._TALKS._values) == ["c", "d", "e", "f"]
    kept = [talk.belief for talk in _talk._TALKS._values.values()]
    assert not any("draws" in vars(belief) for belief in kept)
    assert "draws" in vars(_talk._WHOLE._values["f"].belief)
    # Who is kept without, or not at all, goes on as if nothing had happened.
    means = [memory.talk(who, now).posterior.mean for who in "ca"]
    monkeypatch.setattr(_talk, "_WHOLE", LRUCache(1))
    monkeypatch.setattr(_talk, "_TALKS", LRUCache(1))
    again = [memory.talk(who, now).posterior.mean for who in "ca"]
    assert np.array_equal(means, again)


def test_beginnings_of_a_study_have_a_bound() -> None:
    memory = Memory(FLATS, nothing)
    for number in range(_talk._MOST_STARTS + 3):
        memory.start(f"{number:032x}")  # there is no such model, so from nothing
    assert len(memory._starts._values) == _talk._MOST_STARTS


@pytest.mark.parametrize("form", ["pair", "best-worst", "ranking", "rating"])
@pytest.mark.parametrize("size", [1, 3, 7])
def test_only_what_is_allowed_is_asked_foretold_and_ranked(
    form: str, size: int
) -> None:
    some = np.sort(np.random.default_rng(size).choice(12, size, replace=False))
    settings = StudySettings(question=form, check_every=2, end_checks=True)
    likes = np.random.default_rng(8).standard_normal(12)
    now, memory = talk_for(3, form), Memory(FLATS, nothing)
    for k in range(10):
        talk = memory.talk("p", now).among(some)
        found = FORMS[form].choose(talk)
        if found is None:
            break
        shown = set(found[0])
        for check in (choose_check, end_check):
            foretold = check(now, talk, settings)
            shown |= set() if foretold is None else set(foretold[0])
        assert shown <= set(some.tolist())
        answer = simulated_answer(form, found[0], likes, np.random.default_rng(k))
        told = AnsweredQuestion(f"new {k}", form, found[0], answer)
        now = replace(now, answered=(*now.answered, told))
    assert (len(now.answered) == 3) == (size == 1)
    ranked = results.ranking(talk, FLATS.names)
    assert sorted(each.item for each in ranked) == some.tolist()
    assert talk.favourite == ranked[0].item
    assert sum(each.probability_best > 0 for each in ranked) >= 1


def test_what_is_allowed_may_change_and_answers_stay() -> None:
    full, memory = talk_for(6), Memory(FLATS, nothing)
    free = memory.talk("p", full)
    some = np.array([0, 3, 4, 8])
    limited = memory.talk("p", full).among(some)
    assert limited.belief is free.belief
    assert limited.favourite in some
    assert limited.among(some[::-1]) is limited
    again = memory.talk("p", full)
    assert again.favourite == free.favourite
    assert FORMS["pair"].choose(again) == FORMS["pair"].choose(free)
