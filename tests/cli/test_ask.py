import json
import re
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest

from penchant.cli._screen import Screen
from penchant.exceptions import StoreError
from penchant.studies import SqlStore, Study, store_url


def token_of(output: str) -> str:
    found = re.search(r"--participant (\S{43})", output)
    assert found is not None, output
    return found[1]


def state(run: Any) -> list[tuple[str, int]]:
    people = run.json("study", "show", "Flats")["participants"]
    return [(person["state"], person["n_answers"]) for person in people]


def test_conversation_ends_with_a_recommendation_and_why(run: Any) -> None:
    run.new("--max-questions", 3, "--max-regret", 0)
    result = run("ask", "Flats", typed="1\n0\n2\n")
    assert result.exit_code == 0
    said = " ".join(result.stdout.split())
    assert "Question 1. We are getting to know you." in said
    assert re.search(r"• rent \S+ \(\S+ (more|less)\) \S+ \(\S+ (more|less)\)", said)
    assert "Question 3." in said
    assert "Question 4." not in said
    assert "That was the last question." in said
    assert re.search(r"out of 5 alternatives: \w", said)
    best = re.search(r"Why (\w+ \w+ \d+)\? ", said)
    assert best is not None
    assert f"Why {best[1]} rather than " in said
    assert state(run) == [("finished", 3)]


def test_answers_are_those_that_were_typed(run: Any) -> None:
    run.new("--max-questions", 4, "--max-regret", 0)
    run("ask", "Flats", typed="1\n2\n0\nn\n")
    with SqlStore(store_url(run.folder / "studies")) as store:
        study = Study(store, store.list_studies()[0].id)
        (person,) = store.list_participants(study.id)
        told = [each.answer for each in study.participation(person.id).answered]
    assert told == ["left", "right", "tie", "neither"]


def test_pause_undo_and_coming_back(run: Any) -> None:
    run.new("--max-questions", 5, "--max-regret", 0)
    first = run("ask", "Flats", "--label", "Ada", typed="u\n1\ns\nu\nq\n")
    assert first.exit_code == 0
    said = " ".join(first.stdout.split())
    assert "There is no answer to take back." in said
    assert said.count("Question 2.") == 2
    assert "Your answers are saved" in said
    assert state(run) == [("asking", 1)]
    token = token_of(first.stdout)
    found = run.json("ask", "Flats", "--participant", token, typed="1\n1\nr\n")
    assert (found["state"], found["finished"], found["n_answers"]) == (
        "finished",
        "person",
        3,
    )
    assert found["participant"] == token
    again = run.text("ask", "Flats", "--participant", token)
    assert "You ended the questions here." in again
    assert state(run) == [("finished", 3)]


def test_json_has_the_result_and_the_conversation_is_beside_it(run: Any) -> None:
    study = run.new("--max-questions", 2, "--max-regret", 0)
    result = run("ask", "Flats", "--json", typed="1\n1\n")
    found = json.loads(result.stdout)
    assert "Question 2." in result.stderr
    assert found["study"] == study
    assert found["recommendation"]["name"] == found["why"]["name"]
    parts = [part["points"] for part in found["why"]["parts"]]
    total = found["why"]["base"] + sum(parts) + found["why"].get("rest", 0)
    assert total == pytest.approx(found["why"]["points"], abs=2)


def test_what_is_no_answer_is_asked_again(run: Any) -> None:
    run.new("--max-questions", 1, "--max-regret", 0)
    said = run.text("ask", "Flats", typed="7\n\nyes\n2\n")
    assert said.count("Choose an answer.") == 3
    assert state(run) == [("finished", 1)]


def test_end_of_input_keeps_what_was_answered(run: Any) -> None:
    run.new("--max-regret", 0)
    result = run("ask", "Flats", typed="1\n2\n")
    assert result.exit_code == 1
    assert "Your answers are saved" in result.stdout
    assert state(run) == [("asking", 2)]
    assert run("check").exit_code == 0
    token = token_of(result.stdout)
    assert run("ask", "Flats", "--participant", token, typed="q\n").exit_code == 0


def test_ctrl_c_keeps_what_was_answered(
    run: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    run.new("--max-regret", 0)
    typed = iter(["1"])

    def ask(_screen: Screen) -> str:
        try:
            return next(typed)
        except StopIteration:
            raise KeyboardInterrupt from None

    monkeypatch.setattr(Screen, "ask", ask)
    result = run("ask", "Flats")
    assert result.exit_code == 1
    assert "Your answers are saved" in result.stdout
    assert state(run) == [("asking", 1)]


def test_error_of_the_store_is_one_sentence(
    run: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    run.new()

    def tell(*_args: object) -> None:
        raise StoreError("The disk is full.")

    monkeypatch.setattr(Study, "tell", tell)
    result = run("ask", "Flats", typed="1\n")
    assert result.exit_code == 1
    assert result.stderr == "penchant: The disk is full.\n"


def test_nobody_joins_without_consent(run: Any) -> None:
    run.new("--max-questions", 1, "--intro", "Welcome", "--consent", "We keep it all.")
    declined = run("ask", "Flats", typed="what\nq\n")
    assert declined.exit_code == 0
    assert "Welcome" in declined.stdout
    assert "We keep it all." in declined.stdout
    assert "Nothing more is recorded." in declined.stdout
    assert run.json("ask", "Flats", typed="q\n")["state"] == "declined"
    assert state(run) == []
    agreed = run.text("ask", "Flats", typed="1\n1\n")
    assert "out of 5 alternatives" in agreed
    assert state(run) == [("finished", 1)]
    assert run("check").exit_code == 0


def test_whoever_joined_elsewhere_agrees_first(run: Any) -> None:
    study_id = run.new("--max-questions", 1, "--consent", "Agreed?")
    with SqlStore(store_url(run.folder / "studies")) as store:
        _, token = Study(store, study_id).join()
    declined = run("ask", "Flats", "--participant", token, typed="q\n")
    assert "Nothing more is recorded." in declined.stdout
    assert state(run) == [("new", 0)]
    run("ask", "Flats", "--participant", token, typed="1\n2\n")
    assert state(run) == [("finished", 1)]


def test_answer_given_elsewhere_in_the_meantime_counts(
    run: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    run.new("--max-questions", 1, "--max-regret", 0)
    tell = Study.tell

    def slow(self: Study, person: str, question: str, answer: Any) -> None:
        tell(self, person, question, "right")
        tell(self, person, question, answer)

    monkeypatch.setattr(Study, "tell", slow)
    said = run.text("ask", "Flats", typed="1\n")
    assert "the first one counts" in said
    assert state(run) == [("finished", 1)]


def test_closed_study_takes_nobody_new(run: Any) -> None:
    study_id = run.new("--max-regret", 0)
    token = token_of(run("ask", "Flats", typed="1\nq\n").stdout)
    with SqlStore(store_url(run.folder / "studies")) as store:
        settings = replace(store.get_study(study_id).settings, open=False)
        store.update_study(study_id, settings=settings)
    assert "takes no new participants" in run.error("ask", "Flats")
    assert run("ask", "Flats", "--participant", token, typed="q\n").exit_code == 0


def test_label_and_language(run: Any) -> None:
    run.new("--max-questions", 1, "--language", "fr", "--language", "en")
    said = run.text("ask", "Flats", "--label", "Zoé", typed="1\n")
    assert "Question 1." in said
    assert "Votre" in said or "vous" in said
    assert "out of 5 alternatives" in run.text(
        "ask", "Flats", "--language", "en", typed="1\n"
    )
    assert "at most" in run.error("ask", "Flats", "--label", "x" * 1000)
    assert run.json("study", "show", "Flats")["participants"][0]["label"] == "Zoé"


@pytest.mark.parametrize(
    ("form", "typed", "words"),
    [
        ("best-worst", "11\n1 4\n", "Which alternative is best, which one is worst?"),
        ("rating", "9\n5\n", "5 very much"),
        ("ranking", "1 2 3\n2 1 4 3\n", "4 3 2 1 Put these alternatives in order"),
    ],
)
def test_other_forms_of_questions(run: Any, form: str, typed: str, words: str) -> None:
    run.new("--question", form, "--max-questions", 1, "--max-regret", 0)
    said = run.text("ask", "Flats", typed=typed)
    assert words in said
    assert said.count("Choose an answer.") == 1
    assert "out of 5 alternatives" in said
    assert state(run) == [("finished", 1)]
    assert run("check").exit_code == 0


def test_hostile_names_are_shown_as_text(
    run: Any, is_harmless: Callable[[str], bool]
) -> None:
    run.new(
        *("--max-questions", 6, "--max-regret", 0),
        *("--intro", "\x1b[2Jintro", "--consent", "[red]\x1bagree[/red]"),
        table=run.HOSTILE,
    )
    result = run("ask", "Flats", "--label", "\x1b[31mAda", typed="1\n" * 7)
    assert result.exit_code == 0, result.output
    assert is_harmless(result.stdout)
    assert "\\x1b[2Jintro" in result.stdout
    assert "[red]\\x1bagree[/red]" in result.stdout
    assert "[red]rent[/red]" in result.stdout
    token = token_of(result.stdout)
    for args in (("rank", "Flats"), ("rank", "Flats", "--participant", token)):
        shown = run(*args).stdout
        assert is_harmless(shown)
        assert "[bold]x[/bold][/y]" in shown
    pair = ("explain", "Flats", "=cmd", "--participant", token)
    for args in (pair, (*pair, "--vs", "[bold]")):
        result = run(*args)
        assert result.exit_code == 0, result.output
        assert is_harmless(result.stdout)
    said = run.error("explain", "Flats", "\x1b[31m", *pair[3:], "--vs", "nothing")
    assert "\x1b" not in said


def test_a_letter_says_what_the_last_choice_was_for(run: Any) -> None:
    run.new("--max-questions", 3, "--max-regret", 0)
    result = run("ask", "Flats", typed="a\n1\nb\n1\n2\n")
    said = " ".join(result.stdout.split())
    assert "Choose an answer." in said  # nothing was chosen before the first a
    assert re.search(r"You chose \w+ \w+ \d+\. Mainly because of: a rent b size", said)
    with SqlStore(store_url(run.folder / "studies")) as store:
        study = Study(store, store.list_studies()[0].id)
        (person,) = store.list_participants(study.id)
        told = study.participation(person.id).answered
    assert [each.answer for each in told] == ["left", "left", "right"]
    assert [each.because for each in told] == ["size", None, None]


def test_questions_about_people_are_asked_in_the_terminal(run: Any) -> None:
    questions = [
        {"name": "age", "kind": "number", "required": True},
        {
            "name": "home",
            "kind": "choice",
            "options": ["rent", "own"],
            "wording": {"en": "Where do you live?"},
        },
        {"name": "habits", "kind": "choices", "options": ["car", "dog", "piano"]},
        {"name": "remark", "when": "after"},
    ]
    file = run.folder / "questions.json"
    file.write_text(json.dumps(questions))
    run.new("--max-questions", 1, "--about", file, "--thanks", "Thanks a lot.")
    paused = run("ask", "Flats", typed="40\nq\n")
    assert paused.exit_code == 0
    token = token_of(paused.stdout)
    typed = "\nold\n40,5\n3\n2\n3 1\n1\nSo it is\n"
    said = run.text("ask", "Flats", "--participant", token, typed=typed)
    assert "Please answer this question." in said
    assert "Please write a number" in said
    assert "Where do you live?" in said
    assert "Please choose one of these." in said
    assert "Thanks a lot." in said
    (person,) = run.json("study", "show", "Flats")["participants"]
    assert person["about"] == {
        "age": 40.5,
        "home": "own",
        "habits": ["car", "piano"],
        "remark": "So it is",
    }
    left = run("ask", "Flats", typed="40\n\n\n1\nq\n")
    assert "Your answers are saved" in left.stdout
    out = run.folder / "people.csv"
    run.text("export", "Flats", "--format", "people", "-o", out)
    assert "40.5,own,car; piano,So it is" in out.read_text(encoding="utf-8-sig")
    assert run("check").exit_code == 0
