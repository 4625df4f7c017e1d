"""The API against its own schema, with real tokens: no server error, no surprise."""

from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
import schemathesis
from hypothesis import HealthCheck, Phase, given, seed, settings
from schemathesis import GenerationMode, checks

from penchant.data import Items
from penchant.exceptions import NotFoundError
from penchant.studies import SqlStore, Study, read_pictures, store_url
from penchant.web import add_api_token, create_app
from tests.web.conftest import drawn_picture

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

FEW, MANY = 6, 60
"""Cases per operation and mode: some 200 in the normal run, over 2,000 in the slow."""

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
        self.study_id = ""
        self.person_id = ""
        self.person_token = ""
        self.schema = schemathesis.openapi.from_asgi("/api/v1/openapi.json", self.app)

    def renew(self) -> None:
        """Put back what the last case removed, closed or renewed."""
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
        known |= {"digest": PICTURE.digest}
        return {name: value for name, value in known.items() if f"{{{name}}}" in path}

    def headers(self, path: str) -> dict[str, str]:
        token = self.person_token if path.startswith("/me") else self.owner_token
        return {"Authorization": f"Bearer {token}"}


@pytest.fixture(scope="module")
def world(tmp_path_factory: pytest.TempPathFactory) -> Iterator[World]:
    world = World(tmp_path_factory.mktemp("schema"))
    yield world
    world.store.close()


OPERATIONS = [
    ("GET", "/studies"),
    ("POST", "/studies"),
    ("POST", "/tables"),
    ("GET", "/studies/{study_id}"),
    ("PATCH", "/studies/{study_id}"),
    ("DELETE", "/studies/{study_id}"),
    ("GET", "/studies/{study_id}/items"),
    ("GET", "/studies/{study_id}/pictures/{digest}"),
    ("GET", "/studies/{study_id}/participants"),
    ("POST", "/studies/{study_id}/participants"),
    ("DELETE", "/studies/{study_id}/participants/{participant_id}"),
    ("POST", "/studies/{study_id}/participants/{participant_id}/count"),
    ("POST", "/studies/{study_id}/participants/{participant_id}/link"),
    ("GET", "/studies/{study_id}/group"),
    ("GET", "/studies/{study_id}/calibration"),
    ("GET", "/studies/{study_id}/export"),
    ("GET", "/studies/{study_id}/answers.csv"),
    ("GET", "/studies/{study_id}/ranking.csv"),
    ("POST", "/studies/{study_id}/join"),
    ("GET", "/me"),
    ("GET", "/me/items"),
    ("GET", "/me/pictures/{digest}"),
    ("POST", "/me/consent"),
    ("POST", "/me/question"),
    ("POST", "/me/answers"),
    ("POST", "/me/because"),
    ("POST", "/me/undo"),
    ("POST", "/me/finish"),
    ("POST", "/me/go-on"),
    ("GET", "/me/ranking"),
    ("GET", "/me/why"),
    ("GET", "/me/compare"),
    ("POST", "/me/what-if"),
]
WITH_INPUT = [
    ("POST", "/studies"),
    ("PATCH", "/studies/{study_id}"),
    ("POST", "/studies/{study_id}/participants"),
    ("POST", "/studies/{study_id}/participants/{participant_id}/count"),
    ("POST", "/studies/{study_id}/join"),
    ("POST", "/me/answers"),
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
    world: World, route: tuple[str, str], mode: GenerationMode, n_cases: int
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
        response = case.call(headers=world.headers(path))
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
