"""Questions about people and texts in Markdown, on the pages of both sides."""

from dataclasses import replace
from typing import Any

import pytest
from fastapi.testclient import TestClient

from penchant.datasets import load_flats
from penchant.studies import (
    OwnTexts,
    PersonQuestion,
    SqlStore,
    Study,
    StudySettings,
)

QUESTIONS = (
    PersonQuestion(
        "home", "choice", options=("rent", "own"), wording=(("en", "Home?"),)
    ),
    PersonQuestion("age", "number", required=True),
    PersonQuestion("habits", "choices", options=("car", "dog")),
    PersonQuestion("remark", "text", "after"),
)
BEFORE = {"about-home": "own", "about-age": "41,5", "about-habits-1": "yes"}


def _study(store: SqlStore, **settings: Any) -> Study:
    chosen = StudySettings(**{"max_questions": 1, "about": QUESTIONS, **settings})
    flats = load_flats().take(range(6))
    return Study(store, store.create_study("Flats", flats, settings=chosen))


def _answer(client: TestClient, store: SqlStore, home: str) -> Any:
    person = store.find_participant(home.removeprefix("/p/"))
    question = Study(store, person.study_id).ask(person.id)
    return client.post(
        f"{home}/answer", data={"question": question.id, "answer": "left"}
    )


def test_questions_stand_before_and_after_the_choices(
    client: TestClient, store: SqlStore
) -> None:
    study = _study(store, thanks="**Thank you** all")
    joined = client.post(
        f"/s/{study.id}/join", data={"label": "Ada"}, follow_redirects=False
    )
    home = str(joined.headers["location"])
    page = client.get(home).text
    assert "A few words about you" in page
    assert "Home?" in page
    assert "remark" not in page
    wrong = client.post(f"{home}/about", data=BEFORE | {"about-age": "old"})
    assert wrong.status_code == 422
    assert "Please write a number" in wrong.text
    assert 'value="old"' in wrong.text
    assert 'value="own" checked' in wrong.text
    missing = client.post(f"{home}/about", data={})
    assert "Please answer this question." in missing.text
    assert "Question 1." in client.post(f"{home}/about", data=BEFORE).text
    after = _answer(client, store, home)
    assert "One last page about you" in after.text
    assert "remark" in client.get(f"{home}/result").text  # first that, then the result
    result = client.post(f"{home}/about", data={"about-remark": "So\r\nlong"})
    assert "<strong>Thank you</strong> all" in result.text
    person = store.find_participant(home.removeprefix("/p/"))
    about = dict(study.participation(person.id).about)
    assert about == {
        "home": "own",
        "age": 41.5,
        "habits": ("dog",),
        "remark": "So\nlong",
    }
    shown = client.get(f"/studies/{study.id}").text
    assert "home <b>own</b>" in shown
    taken = client.get(f"/studies/{study.id}/export/people.csv").text
    assert "own,41.5,dog" in taken
    own = client.get(f"{home}/export/result.json").json()
    assert own["about"]["home"] == "own"
    again = client.post(f"{home}/about", data=BEFORE)  # nothing is due: nothing changes
    assert "<strong>Thank you</strong>" in again.text


def test_what_somebody_said_of_themselves_can_be_changed(
    client: TestClient, store: SqlStore
) -> None:
    study = _study(store)
    person, token = study.join("Ada")
    home = f"/p/{token}"
    assert client.get(f"{home}/about").url.path == home  # nothing was said yet
    client.post(f"{home}/about", data=BEFORE)
    assert "Change what I said about myself" in client.get(f"{home}/pause").text
    page = client.get(f"{home}/about").text
    assert "What you said about yourself" in page
    assert 'value="own" checked' in page
    assert 'value="41.5"' in page
    assert 'name="about-habits-1" value="yes" checked' in page
    assert "remark" not in page  # that is asked later
    wrong = client.post(f"{home}/about/change", data=BEFORE | {"about-age": ""})
    assert wrong.status_code == 422
    changed = {"about-home": "rent", "about-age": "42", "about-habits-0": "yes"}
    saved = client.post(f"{home}/about/change", data=changed)
    assert "Question 1." in saved.text
    _answer(client, store, home)
    client.post(f"{home}/about", data={"about-remark": "Hello"})
    assert f'href="{home}/about"' in client.get(f"{home}/result").text
    assert "Hello" in client.get(f"{home}/about").text
    client.post(f"{home}/about/change", data=changed | {"about-remark": ""})
    about = dict(study.participation(person.id).about)
    assert about == {"home": "rent", "age": 42, "habits": ("car",)}


def test_the_name_is_asked_after_the_consent(
    client: TestClient, store: SqlStore
) -> None:
    study = _study(store, consent="We *keep* all.")
    join = f"/s/{study.id}/join"
    page = client.get(join).text
    assert "We <em>keep</em> all." in page
    assert 'name="label"' not in page
    assert 'name="label"' not in client.post(join, data={"label": "Ada"}).text
    assert store.list_participants(study.id) == []
    who = client.post(join, data={"agreed": "yes", "new": "1"}).text
    assert 'name="label"' in who
    assert 'name="new" value="1"' in who
    agreed = {"agreed": "yes", "new": "1"}
    long = client.post(join, data={**agreed, **BEFORE, "label": "x" * 101})
    assert long.status_code == 422
    assert "at most 100 characters" in long.text
    blank = client.post(join, data={**agreed, "label": "Ada"})
    assert blank.status_code == 422
    assert 'value="Ada"' in blank.text
    assert store.list_participants(study.id) == []
    started = client.post(join, data={**agreed, **BEFORE, "label": "Ada"})
    assert "Question 1." in started.text
    (person,) = store.list_participants(study.id)
    assert person.label == "Ada"
    kinds = [event.kind for event in store.events(person.id)]
    assert kinds == ["joined", "consented", "described", "asked"]


def test_texts_are_in_the_language_of_the_person(
    client: TestClient, store: SqlStore
) -> None:
    study = _study(
        store,
        intro="Hello",
        consent="Agree?",
        texts=(
            OwnTexts("fr", "# Bonjour", thanks="Merci [à tous](https://a.example)"),
        ),
    )
    join = f"/s/{study.id}/join"
    assert "<p>Hello</p>" in client.get(join).text
    french = client.get(join, headers={"Accept-Language": "fr"}).text
    assert "<h2>Bonjour</h2>" in french
    assert "<p>Agree?</p>" in french  # who has to agree is never let pass
    only = replace(study.settings, consent="", texts=(OwnTexts("de", consent="Ja?"),))
    store.update_study(study.id, settings=only)
    assert "<p>Ja?</p>" in client.get(join).text


@pytest.mark.parametrize(
    "text",
    [
        "<script>alert(1)</script>",
        "[x](javascript:alert(1))",
        "![x](https://elsewhere.example/p.png)",
        '<a href="https://x" onclick="y">z</a>',
        "<img src=https://elsewhere.example/p.png>",
    ],
)
def test_texts_hold_nothing_that_runs_or_loads(
    client: TestClient, store: SqlStore, text: str
) -> None:
    study = _study(store, intro=f"START{text}END")
    page = client.get(f"/s/{study.id}/join").text
    written = page[page.index("START") : page.index("END")]
    for tag in ("<script", "<img", "<a ", 'href="javascript'):
        assert tag not in written


def _form(at: int, **fields: str) -> dict[str, str]:
    plain = {"kind": "text", "when": "before", "place": f"{at}", "name": "", **fields}
    return {f"{_key(key, at)}": value for key, value in plain.items()}


def _key(key: str, at: int) -> str:
    name, _, code = key.partition("_")
    return f"{name}-{at}-{code}" if code else f"{name}-{at}"


def test_owner_defines_questions_without_script(
    client: TestClient, store: SqlStore
) -> None:
    study = _study(store, about=())
    path = f"/studies/{study.id}/questions"
    assert "Add a question" in client.get(path).text
    sent = {
        **_form(1, wording_en="How old are you?", kind="number", required="yes"),
        **_form(
            2,
            name="home",
            kind="choice",
            options_en="rent\r\nown",
            options_fr="loue\r\npossède",
            place="0",
        ),
        **_form(3),
    }
    page = client.post(path, data=sent).text
    assert "How old are you?" in page
    home, age = store.get_study(study.id).settings.about
    assert (home.name, home.options, home.words("fr")) == (
        "home",
        ("rent", "own"),
        ("loue", "possède"),
    )
    assert (age.name, age.kind, age.required) == ("How old are you?", "number", True)
    bad = client.post(path, data=_form(1, wording_en="Which?", kind="choice"))
    assert bad.status_code == 422
    assert "needs options" in bad.text
    twice = client.post(path, data={**_form(1, name="a"), **_form(2, name="a")})
    assert twice.status_code == 422
    assert "different names" in twice.text
    gone = {**_form(1, name="home"), "remove-1": "yes", **_form(2, name="b")}
    client.post(path, data=gone)
    assert [each.name for each in store.get_study(study.id).settings.about] == ["b"]


def test_saving_other_settings_keeps_the_questions(
    client: TestClient, store: SqlStore
) -> None:
    study = _study(store)
    sent = {
        "study": "Flats",
        "question": "pair",
        "max_questions": "7",
        "max_regret": "0.1",
        "check_every": "8",
        "language-en": "yes",
        "intro-fr": "Salut",
        "thanks": "Bye",
    }
    client.post(f"/studies/{study.id}/settings", data=sent)
    settings = store.get_study(study.id).settings
    assert settings.about == QUESTIONS
    assert settings.texts == (OwnTexts("fr", "Salut"),)
    assert settings.thanks == "Bye"
    page = client.get(f"/studies/{study.id}/settings").text
    assert "Salut" in page
    assert "4 questions so far" in page
