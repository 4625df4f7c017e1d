"""What participants take away, agree to, withdraw, and read on a lost link."""

import csv
import io
import json
import secrets
from collections.abc import Callable

import pytest
from fastapi.testclient import TestClient

from penchant.datasets import load_flats
from penchant.studies import Noun, SqlStore, Study, StudySettings, load_texts

PAGES = (
    "/result",
    "/why?item=0",
    "/compare?a=0&b=1",
    "/what-if?item=0",
    "/pause",
    "/export/answers.csv",
    "/export/ranking.csv",
    "/export/result.json",
)
FRENCH = load_texts("fr")
FLATS = (Noun("en", "flat", "flats"), Noun("fr", "appartement", "appartements"))

Joined = tuple[Study, str, str]


@pytest.fixture
def join(store: SqlStore) -> Callable[..., Joined]:
    """Make a study of eight flats with one participant: study, person, path."""

    def make(**settings: object) -> Joined:
        chosen = StudySettings(max_regret=0.0, **settings)  # type: ignore[arg-type]
        flats = load_flats().take(range(8))
        study = Study(store, store.create_study("Flats", flats, settings=chosen))
        person, token = study.join("Zoe")
        return study, person.id, f"/p/{token}"

    return make


def _answer(study: Study, person: str, *sides: str) -> None:
    for side in sides:
        question = study.ask(person)
        assert question is not None
        study.tell(person, question.id, side)


def _table(response: object) -> list[dict[str, str]]:
    content: bytes = response.content  # type: ignore[attr-defined]
    return list(csv.DictReader(io.StringIO(content.decode("utf-8-sig"))))


def test_own_answers_and_ranking_can_be_taken_away(
    client: TestClient, join: Callable[..., Joined]
) -> None:
    study, person, home = join()
    _answer(study, person, "left", "tie", "skip")
    told = study.participation(person).answered
    answers = _table(client.get(f"{home}/export/answers.csv"))
    assert [row["answer"] for row in answers] == ["left", "tie", "skip"]
    names = study.items.names
    for row, each in zip(answers, told, strict=True):
        assert (row["item_1"], row["item_2"]) == tuple(names[i] for i in each.items)
    ranking = _table(client.get(f"{home}/export/ranking.csv"))
    expected = study.ranking(person)
    assert [row["name"] for row in ranking] == [each.name for each in expected]
    assert float(ranking[0]["points"]) == pytest.approx(expected[0].points, abs=1e-3)
    everything = json.loads(client.get(f"{home}/export/result.json").content)
    assert len(everything["answers"]) == 3
    assert everything["ranking"][0]["name"] == expected[0].name
    curves = study.curves(person)
    assert [each["attribute"] for each in everything["curves"]] == [
        curve.attribute for curve in curves
    ]
    assert client.get(f"{home}/export/other.csv").status_code == 404
    page = client.get(f"{home}/result").text
    for name in ("answers.csv", "ranking.csv", "result.json"):
        assert f'href="{home}/export/{name}"' in page


def test_other_forms_of_answers_can_be_taken_away(
    client: TestClient, join: Callable[..., Joined]
) -> None:
    study, person, home = join(question="ranking")
    question = study.ask(person)
    assert question is not None
    study.tell(person, question.id, list(question.items)[::-1])
    (row,) = _table(client.get(f"{home}/export/answers.csv"))
    assert row["answer"] == "item_4 > item_3 > item_2 > item_1"


@pytest.mark.parametrize("page", PAGES)
def test_nothing_is_shown_before_the_person_agrees(
    client: TestClient, join: Callable[..., Joined], page: str
) -> None:
    _, _, home = join(consent="Do you agree?")
    response = client.get(f"{home}{page}", follow_redirects=False)
    assert (response.status_code, response.headers["location"]) == (303, home)
    client.post(f"{home}/consent")
    assert client.get(f"{home}{page}").status_code == 200


@pytest.mark.parametrize("action", ["answer", "undo", "finish", "go-on"])
def test_nothing_is_done_before_the_person_agrees(
    client: TestClient, join: Callable[..., Joined], action: str
) -> None:
    study, person, home = join(consent="Do you agree?")
    before = study.participation(person).n_events
    response = client.post(f"{home}/{action}", follow_redirects=False)
    assert response.headers["location"] == home
    assert study.participation(person).n_events == before


def test_a_participant_can_withdraw(
    client: TestClient, store: SqlStore, join: Callable[..., Joined]
) -> None:
    study, person, home = join(consent="Do you agree?")
    assert "Delete your answers?" in client.get(f"{home}/withdraw").text
    assert store.get_participant(person)
    page = client.post(f"{home}/withdraw")
    assert (page.status_code, "Your answers are deleted" in page.text) == (200, True)
    assert store.list_participants(study.id) == []
    gone = client.get(home)
    assert gone.status_code == 404
    assert "This link does not work" in gone.text


def test_lost_links_all_look_the_same(
    client: TestClient, store: SqlStore, join: Callable[..., Joined]
) -> None:
    _, person, home = join()
    other, _, gone = join()
    store.remove_participant(person)
    store.delete_study(other.id)
    strange = f"/p/{secrets.token_urlsafe(32)}"
    paths = (home, f"{home}/result", gone, strange, f"/s/{other.id}/join", "/s/x/join")
    pages = {client.get(path).text for path in paths}
    assert len(pages) == 1
    assert "Flats" not in pages.pop()
    french = client.get(home, headers={"Accept-Language": "fr"})
    assert french.status_code == 404
    assert "Ce lien ne fonctionne pas" in french.text
    program = client.get(home, headers={"Accept": "application/json"})
    assert program.json() == {"detail": "This link does not work"}


@pytest.mark.parametrize("page", ["why?item=3", "compare?a=1&b=2", "result", "pause"])
def test_a_change_of_the_language_keeps_the_page(
    client: TestClient, join: Callable[..., Joined], page: str
) -> None:
    _, _, home = join()
    shown = client.get(f"{home}/{page}").text
    assert f'name="page" value="{page.replace("&", "&amp;")}"' in shown
    sent = {"language": "fr", "page": page}
    moved = client.post(f"{home}/language", data=sent, follow_redirects=False)
    assert moved.headers["location"] == f"{home}/{page}"
    assert '<html lang="fr">' in client.get(f"{home}/{page}").text


def test_a_study_calls_its_alternatives_by_name(
    client: TestClient, join: Callable[..., Joined]
) -> None:
    study, person, home = join(nouns=FLATS)
    page = client.get(home).text
    assert "Which flat do you prefer?" in page
    assert "Which flat do you prefer?" in page
    _answer(study, person, "left", "right")
    for path in (
        "",
        "/result",
        "/why?item=1",
        "/compare?a=0&b=1",
    ):
        shown = client.get(f"{home}{path}").text
        assert "lternative" not in shown, path
    assert "Flat A" in shown or "flats" in shown
    client.cookies.set("language", "fr")
    assert "entre ces deux appartements" in client.get(home).text
    assert "parmi 8 appartements" in client.get(f"{home}/result").text
    owners = client.get(f"/studies/{study.id}").text
    assert "Les appartements" in owners
    assert "8 appartements" in client.get("/").text


def test_the_noun_is_set_with_the_table_and_in_the_settings(
    client: TestClient, store: SqlStore, flats: bytes
) -> None:
    draft = client.post("/drafts", files={"table": ("flats.csv", flats)}).url.path
    half = client.post(draft, data={"study": "Flats", "noun": "flat"})
    assert half.status_code == 422
    assert "Say what one is called" in half.text
    assert 'value="flat"' in half.text
    sent = {"study": "Flats", "noun": "flat", "nouns": "flats"}
    path = client.post(draft, data=sent).url.path
    study_id = path.removeprefix("/studies/")
    assert store.get_study(study_id).settings.nouns == (Noun("en", "flat", "flats"),)
    form = client.get(f"{path}/settings").text
    assert 'name="noun-en" type="text" maxlength="40"' in form
    values = {"study": "Flats", "question": "pair", "max_questions": "9"}
    values |= {"max_regret": "0", "language-en": "yes", "check_every": "0"}
    changed = {"noun-fr": "logement", "nouns-fr": "logements"}
    client.post(f"{path}/settings", data=values | changed)
    settings = store.get_study(study_id).settings
    assert settings.nouns == (Noun("fr", "logement", "logements"),)
    wrong = client.post(f"{path}/settings", data=values | {"nouns-fr": "logements"})
    assert wrong.status_code == 422
    assert store.get_study(study_id).settings == settings


def test_owners_read_in_their_language(client: TestClient, store: SqlStore) -> None:
    study_id = store.create_study("Flats", load_flats())
    path = f"/studies/{study_id}?sort=1"
    page = client.get(path).text
    assert f'name="page" value="{path}"' in page
    moved = client.post("/language", data={"language": "fr", "page": path})
    assert str(moved.url).endswith(path)
    assert '<html lang="fr">' in moved.text
    assert "Participants" in moved.text
    assert FRENCH("owner.study.less_better") in moved.text
    away = client.post(
        "/language",
        data={"language": "fr", "page": "//elsewhere"},
        follow_redirects=False,
    )
    assert away.headers["location"] == "/"
    assert FRENCH("errors.404") in client.get("/nowhere").text
    empty = client.get(f"/studies/{study_id}/group").text
    assert FRENCH("owner.group.empty") in empty
