import re
from collections.abc import Callable
from typing import Any

import pytest
from fastapi.testclient import TestClient

from penchant.data import Items
from penchant.studies import ParticipantRecord, SqlStore, Study, StudySettings
from penchant.views import _people as _people_view

SETTINGS = {
    "study": "Flats",
    "intro": "Hello\r\nyou",
    "consent": "",
    "question": "rating",
    "max_questions": "7",
    "max_regret": "0.1",
    "language-fr": "yes",
    "help_each_other": "yes",
    "check_every": "5",
    "end_checks": "yes",
}


@pytest.fixture
def study_id(store: SqlStore, flats: bytes) -> str:
    return store.create_study("Flats", Items.from_csv(flats))


@pytest.fixture
def person(store: SqlStore, study_id: str) -> ParticipantRecord:
    return Study(store, study_id).join("Zoe")[0]


def test_page_of_a_study_offers_the_invitation(
    client: TestClient, study_id: str
) -> None:
    page = client.get(f"/studies/{study_id}").text
    assert f'value="http://testserver/s/{study_id}/join"' in page
    assert "Nobody has joined yet." in page
    assert client.get(f"/s/{study_id}/join").status_code == 200


def test_participants_are_listed_with_their_state(
    client: TestClient,
    store: SqlStore,
    study_id: str,
    person: ParticipantRecord,
    text: Callable[[str], str],
) -> None:
    study = Study(store, study_id)
    question = study.ask(person.id)
    assert question is not None
    study.tell(person.id, question.id, "left")
    done, _ = study.join("")
    study.finish(done.id)
    study.join("Robot", simulated=True)
    words = text(client.get(f"/studies/{study_id}").text)
    assert "2 people and 1 simulated; 1 of them have finished." in words
    assert "Zoe is answering 1" in words
    assert "Participant 2 has finished 0" in words
    assert "Robot" not in words
    everybody = text(client.get(f"/studies/{study_id}?simulated=1").text)
    assert "Robot simulated has not answered yet 0" in everybody
    assert "2 participants" in text(client.get("/").text)


def test_long_list_of_participants_comes_in_pages(
    client: TestClient, store: SqlStore, study_id: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(_people_view, "PEOPLE_PER_PAGE", 2)
    for number in range(5):
        store.add_participant(study_id, label=f"Person {number}")
    address = f"/studies/{study_id}"
    first = client.get(address).text
    assert re.findall(r">(Person \d)", first) == ["Person 4", "Person 3"]
    assert "1 to 2 of 5" in first
    last = client.get(f"{address}?people=3").text
    assert re.findall(r">(Person \d)", last) == ["Person 0"]
    assert "5 to 5 of 5" in last
    assert "?people=2#people" in last
    assert client.get(f"{address}?people=4").status_code == 422
    assert client.get(f"{address}?people=0").status_code == 422


def test_study_is_closed_and_opened(
    client: TestClient, store: SqlStore, study_id: str
) -> None:
    address = f"/studies/{study_id}"
    page = client.post(f"{address}/state", data={"open": "no"}).text
    assert store.get_study(study_id).settings.open is False
    assert "Open for participants" in page
    assert "/join" not in page
    listed = client.get("/").text
    assert "0 participants" in listed
    assert '<span class="tag">closed</span>' in listed
    client.post(f"{address}/state", data={"open": "yes"})
    assert store.get_study(study_id).settings.open is True


def test_settings_are_changed(
    client: TestClient, store: SqlStore, study_id: str
) -> None:
    address = f"/studies/{study_id}/settings"
    assert 'value="25"' in client.get(address).text
    saved = client.post(address, data=SETTINGS | {"study": "New name"})
    assert saved.url.path == f"/studies/{study_id}"
    study = store.get_study(study_id)
    assert study.name == "New name"
    assert study.settings == StudySettings(
        question="rating",
        max_questions=7,
        max_regret=0.1,
        languages=("fr",),
        intro="Hello\nyou",
        open=False,
        help_each_other=True,
        reasons=False,
        check_every=5,
        end_checks=True,
        own_limits=False,
    )
    page = client.get(address).text
    assert '<option value="rating" selected>' in page
    assert "Hello\nyou</textarea>" in page


@pytest.mark.parametrize(
    ("field", "value", "words"),
    [
        ("study", " ", "Give the study a name."),
        ("study", "x" * 121, "at most 120 characters"),
        ("max_questions", "0", "from 1 to 1,000"),
        ("max_questions", "many", "whole number"),
        ("max_questions", "1" * 5000, "whole number"),
        ("max_regret", "-1", "at least 0"),
        ("check_every", "1", "from 2 to 1,000"),
        ("check_every", "", "whole numbers"),
        ("max_regret", "nan", "at least 0"),
        ("max_regret", "little", "must be a number"),
        ("question", "poem", "must be one of"),
        ("language-fr", None, "at least one"),
        ("intro", "x" * 20_001, "20,000"),
        ("consent", "\0", "cannot be stored"),
    ],
)
def test_settings_that_do_not_fit_are_shown_again(
    client: TestClient,
    store: SqlStore,
    study_id: str,
    field: str,
    value: str | None,
    words: str,
) -> None:
    sent: dict[str, Any] = {k: v for k, v in SETTINGS.items() if k != field}
    if value is not None:
        sent[field] = value
    before = store.get_study(study_id)
    response = client.post(f"/studies/{study_id}/settings", data=sent)
    assert response.status_code == 422
    assert "Nothing is saved yet." in response.text
    assert words in response.text
    after = store.get_study(study_id)
    assert (after.name, after.settings) == (before.name, before.settings)


def test_study_is_deleted_after_a_question(
    client: TestClient, store: SqlStore, study_id: str, person: ParticipantRecord
) -> None:
    asked = client.get(f"/studies/{study_id}/delete").text
    assert "Delete this study?" in asked
    assert store.get_study(study_id).id == study_id
    assert client.post(f"/studies/{study_id}/delete").url.path == "/"
    assert store.list_studies() == []


def test_link_for_one_person_is_shown_once(
    client: TestClient, store: SqlStore, study_id: str
) -> None:
    page = client.post(f"/studies/{study_id}/participants", data={"label": " Zoe "})
    assert "A link for Zoe" in page.text
    (link,) = re.findall(r"/p/([\w-]{43})", page.text)
    assert store.find_participant(link).label == "Zoe"
    assert link not in client.get(f"/studies/{study_id}").text
    long = client.post(f"/studies/{study_id}/participants", data={"label": "x" * 101})
    assert long.status_code == 422
    client.post(f"/studies/{study_id}/state", data={"open": "no"})
    closed = client.post(f"/studies/{study_id}/participants", data={"label": "Yan"})
    assert closed.status_code == 409


def test_links_for_a_list_of_names(
    client: TestClient, store: SqlStore, study_id: str
) -> None:
    before = len(store.list_participants(study_id))
    path = f"/studies/{study_id}/participants"
    page = client.post(path, data={"label": "Ada\r\n\r\n Bob \r\n"}).text
    assert "<h1>2 links</h1>" in page
    assert re.findall(r"<h2>(.*?)</h2>", page) == ["Ada", "Bob"]
    assert page.count('class="qr"') == 2
    table = client.post(path, data={"label": "Eve\n=1+1", "format": "csv"})
    assert table.headers["content-disposition"].startswith("attachment")
    header, eve, formula = table.text.lstrip("\ufeff").splitlines()
    assert header == "name,link"
    assert formula.startswith("'=1+1,")
    person = store.find_participant(eve.rpartition("/p/")[2])
    assert (person.label, person.study_id) == ("Eve", study_id)
    many = client.post(path, data={"label": "x\n" * 501})
    assert many.status_code == 422
    assert "At most 500 names" in many.text
    assert len(store.list_participants(study_id)) == before + 4


def test_link_is_renewed(
    client: TestClient, store: SqlStore, study_id: str, person: ParticipantRecord
) -> None:
    address = f"/studies/{study_id}/participants/{person.id}/link"
    (link,) = re.findall(r"/p/([\w-]{43})", client.post(address).text)
    assert store.find_participant(link).id == person.id
    (newer,) = re.findall(r"/p/([\w-]{43})", client.post(address).text)
    assert client.get(f"/p/{link}").status_code == 404
    assert client.get(f"/p/{newer}").status_code == 200


def test_participant_is_removed_after_a_question(
    client: TestClient, store: SqlStore, study_id: str, person: ParticipantRecord
) -> None:
    address = f"/studies/{study_id}/participants/{person.id}/remove"
    assert "Zoe and all answers" in client.get(address).text
    client.post(address)
    assert store.list_participants(study_id) == []
    assert client.post(address).status_code == 404


def test_health_and_readiness(
    client: TestClient, store: SqlStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    from penchant.exceptions import StoreError

    assert client.get("/readyz").json() == {"status": "ok"}

    def fail() -> str:
        raise StoreError("gone")

    monkeypatch.setattr(store, "why_not_ready", fail)
    client.app.state.readiness = (-10.0, "")  # type: ignore[attr-defined]
    assert client.get("/readyz").status_code == 503
    assert client.get("/healthz").json() == {"status": "ok"}


@pytest.mark.parametrize(("right", "warned"), [(17, False), (11, True)])
def test_the_study_tells_how_often_it_foretold_answers(
    client: TestClient, store: SqlStore, study_id: str, right: int, warned: bool
) -> None:
    log: list[tuple[str, dict[str, Any]]] = []
    for k in range(20):
        asked = {"question": f"{k}", "form": "pair", "items": [0, 1]}
        foretold = {"answer": "left", "probability": 0.82}
        told = "left" if k < right else "right"
        log.append(("asked", {**asked, "predicted": foretold}))
        log.append(("answered", {"question": f"{k}", "answer": told}))
    store.add_participant(study_id, events=log)
    for page in ("", "/group", "/report", "/export/report.html"):
        text = client.get(f"/studies/{study_id}{page}").text
        assert f": {right} came as predicted, and we had expected 82" in text
        assert ("Do not rely on these results" in text) is warned
