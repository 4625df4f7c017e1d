from typing import Any

import pytest

from penchant.data import Items
from penchant.exceptions import StudyNotFoundError
from penchant.studies import SqlStore, StudyDump, check_store

QUESTION = "0123456789abcdef"
ASKED = {"question": QUESTION, "form": "pair", "items": [0, 2], "repeat": False}
TOLD = {"question": QUESTION, "answer": "left"}
LOG: list[tuple[str, dict[str, Any]]] = [
    ("joined", {"language": "en", "model": None}),
    ("asked", ASKED),
    ("answered", TOLD),
]


def test_sound_store_has_no_problems(any_store: SqlStore, items: Items) -> None:
    study_id = any_store.create_study("Flats", items)
    model = any_store.add_model(study_id, b"m", 0)
    any_store.add_participant(study_id, events=LOG)
    any_store.add_participant(
        study_id,
        events=[
            ("joined", {"language": "fr", "model": model}),
            *LOG[1:],
            ("undone", {"question": QUESTION}),
            ("finished", {"reason": "person"}),
        ],
    )
    report = check_store(any_store)
    assert report.ok
    assert (report.n_studies, report.n_participants) == (1, 2)
    assert (report.n_events, report.n_answers) == (8, 1)
    assert report.to_dict()["problems"] == []


@pytest.mark.parametrize(
    ("event", "kind"),
    [
        (("answered", TOLD), "answered"),
        (("answered", {"question": "f" * 16, "answer": "left"}), "answered"),
        (("asked", {**ASKED, "question": "f" * 16, "items": [0, 3]}), "asked"),
        (("undone", {"question": "f" * 16}), "undone"),
        (("danced", {}), "danced"),
    ],
    ids=["answered twice", "not asked", "no such item", "not the last", "unknown"],
)
def test_event_without_sense_is_found(
    store: SqlStore, items: Items, event: tuple[str, dict[str, Any]], kind: str
) -> None:
    study_id = store.create_study("Flats", items)
    person, _ = store.add_participant(study_id, events=[*LOG, event])
    (problem,) = check_store(store).problems
    assert (problem.study_id, problem.participant_id) == (study_id, person.id)
    assert problem.position == 3
    assert f"'{kind}' makes no sense here" in str(problem)
    assert f"participant {person.id}, event 3" in str(problem)


@pytest.mark.parametrize(
    ("statement", "said"),
    [
        ("DELETE FROM events WHERE position = 2", ["should have 3 events and has 2"]),
        (
            "UPDATE events SET position = 7 WHERE position = 2",
            ["the log jumps here; 2 should come next"],
        ),
        ("UPDATE participants SET n_events = 2", ["should have 2 events and has 3"]),
        (
            "UPDATE events SET body = '{' WHERE position = 1",
            ["'asked' makes no sense", "'answered' makes no sense"],
        ),
        (
            """UPDATE events SET body = '{"model": "gone"}' WHERE position = 0""",
            ["the model that the person started from is gone"],
        ),
        ("UPDATE versions SET body = '{}'", ["not a table of items"]),
    ],
    ids=["lost", "gap", "count", "unreadable", "model", "items"],
)
def test_damage_is_found(
    any_store: SqlStore, items: Items, statement: str, said: list[str]
) -> None:
    any_store.add_participant(any_store.create_study("Flats", items), events=LOG)
    with any_store.database.engine.begin() as connection:
        connection.exec_driver_sql(statement)
    problems = [problem.text for problem in check_store(any_store).problems]
    for words in said:
        assert any(words in text for text in problems)
    # The rest is the chain of digests, or the seal on its end.
    assert len(problems) <= len(said) + 1


def test_study_that_is_removed_meanwhile_is_no_problem(
    store: SqlStore, items: Items, monkeypatch: pytest.MonkeyPatch
) -> None:
    store.create_study("Flats", items)

    def gone(_study_id: str) -> StudyDump:
        raise StudyNotFoundError("gone")

    monkeypatch.setattr(store, "dump_study", gone)
    assert check_store(store).ok
