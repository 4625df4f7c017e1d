"""The owner's list of participants, closing, news, and the shared result."""

import json
import re
from collections.abc import Callable
from typing import Any

import pytest
from fastapi.testclient import TestClient

from penchant.datasets import load_flats
from penchant.studies import SqlStore, Study, StudySettings
from penchant.web import _fitting

FLATS = load_flats().take(range(8))
Words = Callable[[str], str]


@pytest.fixture
def study(store: SqlStore) -> Study:
    settings = StudySettings(max_questions=3, max_regret=0.0, owner_sees=True)
    made = store.create_study("Flats", FLATS, settings=settings)
    return Study(store, made, background=False)


def answer(study: Study, label: str, n: int) -> tuple[str, str]:
    person, token = study.join(label)
    study.consent(person.id)
    for _ in range(n):
        question = study.ask(person.id)
        assert question is not None
        study.tell(person.id, question.id, "left")
    return person.id, token


def change(study: Study, **settings: Any) -> None:
    values = study.settings.to_dict() | settings
    study.store.update_study(study.id, settings=StudySettings.from_dict(values))
    study.reload()


def names(page: str) -> list[str]:
    table = page.split('class="items dense people"')[1].split("</table>")[0]
    return re.findall(r'<th scope="row">([^<]+?) *(?:<|$)', table)


def test_people_are_sorted_and_found(client: TestClient, study: Study) -> None:
    for label, n in (("Ada", 2), ("Bob", 3), ("Cleo", 0)):
        answer(study, label, n)
    first = study.store.list_participants(study.id)[0].id
    study.weigh(first, 2.5)
    address = f"/studies/{study.id}"

    def order(query: str) -> list[str]:
        return names(client.get(f"{address}?{query}").text)

    assert order("") == ["Cleo", "Bob", "Ada"]
    assert order("turned=1") == ["Ada", "Bob", "Cleo"]
    assert order("by=name") == ["Ada", "Bob", "Cleo"]
    assert order("by=answers") == ["Bob", "Ada", "Cleo"]
    assert order("by=weight") == ["Ada", "Bob", "Cleo"]
    assert order("by=state") == ["Ada", "Bob", "Cleo"]
    assert order("by=took&turned=1")[-1] == "Cleo"  # nothing is known: last
    assert order("by=certainty")[-1] == order("by=certainty&turned=1")[-1] == "Cleo"
    assert order("by=nonsense") == ["Cleo", "Bob", "Ada"]
    assert order("who=%20B%20") == ["Bob"]
    page = client.get(f"{address}?who=nobody").text
    assert "Nobody is called so." in page
    assert 'value="nobody"' in page
    page = client.get(address).text
    assert 'value="2.5"' in page
    assert re.search(r"\d+\s%", page)


def test_quality_says_what_checks_and_circles_tell(
    client: TestClient, study: Study, text: Words
) -> None:
    who, _ = study.join("Ada")
    events = []
    for number, (a, b) in enumerate([(0, 1), (1, 2), (2, 0)]):
        asked = {"question": f"q{number}", "form": "pair", "items": [a, b]}
        if number == 0:
            asked["predicted"] = {"answer": "left", "probability": 0.9}
        events += [("asked", asked)]
        events += [("answered", {"question": f"q{number}", "answer": "left"})]
    study.store.append(who.id, 1, events)
    words = text(client.get(f"/studies/{study.id}").text)
    assert "1 of 1 check as predicted; 1 contradiction" in words


def test_careless_people_are_marked_once_the_group_was_looked_at(
    client: TestClient, study: Study, text: Words
) -> None:
    change(study, max_questions=12, check_every=0)
    for label in ("Ada", "Bob"):
        answer(study, label, 10)
    address = f"/studies/{study.id}"
    assert "always" not in text(client.get(address).text).lower()
    found = study.group()
    if found.careless:
        assert "tag look" in client.get(address).text


def test_weights_are_typed(client: TestClient, study: Study) -> None:
    who, _ = answer(study, "Ada", 1)
    path = f"/studies/{study.id}/participants/{who}/count"
    sent = client.post(path, data={"weight": "0,5"}, follow_redirects=False)
    assert sent.headers["location"] == f"/studies/{study.id}#people"
    assert study.participation(who).weight == 0.5
    for wrong in ("", "many", "-1", "nan", "101"):
        assert client.post(path, data={"weight": wrong}).status_code == 422
    assert study.participation(who).weight == 0.5


def test_result_of_one_person_is_for_those_who_agreed(
    client: TestClient, study: Study, text: Words
) -> None:
    agreed, token = answer(study, "Ada", 3)
    change(study, owner_sees=False)
    silent, _ = answer(study, "Bob", 1)
    address = f"/studies/{study.id}"
    assert "/result" not in client.get(address).text
    assert client.get(f"{address}/participants/{agreed}/result").status_code == 403
    change(study, owner_sees=True)
    page = client.get(address).text
    assert f"/participants/{agreed}/result" in page
    assert f"/participants/{silent}/result" not in page
    assert client.get(f"{address}/participants/{silent}/result").status_code == 403
    shown = client.get(f"{address}/participants/{agreed}/result")
    assert "Ada agreed that you see this." in text(shown.text)
    assert token not in shown.text
    assert all(name in shown.text for name in FLATS.names)


def test_consent_page_says_what_the_owner_may_see(
    client: TestClient, study: Study, text: Words
) -> None:
    said = "and can look at your result."
    join = f"/s/{study.id}/join"
    assert said in text(client.get(join).text)
    page = client.post(join, data={"label": "Ada"})
    assert said in text(page.text)
    assert "Choose A" not in page.text
    assert not study.store.list_participants(study.id)
    question = client.post(join, data={"label": "Ada", "agreed": "yes"})
    assert "Choose A" in question.text
    who = study.store.list_participants(study.id)[0]
    assert study.participation(who).shows_result
    change(study, owner_sees=False)
    assert said not in text(client.get(f"{join}?new=1").text)


def test_data_of_one_person_are_given(client: TestClient, study: Study) -> None:
    who, token = answer(study, "Ada", 2)
    answer(study, "Bob", 1)
    path = f"/studies/{study.id}/participants/{who}/export"
    sent = client.get(f"{path}/person.json")
    assert "attachment" in sent.headers["content-disposition"]
    assert len(json.loads(sent.text)["answers"]) == 2
    table = client.get(f"{path}/answers.csv").text
    assert table.count("Ada") == 2
    assert "Bob" not in table
    assert token not in sent.text + table
    assert client.get(f"{path}/other.txt").status_code == 404


def test_news_cost_little_and_tell_of_every_change(
    client: TestClient, study: Study
) -> None:
    path = f"/studies/{study.id}/news"
    seen = []

    def look() -> None:
        sent = client.get(path)
        etag = sent.headers["etag"]
        again = client.get(path, headers={"If-None-Match": etag})
        assert (again.status_code, again.content) == (304, b"")
        assert again.headers["etag"] == etag
        seen.append(etag)

    look()
    who, _ = answer(study, "Ada", 1)
    look()
    study.weigh(who, 3)
    look()
    study.store.remove_participant(who)
    answer(study, "Bob", 0)
    look()
    assert len(set(seen)) == len(seen)
    version = seen[-1].strip('"')
    assert f'data-seen="{version}"' in client.get(f"/studies/{study.id}").text


def test_page_says_when_a_study_closes_and_that_it_did(
    client: TestClient, study: Study, text: Words
) -> None:
    _, middle = answer(study, "Ada", 1)
    _, link = study.join("Invited")
    address = f"/studies/{study.id}"
    change(study, closes="2120-03-01T18:00", quota=2, owner_sees=False)
    words = text(client.get(address).text)
    assert "Closes by itself on March 1, 2120, 18:00 UTC." in words.replace(
        "1 March 2120", "March 1, 2120"
    )
    assert "0 of 2 people have finished." in words
    change(study, closes="2020-03-01T18:00")
    words = text(client.get(address).text)
    assert "Closed: new people could join until" in words
    assert "18:00 UTC" in words
    assert "/join" not in client.get(address).text
    assert ">closed<" in client.get("/").text
    for path in (f"/s/{study.id}/join", f"/p/{link}"):
        refused = client.get(path)
        assert refused.status_code == 403
        assert "It took new participants until" in refused.text
    assert client.post(f"/s/{study.id}/join", data={}).status_code == 403
    assert "Choose A" in client.get(f"/p/{middle}").text
    answer_all(study)
    change(study, closes="", quota=1)
    words = text(client.get(address).text)
    assert "Full: nobody new can join." in words
    assert ">closed<" in client.get("/").text
    assert ">full<" in client.get(address).text
    assert "Enough people have answered." in client.get(f"/s/{study.id}/join").text


def answer_all(study: Study) -> None:
    who = study.store.list_participants(study.id)[0].id
    while (question := study.ask(who)) is not None:
        study.tell(who, question.id, "left")


def test_settings_form_keeps_date_and_quota(client: TestClient, study: Study) -> None:
    path = f"/studies/{study.id}/settings"
    fields = {
        "study": "Flats",
        "question": "pair",
        "max_questions": "5",
        "max_regret": "0",
        "check_every": "0",
        "language-en": "yes",
        "closes": "2120-03-01T18:00",
        "quota": "7",
        "owner_sees": "yes",
    }
    client.post(path, data=fields)
    study.reload()
    assert (study.settings.closes, study.settings.quota) == ("2120-03-01T18:00Z", 7)
    assert study.settings.owner_sees
    page = client.get(path).text
    assert 'value="2120-03-01T18:00"' in page
    wrong = client.post(path, data=fields | {"closes": "soon"})
    assert wrong.status_code == 422
    assert "must be a day or a day and a time" in wrong.text
    client.post(path, data=fields | {"closes": "2120-03-01", "open": "yes"})
    page = client.get(path).text
    assert 'type="date" value="2120-03-01"' in page
    assert "Last day for new people" in page
    head = client.get(f"/studies/{study.id}").text
    assert "2120." in head  # the day alone: its last minute helps nobody
    assert "23:59" not in head


@pytest.mark.parametrize(
    ("page", "sent", "words"),
    [
        ("settings", {"closes": "bald"}, "muss ein Tag oder ein Tag mit Uhrzeit sein"),
        ("settings", {"quota": "9999999"}, "eine ganze Zahl bis 1.000.000 sein"),
        ("settings", {"quota": "viele"}, "sind ganze Zahlen"),
        ("settings", {"max_questions": "0"}, "eine ganze Zahl von 1 bis 1.000"),
        ("settings", {"max_regret": "-1"}, "eine Zahl von mindestens 0"),
        ("settings", {"check_every": "1"}, "oder eine ganze Zahl von 2 bis 1.000"),
        ("settings", {"intro": "a" * 20_001}, "Einer der Texte ist zu lang"),
        ("questions", {"name-1": "a=b"}, "einen kurzen Namen ohne"),
        ("questions", {"kind-1": "choice"}, "braucht Möglichkeiten, eine pro Zeile"),
        ("questions", {"options-1-en": "a"}, "hat keine Möglichkeiten zur Auswahl"),
        (
            "questions",
            {"kind-1": "choice", "options-1-en": "a\na"},
            "müssen verschieden, nicht leer",
        ),
        (
            "questions",
            {"kind-1": "choice", "options-1-en": "\n".join(map(str, range(31)))},
            "darf höchstens 30 Möglichkeiten haben",
        ),
        ("questions", {"name-2": "age", "kind-2": "text"}, "mit einem eigenen Namen"),
    ],
)
def test_what_is_wrong_is_said_in_the_language_of_the_owner(
    client: TestClient, study: Study, page: str, sent: dict[str, str], words: str
) -> None:
    fields = {
        "study": "Flats",
        "question": "pair",
        "max_questions": "5",
        "max_regret": "0",
        "check_every": "0",
        "language-en": "yes",
        "quota": "0",
        "name-1": "age",
        "kind-1": "text",
        "when-1": "before",
        "when-2": "before",
    }
    client.cookies.set("language", "de")
    wrong = client.post(f"/studies/{study.id}/{page}", data=fields | sent)
    assert wrong.status_code == 422
    assert words in wrong.text


def test_a_wrong_weight_is_refused_in_the_language_of_the_owner(
    client: TestClient, study: Study
) -> None:
    person, _ = study.join()
    client.cookies.set("language", "fr")
    for typed in ("beaucoup", "-1", "101", "nan"):
        wrong = client.post(
            f"/studies/{study.id}/participants/{person.id}/count",
            data={"weight": typed},
        )
        assert wrong.status_code == 422
        assert "Un poids doit être un nombre de 0" in wrong.text


def test_link_to_the_result_is_made_renewed_and_withdrawn(
    client: TestClient, study: Study, text: Words
) -> None:
    address = f"/studies/{study.id}"

    def make() -> str:
        page = client.post(f"{address}/share").text
        found = re.search(r'value="http://testserver(/g/[^"]+)"', page)
        assert found is not None
        return found[1]

    first = make()
    assert "somebody has answered" in client.get(first).text
    answer(study, "Ada", 2)
    words = text(client.get(first).text)
    assert "Ada" not in words
    assert FLATS.names[0] in words
    second = make()
    assert client.get(first).status_code == 404
    assert client.get(second).status_code == 200
    assert "A link is out." in text(client.get(address).text)
    assert second not in client.get(address).text
    client.post(f"{address}/unshare")
    assert client.get(second).status_code == 404
    assert "A link is out." not in text(client.get(address).text)


def test_while_people_are_counted_the_link_to_the_result_says_so(
    client: TestClient, study: Study, monkeypatch: pytest.MonkeyPatch
) -> None:
    answer(study, "Ada", 2)
    link = f"/g/{study.store.share_study(study.id)}"
    with monkeypatch.context() as slow:
        slow.setattr(_fitting._COUNTING, "made", lambda *_: None)
        waiting = client.get(link)
    assert "The answer of 1 person is being counted" in waiting.text
    assert "noindex" in waiting.headers["X-Robots-Tag"]
    assert "data-again" in waiting.text
    assert f'href="{link}">Look again' in waiting.text
    assert "/studies" not in waiting.text
    assert FLATS.names[0] in client.get(link).text


def test_the_same_by_the_api(client: TestClient, study: Study) -> None:
    who, _ = answer(study, "Ada", 2)
    base = f"/api/v1/studies/{study.id}"
    made = client.post(f"{base}/share").json()
    assert client.get(made["path"]).status_code == 200
    assert client.delete(f"{base}/share").status_code == 204
    assert client.get(made["path"]).status_code == 404
    settings = study.settings.to_dict() | {"closes": "2020-01-01", "quota": 4}
    sent = client.patch(base, json={"settings": settings}).json()
    assert sent["settings"]["closes"] == "2020-01-01T23:59Z"
    taking = client.get(f"{base}/taking").json()
    assert (taking["state"], taking["quota"]) == ("over", 4)
    assert taking["closes"].startswith("2020-01-01T23:59")
    refused = client.post(f"{base}/join", json={})
    assert (refused.status_code, refused.json()["detail"][:30]) == (
        403,
        "The study takes no new partici",
    )
    person = f"{base}/participants/{who}"
    assert client.post(f"{person}/count", json={"weight": 2}).status_code == 204
    assert client.post(f"{person}/count", json={"weight": 200}).status_code == 422
    listed = client.get(f"{base}/participants").json()[0]
    assert (listed["weight"], listed["n_answers"]) == (2, 2)
    assert listed["seconds"] >= 0
    assert client.get(f"{person}/export").json()["label"] == "Ada"
    assert "Ada" in client.get(f"{person}/answers.csv").text
