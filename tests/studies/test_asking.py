"""Conversations over a store: nothing is lost, doubled, or decided twice."""

import json
import subprocess
import sys
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from penchant.data import Limits
from penchant.datasets import load_flats
from penchant.exceptions import (
    ConflictError,
    DataError,
    NotAnswerableError,
    ParticipantNotFoundError,
)
from penchant.studies import (
    QUESTION_FORMS,
    Participation,
    SqlStore,
    Study,
    StudySettings,
    check_store,
    simulated_answer,
    store_url,
)

FLATS = load_flats().take(range(10))
UTILITIES = np.random.default_rng(3).standard_normal(10)


def make(store: SqlStore, **settings: Any) -> Study:
    chosen = StudySettings(**settings)
    return Study(store, store.create_study("Flats", FLATS, settings=chosen))


def answer(study: Study, who: str, n: int) -> int:
    """Answer up to n questions; say how many there were."""
    rng = np.random.default_rng(0)
    for k in range(n):
        question = study.ask(who)
        if question is None:
            return k
        told = simulated_answer(question.form, question.items, UTILITIES, rng)
        study.tell(who, question.id, told)
    return n


def state(study: Study, who: str) -> Any:
    ranked = [each.to_dict() for each in study.ranking(who)]
    question = study.participation(who).open_question
    return json.loads(json.dumps([ranked, question and [question.id, question.items]]))


def test_the_question_stays_until_it_is_answered(store: SqlStore) -> None:
    study = make(store)
    person, token = study.join("Ada", "fr")
    assert store.find_participant(token).id == person.id
    first = study.ask(person.id)
    assert first is not None
    assert first == study.ask(person.id) == Study(store, study.id).ask(person.id)
    assert (first.number, first.repeat, len(first.items)) == (1, False, 2)
    study.tell(person.id, first.id, "left")
    second = study.ask(person.id)
    assert second is not None
    assert (second.number, second.id != first.id) == (2, True)
    assert study.participation(person.id).language == "fr"


def test_the_same_answer_again_is_fine_and_another_one_is_not(store: SqlStore) -> None:
    study = make(store)
    who = study.join()[0].id
    question = study.ask(who)
    study.tell(who, question.id, "left")
    length = len(store.events(who))
    study.tell(who, question.id, "left")
    assert len(store.events(who)) == length
    for what, which in (("right", question.id), ("left", "0" * 16)):
        with pytest.raises(ConflictError):
            study.tell(who, which, what)
    with pytest.raises(DataError, match="must be one of"):
        study.tell(who, study.ask(who).id, "perhaps")
    assert len(store.events(who)) == length
    study.undo(who)
    with pytest.raises(ConflictError, match="not open"):  # a late copy of the answer
        study.tell(who, question.id, "left")


def test_undo_asks_the_same_again(store: SqlStore) -> None:
    study = make(store)
    who = study.join()[0].id
    with pytest.raises(NotAnswerableError, match="no answer"):
        study.undo(who)
    answer(study, who, 3)
    before, shown = state(study, who), study.ask(who)
    study.tell(who, shown.id, "tie")
    study.undo(who)
    again = study.ask(who)
    assert (again.items, again.number) == (shown.items, shown.number)
    assert again.id != shown.id
    assert state(study, who)[0] == before[0]
    for _ in range(3):
        study.undo(who)
    assert not study.progress(who).can_undo


def test_a_choice_can_be_given_a_reason(store: SqlStore) -> None:
    study = make(store)
    who = study.join()[0].id
    first = study.ask(who)
    now = study.tell(who, first.id, "left")
    offered = study.reasons_for(now.answered[-1])
    values = [FLATS.values(item) for item in first.items]
    assert offered == tuple(
        name for name in values[0] if values[0][name] != values[1][name]
    )
    now = study.because(who, first.id, offered[0])
    assert now.answered[-1].because == offered[0]
    assert now.open_question.number == 2
    length = len(store.events(who))
    assert study.because(who, first.id, offered[0]) == now
    assert len(store.events(who)) == length
    assert study.because(who, first.id, None).answered[0].because is None


def test_an_answer_can_come_with_its_reason(store: SqlStore) -> None:
    study = make(store)
    who = study.join()[0].id
    question = study.ask(who)
    same = next(
        name
        for name, value in FLATS.values(question.items[0]).items()
        if value != FLATS.values(question.items[1])[name]
    )
    now = study.tell(who, question.id, "right", because=same)
    assert (now.answered[0].because, now.open_question.number) == (same, 2)
    kinds = [event.kind for event in store.events(who)]
    assert kinds == ["joined", "asked", "answered", "because", "asked"]
    assert study.undo(who).answered == ()
    assert study.participation(who).ignored == 0
    assert check_store(store).ok


@pytest.mark.parametrize(
    ("answer", "reason", "reasons"),
    [("left", "poem", True), ("tie", "rent", True), ("left", "rent", False)],
)
def test_what_cannot_be_a_reason_is_refused(
    store: SqlStore, answer: str, reason: str, reasons: bool
) -> None:
    study = make(store, reasons=reasons)
    who = study.join()[0].id
    question = study.ask(who)
    with pytest.raises(DataError, match="must be an attribute in which"):
        study.tell(who, question.id, answer, because=reason)
    assert study.participation(who).answered == ()
    with pytest.raises(ConflictError, match="no answer to give a reason for"):
        study.because(who, question.id, "rent")


@pytest.mark.parametrize("form", ["pair", "best-worst", "rating", "ranking"])
def test_another_store_sees_the_same(tmp_path: Path, form: str) -> None:
    url = store_url(tmp_path)
    with SqlStore(url) as store, SqlStore(url) as second:
        study = make(store, question=form, max_regret=0.0)
        who = study.join()[0].id
        answer(study, who, 4)
        study.undo(who)
        assert state(Study(second, study.id), who) == state(study, who)


def test_another_process_sees_the_same(tmp_path: Path) -> None:
    url = store_url(tmp_path)
    with SqlStore(url) as store:
        study = make(store, max_regret=0.0)
        who = study.join()[0].id
        answer(study, who, 4)
        study.undo(who)
        code = (
            "import json, sys\n"
            "from penchant.studies import SqlStore, Study\n"
            "with SqlStore(sys.argv[1]) as store:\n"
            "    study = Study(store, sys.argv[2])\n"
            "    question = study.ask(sys.argv[3])\n"
            "    ranked = [each.to_dict() for each in study.ranking(sys.argv[3])]\n"
            "print(json.dumps([ranked, [question.id, question.items]]))\n"
        )
        command = [sys.executable, "-c", code, url, study.id, who]
        done = subprocess.run(command, capture_output=True, text=True, check=True)
        assert json.loads(done.stdout) == state(study, who)


def test_two_at_once_ask_and_answer_the_same_question(tmp_path: Path) -> None:
    url = store_url(tmp_path)
    with SqlStore(url) as one, SqlStore(url) as two:
        first = make(one)
        both = [first, Study(two, first.id)]
        who = first.join()[0].id
        for k in range(6):
            asked = at_once([lambda s=s: s.ask(who) for s in both] * 2)
            (question,) = {each.id for each in asked}
            answers = ["left", "left"] if k % 2 else ["left", "right"]
            done = at_once(
                [
                    lambda s=s, a=a, q=question: s.tell(who, q, a)
                    for s, a in zip(both, answers, strict=True)
                ]
            )
            refused = [each for each in done if isinstance(each, ConflictError)]
            assert len(refused) == (0 if k % 2 else 1)
        now = first.participation(who)
        assert (len(now.answered), now.ignored) == (6, 0)
        assert not check_store(one).problems
        assert state(both[0], who) == state(both[1], who)


def at_once(calls: list[Callable[[], Any]]) -> list[Any]:
    """Run calls in threads at the same time; give what they return or raise."""
    ready = threading.Barrier(len(calls))
    results: list[Any] = [None] * len(calls)

    def run(k: int) -> None:
        ready.wait()
        try:
            results[k] = calls[k]()
        except ConflictError as error:
            results[k] = error

    threads = [threading.Thread(target=run, args=(k,)) for k in range(len(calls))]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return results


def test_the_budget_ends_the_asking_and_the_person_may_go_on(store: SqlStore) -> None:
    study = make(store, max_questions=3, max_regret=0.0)
    who = study.join()[0].id
    assert answer(study, who, 9) == 3
    progress = study.progress(who)
    assert (progress.done, progress.reason, progress.number) == (True, "budget", 3)
    assert study.ask(who) is None
    more = study.go_on(who)
    assert more is not None
    assert more.number == 4
    assert study.ask(who) == more
    assert answer(study, who, 4) == 4
    assert not study.progress(who).done
    study.finish(who)
    study.finish(who)
    assert study.progress(who).reason == "person"
    assert study.go_on(who) is not None
    assert study.go_on(who) == study.ask(who)


def test_certainty_ends_the_asking(store: SqlStore) -> None:
    study = make(store, max_questions=60, max_regret=0.3)
    who = study.join()[0].id
    n = answer(study, who, 60)
    progress = study.progress(who)
    assert (progress.reason, progress.number) == ("sure", n)
    assert progress.expected_regret <= 0.3
    study.undo(who)
    assert study.progress(who).expected_regret > 0.3
    assert not study.progress(who).done


def test_when_nothing_is_left_the_asking_ends(store: SqlStore) -> None:
    study = make(
        store, question="rating", max_questions=60, max_regret=0.0, check_every=0
    )
    who = study.join()[0].id
    assert answer(study, who, 60) == 10
    assert study.progress(who).reason == "exhausted"
    assert study.go_on(who) is None
    assert study.participation(who).finished == "exhausted"


def test_consent_comes_first(store: SqlStore) -> None:
    study = make(store, consent="We keep your answers for a year.")
    who = study.join()[0].id
    with pytest.raises(NotAnswerableError, match="consent"):
        study.ask(who)
    study.consent(who)
    study.consent(who)
    assert study.ask(who) is not None
    assert study.participation(who).ignored == 0
    late = study.join()[0].id
    store.update_study(study.id, settings=StudySettings())
    study.reload()
    question = study.ask(late)
    store.update_study(study.id, settings=StudySettings(consent="New text."))
    study.reload()
    study.tell(late, question.id, "left")  # what was said is never lost
    with pytest.raises(NotAnswerableError, match="consent"):
        study.ask(late)
    assert len(study.participation(late).answered) == 1


def test_closed_studies_and_strangers(store: SqlStore) -> None:
    study = make(store, languages=("fr",))
    who = study.join(language="tlh")[0].id
    assert study.participation(who).language == "fr"
    store.update_study(study.id, settings=StudySettings(open=False))
    study.reload()
    with pytest.raises(NotAnswerableError, match="new participants"):
        study.join()
    other = make(store)
    for call in (other.ask, other.ranking, other.undo, other.progress, other.finish):
        with pytest.raises(ParticipantNotFoundError):
            call(who)


def test_how_sure_it_is_can_be_told_after_three_answers(store: SqlStore) -> None:
    study = make(store, max_regret=100.0, max_questions=12)
    who = study.join()[0].id
    first = study.progress(who)
    assert (first.number, first.done, first.can_undo) == (1, False, False)
    known = [first.is_known]
    while study.ask(who) is not None:
        answer(study, who, 1)
        known.append(study.progress(who).is_known)
    assert known == [False, False, False, True]  # and then it is enough
    last = study.progress(who)
    assert (last.reason, last.number) == ("sure", 3)
    assert 0.0 < last.expected_regret < last.expected_points


def test_overtaken_again_and_again_is_an_error_in_the_end(
    store: SqlStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    study = make(store)
    who = study.join()[0].id

    def refuse(*_: Any) -> None:
        raise ConflictError("somebody was faster")

    monkeypatch.setattr(store, "append", refuse)
    with pytest.raises(ConflictError, match="in a row"):
        study.ask(who)


@pytest.mark.parametrize("form", QUESTION_FORMS)
def test_where_somebody_stands_is_what_the_log_says(store: SqlStore, form: str) -> None:
    study = make(store, question=form, check_every=2, end_checks=True, max_questions=6)
    person, _ = study.join()
    stands = []

    def read_again() -> None:
        log = [(each.kind, each.body) for each in store.events(person.id)]
        stands.append(study.participation(store.get_participant(person.id)))
        assert stands[-1] == Participation.from_events(log, len(FLATS))

    rng = np.random.default_rng(0)
    for k in range(9):
        question = study.ask(person.id)
        read_again()
        if question is None:
            break
        told = simulated_answer(question.form, question.items, UTILITIES, rng)
        study.tell(person.id, question.id, "skip" if k == 1 else told)
        read_again()
        if k == 2:
            study.undo(person.id)
            read_again()
        if k == 3:
            dear = Limits.from_dict({"price": {"at_most": 1200}})
            study.set_limits(person.id, dear)
            read_again()
    study.finish(person.id)
    read_again()
    study.go_on(person.id)
    read_again()
    study.consent(person.id)
    study.weigh(person.id, 2.0)
    read_again()
    assert stands[-1].went_on
    assert stands[-1].weight == 2.0
    assert any(told.predicted for told in stands[-1].answered)
