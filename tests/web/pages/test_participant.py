import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from fastapi.testclient import TestClient

import penchant.web
from penchant.data import Items
from penchant.datasets import load_flats
from penchant.studies import SqlStore, Study, StudySettings, load_texts
from penchant.views._people import COLUMNS

RIGHT_TO_LEFT = "\u05e9\u05dc\u05d5\u05dd"
HOSTILE = (
    "<script>alert(1)</script>",
    "=1+1",
    RIGHT_TO_LEFT,
    "x" * 10_000,
    "🏠 “home”",
    "{{ 7 * 7 }}",
)


@pytest.fixture
def start(client: TestClient, store: SqlStore) -> Callable[..., str]:
    """Make a study of twelve flats, join it, and give the path of the link."""

    def begin(items: Items | None = None, **settings: Any) -> str:
        flats = load_flats().take(range(12)) if items is None else items
        study_id = store.create_study(
            "Flats", flats, settings=StudySettings(**{"max_regret": 0.0, **settings})
        )
        joined = client.post(f"/s/{study_id}/join", follow_redirects=False)
        assert joined.status_code == 303
        return str(joined.headers["location"])

    return begin


def _field(page: str, name: str) -> str:
    found = re.search(rf'name="{name}" value="([^"]*)"', page)
    assert found is not None
    return found[1]


def _answer(client: TestClient, home: str, **fields: str) -> Any:
    page = client.get(home).text
    data = {"question": _field(page, "question"), **fields}
    return client.post(f"{home}/answer", data=data)


def test_one_browser_takes_part_once_unless_somebody_else_says_so(
    client: TestClient, store: SqlStore
) -> None:
    study_id = store.create_study("Flats", load_flats().take(range(12)))
    other_id = store.create_study("Others", load_flats().take(range(12)))
    invitation = f"/s/{study_id}/join"
    first = client.post(invitation, follow_redirects=False)
    home = first.headers["location"]
    cookie = first.headers["set-cookie"]
    assert f"Path=/s/{study_id};" in cookie
    assert "HttpOnly" in cookie
    for again in (client.get, client.post):
        answer = again(invitation, follow_redirects=False)
        assert answer.headers["location"] == home
    assert len(store.list_participants(study_id)) == 1
    assert "You are invited" in client.get(f"/s/{other_id}/join").text

    page = client.get(home).text
    assert f'href="{invitation}?new=1"' in page
    assert 'name="new" value="1"' in client.get(f"{invitation}?new=1").text
    second = client.post(invitation, data={"new": "1"}, follow_redirects=False)
    assert second.headers["location"] not in ("", home)
    assert len(store.list_participants(study_id)) == 2
    followed = client.get(invitation, follow_redirects=False)
    assert followed.headers["location"] == second.headers["location"]


def test_who_withdrew_is_invited_again(
    client: TestClient, start: Callable[..., str], store: SqlStore
) -> None:
    home = start()
    client.post(f"{home}/withdraw")
    study = store.list_studies()[0]
    assert "You are invited" in client.get(f"/s/{study.id}/join").text


def test_invitation_says_what_it_is_about(client: TestClient, store: SqlStore) -> None:
    settings = StudySettings(intro="First.\r\n\r\nSecond <b>.", max_questions=9)
    study_id = store.create_study("Flats", load_flats(), settings=settings)
    page = client.get(f"/s/{study_id}/join").text
    assert "<p>First.</p>\n<p>Second &lt;b&gt;.</p>" in page
    assert "At most 9 short questions about 40 alternatives." in page
    assert 'lang="en"' in page


def test_closed_study_takes_nobody(client: TestClient, store: SqlStore) -> None:
    settings = StudySettings(open=False)
    study_id = store.create_study("Flats", load_flats(), settings=settings)
    for ask in (client.get, client.post):
        response = ask(f"/s/{study_id}/join")
        assert response.status_code == 403
        assert "This study is closed" in response.text
    assert store.list_participants(study_id) == []


def test_joining_is_limited_by_address_and_study(
    client: TestClient, store: SqlStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    app: Any = client.app
    monkeypatch.setattr(app.state.access.joins, "most", 2)
    first, second = (store.create_study(name, load_flats()) for name in "ab")
    for study_id, status in ((first, 200), (first, 200), (first, 429), (second, 200)):
        page = client.post(f"/s/{study_id}/join", data={"new": "1"})
        assert page.status_code == status
    assert len(store.list_participants(first)) == 2


def test_a_script_gets_the_next_question_at_once(
    client: TestClient, start: Callable[..., str]
) -> None:
    home = start(max_questions=2)
    question = _field(client.get(home).text, "question")
    script = {"Sec-Fetch-Dest": "empty"}

    def send(path: str, **data: str) -> Any:
        return client.post(
            f"{home}/{path}", data=data, headers=script, follow_redirects=False
        )

    after = send("answer", question=question, answer="left")
    assert after.status_code == 200
    following = _field(after.text, "question")
    assert following == _field(client.get(home).text, "question") != question
    again = send("undo")
    assert _field(again.text, "question") == _field(client.get(home).text, "question")
    assert "Question 1" in again.text
    for _ in range(2):
        question = _field(client.get(home).text, "question")
        last = send("answer", question=question, answer="right")
    assert (last.status_code, last.headers["location"]) == (303, f"{home}/result")


def test_long_names_of_people_are_refused(client: TestClient, store: SqlStore) -> None:
    study_id = store.create_study("Flats", load_flats())
    page = client.post(f"/s/{study_id}/join", data={"label": "x" * 101})
    assert page.status_code == 422
    assert "at most 100 characters" in page.text
    assert store.list_participants(study_id) == []


def test_people_are_kept_with_their_name_and_language(
    client: TestClient, store: SqlStore
) -> None:
    study_id = store.create_study("Flats", load_flats())
    headers = {"Accept-Language": "fr-CH, fr;q=0.9, en;q=0.8"}
    client.post(f"/s/{study_id}/join", data={"label": " Ada "}, headers=headers)
    (person,) = store.list_participants(study_id)
    assert person.label == "Ada"
    assert store.events(person.id)[0].body["language"] == "fr"


def test_unknown_links_lead_nowhere(client: TestClient) -> None:
    for path in ("", "/result", "/pause", "/why?item=0"):
        assert client.get(f"/p/{'x' * 43}{path}").status_code == 404
    for path in ("answer", "undo", "finish", "go-on", "consent", "language"):
        assert client.post(f"/p/{'x' * 43}/{path}").status_code == 404
    assert client.get("/s/nothing/join").status_code == 404


def test_question_shows_both_sides_and_their_difference(
    client: TestClient, start: Callable[..., str]
) -> None:
    page = client.get(start()).text
    assert "<strong>Question 1.</strong>" in page
    assert page.count('class="card"') == 2
    assert len(re.findall(r"EUR/month (?:less|more)</span>", page)) == 2
    labels = re.findall(r"<dt>([^<]*)</dt>", page)
    assert labels[:8] == labels[8:]
    assert labels[:3] == ["price", "size", "commute"]
    for key in ("1", "2", "0", "s", "u"):
        assert f'data-key="{key}"' in page
    assert re.search(r"data-key=\"u\"[^>]* disabled", page)


@pytest.mark.parametrize("answer", ["left", "right", "tie", "skip", "neither"])
def test_every_answer_to_a_pair_leads_to_the_next_question(
    client: TestClient, start: Callable[..., str], answer: str
) -> None:
    page = _answer(client, start(), answer=answer)
    assert page.status_code == 200
    assert "<strong>Question 2.</strong>" in page.text


def test_the_same_link_resumes_at_the_same_question(
    client: TestClient, start: Callable[..., str]
) -> None:
    home = start()
    _answer(client, home, answer="left")
    first, again = client.get(home).text, client.get(home).text
    assert _field(first, "question") == _field(again, "question")


def test_undo_takes_the_last_answer_back(
    client: TestClient, start: Callable[..., str]
) -> None:
    home = start()
    names = re.findall(r"<span>([^<]+)</span></h2>", client.get(home).text)
    _answer(client, home, answer="left")
    page = client.post(f"{home}/undo").text
    assert "<strong>Question 1.</strong>" in page
    assert re.findall(r"<span>([^<]+)</span></h2>", page) == names
    nothing = client.post(f"{home}/undo")
    assert nothing.status_code == 409
    assert "There is no answer to take back." in nothing.text


def test_the_same_answer_twice_counts_once(
    client: TestClient, store: SqlStore, start: Callable[..., str]
) -> None:
    home = start()
    data = {"question": _field(client.get(home).text, "question"), "answer": "left"}
    for _ in range(2):
        assert client.post(f"{home}/answer", data=data).status_code == 200
    changed = client.post(f"{home}/answer", data={**data, "answer": "right"})
    assert changed.status_code == 409
    assert "the first one counts" in changed.text
    person = store.find_participant(home.removeprefix("/p/"))
    assert [event.kind for event in store.events(person.id)].count("answered") == 1


def test_answers_that_make_no_sense_are_shown_as_such(
    client: TestClient, start: Callable[..., str]
) -> None:
    home = start()
    wrong = _answer(client, home, answer="perhaps")
    assert wrong.status_code == 422
    assert "Choose an answer." in wrong.text
    assert "<strong>Question 1.</strong>" in wrong.text
    stale = client.post(f"{home}/answer", data={"question": "0" * 16, "answer": "left"})
    assert stale.status_code == 409


def test_best_and_worst_of_four(client: TestClient, start: Callable[..., str]) -> None:
    home = start(question="best-worst")
    items = re.findall(r'name="best" value="(\d+)"', client.get(home).text)
    assert len(items) == 4
    same = _answer(client, home, best=items[0], worst=items[0])
    assert same.status_code == 422
    assert re.search(rf'name="best" value="{items[0]}"[^>]* checked', same.text)
    assert "not the same" in same.text
    assert _answer(client, home, best=items[0]).status_code == 422
    page = _answer(client, home, best=items[0], worst=items[3])
    assert "<strong>Question 2.</strong>" in page.text
    skipped = _answer(client, home, answer="skip", best="x")
    assert "<strong>Question 3.</strong>" in skipped.text


def test_ratings(client: TestClient, start: Callable[..., str]) -> None:
    home = start(question="rating")
    page = client.get(home).text
    assert re.findall(r'name="answer" value="(\d)"', page) == list("12345")
    assert _answer(client, home, answer="6").status_code == 422
    assert "<strong>Question 2.</strong>" in _answer(client, home, answer="4").text


def test_rankings(client: TestClient, start: Callable[..., str]) -> None:
    home = start(question="ranking")
    fields = re.findall(r'<select id="(place-\d+)"', client.get(home).text)
    twice = _answer(client, home, **dict.fromkeys(fields, "1"))
    assert twice.status_code == 422
    assert "a different place" in twice.text
    places = {field: str(k) for k, field in enumerate(fields, start=1)}
    assert "<strong>Question 2.</strong>" in _answer(client, home, **places).text


def test_nothing_is_asked_before_the_consent(
    client: TestClient, store: SqlStore
) -> None:
    settings = StudySettings(consent="We keep your answers.")
    study_id = store.create_study("Flats", load_flats(), settings=settings)
    home = f"/p/{Study(store, study_id).join()[1]}"  # a link of their own
    assert "We keep your answers." in client.get(home).text
    for path in ("/result", ""):
        assert "I agree, start" in client.get(f"{home}{path}").text
    refused = client.post(f"{home}/answer", data={"question": "0", "answer": "left"})
    assert "I agree, start" in refused.text
    assert "<strong>Question 1.</strong>" in client.post(f"{home}/consent").text
    client.post(f"{home}/consent")
    person = store.find_participant(home.removeprefix("/p/"))
    kinds = [event.kind for event in store.events(person.id)]
    assert kinds.count("consented") == 1


def test_budget_ends_the_questions_and_the_person_may_go_on(
    client: TestClient, start: Callable[..., str]
) -> None:
    home = start(max_questions=2)
    _answer(client, home, answer="left")
    end = _answer(client, home, answer="left")
    assert end.url.path == f"{home}/result"
    assert "That was the last question." in end.text
    assert client.get(home).url.path == f"{home}/result"
    assert "<strong>Question 3.</strong>" in client.post(f"{home}/go-on").text
    person_ends = client.post(f"{home}/finish")
    assert "You ended the questions here." in person_ends.text
    assert "<strong>Question 2.</strong>" in client.post(f"{home}/undo").text


def test_sure_enough_ends_the_questions(
    client: TestClient, start: Callable[..., str]
) -> None:
    home = start(max_regret=100.0)
    for _ in range(3):
        page = _answer(client, home, answer="left")
    assert "We know enough" in page.text


def test_language_can_be_changed(client: TestClient, start: Callable[..., str]) -> None:
    home = start()
    data = {"language": "fr", "page": ""}
    changed = client.post(f"{home}/language", data=data)
    assert "Que préférez-vous" in changed.text
    assert '<html lang="fr">' in changed.text
    cookie = changed.history[0].headers["set-cookie"]
    assert "HttpOnly" in cookie
    assert "SameSite=lax" in cookie
    data = {"language": "xx", "page": "//elsewhere"}
    ignored = client.post(f"{home}/language", data=data)
    assert ignored.url.path == home
    assert "Que préférez-vous" in ignored.text


def test_languages_that_a_study_does_not_offer_are_not_offered(
    client: TestClient, start: Callable[..., str]
) -> None:
    page = client.get(start(languages=("fr",))).text
    assert "Que préférez-vous" in page
    assert "English" not in page


def test_invitation_can_be_read_in_french(client: TestClient, store: SqlStore) -> None:
    study_id = store.create_study("Flats", load_flats())
    page = client.post(f"/s/{study_id}/language", data={"language": "fr"})
    assert page.url.path == f"/s/{study_id}/join"
    assert "Vous êtes invité" in page.text


def test_pause_shows_the_link(client: TestClient, start: Callable[..., str]) -> None:
    home = start()
    assert f"<code>http://testserver{home}</code>" in client.get(f"{home}/pause").text


def test_hostile_names_are_shown_as_text(
    client: TestClient, start: Callable[..., str]
) -> None:
    flats = load_flats().take(range(len(HOSTILE)))
    items = Items(flats.frame, flats.attributes, HOSTILE)
    home = start(items, max_questions=2, question="ranking")
    pages = [client.get(home).text]
    fields = re.findall(r'<select id="(place-\d+)"', pages[0])
    places = {field: str(k) for k, field in enumerate(fields, start=1)}
    _answer(client, home, **places)
    pages += [client.get(f"{home}{path}").text for path in ("/result", "/why?item=0")]
    for page in pages:
        assert "<script>alert" not in page
        assert "x" * 100 not in page
        assert "49 *" not in page
    assert "&lt;script&gt;alert(1)&lt;/script&gt;" in pages[1]
    assert f"\u2068{RIGHT_TO_LEFT}\u2069" in pages[1]
    assert "🏠" in pages[1]


def test_every_text_is_used() -> None:
    folder = Path(penchant.web.__file__).parent
    sources = [*folder.rglob("*.py"), *folder.rglob("*.html")]
    sources += (folder.parent / "views").rglob("*.py")
    sources += [folder.parent / "studies" / "_forms.py"]
    code = "".join(path.read_text(encoding="utf-8") for path in sources)
    by_number = ("language", "numbers", "question.rating_words", "noun", "errors.4")
    by_number += ("errors.5",)
    by_number += ("owner.take", "owner.charts", "owner.settings.questions")
    by_number += ("owner.study.states", "result.level_")
    by_number += ("owner.study.overview", "owner.study.state_", "owner.study.n_")
    by_number += ("pace.", "join.pace_", "owner.columns.left_out")
    by_number += ("limits.at_", "limits.more_", "limits.words_", "limits.nothing")
    by_number += ("owner.study.group", "owner.study.model")
    by_number += ("join.over", "join.full", "owner.study.over", "owner.study.full")
    by_number += tuple(f"owner.people.{key}" for key in COLUMNS)
    by_number += ("owner.study.day", "owner.study.finished_now")
    by_number += ("owner.study.joined", "owner.study.is_closed")
    by_number += ("table.", "owner.table.missing_", "owner.study.table")
    by_number += ("about.title_", "about.wrong_", "about.required")
    by_number += ("owner.questions.kinds", "owner.settings.own_")
    by_number += ("owner.questions.before", "owner.questions.after")
    by_number += ("about.enter", "about.several")  # in the terminal
    made = ("result.budget", "result.sure", "result.exhausted", "result.place")
    made += ("question.worst", "decided.pair_left", "decided.pair_tie")
    made += ("decided.pair_neither",)
    heads = ("deviation", "place", "borda", "misery", "mean", "range")
    heads += ("agree_well", "agree_fairly", "agree_differ", "agree_not")
    heads += ("first_by_borda", "first_by_misery")
    heads += ("kinds_none", "kinds_lean", "kinds_two", "kinds_three")
    heads += ("careless_left", "careless_right", "careless_alternating")
    heads += ("careless_random", "careless_unknown")
    made += tuple(f"owner.group.{head}" for head in heads)
    unused = [
        key
        for key in load_texts("en").entries
        if not key.startswith(by_number) and key not in made
        if key not in code and not _is_put_together(key, code)
    ]
    assert unused == []


def _is_put_together(key: str, code: str) -> bool:
    """Tell whether the code has the beginning of a key and puts the rest behind it."""
    begins = [key[: found.end()] for found in re.finditer(r"[._]", key)]
    return any(f"{begin}{{" in code or f'{begin}" ~' in code for begin in begins)


def test_a_tap_says_what_the_last_choice_was_for(
    client: TestClient, store: SqlStore, start: Callable[..., str]
) -> None:
    home = start()
    assert "because" not in client.get(home).text
    page = _answer(client, home, answer="left").text
    assert "Mainly because of:" in page
    offered = re.findall(r'name="attribute" value="(\d+)"', page)
    assert len(offered) > 1
    assert 'data-key="q"' in page
    asked = _field(page, "question")
    tapped = client.post(
        f"{home}/because", data={"last": _field(page, "last"), "attribute": offered[1]}
    ).text
    assert _field(tapped, "question") == asked  # the same question waits
    assert tapped.count('aria-pressed="true"') == 1
    person = store.find_participant(home.removeprefix("/p/"))
    study = Study(store, person.study_id)
    named = study.items.attributes[int(offered[1])].name
    assert study.participation(person).answered[0].because == named
    data = {"last": _field(page, "last"), "attribute": ""}  # pressed again
    assert 'aria-pressed="true"' not in client.post(f"{home}/because", data=data).text
    assert "Mainly because of:" not in _answer(client, home, answer="tie").text


def test_a_tap_that_makes_no_sense_changes_nothing(
    client: TestClient, start: Callable[..., str]
) -> None:
    home = start()
    page = _answer(client, home, answer="left").text
    last = _field(page, "last")
    wrong = client.post(f"{home}/because", data={"last": "0" * 16, "attribute": "0"})
    assert wrong.status_code == 409
    assert "cannot be the reason" in wrong.text
    odd = client.post(f"{home}/because", data={"last": last, "attribute": "٣"})
    assert odd.status_code == 200
    assert 'aria-pressed="true"' not in odd.text


def test_taps_can_be_switched_off(
    client: TestClient, start: Callable[..., str]
) -> None:
    page = _answer(client, start(reasons=False), answer="left").text
    assert "Mainly because of:" not in page
