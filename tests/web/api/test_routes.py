import io
from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pandas as pd
import pytest
from fastapi.testclient import TestClient

from penchant.data import Items
from penchant.studies import (
    SqlStore,
    Study,
    StudySettings,
    check_store,
    import_study,
    read_pictures,
)
from penchant.web import add_api_token, create_app
from tests.web.conftest import drawn_picture

FLATS = {
    "name": "Flats",
    "attributes": [{"name": "rent", "direction": "down", "unit": "EUR"}],
    "items": [
        {"name": "a", "values": {"rent": 500, "view": "sea"}},
        {"name": "b", "values": {"rent": 700, "view": "yard"}},
        {"name": "c", "values": {"rent": None, "view": "sea"}},
    ],
}


class Api:
    """A caller of the API with one bearer token."""

    def __init__(self, client: TestClient, token: str = "") -> None:
        self.client = client
        self.headers = {"Authorization": f"Bearer {token}"} if token else {}

    def __call__(self, method: str, path: str, status: int = 200, **body: Any) -> Any:
        options = {name: body[name] for name in ("json", "content") if name in body}
        response = self.client.request(
            method, f"/api/v1{path}", headers=self.headers, **options
        )
        assert response.status_code == status, response.text
        if response.content[:1] in (b"{", b"[", b"n"):
            return response.json()
        return response.text


@pytest.fixture
def owner(login_client: TestClient, store: SqlStore, owners: dict[str, str]) -> Api:
    return Api(login_client, add_api_token(store, owners["ada"], timedelta(days=1)))


@pytest.fixture
def study_id(owner: Api) -> str:
    made: str = owner("POST", "/studies", 201, json=FLATS)["id"]
    return made


@pytest.fixture
def person(owner: Api, study_id: str) -> Api:
    joined = Api(owner.client)("POST", f"/studies/{study_id}/join", 201, json={})
    return Api(owner.client, joined["token"])


def test_study_is_made_read_changed_and_removed(
    owner: Api, store: SqlStore, owners: dict[str, str]
) -> None:
    made = owner("POST", "/studies", 201, json=FLATS | {"settings": {"open": False}})
    path = f"/studies/{made['id']}"
    assert made["n_items"] == 3
    assert made["settings"]["open"] is False
    assert store.get_study(made["id"]).owner == owners["ada"]
    assert [study["name"] for study in owner("GET", "/studies")] == ["Flats"]
    items = owner("GET", f"{path}/items")
    assert items["items"][2] == {
        "name": "c",
        "values": {"rent": None, "view": "sea"},
        "extras": [],
    }
    assert items["attributes"][0]["direction"] == "down"
    assert items["attributes"][1]["kind"] == "categorical"
    changed = owner(
        "PATCH", path, json={"name": "Other", "settings": {"max_questions": 3}}
    )
    assert (changed["name"], changed["settings"]["max_questions"]) == ("Other", 3)
    assert owner("GET", path) == changed
    owner("DELETE", path, 204)
    owner("GET", path, 404)


@pytest.mark.parametrize(
    "body",
    [
        {},
        {"name": "", "items": FLATS["items"]},
        {"name": "x" * 121, "items": FLATS["items"]},
        {"name": "x", "items": []},
        {"name": "x", "items": [7]},
        {"name": "x", "items": {"a": 7}},
        FLATS | {"roles": {"nothing": "shown"}},
        FLATS | {"roles": {"rent": "king"}},
        {"name": "x", "items": [FLATS["items"][0]] * 2},  # type: ignore[index]
        {"name": "x\0", "items": FLATS["items"]},
        {"name": "x", "items": FLATS["items"], "owner": "me"},
        FLATS | {"settings": {"question": "poem"}},
        FLATS | {"settings": {"languages": ["en", "en"]}},
        FLATS | {"attributes": [{"name": "nothing"}]},
        FLATS | {"attributes": [{"name": "rent", "domain": [3, 1]}]},
    ],
)
def test_study_that_does_not_fit_is_refused(
    owner: Api, store: SqlStore, body: dict[str, Any]
) -> None:
    assert owner("POST", "/studies", 422, json=body)["detail"]
    assert store.list_studies() == []


@pytest.mark.parametrize("body", [b"", b"{", b"[1]", b"7", b'{"items": [1'])
def test_what_is_no_study_is_refused(owner: Api, body: bytes) -> None:
    assert owner("POST", "/studies", 422, content=body)["detail"]


def test_columns_that_are_shown_go_in_and_come_out(owner: Api, store: SqlStore) -> None:
    items = [
        {"name": n, "values": {"rent": r, "photo": f"{n}.png", "taste": t}}
        for n, r, t in (("a", "1.299 €", 1), ("b", "899,00 €", 2))
    ]
    asked = {"max_regret": 0}
    body = {"name": "Flats", "items": items, "settings": asked}
    body |= {"roles": {"photo": "picture"}}
    made = owner("POST", "/studies", 201, json=body)
    told = {each["name"]: each for each in made["report"]["columns"]}
    assert told["rent"]["attribute"]["unit"] == "€"
    (picture,) = read_pictures([("b.png", drawn_picture())])
    store.add_pictures([picture], study_id=made["id"])
    joined = owner("POST", f"/studies/{made['id']}/participants", 201, json={})
    me = Api(owner.client, joined["token"])
    for found in (
        owner("GET", f"/studies/{made['id']}/items")["items"],
        me("GET", "/me/items")["items"],
        sorted(me("POST", "/me/question")["items"], key=lambda item: item["name"]),
    ):
        assert [item["values"]["rent"] for item in found] == [1299, 899]
        first, second = (item["extras"][0] for item in found)
        assert (first["role"], first["value"], first["picture"]) == (
            "picture",
            "a.png",
            "",
        )
        assert second["picture"] == picture.digest
    for caller, path in ((me, "/me"), (owner, f"/studies/{made['id']}")):
        answer = caller.client.get(
            f"/api/v1{path}/pictures/{picture.digest}", headers=caller.headers
        )
        assert (answer.status_code, answer.content) == (200, picture.body)


def test_a_file_is_understood_and_not_kept(owner: Api, store: SqlStore) -> None:
    content = b"name;price\na;1.299\nb;2.499\nTotal;3.798\n"
    report = owner("POST", "/tables?filename=t.csv", 200, content=content)
    assert report["ok"] is False
    assert len(report["columns"][1]["choices"]) == 2
    assert report["file"]["left_out"][0]["what"] == "total"
    assert store.list_studies() == []
    assert owner("POST", "/tables?filename=t.csv", 422, content=b" ")["detail"]


def test_too_large_tables_are_refused_before_work(owner: Api, store: SqlStore) -> None:
    owner.client = TestClient(create_app(store, login=True))
    wide = {"name": "a", "values": {f"c{n}": n for n in range(201)}}
    long = {"name": "a", "values": {}}
    many = [{"name": "a", "values": {f"c{n}": n}} for n in range(201)]
    for items in ([wide], [long] * 20_001, many):
        told = owner("POST", "/studies", 422, json={"name": "x", "items": items})
        assert "20,000 rows and 200 columns are taken" in told["detail"]


NAMES = [f"n{k}" for k in range(1000)]
GOOD: dict[str, Any] = {"name": "a", "values": {"x": 1}}


@pytest.mark.parametrize(
    ("body", "said"),
    [
        ({"items": [GOOD], **dict.fromkeys(NAMES, 1)}, "body.n0: Extra inputs"),
        ({"items": [GOOD, {"name": "b"}, {}]}, "body.items.1.values: Field required"),
        ({"items": [GOOD] * 3, "roles": {str(k): 1 for k in range(201)}}, "201 column"),
        ({"items": [GOOD] * 3, "attributes": [{}] * 201}, "201 columns"),
        ({"items": [GOOD, *[[]] * 200_001]}, "lists and objects"),
        ({"items": 3}, "body.items: Input should be a valid list"),
    ],
    ids=["names", "item", "roles", "attributes", "lists", "no list"],
)
def test_the_first_fault_of_a_large_body_is_named(
    owner: Api, store: SqlStore, body: dict[str, Any], said: str
) -> None:
    owner.client = TestClient(create_app(store, login=True))
    told = owner("POST", "/studies", 422, json={"name": "x", **body})
    assert said in told["detail"]


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"{",
        b"[" * 100_000,
        b'{"name": "\\ud800", "items": [{"name": "a", "values": {"x": 1}}]}',
        b'{"\\ud800": 1}',
        b'{"name": "x", "items": [{"name": "a", "values": {"x": NaN}}]}',
        b'{"name": "x", "items": [{"name": "a", "values": {"x": 1e999}}]}',
        b"\xff\xfe",
    ],
)
def test_broken_bodies_are_refused(owner: Api, content: bytes) -> None:
    response = owner.client.post(
        "/api/v1/studies",
        content=content,
        headers=owner.headers | {"Content-Type": "application/json"},
    )
    assert response.status_code in (400, 422)
    assert set(response.json()) == {"detail"}


def test_body_that_is_too_large_is_refused_in_json(owner: Api) -> None:
    response = owner.client.post("/api/v1/studies", content=b" " * 200_001)
    assert response.status_code == 413
    assert "0.2 MB" in response.json()["detail"]


def test_conversation(person: Api, owner: Api, study_id: str, store: SqlStore) -> None:
    where = person("GET", "/me")
    assert (where["study"], where["state"], where["n_answers"]) == (study_id, "new", 0)
    question = person("POST", "/me/question")
    assert person("POST", "/me/question") == question
    assert question["form"] == "pair"
    assert [item["name"] for item in question["items"]] == [
        "abc"[position] for position in question["positions"]
    ]
    answer = {"question": question["id"], "answer": "left"}
    first = person("POST", "/me/answers", json=answer)
    assert (first["n_answers"], first["can_undo"]) == (1, True)
    log = [event.kind for event in store.study_events(study_id)]
    assert person("POST", "/me/answers", json=answer)["n_answers"] == 1
    assert [event.kind for event in store.study_events(study_id)] == log
    person("POST", "/me/answers", 409, json=answer | {"answer": "right"})
    person("POST", "/me/answers", 409, json=answer | {"question": "0" * 16})
    assert person("POST", "/me/undo")["n_answers"] == 0
    person("POST", "/me/undo", 409)
    again = person("POST", "/me/question")
    told = {"question": again["id"], "answer": {"best": 0, "worst": 1}}
    person("POST", "/me/answers", 422, json=told)
    assert person("POST", "/me/finish")["state"] == "finished"
    person("POST", "/me/go-on")
    assert person("POST", "/me/question") is not None
    assert check_store(store).ok


def test_results_of_a_participant_agree_with_the_study(
    person: Api, store: SqlStore, study_id: str
) -> None:
    question = person("POST", "/me/question")
    person("POST", "/me/answers", json={"question": question["id"], "answer": "left"})
    ranking = person("GET", "/me/ranking")
    assert [entry["place"] for entry in ranking] == [1, 2, 3]
    assert sum(entry["probability_best"] for entry in ranking) >= 1.0  # or as good
    best = ranking[0]
    why = person("GET", f"/me/why?item={best['item']}")
    total = why["base"] + why["rest"] + sum(part["points"] for part in why["parts"])
    assert total == pytest.approx(why["points"], abs=1e-6)
    assert all(part["low"] <= part["points"] <= part["high"] for part in why["parts"])
    a, b = ranking[0]["item"], ranking[1]["item"]
    compared = person("GET", f"/me/compare?a={a}&b={b}")
    gap = compared["rest"] + sum(part["points"] for part in compared["parts"])
    assert compared["ahead"] == pytest.approx(gap, abs=1e-6)
    same = person("POST", "/me/what-if", json={"base": a, "values": {}})
    assert same["change"] == pytest.approx(0.0, abs=1e-6)
    assert person("GET", "/me/items")["items"][0]["name"] == "a"


@pytest.mark.parametrize(
    ("method", "path", "body"),
    [
        ("GET", "/me/why?item=3", None),
        ("GET", "/me/why?item=-1", None),
        ("GET", "/me/why", None),
        ("GET", "/me/compare?a=0&b=0", None),
        ("GET", "/me/compare?a=0&b=99", None),
        ("POST", "/me/what-if", {"base": 3}),
        ("POST", "/me/what-if", {"base": 0, "values": {"nothing": 1}}),
        ("POST", "/me/what-if", {"base": 0, "values": {"rent": "cheap"}}),
        ("POST", "/me/what-if", {"base": 0, "values": {"view": "moon"}}),
        ("POST", "/me/answers", {"question": "x", "answer": "maybe"}),
        ("POST", "/me/answers", {"question": "x", "answer": True}),
        ("POST", "/me/answers", {"question": "x", "answer": 1.5}),
    ],
)
def test_questions_that_make_no_sense_are_refused(
    person: Api, method: str, path: str, body: Any
) -> None:
    options = {} if body is None else {"json": body}
    assert person(method, path, 422, **options)["detail"]


def test_consent_comes_first(
    owner: Api, login_client: TestClient, store: SqlStore
) -> None:
    body = FLATS | {"settings": {"consent": "We keep your answers."}}
    study_id = owner("POST", "/studies", 201, json=body)["id"]
    joined = Api(login_client)("POST", f"/studies/{study_id}/join", 201, json={})
    me = Api(login_client, joined["token"])
    assert me("GET", "/me")["needs_consent"] is True
    for method, path in (
        ("POST", "/me/question"),
        ("POST", "/me/undo"),
        ("POST", "/me/finish"),
        ("POST", "/me/go-on"),
        ("GET", "/me/ranking"),
        ("GET", "/me/why?item=0"),
        ("GET", "/me/compare?a=0&b=1"),
    ):
        me(method, path, 409)
    assert me("POST", "/me/consent")["needs_consent"] is False
    me("POST", "/me/consent")
    assert me("POST", "/me/question")["number"] == 1


def test_people_say_something_about_themselves(
    owner: Api, login_client: TestClient
) -> None:
    about = [
        {"name": "age", "kind": "number", "required": True},
        {
            "name": "home",
            "kind": "choice",
            "options": ["rent", "own"],
            "wording": {"fr": "Logement ?"},
            "option_words": {"fr": ["loue", "possède"]},
        },
        {"name": "why", "when": "after"},
    ]
    settings = {"about": about, "thanks": "Bye", "texts": {"fr": {"intro": "Salut"}}}
    body = FLATS | {"settings": settings}
    study_id = owner("POST", "/studies", 201, json=body)["id"]
    kept = owner("GET", f"/studies/{study_id}")["settings"]
    assert [each["name"] for each in kept["about"]] == ["age", "home", "why"]
    assert kept["texts"]["fr"]["intro"] == "Salut"
    join = f"/studies/{study_id}/join"
    joined = Api(login_client)("POST", join, 201, json={"language": "fr"})
    me = Api(login_client, joined["token"])
    age, home = me("GET", "/me")["about_due"]
    assert (age["question"], age["required"]) == ("age", True)
    assert (home["question"], home["option_words"]) == (
        "Logement ?",
        ["loue", "possède"],
    )
    me("POST", "/me/question", 409)
    me("POST", "/me/about", 422, json={"answers": {"age": "old"}})
    me("POST", "/me/about", 422, json={"answers": {"age": 10**400}})
    now = me("POST", "/me/about", json={"answers": {"age": 40, "home": "own"}})
    assert now["about"] == {"age": 40, "home": "own"}
    assert now["about_due"] == []
    me("POST", "/me/question")
    me("POST", "/me/finish")
    assert [each["name"] for each in me("GET", "/me")["about_due"]] == ["why"]
    after = {"when": "after", "answers": {"why": "Because"}}
    assert me("POST", "/me/about", json=after)["about_due"] == []
    (person,) = owner("GET", f"/studies/{study_id}/participants")
    assert person["about"] == {"age": 40, "home": "own", "why": "Because"}
    taken = owner.client.get(
        f"/api/v1/studies/{study_id}/people.csv", headers=owner.headers
    )
    assert "40,own,Because" in taken.text


def test_closed_study_takes_nobody(owner: Api, study_id: str) -> None:
    owner("PATCH", f"/studies/{study_id}", json={"settings": {"open": False}})
    Api(owner.client)("POST", f"/studies/{study_id}/join", 403, json={})
    owner("POST", f"/studies/{study_id}/participants", 409, json={})


def test_joining_is_limited_by_address(
    owner: Api, study_id: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    app: Any = owner.client.app
    monkeypatch.setattr(app.state.access.joins, "most", 2)
    for status in (201, 201, 429):
        Api(owner.client)("POST", f"/studies/{study_id}/join", status, json={})


def test_participants_are_listed_renewed_and_removed(
    owner: Api, study_id: str, store: SqlStore
) -> None:
    path = f"/studies/{study_id}/participants"
    joined = owner("POST", path, 201, json={"label": "Zoe"})
    me = Api(owner.client, joined["token"])
    me("GET", "/me")
    (listed,) = owner("GET", path)
    assert (listed["label"], listed["state"], listed["n_answers"]) == ("Zoe", "new", 0)
    assert listed["id"] == joined["participant"]
    renewed = owner("POST", f"{path}/{listed['id']}/link")
    me("GET", "/me", 401)
    Api(owner.client, renewed["token"])("GET", "/me")
    owner("DELETE", f"{path}/{listed['id']}", 204)
    Api(owner.client, renewed["token"])("GET", "/me", 401)
    assert owner("GET", path) == []


def test_group_and_exports(
    owner: Api, person: Api, study_id: str, store: SqlStore
) -> None:
    empty = owner("GET", f"/studies/{study_id}/group")
    assert (empty["n_people"], empty["items"]) == (0, [])
    question = person("POST", "/me/question")
    person("POST", "/me/answers", json={"question": question["id"], "answer": "left"})
    group = owner("GET", f"/studies/{study_id}/group")
    assert group["n_people"] == 1
    best = person("GET", "/me/ranking")[0]
    assert group["items"][0]["name"] == best["name"]
    assert group["segments"][0]["best"] == best["item"]
    turned = group["another_winner"]
    assert [turned["winner"], turned["rival"]] == [
        item["item"] for item in group["items"][:2]
    ]
    assert turned["left_out"] is None  # there is one person
    assert group["agreement"] is None
    assert (group["kinds"], group["differ"], group["careless"]) == ("none", None, [])
    who = owner("GET", f"/studies/{study_id}/participants")[-1]["id"]
    switch = f"/studies/{study_id}/participants/{who}/count"
    owner("POST", switch, 204, json={"counts": False})
    without = owner("GET", f"/studies/{study_id}/group")
    assert (without["n_people"], without["items"]) == (0, [])
    assert without["careless"] == [{"participant": who, "kind": "", "left_out": True}]
    owner("POST", switch, 204, json={"counts": True})
    assert owner("GET", f"/studies/{study_id}/group") == group
    table = owner("GET", f"/studies/{study_id}/ranking.csv")
    frame = pd.read_csv(io.StringIO(table.removeprefix("\ufeff")))
    assert frame["alternative"].tolist() == [item["name"] for item in group["items"]]
    answers = owner("GET", f"/studies/{study_id}/answers.csv")
    assert answers.count("\n") == 2
    dump = owner("GET", f"/studies/{study_id}/export")
    copy = Study(store, import_study(store, dump))
    assert copy.group().items[0].name == best["name"]


def test_without_login_the_local_analyst_needs_no_token(store: SqlStore) -> None:
    client = TestClient(create_app(store))
    made = Api(client)("POST", "/studies", 201, json=FLATS)
    assert store.get_study(made["id"]).owner is None
    assert Api(client, "any token")("GET", "/studies")[0]["id"] == made["id"]


def test_session_works_with_its_csrf_token(
    as_owner: Callable[[str], TestClient],
) -> None:
    client = as_owner("ada")
    page = client.get("/").text
    csrf = page.partition('name="csrf" value="')[2][:64]
    response = client.post(
        "/api/v1/studies", json=FLATS, headers={"X-CSRF-Token": csrf}
    )
    assert response.status_code == 201


def test_api_token_ends(
    login_client: TestClient, store: SqlStore, owners: dict[str, str]
) -> None:
    token = add_api_token(store, owners["ada"], timedelta(seconds=-1))
    Api(login_client, token)("GET", "/studies", 401)


def test_schema_says_what_every_route_may_answer(login_client: TestClient) -> None:
    schema = login_client.get("/api/v1/openapi.json").json()
    assert schema["info"]["title"] == "penchant"
    for path, operations in schema["paths"].items():
        for method, operation in operations.items():
            assert {"401", "404", "409", "422"} <= set(operation["responses"]), path
            assert operation["summary"], (method, path)
            public = path.endswith("/join")
            assert bool(operation.get("security")) is not public, (method, path)


def test_other_forms_of_questions(owner: Api, store: SqlStore, flats: bytes) -> None:
    for form, answer in (("best-worst", None), ("rating", 4), ("ranking", None)):
        study = store.create_study(
            form, Items.from_csv(flats), settings=StudySettings(question=form)
        )
        _, token = Study(store, study).join()
        me = Api(owner.client, token)
        question = me("POST", "/me/question")
        shown = question["positions"]
        given = {"best-worst": {"best": shown[0], "worst": shown[-1]}, "ranking": shown}
        told = {"question": question["id"], "answer": given.get(form, answer)}
        assert me("POST", "/me/answers", json=told)["n_answers"] == 1


def test_a_choice_gets_a_reason(person: Api, owner: Api, study_id: str) -> None:
    first = person("POST", "/me/question")
    values = [item["values"] for item in first["items"]]
    differ = [k for k in values[0] if None not in (values[0][k], values[1][k])]
    differ = [k for k in differ if values[0][k] != values[1][k]]
    told = {"question": first["id"], "answer": "left", "because": differ[0]}
    person("POST", "/me/answers", json=told)
    back = {"question": first["id"], "attribute": None}
    person("POST", "/me/because", json=back)
    person("POST", "/me/because", json=back | {"attribute": differ[0]})
    wrong = back | {"attribute": "poem"}
    assert (
        "must be an attribute"
        in person("POST", "/me/because", 422, json=wrong)["detail"]
    )
    table = pd.read_csv(io.StringIO(owner("GET", f"/studies/{study_id}/answers.csv")))
    assert table["because"].tolist() == [differ[0]]
    found = owner("GET", f"/studies/{study_id}/calibration")
    assert found == {"n": 0, "right": 0, "said": 0.0, "fails": False}


def test_table_is_changed_in_one_version(owner: Api, study_id: str) -> None:
    change = {
        "version": 1,
        "correct": {"a": {"rent": 550}},
        "add": {"d": {"rent": 600, "view": "yard"}},
        "columns": {"rent": {"direction": "up"}},
        "withdraw": ["b"],
        "note": "spring",
    }
    made = owner("POST", f"/studies/{study_id}/versions", 201, json=change)
    assert (made["number"], made["n_items"], made["withdrawn"]) == (2, 3, ["b"])
    kinds = [each["kind"] for each in made["changes"]]
    assert kinds == ["added", "withdrawn", "direction", "value"]
    assert owner("POST", f"/studies/{study_id}/versions", 409, json=change)
    nothing = owner("POST", f"/studies/{study_id}/versions", 422, json={})
    assert "Nothing is different" in nothing["detail"]
    listed = owner("GET", f"/studies/{study_id}/versions")
    assert [each["note"] for each in listed] == ["", "spring"]
    assert owner("GET", f"/studies/{study_id}/items")["withdrawn"] == [1]
    assert owner("GET", f"/studies/{study_id}")["n_items"] == 3


def test_a_file_replaces_the_table_after_a_look(owner: Api, study_id: str) -> None:
    path = f"/studies/{study_id}/table?filename=new.csv&missing=keep"
    file = b"name,rent\na,510\ne,800\n"
    looked = owner("PUT", f"{path}&look=true", content=file)
    assert [each["kind"] for each in looked["changes"]] == ["added", "value"]
    assert len(owner("GET", f"/studies/{study_id}/versions")) == 1
    assert owner("PUT", path, content=file)["number"] == 2
    refused = owner("PUT", path.replace("keep", "refuse"), 422, content=file)
    assert "not in the new table" in refused["detail"]


def test_a_study_is_copied_and_who_finished_is_told_the_news(
    owner: Api, store: SqlStore, study_id: str
) -> None:
    person, token = Study(store, study_id, background=False).join()
    me = Api(owner.client, token)
    me("POST", "/me/finish")
    assert me("GET", "/me/news") == []
    change = {"correct": {"a": {"rent": 550}}}
    owner("POST", f"/studies/{study_id}/versions", 201, json=change)
    assert [each["column"] for each in me("GET", "/me/news")] == ["rent"]
    body = {"name": "Again", "participants": True}
    made = owner("POST", f"/studies/{study_id}/copy", 201, json=body)
    assert made["name"] == "Again"
    assert len(store.list_participants(made["id"])) == 1
    assert store.get_participant(person.id).study_id == study_id


def test_limits_of_a_participant_and_of_the_owner(
    person: Api, owner: Api, study_id: str
) -> None:
    assert person("GET", "/me/limits")["limits"] == {}
    wanted = {"limits": {"rent": {"at_most": 500}}}
    found = person("PUT", "/me/limits", json=wanted)
    assert (found["n_fit"], found["n_items"]) == (2, 3)  # a blank does not fail
    more = {"attribute": "rent", "bound": "at_most", "value": 700.0, "n_more": 1}
    assert found["relaxations"] == [more]
    assert found["limits"]["rent"]["at_most"] == 500
    assert person("GET", "/me/limits") == found
    assert set(person("POST", "/me/question")["positions"]) == {0, 2}
    assert len(person("GET", "/me/ranking")) == 2
    for wrong, words in (
        ({"rent": {"at_most": -1, "known": True}}, "No alternative fits all limits"),
        ({"poem": {"at_most": 1}}, "no attribute 'poem'"),
        ({"rent": {}}, "say at_least"),
    ):
        said = person("PUT", "/me/limits", 422, json={"limits": wrong})
        assert words in said["detail"]
    path = f"/studies/{study_id}"
    settings = {"limits": {"rent": {"at_least": 700}}}
    changed = owner("PATCH", path, json={"settings": settings})
    assert changed["settings"]["limits"]["rent"]["at_least"] == 700
    assert [each["item"] for each in person("GET", "/me/ranking")] == [2]
    nothing = {"settings": {"limits": {"rent": {"at_most": 1, "known": True}}}}
    for method, to, body in (("PATCH", path, nothing), ("POST", "/studies", FLATS)):
        refused = owner(method, to, 422, json={**body, **nothing})
        assert "No alternative fits all limits" in refused["detail"]
