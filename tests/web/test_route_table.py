"""Every route, and proof that it refuses who must be refused.

A new route without an entry in `ROUTES` fails `test_every_route_is_in_the_table`.
"""

import re
import secrets
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from fastapi import FastAPI
from fastapi.testclient import TestClient
from starlette.routing import BaseRoute, Mount, Route

from penchant.data import Extra, Items
from penchant.studies import SqlStore, Study, read_pictures, store_url
from penchant.studies.store._tables import drafts, sessions
from penchant.web import add_api_token, create_app
from penchant.web.security import _access
from tests.web.conftest import drawn_picture

# Who may use a route:
#   public       everybody; it shows nothing of a participant or an owner
#   owner        the owner of the study, the participant or the upload in its path
#   admin        an owner who may see everything
#   any owner    every owner who is logged in; it acts on what is theirs
#   link         whoever has the link of a participant
#   shared       whoever has the link to the result of the group
#   api owner, api any owner, api participant: the same by bearer token
ROUTES = {
    ("GET", "/"): "any owner",
    ("POST", "/drafts"): "any owner",
    ("POST", "/templates/{name}"): "any owner",
    ("GET", "/templates/{name}.csv"): "any owner",
    ("GET", "/drafts/{draft_id}"): "owner",
    ("POST", "/drafts/{draft_id}"): "owner",
    ("POST", "/drafts/{draft_id}/discard"): "owner",
    ("GET", "/drafts/{draft_id}/pictures/{digest}"): "owner",
    ("GET", "/studies/{study_id}/pictures/{digest}"): "owner",
    ("GET", "/studies/{study_id}"): "owner",
    ("POST", "/studies/{study_id}/state"): "owner",
    ("GET", "/studies/{study_id}/settings"): "owner",
    ("POST", "/studies/{study_id}/settings"): "owner",
    ("GET", "/studies/{study_id}/questions"): "owner",
    ("POST", "/studies/{study_id}/questions"): "owner",
    ("GET", "/studies/{study_id}/delete"): "owner",
    ("POST", "/studies/{study_id}/delete"): "owner",
    ("POST", "/studies/{study_id}/participants"): "owner",
    ("POST", "/studies/{study_id}/participants/{participant_id}/count"): "owner",
    ("POST", "/studies/{study_id}/participants/{participant_id}/link"): "owner",
    ("GET", "/studies/{study_id}/participants/{participant_id}/remove"): "owner",
    ("POST", "/studies/{study_id}/participants/{participant_id}/remove"): "owner",
    ("GET", "/studies/{study_id}/table"): "owner",
    ("GET", "/studies/{study_id}/table/item"): "owner",
    ("POST", "/studies/{study_id}/table/item"): "owner",
    ("POST", "/studies/{study_id}/table/standing"): "owner",
    ("POST", "/studies/{study_id}/table/column"): "owner",
    ("POST", "/studies/{study_id}/table/upload"): "owner",
    ("POST", "/studies/{study_id}/table/take"): "owner",
    ("POST", "/studies/{study_id}/copy"): "owner",
    ("GET", "/studies/{study_id}/participants/{participant_id}/result"): "owner",
    (
        "GET",
        "/studies/{study_id}/participants/{participant_id}/export/{name}",
    ): "owner",
    ("GET", "/studies/{study_id}/news"): "owner",
    ("POST", "/studies/{study_id}/share"): "owner",
    ("POST", "/studies/{study_id}/unshare"): "owner",
    ("GET", "/g/{token}"): "shared",
    ("GET", "/g/{token}/pictures/{digest}"): "shared",
    ("POST", "/g/{token}/language"): "shared",
    ("GET", "/studies/{study_id}/group"): "owner",
    ("GET", "/studies/{study_id}/model"): "owner",
    ("GET", "/studies/{study_id}/report"): "owner",
    ("GET", "/studies/{study_id}/export/{name}"): "owner",
    ("GET", "/studies/{study_id}/charts/{name}.{kind}"): "owner",
    ("GET", "/models"): "any owner",
    ("POST", "/models"): "any owner",
    ("GET", "/models/{model_id}"): "owner",
    ("GET", "/models/{model_id}/start"): "owner",
    ("POST", "/models/{model_id}/start"): "owner",
    ("POST", "/models/{model_id}/cancel"): "owner",
    ("POST", "/models/{model_id}/resume"): "owner",
    ("POST", "/models/{model_id}/choose"): "owner",
    ("GET", "/models/{model_id}/delete"): "owner",
    ("POST", "/models/{model_id}/delete"): "owner",
    ("GET", "/models/{model_id}/curves"): "owner",
    ("GET", "/models/{model_id}/importance"): "owner",
    ("GET", "/models/{model_id}/rules"): "owner",
    ("GET", "/models/{model_id}/why"): "owner",
    ("GET", "/models/{model_id}/what-if"): "owner",
    ("GET", "/models/{model_id}/rows"): "owner",
    ("POST", "/models/{model_id}/rows"): "owner",
    ("GET", "/models/{model_id}/take"): "owner",
    ("GET", "/models/{model_id}/export/{name}"): "owner",
    ("GET", "/api/v1/models"): "api any owner",
    ("POST", "/api/v1/models"): "api any owner",
    ("GET", "/api/v1/models/{model_id}"): "api owner",
    ("DELETE", "/api/v1/models/{model_id}"): "api owner",
    ("POST", "/api/v1/models/{model_id}/cancel"): "api owner",
    ("POST", "/api/v1/models/{model_id}/resume"): "api owner",
    ("POST", "/api/v1/models/{model_id}/choose"): "api owner",
    ("GET", "/api/v1/models/{model_id}/description"): "api owner",
    ("POST", "/api/v1/models/{model_id}/predictions"): "api owner",
    ("GET", "/api/v1/models/{model_id}/why"): "api owner",
    ("GET", "/api/v1/models/{model_id}/rather-than"): "api owner",
    ("GET", "/api/v1/models/{model_id}/files/{file}"): "api owner",
    ("POST", "/language"): "public",
    ("GET", "/login"): "public",
    ("POST", "/login"): "public",
    ("POST", "/logout"): "any owner",
    ("GET", "/account"): "any owner",
    ("POST", "/account/password"): "any owner",
    ("POST", "/account/sessions"): "any owner",
    ("POST", "/account/owners"): "admin",
    ("POST", "/account/owners/link"): "admin",
    ("GET", "/welcome/{token}"): "public",
    ("POST", "/welcome/{token}"): "public",
    ("GET", "/metrics"): "public",
    ("GET", "/healthz"): "public",
    ("GET", "/readyz"): "public",
    ("MOUNT", "/static"): "public",
    ("GET", "/s/{study_id}/join"): "public",
    ("POST", "/s/{study_id}/join"): "public",
    ("POST", "/s/{study_id}/language"): "public",
    ("GET", "/p/{token}"): "link",
    ("POST", "/p/{token}/consent"): "link",
    ("POST", "/p/{token}/about"): "link",
    ("POST", "/p/{token}/answer"): "link",
    ("POST", "/p/{token}/because"): "link",
    ("GET", "/p/{token}/about"): "link",
    ("POST", "/p/{token}/about/change"): "link",
    ("GET", "/p/{token}/limits"): "link",
    ("POST", "/p/{token}/limits"): "link",
    ("POST", "/p/{token}/undo"): "link",
    ("POST", "/p/{token}/finish"): "link",
    ("POST", "/p/{token}/go-on"): "link",
    ("POST", "/p/{token}/language"): "link",
    ("GET", "/p/{token}/pause"): "link",
    ("GET", "/p/{token}/result"): "link",
    ("GET", "/p/{token}/why"): "link",
    ("GET", "/p/{token}/compare"): "link",
    ("GET", "/p/{token}/what-if"): "link",
    ("GET", "/p/{token}/export/{name}"): "link",
    ("GET", "/p/{token}/pictures/{digest}"): "link",
    ("GET", "/p/{token}/withdraw"): "link",
    ("POST", "/p/{token}/withdraw"): "link",
    ("GET", "/api/v1/openapi.json"): "public",
    ("POST", "/api/v1/studies/{study_id}/join"): "public",
    ("GET", "/api/v1/studies"): "api any owner",
    ("POST", "/api/v1/tables"): "api any owner",
    ("POST", "/api/v1/studies"): "api any owner",
    ("GET", "/api/v1/studies/{study_id}"): "api owner",
    ("PATCH", "/api/v1/studies/{study_id}"): "api owner",
    ("DELETE", "/api/v1/studies/{study_id}"): "api owner",
    ("GET", "/api/v1/studies/{study_id}/items"): "api owner",
    ("GET", "/api/v1/studies/{study_id}/versions"): "api owner",
    ("POST", "/api/v1/studies/{study_id}/versions"): "api owner",
    ("PUT", "/api/v1/studies/{study_id}/table"): "api owner",
    ("POST", "/api/v1/studies/{study_id}/copy"): "api owner",
    ("GET", "/api/v1/studies/{study_id}/pictures/{digest}"): "api owner",
    ("GET", "/api/v1/studies/{study_id}/participants"): "api owner",
    ("POST", "/api/v1/studies/{study_id}/participants"): "api owner",
    (
        "DELETE",
        "/api/v1/studies/{study_id}/participants/{participant_id}",
    ): "api owner",
    (
        "POST",
        "/api/v1/studies/{study_id}/participants/{participant_id}/count",
    ): "api owner",
    (
        "POST",
        "/api/v1/studies/{study_id}/participants/{participant_id}/link",
    ): "api owner",
    (
        "GET",
        "/api/v1/studies/{study_id}/participants/{participant_id}/export",
    ): "api owner",
    (
        "GET",
        "/api/v1/studies/{study_id}/participants/{participant_id}/answers.csv",
    ): "api owner",
    ("POST", "/api/v1/studies/{study_id}/share"): "api owner",
    ("DELETE", "/api/v1/studies/{study_id}/share"): "api owner",
    ("GET", "/api/v1/studies/{study_id}/taking"): "api owner",
    ("GET", "/api/v1/studies/{study_id}/group"): "api owner",
    ("GET", "/api/v1/studies/{study_id}/calibration"): "api owner",
    ("GET", "/api/v1/studies/{study_id}/export"): "api owner",
    ("GET", "/api/v1/studies/{study_id}/answers.csv"): "api owner",
    ("GET", "/api/v1/studies/{study_id}/people.csv"): "api owner",
    ("GET", "/api/v1/studies/{study_id}/ranking.csv"): "api owner",
    ("GET", "/api/v1/studies/{study_id}/study.xlsx"): "api owner",
    ("GET", "/api/v1/templates"): "api any owner",
    ("POST", "/api/v1/templates/{name}"): "api any owner",
    ("GET", "/api/v1/me"): "api participant",
    ("GET", "/api/v1/me/items"): "api participant",
    ("GET", "/api/v1/me/news"): "api participant",
    ("GET", "/api/v1/me/pictures/{digest}"): "api participant",
    ("POST", "/api/v1/me/consent"): "api participant",
    ("POST", "/api/v1/me/about"): "api participant",
    ("POST", "/api/v1/me/question"): "api participant",
    ("POST", "/api/v1/me/answers"): "api participant",
    ("POST", "/api/v1/me/because"): "api participant",
    ("GET", "/api/v1/me/limits"): "api participant",
    ("PUT", "/api/v1/me/limits"): "api participant",
    ("POST", "/api/v1/me/undo"): "api participant",
    ("POST", "/api/v1/me/finish"): "api participant",
    ("POST", "/api/v1/me/go-on"): "api participant",
    ("GET", "/api/v1/me/ranking"): "api participant",
    ("GET", "/api/v1/me/why"): "api participant",
    ("GET", "/api/v1/me/compare"): "api participant",
    ("POST", "/api/v1/me/what-if"): "api participant",
}

# Bodies with which the route would do its work for the one who may.
BODIES: dict[tuple[str, str], Any] = {
    ("POST", "/api/v1/studies"): {
        "name": "New",
        "items": [{"name": "a", "values": {"x": 1}}],
    },
    ("PATCH", "/api/v1/studies/{study_id}"): {"name": "Mine now"},
    ("POST", "/api/v1/studies/{study_id}/participants"): {},
    ("POST", "/api/v1/studies/{study_id}/participants/{participant_id}/count"): {
        "weight": 5
    },
    ("POST", "/api/v1/me/answers"): {"question": "q", "answer": "skip"},
    ("POST", "/api/v1/me/what-if"): {"base": 0},
    ("POST", "/api/v1/models"): {"name": "New", "table": "x,y\n1,2\n"},
    ("POST", "/api/v1/models/{model_id}/choose"): {"model": "linear"},
    ("POST", "/api/v1/me/about"): {"answers": {}},
}
FORMS: dict[tuple[str, str], dict[str, str]] = {
    ("POST", "/studies/{study_id}/state"): {"open": "no"},
    ("POST", "/studies/{study_id}/participants/{participant_id}/count"): {
        "weight": "5"
    },
    ("POST", "/studies/{study_id}/settings"): {
        "study": "Mine now",
        "question": "pair",
        "max_questions": "5",
        "max_regret": "0",
        "language-en": "yes",
    },
}
QUERIES = {
    "/api/v1/me/why": "?item=0",
    "/api/v1/me/compare": "?a=0&b=1",
    "/api/v1/models/{model_id}/why": "?row=1",
    "/api/v1/models/{model_id}/rather-than": "?row=1&rival=2",
    "/api/v1/models/{model_id}/predictions": "?filename=a.csv",
}


PICTURE = drawn_picture()


def of(*kinds: str) -> list[tuple[str, str]]:
    return [route for route, kind in ROUTES.items() if kind in kinds]


def walk(routes: Iterable[BaseRoute], prefix: str = "") -> Iterator[tuple[str, str]]:
    for route in routes:
        included = getattr(route, "original_router", None)
        if included is not None:
            yield from walk(included.routes, prefix)
        elif isinstance(route, Mount):
            path = prefix + route.path
            inside = list(walk(route.routes, path))
            yield from inside or [("MOUNT", path)]
        else:
            assert isinstance(route, Route), route
            for method in sorted((route.methods or set()) - {"HEAD"}):
                yield method, prefix + route.path


def test_every_route_is_in_the_table(login_app: FastAPI) -> None:
    found = list(walk(login_app.routes))
    assert sorted(set(found)) == sorted(ROUTES)
    assert len(found) == len(set(found))


@dataclass
class World:
    """A study of ada with a participant, an upload of hers, and another study."""

    study: str
    person: str
    token: str
    draft: str
    other_person: str
    digest: str
    shared: str
    model: str

    def path(self, template: str, **changes: str) -> str:
        values = {
            "study_id": self.study,
            "participant_id": self.person,
            "token": self.token,
            "draft_id": self.draft,
            "name": "ranking" if "{kind}" in template else "study.json",
            "kind": "svg",
            "digest": self.digest,
            "model_id": self.model,
            "file": "table",
        }
        if template.startswith("/g/"):
            values["token"] = self.shared
        values |= changes
        path = re.sub(r"{(\w+)}", lambda found: values[found[1]], template)
        return path + QUERIES.get(template, "")


# One world for all tests here: they prove that nothing in it changes.


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> Iterator[SqlStore]:
    with SqlStore(store_url(tmp_path_factory.mktemp("routes"))) as opened:
        yield opened


@pytest.fixture(scope="module")
def owners(store: SqlStore) -> dict[str, str]:
    return {name: store.add_owner(name, f"hash of {name}") for name in ("ada", "bob")}


@pytest.fixture(scope="module")
def login_app(store: SqlStore) -> FastAPI:
    return create_app(store, login=True)


@pytest.fixture
def login_client(login_app: FastAPI) -> TestClient:
    return TestClient(login_app)


@pytest.fixture(scope="module")
def as_owner(
    login_app: FastAPI, store: SqlStore, owners: dict[str, str]
) -> Callable[[str], TestClient]:
    """Give a client with a session of an owner."""
    expires = datetime.now(UTC) + timedelta(days=1)
    for name, owner_id in owners.items():
        kept = _access._session_hash(f"session-of-{name}")
        store.add_session(owner_id, kept, expires)

    def enter(name: str) -> TestClient:
        client = TestClient(login_app)
        client.cookies.set(_access.COOKIE, f"session-of-{name}")
        return client

    return enter


@pytest.fixture(scope="module")
def world(
    store: SqlStore,
    owners: dict[str, str],
    as_owner: Callable[[str], TestClient],
) -> World:
    flats = b"name,rent,size\nMill Lane 3,500,30\nHigh Street 1,900,80\n"
    plain = Items.from_csv(flats)
    photo = (Extra("photo", "picture", ("a.png", "")),)
    items = Items(plain.frame, plain.attributes, plain.names, photo)
    (picture,) = read_pictures([("a.png", PICTURE)])
    study = store.create_study(
        "Flats of Ada", items, owner=owners["ada"], pictures=[picture]
    )
    person, token = Study(store, study).join("Zoe")
    other = store.create_study("Flats of Bob", items, owner=owners["bob"])
    other_person, _ = Study(store, other).join("Yan")
    client = as_owner("ada")
    sent = client.post(
        "/drafts",
        files={"table": ("flats.csv", flats)},
        data={"csrf": csrf_of(client)},
    )
    draft = sent.url.path.removeprefix("/drafts/")
    client.post(
        f"/drafts/{draft}",
        files={"pictures": ("a.png", PICTURE)},
        data={"csrf": csrf_of(client), "look": "yes"},
    )
    asked = Study(store, study)
    question = asked.ask(person.id)
    assert question is not None
    asked.tell(person.id, question.id, "left")
    shared = store.share_study(study)
    told = {"target": "size", "table": "flats.csv"}
    model = store.add_job("Flats of Ada", told, {"table": flats}, owner=owners["ada"])
    store.queue_job(model)
    found = picture.digest, shared, model
    return World(study, person.id, token, draft, other_person.id, *found)


def test_pictures_are_for_those_who_may_see_the_study(
    world: World, login_client: TestClient, as_owner: Callable[[str], TestClient]
) -> None:
    mine = f"/pictures/{world.digest}"
    ada = as_owner("ada")
    for client, path in (
        (login_client, f"/p/{world.token}{mine}"),
        (ada, f"/studies/{world.study}{mine}"),
        (ada, f"/drafts/{world.draft}{mine}"),
    ):
        response = client.get(path)
        assert response.headers["content-type"] == "image/webp"
        assert "immutable" in response.headers["cache-control"]
        assert response.headers["cache-control"].startswith("private")
        assert "default-src 'none'" in response.headers["content-security-policy"]
        assert response.content.startswith(b"RIFF")
        assert client.get(f"{path[:-1]}x").status_code == 404


def csrf_of(client: TestClient) -> str:
    page = client.get("/").text
    return re.findall(r'name="csrf" value="([0-9a-f]{64})"', page)[0]


def state(store: SqlStore) -> Any:
    studies = [store.dump_study(study.id) for study in store.list_studies()]
    with store.database.engine.connect() as connection:
        rest = [
            sorted(row[0] for row in connection.execute(table.select()))
            for table in (drafts, sessions)
        ]
    models = [store.dump_job(job.id) for job in store.list_jobs()]
    return [
        (
            d.study.name,
            d.study.settings,
            d.study.share,
            d.participants,
            d.links,
            d.events,
        )
        for d in studies
    ], (rest, models)


def send(
    client: TestClient,
    route: tuple[str, str],
    path: str,
    headers: dict[str, str] | None = None,
) -> Any:
    method, template = route
    options: dict[str, Any] = {"headers": headers or {}, "follow_redirects": False}
    if template.startswith("/api/"):
        if route in BODIES:
            options["json"] = BODIES[route]
    elif method == "POST":
        token = csrf_of(client) if client.cookies else "0" * 64
        options["data"] = {"csrf": token} | FORMS.get(route, {})
    return client.request(method, path, **options)


def ids(route: tuple[str, str]) -> str:
    return " ".join(route)


@pytest.mark.parametrize("route", of("owner", "any owner", "admin"), ids=ids)
def test_page_of_an_owner_needs_a_login(
    login_client: TestClient, store: SqlStore, world: World, route: tuple[str, str]
) -> None:
    before = state(store)
    bearer = {"Authorization": f"Bearer {world.token}"}
    for headers in ({}, bearer, {"Cookie": f"penchant_session={world.token}"}):
        response = send(login_client, route, world.path(route[1]), headers)
        if route[0] == "GET":
            assert response.status_code == 303
            assert response.headers["location"].startswith("/login")
        else:
            assert response.status_code == 401
        assert "Flats of Ada" not in response.text
    assert state(store) == before


@pytest.mark.parametrize("route", of("owner", "admin"), ids=ids)
def test_page_of_an_owner_is_not_for_another(
    store: SqlStore,
    world: World,
    route: tuple[str, str],
    as_owner: Callable[[str], TestClient],
) -> None:
    bob = as_owner("bob")
    before = state(store)
    response = send(bob, route, world.path(route[1]))
    assert response.status_code == 404
    assert "Flats of Ada" not in response.text
    assert state(store) == before


@pytest.mark.parametrize(
    "route", [r for r in of("owner", "api owner") if "participant_id" in r[1]], ids=ids
)
def test_participant_of_another_study_is_not_reached_through_ones_own(
    store: SqlStore,
    world: World,
    owners: dict[str, str],
    route: tuple[str, str],
    as_owner: Callable[[str], TestClient],
) -> None:
    ada = as_owner("ada")
    token = add_api_token(store, owners["ada"], timedelta(days=1))
    before = state(store)
    path = world.path(route[1], participant_id=world.other_person)
    headers = {"Authorization": f"Bearer {token}"}
    response = send(ada, route, path, headers if "/api/" in path else {})
    assert response.status_code == 404
    assert "Yan" not in response.text
    assert state(store) == before


@pytest.mark.parametrize("route", of("link"), ids=ids)
def test_page_of_a_participant_needs_the_link(
    store: SqlStore,
    world: World,
    route: tuple[str, str],
    as_owner: Callable[[str], TestClient],
) -> None:
    ada = as_owner("ada")
    before = state(store)
    wrong = world.token[:-1] + ("A" if world.token[-1] != "A" else "B")
    for token in (secrets.token_urlsafe(32), world.person, world.study, wrong):
        response = send(ada, route, world.path(route[1], token=token))
        assert response.status_code == 404
        assert "Flats of Ada" not in response.text
    assert state(store) == before


@pytest.mark.parametrize("route", of("shared"), ids=ids)
def test_result_of_a_group_needs_its_link(
    store: SqlStore,
    world: World,
    route: tuple[str, str],
    as_owner: Callable[[str], TestClient],
) -> None:
    ada = as_owner("ada")
    before = state(store)
    wrong = world.shared[:-1] + ("A" if world.shared[-1] != "A" else "B")
    for token in (secrets.token_urlsafe(32), world.token, world.study, wrong):
        response = send(ada, route, world.path(route[1], token=token))
        assert response.status_code == 404
        assert "Flats of Ada" not in response.text
    assert state(store) == before


@pytest.mark.parametrize(
    "route",
    of("owner", "any owner", "admin", "link", "api owner", "api participant"),
    ids=ids,
)
def test_link_to_the_result_of_a_group_opens_nothing_else(
    login_client: TestClient, store: SqlStore, world: World, route: tuple[str, str]
) -> None:
    before = state(store)
    known = world.shared
    for headers in (
        {"Authorization": f"Bearer {known}"},
        {"Cookie": f"penchant_session={known}; penchant_person={known}"},
    ):
        path = world.path(route[1], **({"token": known} if "/p/" in route[1] else {}))
        response = send(login_client, route, path, headers)
        assert response.status_code in (303, 401, 404)
        assert response.headers.get("location", "/login").startswith("/login")
        assert "Flats of Ada" not in response.text
    assert state(store) == before


def test_result_of_a_group_shows_no_names_and_offers_nothing_to_do(
    login_client: TestClient, store: SqlStore, world: World
) -> None:
    before = state(store)
    response = login_client.get(world.path("/g/{token}"))
    assert response.status_code == 200
    assert response.headers["cache-control"] == "no-store"
    assert "noindex" in response.headers["x-robots-tag"]
    assert '<meta name="robots" content="noindex">' in response.text
    for hidden in ("Zoe", "Yan", world.person, world.token, world.study, "/studies/"):
        assert hidden not in response.text
    forms = re.findall(r'<form[^>]* action="([^"]*)"', response.text)
    assert forms == [f"/g/{world.shared}/language"]
    picture = login_client.get(world.path("/g/{token}/pictures/{digest}"))
    assert picture.headers["content-type"] == "image/webp"
    french = login_client.post(
        world.path("/g/{token}/language"), data={"language": "fr"}
    )
    assert '<html lang="fr">' in french.text
    assert state(store) == before


@pytest.mark.parametrize("route", of("api owner", "api any owner"), ids=ids)
def test_api_of_an_owner_needs_their_token(
    login_client: TestClient, store: SqlStore, world: World, route: tuple[str, str]
) -> None:
    before = state(store)
    session = "session-of-ada"
    for token in (None, "", "x", world.token, session):
        headers = {} if token is None else {"Authorization": f"Bearer {token}"}
        response = send(login_client, route, world.path(route[1]), headers)
        assert response.status_code == 401
        assert response.headers["www-authenticate"] == "Bearer"
        assert set(response.json()) == {"detail"}
    assert state(store) == before


@pytest.mark.parametrize("route", of("api owner"), ids=ids)
def test_api_of_an_owner_is_not_for_another(
    store: SqlStore,
    world: World,
    owners: dict[str, str],
    route: tuple[str, str],
    login_client: TestClient,
    as_owner: Callable[[str], TestClient],
) -> None:
    token = add_api_token(store, owners["bob"], timedelta(days=1))
    bob = as_owner("bob")
    csrf = csrf_of(bob)
    before = state(store)
    path = world.path(route[1])
    by_token = send(login_client, route, path, {"Authorization": f"Bearer {token}"})
    by_session = send(bob, route, path, {"X-CSRF-Token": csrf})
    for response in (by_token, by_session):
        assert response.status_code == 404
        assert set(response.json()) == {"detail"}
    assert state(store) == before


@pytest.mark.parametrize(
    "route",
    [r for r in of("api owner", "api any owner") if r[0] != "GET"],
    ids=ids,
)
def test_api_with_a_session_needs_the_csrf_header(
    store: SqlStore,
    world: World,
    route: tuple[str, str],
    as_owner: Callable[[str], TestClient],
) -> None:
    ada = as_owner("ada")
    before = state(store)
    for headers in ({}, {"X-CSRF-Token": "0" * 64}):
        response = send(ada, route, world.path(route[1]), headers)
        assert response.status_code == 403
    assert state(store) == before


def test_api_knows_who_asks_before_it_reads_what_they_send(
    login_client: TestClient,
) -> None:
    def body() -> Iterator[bytes]:
        raise AssertionError("the body was read")
        yield b""

    response = login_client.post("/api/v1/studies", content=body())
    assert response.status_code == 401


@pytest.mark.parametrize("route", of("api participant"), ids=ids)
def test_api_of_a_participant_needs_their_token(
    store: SqlStore,
    world: World,
    owners: dict[str, str],
    route: tuple[str, str],
    as_owner: Callable[[str], TestClient],
) -> None:
    ada = as_owner("ada")
    api_token = add_api_token(store, owners["ada"], timedelta(days=1))
    before = state(store)
    for token in (None, "", "x", world.person, api_token):
        headers = {} if token is None else {"Authorization": f"Bearer {token}"}
        response = send(ada, route, world.path(route[1]), headers)
        assert response.status_code == 401
    assert state(store) == before


@pytest.mark.parametrize("route", of("public"), ids=ids)
def test_public_route_shows_nobody(
    login_client: TestClient, world: World, route: tuple[str, str]
) -> None:
    method, template = route
    path = world.path(template)
    if method == "MOUNT":
        method, path = "GET", f"{path}/penchant.css"
    json = {} if template.startswith("/api/") and method == "POST" else None
    response = login_client.request(method, path, json=json, follow_redirects=False)
    assert response.status_code < 500
    assert "Zoe" not in response.text
    assert world.person not in response.text


# An app without logins, but with a secret, on a machine that others use too.

SECRET = "a-long-secret-word"


@pytest.fixture(scope="module")
def local_app(store: SqlStore) -> FastAPI:
    return create_app(store, secret=SECRET)


@pytest.mark.parametrize("route", of("owner", "any owner", "admin"), ids=ids)
def test_page_of_the_local_analyst_needs_the_secret(
    local_app: FastAPI, store: SqlStore, world: World, route: tuple[str, str]
) -> None:
    method, template = route
    before = state(store)
    cookie = {"Cookie": f"penchant_session_80={world.token}; penchant_session={SECRET}"}
    for headers in ({}, {"Authorization": f"Bearer {SECRET}"}, cookie):
        client = TestClient(local_app)
        for path in (world.path(template), f"{world.path(template)}?token=guess"):
            response = client.request(method, path, headers=headers)
            assert response.status_code == (200 if route == ("GET", "/") else 401)
            assert "Flats of" not in response.text
            assert "open the link that stands in the terminal" in response.text
            assert not client.cookies
    assert state(store) == before


@pytest.mark.parametrize("route", of("api owner", "api any owner"), ids=ids)
def test_api_of_the_local_analyst_needs_the_secret(
    local_app: FastAPI, store: SqlStore, world: World, route: tuple[str, str]
) -> None:
    client = TestClient(local_app)
    before = state(store)
    for headers in ({}, {"Authorization": f"Bearer {world.token}"}):
        response = send(client, route, world.path(route[1]), headers)
        assert response.status_code == 401
        assert "link that `penchant serve` wrote" in response.json()["detail"]
    assert state(store) == before
