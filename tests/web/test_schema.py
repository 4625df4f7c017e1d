"""The API against its own schema, with real tokens: no server error, no surprise."""

import re
import secrets
from collections.abc import Iterator
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
import schemathesis
from fastapi.testclient import TestClient
from hypothesis import HealthCheck, Phase, given, seed, settings
from hypothesis import strategies as st
from schemathesis import GenerationMode, checks

from penchant.data import Items
from penchant.exceptions import NotFoundError
from penchant.jobs import JobSettings, work
from penchant.studies import JobDump, SqlStore, Study, read_pictures, store_url
from penchant.web import add_api_token, create_app
from penchant.web.security import _access
from tests.jobs.conftest import flats as labelled
from tests.web.conftest import drawn_picture
from tests.web.test_route_table import ROUTES

checks.load_all_checks()
CHECKS: list[Any] = [
    checks.CHECKS.get_one(name)
    for name in (
        "not_a_server_error",
        "status_code_conformance",
        "content_type_conformance",
        "response_schema_conformance",
    )
]
REJECTED: list[Any] = [*CHECKS, checks.CHECKS.get_one("negative_data_rejection")]

FEW, MANY, OTHERS = 6, 60, 25
"""Cases per operation and mode: some 200 in the normal run; over 2,000 in the soak, and
as many for each of those who may not do it: over 5,000 with all four."""

TABLE = b"name,rent,view\nMill Lane 3,500,sea\nKiln Row 7,700,yard\nAlder 1,650,sea\n"


(PICTURE,) = read_pictures([("a.png", drawn_picture())])


class World:
    """A store with an owner and a study, made again when a case removed it."""

    def __init__(self, folder: Path) -> None:
        self.store = SqlStore(store_url(folder))
        self.owner = self.store.add_owner("ada", "x")
        self.owner_token = add_api_token(self.store, self.owner, timedelta(days=1))
        self.app = create_app(self.store, login=True)
        self.app.state.access.joins.most = 10**9
        self.tokens = {
            "nobody": "",
            "another": self._owner_token("bob", "analyst"),
            "admin": self._owner_token("root", "admin"),
        }
        self.study_id = ""
        self.model_id = ""
        self.learned = self._learn()
        self.person_id = ""
        self.person_token = ""
        self.schema = schemathesis.openapi.from_asgi("/api/v1/openapi.json", self.app)

    def _owner_token(self, name: str, role: str) -> str:
        owner = self.store.add_owner(name, "x", role)
        return add_api_token(self.store, owner, timedelta(days=1))

    def _learn(self) -> JobDump:
        """Learn a model once; cases get copies of it."""
        told = JobSettings(
            target="rating", table="flats.csv", candidates=("linear",), n_folds=2
        )
        files = {"table": labelled(30)}
        job = self.store.add_job("Flats", told.to_dict(), files, owner=self.owner)
        self.store.queue_job(job)
        self.store.claim_job("a", 600.0)
        work(self.store, job, "a")
        self.store.end_job(job, "a", "done", {})
        dump = self.store.dump_job(job)
        self.store.delete_job(job)
        return dump

    def renew(self) -> None:
        """Put back what the last case removed, closed or renewed."""
        try:
            ready = self.store.get_job(self.model_id).state == "done"
        except NotFoundError:
            ready = False
        if not ready:
            for job in self.store.list_jobs():
                self.store.delete_job(job.id)
            self.model_id = secrets.token_hex(16)
            job = replace(self.learned.job, id=self.model_id)
            self.store.load_job(replace(self.learned, job=job))
        try:
            open_ = self.store.get_study(self.study_id).settings.open
            self.store.find_participant(self.person_token)
        except NotFoundError:
            open_ = False
        if not open_:
            items = Items.from_csv(TABLE)
            self.study_id = self.store.create_study(
                "Flats", items, owner=self.owner, pictures=[PICTURE]
            )
            study = Study(self.store, self.study_id)
            person, self.person_token = study.join()
            self.person_id = person.id
            study.ask(person.id)

    def path_parameters(self, path: str) -> dict[str, str]:
        known = {"study_id": self.study_id, "participant_id": self.person_id}
        known |= {"digest": PICTURE.digest, "name": "flats"}
        known |= {"digest": PICTURE.digest, "model_id": self.model_id}
        known |= {"file": "report.html"}
        return {name: value for name, value in known.items() if f"{{{name}}}" in path}

    def headers(self, path: str, role: str = "") -> dict[str, str]:
        token = self.person_token if path.startswith("/me") else self.owner_token
        if role == "participant":
            token = self.person_token
        elif role:
            token = self.tokens[role]
        return {"Authorization": f"Bearer {token}"} if token else {}


@pytest.fixture(scope="module")
def world(tmp_path_factory: pytest.TempPathFactory) -> Iterator[World]:
    world = World(tmp_path_factory.mktemp("schema"))
    yield world
    world.store.close()


OPERATIONS = [
    ("GET", "/models"),
    ("POST", "/models"),
    ("GET", "/models/{model_id}"),
    ("DELETE", "/models/{model_id}"),
    ("POST", "/models/{model_id}/cancel"),
    ("POST", "/models/{model_id}/resume"),
    ("POST", "/models/{model_id}/choose"),
    ("GET", "/models/{model_id}/description"),
    ("POST", "/models/{model_id}/predictions"),
    ("GET", "/models/{model_id}/why"),
    ("GET", "/models/{model_id}/rather-than"),
    ("GET", "/models/{model_id}/files/{file}"),
    ("GET", "/studies"),
    ("POST", "/studies"),
    ("POST", "/tables"),
    ("GET", "/studies/{study_id}"),
    ("PATCH", "/studies/{study_id}"),
    ("DELETE", "/studies/{study_id}"),
    ("GET", "/studies/{study_id}/items"),
    ("GET", "/studies/{study_id}/versions"),
    ("POST", "/studies/{study_id}/versions"),
    ("PUT", "/studies/{study_id}/table"),
    ("POST", "/studies/{study_id}/copy"),
    ("GET", "/studies/{study_id}/pictures/{digest}"),
    ("GET", "/studies/{study_id}/participants"),
    ("POST", "/studies/{study_id}/participants"),
    ("DELETE", "/studies/{study_id}/participants/{participant_id}"),
    ("POST", "/studies/{study_id}/participants/{participant_id}/count"),
    ("POST", "/studies/{study_id}/participants/{participant_id}/link"),
    ("GET", "/studies/{study_id}/participants/{participant_id}/export"),
    ("GET", "/studies/{study_id}/participants/{participant_id}/answers.csv"),
    ("GET", "/studies/{study_id}/taking"),
    ("POST", "/studies/{study_id}/share"),
    ("DELETE", "/studies/{study_id}/share"),
    ("GET", "/studies/{study_id}/group"),
    ("GET", "/studies/{study_id}/calibration"),
    ("GET", "/studies/{study_id}/export"),
    ("GET", "/studies/{study_id}/answers.csv"),
    ("GET", "/studies/{study_id}/people.csv"),
    ("GET", "/studies/{study_id}/ranking.csv"),
    ("GET", "/studies/{study_id}/study.xlsx"),
    ("GET", "/templates"),
    ("POST", "/templates/{name}"),
    ("POST", "/studies/{study_id}/join"),
    ("GET", "/me"),
    ("GET", "/me/items"),
    ("GET", "/me/news"),
    ("GET", "/me/pictures/{digest}"),
    ("POST", "/me/consent"),
    ("POST", "/me/about"),
    ("POST", "/me/question"),
    ("POST", "/me/answers"),
    ("POST", "/me/because"),
    ("GET", "/me/limits"),
    ("PUT", "/me/limits"),
    ("POST", "/me/undo"),
    ("POST", "/me/finish"),
    ("POST", "/me/go-on"),
    ("GET", "/me/ranking"),
    ("GET", "/me/why"),
    ("GET", "/me/compare"),
    ("POST", "/me/what-if"),
]
WITH_INPUT = [
    ("POST", "/models"),
    ("POST", "/models/{model_id}/choose"),
    ("GET", "/models/{model_id}/why"),
    ("POST", "/studies"),
    ("PATCH", "/studies/{study_id}"),
    ("POST", "/studies/{study_id}/versions"),
    ("POST", "/studies/{study_id}/copy"),
    ("POST", "/studies/{study_id}/participants"),
    ("POST", "/studies/{study_id}/participants/{participant_id}/count"),
    ("POST", "/studies/{study_id}/join"),
    ("POST", "/me/answers"),
    ("PUT", "/me/limits"),
    ("GET", "/me/why"),
    ("GET", "/me/compare"),
    ("POST", "/me/what-if"),
]


def test_all_operations_are_tried(world: World) -> None:
    paths = world.schema.raw_schema["paths"]
    found = [
        (method.upper(), path) for path, methods in paths.items() for method in methods
    ]
    assert sorted(found) == sorted(OPERATIONS)


def run(
    world: World,
    route: tuple[str, str],
    mode: GenerationMode,
    n_cases: int,
    role: str = "",
) -> None:
    method, path = route
    world.renew()
    operation = world.schema[path][method]
    own = world.path_parameters(path)
    strategy = operation.as_strategy(
        generation_mode=mode, path_parameters=own if own else None
    )

    @seed(0)
    @settings(
        max_examples=n_cases,
        deadline=None,
        database=None,
        phases=[Phase.generate],
        suppress_health_check=list(HealthCheck),
    )
    @given(case=strategy)
    def check(case: Any) -> None:
        world.renew()
        case.path_parameters = world.path_parameters(path)
        response = case.call(headers=world.headers(path, role))
        if role:
            case.validate_response(response, checks=CHECKS)
            return
        rejected = mode is GenerationMode.NEGATIVE
        case.validate_response(response, checks=REJECTED if rejected else CHECKS)
        if not rejected:
            assert response.status_code not in (401, 404)

    check()


def ids(route: tuple[str, str]) -> str:
    return " ".join(route)


@pytest.mark.parametrize("route", OPERATIONS, ids=ids)
def test_what_fits_the_schema_is_answered_as_it_says(
    world: World, route: tuple[str, str]
) -> None:
    run(world, route, GenerationMode.POSITIVE, FEW)


@pytest.mark.parametrize("route", WITH_INPUT, ids=ids)
def test_what_does_not_fit_the_schema_is_refused(
    world: World, route: tuple[str, str]
) -> None:
    run(world, route, GenerationMode.NEGATIVE, FEW)


@pytest.mark.slow
@pytest.mark.soak
@pytest.mark.parametrize("route", OPERATIONS, ids=ids)
def test_much_that_fits_the_schema(world: World, route: tuple[str, str]) -> None:
    run(world, route, GenerationMode.POSITIVE, MANY)


@pytest.mark.slow
@pytest.mark.soak
@pytest.mark.parametrize("route", WITH_INPUT, ids=ids)
def test_much_that_does_not_fit_the_schema(
    world: World, route: tuple[str, str]
) -> None:
    run(world, route, GenerationMode.NEGATIVE, MANY)


@pytest.mark.slow
@pytest.mark.soak
@pytest.mark.parametrize("role", ["nobody", "another", "participant", "admin"])
@pytest.mark.parametrize("route", OPERATIONS, ids=ids)
def test_whoever_asks_is_answered_as_the_schema_says(
    world: World, route: tuple[str, str], role: str
) -> None:
    run(world, route, GenerationMode.POSITIVE, OTHERS, role)


FORM_ROUTES = [
    (path, kind)
    for (method, path), kind in ROUTES.items()
    if method == "POST" and not path.startswith("/api/") and path != "/logout"
]
NAMES = sorted(
    [
        "answer",
        "attribute",
        "best",
        "consent",
        "csrf",
        "item",
        "label",
        "language",
        "last",
        "max_questions",
        "name",
        "names",
        "new",
        "next",
        "old",
        "open",
        "closes",
        "quota",
        "owner",
        "page",
        "password",
        "question",
        "rank",
        "study",
        "weight",
        "worst",
    ]
)
VALUES = st.one_of(
    st.sampled_from(["", "left", "skip", "yes", "0", "-1", "pair", "en", "en,fr"]),
    st.text(max_size=30),
    st.integers().map(str),
    st.floats().map(str),
)


@pytest.mark.slow
@pytest.mark.soak
@pytest.mark.parametrize(("path", "kind"), FORM_ROUTES, ids=lambda part: part)
def test_no_form_is_too_much(world: World, path: str, kind: str) -> None:
    client = TestClient(world.app, raise_server_exceptions=False)
    owner = world.store.find_owner("root")
    assert owner is not None
    world.app.state.access.by_address.most = 10**9

    @seed(0)
    @settings(
        max_examples=OTHERS,
        deadline=None,
        database=None,
        suppress_health_check=list(HealthCheck),
    )
    @given(fields=st.dictionaries(st.sampled_from(NAMES), VALUES, max_size=8))
    def check(fields: dict[str, str]) -> None:
        world.renew()
        kept = _access._session_hash("root")
        if world.store.find_session(kept) is None:
            until = datetime.now(UTC) + timedelta(days=1)
            world.store.add_session(owner.id, kept, until)
        client.cookies.set(_access.COOKIE, "root")
        values = {
            "study_id": world.study_id,
            "participant_id": world.person_id,
            "token": world.person_token,
            "draft_id": "0" * 64,
            "name": "flats",
            "model_id": world.model_id,
        }
        sent = {"csrf": _access._keyed("root", "csrf"), **fields}
        data = {
            name: value.encode("utf-8", "replace").decode()
            for name, value in sent.items()
        }
        response = client.post(
            re.sub(r"{(\w+)}", lambda found: values[found[1]], path),
            data=data,
            follow_redirects=False,
        )
        assert response.status_code < 500, (fields, response.text)

    check()
