"""Results over a store: reasons, support, the group and its models."""

from pathlib import Path

import numpy as np
import pytest

from penchant.data import Items
from penchant.datasets import load_flats, make_flats_population
from penchant.exceptions import DataError, NotAnswerableError
from penchant.studies import (
    SqlStore,
    Study,
    StudySettings,
    load_texts,
    simulated_answer,
    store_url,
)
from penchant.studies.operations._demo import _logs

FLATS = load_flats()
SIZES = FLATS.frame["size"].to_list()


@pytest.fixture
def study(store: SqlStore) -> Study:
    return Study(store, store.create_study("Flats", FLATS))


@pytest.fixture
def who(study: Study) -> str:
    rng = np.random.default_rng(0)
    utilities = make_flats_population(4, random_state=5).utilities[3]
    person = study.join()[0].id
    for _ in range(8):
        question = study.ask(person)
        told = simulated_answer(question.form, question.items, utilities, rng)
        study.tell(person, question.id, told)
    return person


def test_reasons_add_up_to_the_points(study: Study, who: str) -> None:
    ranked = {each.item: each for each in study.ranking(who)}
    best, second = (each.item for each in study.recommend(who, 2))
    assert [best, second] == list(ranked)[:2]
    why = study.explain(who)
    assert why.total == pytest.approx(ranked[best].points)
    assert why.base + why.points.sum() + why.rest == pytest.approx(why.total)
    assert study.explain(who, second).total == pytest.approx(ranked[second].points)
    versus = study.contrast(who, best, second)
    difference = ranked[best].points - ranked[second].points
    assert versus.points.sum() + versus.rest == pytest.approx(difference)
    assert versus.low.shape == (8,)
    turned = study.contrast(who, second, best)
    assert turned.points == pytest.approx(-versus.points)
    assert turned.chance == pytest.approx(1.0 - versus.chance)


def test_a_page_is_of_one_moment_while_an_answer_comes(study: Study, who: str) -> None:
    opened = study.store.get_participant(who)
    before, best = study.ranking(opened), study.explain(opened).total
    for _ in range(3):
        question = study.ask(who)
        study.tell(who, question.id, "right")
    assert study.ranking(opened) == before
    assert study.explain(opened).total == best == before[0].points
    assert study.ranking(who) != before


def test_a_tap_moves_the_main_reason(study: Study) -> None:
    likes = make_flats_population(4, random_state=5).utilities[3]
    chances = []
    for tapped in (False, True):
        rng, person = np.random.default_rng(0), study.join()[0].id
        for _ in range(6):
            question = study.ask(person)
            told = simulated_answer(question.form, question.items, likes, rng)
            now = study.tell(person, question.id, told)
            better, worse = (SIZES[item] for item in now.answered[-1].choice)
            if tapped and better > worse:
                study.because(person, question.id, "size")
        size = next(c for c in study.curves(person) if c.attribute == "size")
        chances.append(size.share)
    assert chances[1] > chances[0]
    assert "size" in study.main_reason(person).attributes


def test_what_was_rejected_is_not_recommended_above_what_was_accepted(
    store: SqlStore,
) -> None:
    settings = StudySettings(max_regret=0.0, check_every=0)
    study = Study(store, store.create_study("Flats", FLATS, settings=settings))
    person, rejected, chosen = study.join()[0].id, set(), set()
    for k in range(8):
        question = study.ask(person)
        assert not (rejected - chosen) & set(question.items)  # nor asked again
        study.tell(person, question.id, "left" if k % 2 else "neither")
        if k % 2:
            chosen.add(question.items[0])
        else:
            rejected |= set(question.items)
    places = {each.item: each.place for each in study.ranking(person)}
    assert max(places[i] for i in chosen) < min(places[i] for i in rejected - chosen)
    assert study.unsettled(person) == tuple(sorted(rejected & chosen))


def test_curves_are_those_of_the_belief(study: Study, who: str) -> None:
    assert [curve.attribute for curve in study.curves(who)] == list(FLATS.frame.columns)


def test_flip_says_what_would_reverse_it(study: Study, who: str) -> None:
    best, second = (each.item for each in study.ranking(who)[:2])
    found = study.flip(who, best, second)
    assert found.is_better
    change = found.one
    assert change is not None
    imagined = study.what_if(who, {change.attribute: change.after}, base=best)
    rival = next(each for each in study.ranking(who) if each.item == second)
    assert imagined.points <= rival.points + 0.1


def test_support_is_what_happens_without_an_answer(study: Study, who: str) -> None:
    found = study.support(who)
    assert sorted(each.position for each in found) == list(range(8))
    effects = [each.effect for each in found]
    assert effects == sorted(effects, reverse=True)
    talk = study._talk(who)
    last = next(each for each in found if each.position == 7)
    without = talk.posterior.without(len(talk.posterior.answers) - 1)
    lead = without.mean[talk.favourite] - np.delete(without.mean, talk.favourite).max()
    assert last.lead == pytest.approx(100.0 / talk.belief.scale[1] * float(lead))
    assert last.answer == study.participation(who).answered[7]


@pytest.mark.parametrize("form", ["rating", "best-worst", "ranking"])
def test_support_of_other_forms_leaves_no_trace_of_an_answer(
    store: SqlStore, form: str
) -> None:
    settings = StudySettings(question=form, max_regret=0.0, check_every=0)
    study = Study(store, store.create_study("Flats", FLATS, settings=settings))
    utilities = make_flats_population(4, random_state=5).utilities[2]
    rng, person = np.random.default_rng(0), study.join()[0].id
    for k in range(5):
        question = study.ask(person)
        told = simulated_answer(question.form, question.items, utilities, rng)
        study.tell(person, question.id, "skip" if k == 2 else told)
    found = {each.position: each for each in study.support(person)}
    assert found[2].effect == 0.0
    talk = study._talk(person)
    belief = talk.belief
    for row in reversed(talk.evidence_rows[0]):
        belief = belief.without(row)
    shown = set(talk.answers[0].items)
    left = {item for answer in belief.answers for item in answer.items}
    later = {item for told in talk.answers[1:] for item in told.items}
    assert not left & (shown - later)
    lead = belief.mean[talk.favourite] - np.delete(belief.mean, talk.favourite).max()
    scale = 100.0 / talk.belief.scale[1]
    assert found[0].lead == pytest.approx(scale * float(lead))


def test_contradictions_are_found(study: Study) -> None:
    person = study.join()[0].id
    assert study.contradictions(person) == []
    for k, items in enumerate([[0, 1], [1, 2], [2, 0]]):
        asked = {"question": str(k), "form": "pair", "items": items, "repeat": False}
        told = {"question": str(k), "answer": "left"}
        position = study.participation(person).n_events
        study.store.append(person, position, [("asked", asked), ("answered", told)])
    (found,) = study.contradictions(person)
    assert found.items == (0, 1, 2)
    assert found.answers == study.participation(person).answered


def test_items_that_do_not_exist_are_refused(study: Study, who: str) -> None:
    for call in (
        lambda: study.explain(who, 40),
        lambda: study.contrast(who, 0, -1),
        lambda: study.support(who, 99),
        lambda: study.what_if(who, {}, base=40),
    ):
        with pytest.raises(DataError, match="0 to 39"):
            call()


def test_tables_with_gaps(store: SqlStore, items: Items) -> None:
    study = Study(store, store.create_study("Gaps", items))
    person = study.join()[0].id
    question = study.ask(person)
    study.tell(person, question.id, "left")
    assert len(study.ranking(person)) == 3
    assert study.explain(person).points.shape == (2,)
    assert study.what_if(person, {"rent": 450}).values["rent"] == 450


def test_group_of_nobody(study: Study) -> None:
    found = study.group()
    assert (found.members, found.items, found.segments) == ((), (), ())
    study.join("new")
    (member,) = study.group().members
    assert (member.state, member.favourite, member.counts) == ("new", None, False)
    with pytest.raises(NotAnswerableError, match="too few answers"):
        study.group_models()


def test_group_of_simulated_and_real_people(study: Study) -> None:
    people = make_flats_population(10, n_comparisons=12, random_state=3)
    for label, events in _logs(people, load_texts("en")).items():
        study.store.add_participant(
            study.id, label=label, simulated=True, events=events
        )
    real = study.join("Ada")[0].id
    study.tell(real, study.ask(real).id, "left")
    found = study.group()
    assert study.group() is found
    assert (found.n_voices, found.n_simulated) == (11, 10)
    assert [m.label for m in found.members if not m.simulated] == ["Ada"]
    assert len(found.items) == 40
    assert found.items[0].mean == max(item.mean for item in found.in_front)
    together = [who for segment in found.segments for who in segment.members]
    assert len(set(together)) == len(together) == 11 - found.n_between
    for segment in found.segments:
        assert sum(segment.weights.values()) == pytest.approx(1.0)
        assert segment.best == segment.ranking[0]
        assert len(segment.curves) == 8
    study.tell(real, study.ask(real).id, "right")
    again = study.group()
    assert again is not found
    assert again.members[0] is found.members[0]
    assert again.members[-1].n_answers == 2


@pytest.mark.slow
def test_group_models_can_be_read(study: Study) -> None:
    people = make_flats_population(20, n_comparisons=15, random_state=3)
    for label, events in _logs(people, load_texts("en")).items():
        study.store.add_participant(
            study.id, label=label, simulated=True, events=events
        )
    models = study.group_models()
    assert study.group_models() is models
    assert models.n_comparisons == 300
    assert 0 < len(models.rules.rules_) <= 12
    assert models.gai.factors_
    order = models.gai.utility(FLATS)
    mean = people.utilities.mean(axis=0)
    assert np.corrcoef(order, mean)[0, 1] > 0.5


def test_the_group_is_kept_until_something_is_new_and_the_same_in_other_processes(
    study: Study, who: str, tmp_path: Path
) -> None:
    people = make_flats_population(8, random_state=1)
    for label, events in _logs(people, load_texts("en")).items():
        study.store.add_participant(study.id, label=label, events=events)
    found = study.group()
    assert study.group() is found
    with SqlStore(store_url(tmp_path)) as other:  # as another process opens it
        again = Study(other, study.id).group()
    assert again.items == found.items
    assert (again.kinds, again.differ) == (found.kinds, found.differ)
    assert [part.members for part in again.segments] == [
        part.members for part in found.segments
    ]
    question = study.ask(who)
    study.tell(who, question.id, "tie")
    assert study.group() is not found
