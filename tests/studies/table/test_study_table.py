"""A table that changes while people answer: nothing is lost, everybody goes on."""

import sqlite3
from contextlib import closing
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from penchant.data import Items
from penchant.datasets import load_flats, make_flats_population
from penchant.exceptions import ConflictError, DataError, FormatError
from penchant.gp import PopulationGP
from penchant.studies import (
    SqlStore,
    Start,
    Study,
    StudySettings,
    backup,
    check_store,
    duplicate_study,
    export_study,
    import_study,
    restore,
    simulated_answer,
    store_url,
)
from penchant.studies.table import _revision as revision
from penchant.studies.table._earlier_model import in_terms_of

FLATS = load_flats()


@pytest.fixture
def study(store: SqlStore) -> Study:
    settings = StudySettings(max_questions=6, check_every=0, end_checks=False)
    few = FLATS.take(range(12))
    return Study(
        store,
        store.create_study("Flats", few, settings=settings),
        background=False,
    )


def answer(study: Study, who: str, n: int, seed: int = 0) -> None:
    """Let somebody answer some questions."""
    rng = np.random.default_rng(seed)
    worth = np.random.default_rng(7).normal(size=60)
    for _ in range(n):
        question = study.ask(who)
        assert question is not None
        said = simulated_answer(question.form, question.items, worth, rng)
        study.tell(who, question.id, said)


def test_the_open_question_is_replaced_when_what_it_shows_is_withdrawn(
    study: Study,
) -> None:
    person, _ = study.join()
    answer(study, person.id, 2)
    question = study.ask(person.id)
    assert question is not None
    gone = study.items.names[question.items[0]]
    other = Study(study.store, study.id)  # the owner, elsewhere
    other.table.withdraw(gone, note="sold")
    following = study.ask(person.id)
    assert following is not None
    assert following.id != question.id
    assert question.items[0] not in following.items
    now = study.participation(person.id)
    assert (now.dropped, len(now.answered), now.version) == ((question.id,), 2, 2)
    # An answer to the old page is no error, and changes nothing.
    after = study.tell(person.id, question.id, "left")
    assert after.open_question == now.open_question
    assert gone not in [each.name for each in study.ranking(person.id)]
    answer(study, person.id, 4)
    shown = [told.items for told in study.participation(person.id).answered[2:]]
    assert not any(question.items[0] in items for items in shown)
    assert check_store(study.store).ok


def test_an_answer_that_comes_before_the_question_is_replaced_counts(
    study: Study,
) -> None:
    person, _ = study.join()
    question = study.ask(person.id)
    assert question is not None
    study.table.withdraw(study.items.names[question.items[1]])
    now = study.tell(person.id, question.id, "left")
    assert len(now.answered) == 1
    assert check_store(study.store).ok


def test_every_process_follows_the_newest_table(study: Study) -> None:
    person, _ = study.join()
    answer(study, person.id, 3)
    before = study.ranking(person.id)
    kept = study.participation(person.id).answered
    last = study.items.names[-1]
    study.table.add("New Street 1", {"price": 300, "size": 90, "commute": 5})
    study.table.correct(last, {"price": 999})
    fresh = Study(study.store, study.id)
    assert fresh.record.version == 3
    ranking = fresh.ranking(person.id)
    assert len(ranking) == len(before) + 1
    study.reload()
    assert study.ranking(person.id) == ranking
    assert study.participation(person.id).answered == kept
    answer(study, person.id, 3)
    assert len(study.participation(person.id).answered) == 6


def test_the_group_leaves_out_what_is_withdrawn(study: Study) -> None:
    people = [study.join()[0].id for _ in range(4)]
    for who in people:
        answer(study, who, 5)
    first = study.group().items[0].name
    study.table.withdraw(first)
    study.reload()
    group = study.group()
    assert first not in [item.name for item in group.items]
    assert sorted(item.item for item in group.items) == [
        place for place, name in enumerate(study.items.names) if name != first
    ]
    assert {item.name for item in group.items} < set(study.items.names)
    study.table.restore(first)
    study.reload()
    assert study.group().items[0].name == first


def test_who_finished_is_told_what_changed_since(study: Study) -> None:
    person, _ = study.join()
    answer(study, person.id, 2)
    study.finish(person.id)
    assert study.news(person.id) == ()
    study.table.correct(study.items.names[0], {"price": 777})
    study.reload()
    assert [change.kind for change in study.news(person.id)] == ["value"]
    study.go_on(person.id)  # asked about the new table, nothing is news any more
    assert study.news(person.id) == ()
    study.finish(person.id)
    study.table.set_column("price", direction="up")
    study.reload()
    assert [change.kind for change in study.news(person.id)] == ["direction"]


def test_nothing_and_what_is_too_late_are_refused(study: Study) -> None:
    with pytest.raises(DataError, match="Nothing is different"):
        study.table.withdraw()
    plan = revision.withdrawn(study.table.current, [study.items.names[0]])
    study.table.withdraw(study.items.names[1])
    with pytest.raises(ConflictError, match="changed meanwhile"):
        study.table.keep(plan)
    with pytest.raises(DataError, match="versions 1 to 2"):
        study.table.changes(3)
    assert [each.number for each in study.table.versions()] == [1, 2]


def test_all_versions_come_along(study: Study, tmp_path: Path) -> None:
    person, _ = study.join("Ann")
    answer(study, person.id, 3)
    study.table.correct(study.items.names[0], {"price": 777}, note="typing error")
    study.table.withdraw(study.items.names[3])
    answer(study, person.id, 2)
    versions = study.table.versions()
    copied = import_study(study.store, export_study(study.store, study.id))
    assert Study(study.store, copied).table.versions() == versions
    assert check_store(study.store).ok
    backup(study.store, tmp_path / "saved")
    with SqlStore(store_url(tmp_path / "elsewhere")) as other:
        restore(other, tmp_path / "saved")
        assert Study(other, study.id).table.versions() == versions
        assert check_store(other).ok


@pytest.mark.parametrize(
    "damage",
    [
        "UPDATE versions SET body = replace(body, '777', '778') WHERE number = 2",
        "UPDATE versions SET body = replace(body, '[3]', '[4]') WHERE number = 3",
        "UPDATE versions SET note = 'other' WHERE number = 2",
        "DELETE FROM versions WHERE number = 2",
        "DELETE FROM versions WHERE number = 3",
        "UPDATE studies SET version = 2",
    ],
)
def test_a_table_that_was_changed_from_outside_is_found(
    study: Study, tmp_path: Path, damage: str
) -> None:
    person, _ = study.join()
    study.table.correct(study.items.names[0], {"price": 777})
    study.table.withdraw(study.items.names[3])
    answer(study, person.id, 1)
    assert check_store(study.store).ok
    (path,) = tmp_path.glob("*.sqlite")
    with closing(sqlite3.connect(path)) as connection, connection:
        connection.execute(damage)
    assert not check_store(study.store).ok


def test_a_damaged_history_is_refused(study: Study) -> None:
    study.table.withdraw(study.items.names[3])
    values = export_study(study.store, study.id)
    short = study.items.take(range(6)).to_dict()
    for entry in (
        {"withdrawn": [99]},
        {"withdrawn": [3, 3]},
        {"withdrawn": ["x"]},
        {"at": "noon"},
    ):
        last = values["versions"][1] | entry
        with pytest.raises(FormatError, match="damaged"):
            import_study(
                study.store, values | {"versions": [values["versions"][0], last]}
            )
    with pytest.raises(FormatError, match="lacks alternatives"):
        import_study(study.store, values | {"items": short})


def test_earlier_people_tell_of_what_is_new() -> None:
    """What they say of new flats is near to what they say when these are known."""
    flats, n_old = FLATS, 32
    people = make_flats_population(60, random_state=1)
    told = people.comparisons
    whole = PopulationGP().fit(flats, told)
    keep = (told.winners < n_old) & (told.losers < n_old)
    part = PopulationGP().fit(flats.take(range(n_old)), told.take(keep))
    start = Start.from_items(flats, part, flats.take(range(n_old)))
    known = Start.from_items(flats, whole)
    new = slice(n_old, None)
    guessed, learned = (each.posterior.mean[new] for each in (start, known))
    assert np.corrcoef(guessed, learned)[0, 1] > 0.6
    old = slice(0, n_old)
    same = Start.from_items(flats.take(range(n_old)), part)
    assert np.corrcoef(start.posterior.mean[old], same.posterior.mean)[0, 1] > 0.99


def test_places_are_kept_where_rows_are_alike() -> None:
    """Two rows with the same values are two alternatives, also to an old model."""
    twins = FLATS.take([0, 1, 2])
    frame = twins.frame.copy()
    frame.iloc[1] = frame.iloc[0]
    old = Items(frame, twins.attributes, twins.names)
    rows, places = in_terms_of(old, old)
    assert places.tolist() == [0, 1, 2]
    assert rows.encode().tolist() == old.encode().tolist()


def test_a_changed_study_ranks_as_a_new_one_with_the_same_answers(
    study: Study,
) -> None:
    """A fifth of the flats arrives, one goes, a direction is corrected: all counts."""
    final = FLATS.take(range(15))
    study.table.set_column("commute", direction="up")  # the wrong way round
    people = [study.join(simulated=True)[0].id for _ in range(4)]
    for seed, who in enumerate(people):
        answer(study, who, 6 if seed < 2 else 3, seed)  # two are in the middle
    study.table.replace(final)
    study.table.withdraw(final.names[4])
    for seed, who in enumerate(people[2:], start=2):
        answer(study, who, 3, seed)
    asked = [study.participation(who) for who in people]
    assert [len(now.answered) for now in asked] == [6, 6, 6, 6]
    assert all(now.finished for now in asked)
    assert not any(now.ignored for now in asked)
    assert check_store(study.store).ok
    fresh = Study(study.store, study.store.create_study("Flats", final))
    fresh.table.withdraw(final.names[4])
    for who in people:
        log = [
            (each.kind, {**each.body, "version": 1}) for each in study.store.events(who)
        ]
        study.store.add_participant(fresh.id, simulated=True, events=log)
    study.reload()
    fresh.reload()
    assert [(each.name, each.mean) for each in study.group().items] == [
        (each.name, each.mean) for each in fresh.group().items
    ]


def test_copies_begin_anew_or_take_everybody_along(study: Study) -> None:
    person, _ = study.join("Ann")
    answer(study, person.id, 2)
    study.table.withdraw(study.items.names[0], note="sold")
    whole = Study(
        study.store, duplicate_study(study.store, study.id, participants=True)
    )
    (copied,) = study.store.list_participants(whole.id)
    assert len(whole.participation(copied.id).answered) == 2
    assert [each.note for each in whole.table.versions()] == ["", "sold"]
    empty = Study(study.store, duplicate_study(study.store, study.id, name="Again"))
    assert study.store.list_participants(empty.id) == []
    assert (empty.record.name, empty.record.version) == ("Again", 1)
    assert empty.record.withdrawn == (0,)
    assert empty.items == study.items
    assert check_store(study.store).ok


def test_a_list_without_attributes_can_grow(store: SqlStore) -> None:
    plain = Items(pd.DataFrame(index=range(4)), (), ("a", "b", "c", "d"))
    study = Study(store, store.create_study("List", plain), background=False)
    who = study.join(simulated=True)[0].id
    answer(study, who, 3)
    study.table.add("e", {})
    answer(study, who, 2)
    assert len(study.ranking(who)) == 5
