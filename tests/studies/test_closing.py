"""When a study takes new people: by hand, by its date, by its quota."""

from datetime import UTC, datetime
from typing import Any

import pytest

from penchant.datasets import load_flats
from penchant.exceptions import DataError, NotAnswerableError, StudyNotFoundError
from penchant.studies import (
    SqlStore,
    Study,
    StudySettings,
    export_person,
    export_study,
    import_study,
    person_answers_csv,
)

FLATS = load_flats().take(range(6))
PAST, FUTURE = "2020-01-01T00:00Z", "2120-01-01T00:00Z"


def make(store: SqlStore, **settings: Any) -> Study:
    chosen = StudySettings(max_questions=2, **settings)
    return Study(store, store.create_study("F", FLATS, settings=chosen))


def change(study: Study, **settings: Any) -> None:
    values = study.settings.to_dict() | settings
    study.store.update_study(study.id, settings=StudySettings.from_dict(values))
    study.reload()


def finish(study: Study, who: str) -> None:
    while (question := study.ask(who)) is not None:
        study.tell(who, question.id, "left")


@pytest.mark.parametrize(
    ("typed", "kept"),
    [
        ("", ""),
        ("2026-12-01", "2026-12-01T23:59Z"),
        (" 2026-12-01T18:00 ", "2026-12-01T18:00Z"),
        ("2026-12-01 18:00:59+02:00", "2026-12-01T16:00Z"),
        ("2026-12-01T18:00Z", "2026-12-01T18:00Z"),
    ],
)
def test_moments_are_kept_in_utc(typed: str, kept: str) -> None:
    settings = StudySettings(closes=typed)
    assert settings.closes == kept
    assert StudySettings.from_dict(settings.to_dict()) == settings


@pytest.mark.parametrize("wrong", ["soon", "2026-13-01", "0001-01-01T00:00+10:00", 5])
def test_what_is_no_moment_is_refused(wrong: Any) -> None:
    with pytest.raises(DataError, match="must be a day or a day and a time"):
        StudySettings(closes=wrong)


@pytest.mark.parametrize("wrong", [-1, True, 1.5, 10**7])
def test_quota_is_a_whole_number(wrong: Any) -> None:
    with pytest.raises(DataError, match="people who are to finish"):
        StudySettings(quota=wrong)


def test_after_the_date_nobody_new_joins_and_those_in_the_middle_finish(
    store: SqlStore,
) -> None:
    study = make(store, closes=FUTURE)
    assert study.taking().open
    assert study.taking().closes == datetime(2120, 1, 1, tzinfo=UTC)
    middle, invited = study.join("m")[0].id, study.join("i")[0].id
    study.ask(middle)
    change(study, closes=PAST)
    assert study.taking().state == "over"
    with pytest.raises(NotAnswerableError, match="since 2020-01-01"):
        study.join("late")
    with pytest.raises(NotAnswerableError, match="since 2020-01-01"):
        study.ask(invited)
    finish(study, middle)
    assert study.participation(middle).state == "finished"
    assert study.undo(middle).answered
    finish(study, middle)
    assert study.group().n_voices == 1  # results stay
    change(study, closes="")
    assert study.ask(invited) is not None


def test_closing_by_hand_leaves_links_that_were_given(store: SqlStore) -> None:
    study = make(store)
    invited = study.join("i")[0].id
    change(study, open=False)
    assert study.taking().state == "closed"
    with pytest.raises(NotAnswerableError, match="no new participants"):
        study.join()
    assert study.ask(invited) is not None


def test_a_quota_counts_real_people_who_finished_and_count(store: SqlStore) -> None:
    study = make(store, quota=1)
    robot, first, middle = (
        study.join(name, simulated=name == "robot")[0].id
        for name in ("robot", "first", "middle")
    )
    finish(study, robot)
    study.ask(middle)
    assert study.taking().open
    finish(study, first)
    taking = study.taking()
    assert (taking.state, taking.n_finished, taking.quota) == ("full", 1, 1)
    with pytest.raises(NotAnswerableError, match="full: 1 people"):
        study.join()
    finish(study, middle)
    study.weigh(first, 0)
    study.weigh(middle, 0)
    assert study.taking().open


def test_owner_sees_results_of_those_who_agreed_to_that(store: SqlStore) -> None:
    study = make(store)
    early = study.join("early")[0].id
    study.ask(early)
    change(study, owner_sees=True)
    now = study.participation(early)
    assert not now.needs_consent(study.settings)  # begun: not asked any more
    later = study.join("later")[0].id
    with pytest.raises(NotAnswerableError, match="has not agreed"):
        study.ask(later)
    study.consent(later)
    assert study.ask(later) is not None
    assert study.participation(later).shows_result
    assert not study.participation(early).shows_result
    change(study, owner_sees=False, consent="Yes?")
    other = study.join("other")[0].id
    study.consent(other)
    assert not study.participation(other).shows_result


def test_one_person_as_plain_values_and_as_a_table(store: SqlStore) -> None:
    study = make(store)
    person, token = study.join("=Ada")
    study.join("Bob")
    finish(study, person.id)
    study.weigh(person.id, 2)
    values = export_person(store, person.id)
    assert values["format"] == "penchant-participant-1"
    assert (values["label"], values["weight"], values["state"]) == (
        "=Ada",
        2,
        "finished",
    )
    assert [told["answer"] for told in values["answers"]] == ["left"] * 2
    assert set(values["answers"][0]["items"]) <= set(FLATS.names)
    assert values["events"][-1]["body"] == {"weight": 2.0}
    assert values["seconds"] >= 0
    assert token not in str(values)
    table = person_answers_csv(store, person.id)
    assert table.count("\n") == 3
    assert "Bob" not in table
    assert ",=Ada" not in table  # no formula


def test_a_shared_link_opens_one_study_until_it_is_withdrawn(store: SqlStore) -> None:
    study, other = make(store), make(store)
    token = store.share_study(study.id)
    assert store.find_shared(token).id == study.id
    assert store.get_study(study.id).share
    assert token not in str(export_study(store, study.id))
    assert "share" not in export_study(store, study.id)
    copy = import_study(store, export_study(store, study.id))
    assert store.get_study(copy).share == ""
    renewed = store.share_study(study.id)
    assert store.find_shared(renewed).id == study.id
    store.share_study(other.id)
    store.unshare_study(study.id)
    store.unshare_study(study.id)
    for gone in (token, renewed, "", "\0", study.id):
        with pytest.raises(StudyNotFoundError):
            store.find_shared(gone)
    for call in (store.share_study, store.unshare_study):
        with pytest.raises(StudyNotFoundError):
            call("nothing")
