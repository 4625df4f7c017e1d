import contextlib
import re
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from argon2.exceptions import VerificationError
from fastapi.testclient import TestClient
from starlette.exceptions import HTTPException
from starlette.requests import Request

from penchant.datasets import load_flats
from penchant.studies import SqlStore, Study
from penchant.studies.store._tables import attempts, sessions
from penchant.web import create_app
from penchant.web.security import _access, _passwords
from penchant.web.security._access import Access

PASSWORD = "correct horse"


def csrf_of(page: str) -> str:
    return re.findall(r'name="csrf" value="([0-9a-f]{64})"', page)[0]


def test_pages_lead_to_the_login_and_back(
    login_client: TestClient, owners: dict[str, str]
) -> None:
    asked = login_client.get("/studies/x", follow_redirects=False)
    assert asked.status_code == 303
    assert asked.headers["location"] == "/login?next=/studies/x"
    page = login_client.get(asked.headers["location"])
    assert 'name="next" value="/studies/x"' in page.text
    data = {"name": "ada", "password": PASSWORD, "next": "/"}
    done = login_client.post("/login", data=data)
    assert done.url.path == "/"
    assert "Log out ada" in done.text


def test_cookie_is_kept_from_scripts_and_only_its_hash_is_stored(
    login_client: TestClient, owners: dict[str, str], store: SqlStore
) -> None:
    response = login_client.post(
        "/login", data={"name": "ada", "password": PASSWORD}, follow_redirects=False
    )
    cookie = response.headers["set-cookie"]
    assert "HttpOnly" in cookie
    assert "SameSite=lax" in cookie
    assert "Secure" not in cookie
    token = response.cookies["penchant_session"]
    assert len(token) == 43
    with store.database.engine.connect() as connection:
        (kept,) = [row.token_hash for row in connection.execute(sessions.select())]
    assert token not in kept
    assert re.fullmatch("[0-9a-f]{64}", kept)


def test_cookie_is_secure_over_https(store: SqlStore, owners: dict[str, str]) -> None:
    client = TestClient(create_app(store, login=True), base_url="https://testserver")
    response = client.post(
        "/login", data={"name": "ada", "password": PASSWORD}, follow_redirects=False
    )
    assert "Secure" in response.headers["set-cookie"]


@pytest.mark.parametrize(
    ("name", "password"),
    [
        ("ada", "wrong horse"),
        ("nobody", PASSWORD),
        ("", ""),
        ("ada\0", PASSWORD),
        ("ada", ""),
    ],
)
def test_wrong_name_and_wrong_password_look_the_same(
    login_client: TestClient, owners: dict[str, str], name: str, password: str
) -> None:
    response = login_client.post("/login", data={"name": name, "password": password})
    assert response.status_code == 422
    assert "The name or the password is wrong." in response.text
    assert "set-cookie" not in response.headers
    assert login_client.get("/", follow_redirects=False).status_code == 303


@pytest.mark.parametrize(
    "goal",
    ["//evil.example", "https://evil.example", "/\\evil.example", "evil", "", "/\n//x"],
)
def test_login_leads_nowhere_else(
    login_client: TestClient, owners: dict[str, str], goal: str
) -> None:
    response = login_client.post(
        "/login",
        data={"name": "ada", "password": PASSWORD, "next": goal},
        follow_redirects=False,
    )
    assert response.headers["location"] == "/"


def test_names_are_tried_a_few_times_only(
    login_client: TestClient, owners: dict[str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(_access, "password_fits", lambda kept, password: False)
    wrong = {"name": "ada", "password": "wrong horse"}
    for _ in range(10):
        assert login_client.post("/login", data=wrong).status_code == 422
    monkeypatch.undo()
    right = login_client.post("/login", data={"name": "ADA", "password": PASSWORD})
    assert right.status_code == 429
    assert int(right.headers["retry-after"]) <= 900
    assert "Too many attempts" in right.text
    other = login_client.post("/login", data={"name": "bob", "password": PASSWORD})
    assert other.status_code == 200


def test_addresses_are_tried_a_few_times_only(
    login_client: TestClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(_access, "password_fits", lambda kept, password: False)
    for attempt in range(30):
        data = {"name": f"name {attempt}", "password": "wrong horse"}
        assert login_client.post("/login", data=data).status_code == 422
    data = {"name": "one more", "password": "wrong horse"}
    assert login_client.post("/login", data=data).status_code == 429


def test_login_that_works_does_not_count(
    login_client: TestClient, owners: dict[str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(_access, "password_fits", lambda kept, password: True)
    for _ in range(12):
        data = {"name": "ada", "password": PASSWORD}
        assert login_client.post("/login", data=data).status_code == 200


def from_address(app: Any, host: str) -> TestClient:
    return TestClient(app, client=(host, 1234))


def test_owner_is_not_locked_out_by_others(
    login_app: Any, owners: dict[str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    stranger = from_address(login_app, "203.0.113.1")
    with monkeypatch.context() as wrong:  # the clock stands still all the while
        wrong.setattr(_access, "password_fits", lambda kept, password: False)
        for _ in range(10):
            stranger.post("/login", data={"name": "ada", "password": "wrong horse"})
    monkeypatch.setattr(login_app.state.access.everywhere, "longest", 0.01)
    right = {"name": "ada", "password": PASSWORD}
    refused = stranger.post("/login", data=right)
    assert refused.status_code == 429
    assert int(refused.headers["retry-after"]) <= 2
    owner = from_address(login_app, "203.0.113.2")
    assert "Log out ada" in owner.post("/login", data=right).text


def test_guessing_from_many_addresses_takes_longer_and_longer(
    login_app: Any, store: SqlStore
) -> None:
    access: Access = login_app.state.access
    delays = [
        access.check_login(store, name, f"203.0.113.{number}")
        for number in range(14)
        for name in ("ada", "nobody")
    ]
    assert delays[:20] == [0.0] * 20
    assert delays[20:] == [2, 2, 4, 4, 8, 8, 8, 8]


def test_made_up_names_stop_at_the_address_and_push_nothing_out(
    login_app: Any, store: SqlStore
) -> None:
    access: Access = login_app.state.access
    for _ in range(10):
        access.check_login(store, "ada", "here")
    for number in range(100):
        with contextlib.suppress(HTTPException):
            access.check_login(store, f"made up {number}", "here")
    with pytest.raises(HTTPException) as caught:
        access.check_login(store, "ada", "here")
    assert caught.value.status_code == 429
    with store.database.engine.connect() as connection:
        assert len(connection.execute(attempts.select()).all()) <= 1 + 2 * 31


def test_processes_count_together(
    login_app: Any, store: SqlStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    other = create_app(store, login=True)
    monkeypatch.setattr(_access, "password_fits", lambda kept, password: False)
    wrong = {"name": "ada", "password": "wrong horse"}
    statuses = [
        TestClient(app).post("/login", data=wrong).status_code
        for _ in range(6)
        for app in (login_app, other)
    ]
    assert statuses == [422] * 10 + [429] * 2


@pytest.mark.parametrize(
    ("host", "network"),
    [
        ("203.0.113.7", "203.0.113.7"),
        ("2001:db8:1:2:3:4:5:6", "2001:db8:1:2::/64"),
        ("::ffff:203.0.113.7", "203.0.113.7"),
        ("testclient", "testclient"),
    ],
)
def test_networks_are_counted_not_their_addresses(host: str, network: str) -> None:
    request = Request({"type": "http", "client": (host, 1), "headers": []})
    assert _access.network_of(request) == network


def test_unknown_name_takes_as_long_as_a_known_one(
    login_app: Any, owners: dict[str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    checked: list[str] = []

    class Hasher:
        def verify(self, kept: str, password: bytes) -> bool:
            checked.append(kept)
            raise VerificationError

        def hash(self, password: bytes) -> str:
            checked.append("made")
            return "nobody"

    monkeypatch.setattr(_passwords, "_HASHER", Hasher())
    _passwords._nobody.cache_clear()
    client = TestClient(login_app)
    for name in ("ada", "nobody", "ada", "nobody"):
        client.post("/login", data={"name": name, "password": "wrong horse"})
    _passwords._nobody.cache_clear()
    assert checked[0] == "made"  # for the first one, whoever it is
    assert len(checked) == 5


def test_session_ends(as_owner: Callable[[str], TestClient], store: SqlStore) -> None:
    client = as_owner("ada")
    assert client.get("/", follow_redirects=False).status_code == 200
    with store.database.engine.begin() as connection:
        past = datetime.now(UTC) - timedelta(seconds=1)
        connection.execute(sessions.update().values(expires=past))
    assert client.get("/", follow_redirects=False).status_code == 303


def test_log_out_ends_the_session_on_the_server(
    as_owner: Callable[[str], TestClient],
) -> None:
    client = as_owner("ada")
    token = client.cookies["penchant_session"]
    data = {"csrf": csrf_of(client.get("/").text)}
    assert client.post("/logout", data=data).url.path == "/login"
    client.cookies.set("penchant_session", token)
    assert client.get("/", follow_redirects=False).status_code == 303


def test_new_password_ends_all_sessions(
    as_owner: Callable[[str], TestClient], store: SqlStore, owners: dict[str, str]
) -> None:
    client = as_owner("ada")
    store.set_password(owners["ada"], "x")
    assert client.get("/", follow_redirects=False).status_code == 303


@pytest.mark.parametrize("csrf", [None, "", "0" * 64, "é"])
def test_forms_need_the_token_of_the_session(
    as_owner: Callable[[str], TestClient],
    store: SqlStore,
    flats: bytes,
    csrf: str | None,
) -> None:
    client = as_owner("ada")
    data = {} if csrf is None else {"csrf": csrf}
    sent = client.post("/drafts", files={"table": ("flats.csv", flats)}, data=data)
    assert sent.status_code == 403
    assert "out of date or foreign" in sent.text
    assert client.post("/logout", data=data).status_code == 403
    assert client.get("/", follow_redirects=False).status_code == 200


def test_token_of_another_session_does_not_fit(
    as_owner: Callable[[str], TestClient],
) -> None:
    ada, bob = as_owner("ada"), as_owner("bob")
    foreign = csrf_of(bob.get("/").text)
    assert ada.post("/logout", data={"csrf": foreign}).status_code == 403


def test_analysts_see_their_own_and_admins_all(
    as_owner: Callable[[str], TestClient],
    store: SqlStore,
    flats: bytes,
    owners: dict[str, str],
) -> None:
    ada, bob, root = as_owner("ada"), as_owner("bob"), as_owner("root")
    made = _make_study(ada, flats, "Flats of Ada")
    assert store.list_studies()[0].owner == owners["ada"]
    assert "Flats of Ada" in ada.get("/").text
    assert "Flats of Ada" not in bob.get("/").text
    assert "Flats of Ada" in root.get("/").text
    assert ada.get(made).status_code == 200
    assert bob.get(made).status_code == 404
    assert root.get(made).status_code == 200


def test_upload_is_open_to_its_owner_only(
    as_owner: Callable[[str], TestClient], flats: bytes
) -> None:
    ada, bob = as_owner("ada"), as_owner("bob")
    data = {"csrf": csrf_of(ada.get("/").text)}
    page = ada.post("/drafts", files={"table": ("flats.csv", flats)}, data=data)
    assert page.status_code == 200
    path = page.url.path
    assert bob.get(path).status_code == 404
    foreign = {"csrf": csrf_of(bob.get("/").text)}
    assert bob.post(path, data=foreign).status_code == 404
    assert bob.post(f"{path}/discard", data=foreign).status_code == 404
    assert ada.get(path).status_code == 200


def test_without_login_there_is_nothing_to_log_in_to(client: TestClient) -> None:
    for response in (
        client.get("/login", follow_redirects=False),
        client.post("/login", data={"name": "a"}, follow_redirects=False),
    ):
        assert response.status_code == 303
        assert response.headers["location"] == "/"
    assert "Log out" not in client.get("/").text


def _make_study(client: TestClient, flats: bytes, name: str) -> Any:
    csrf = csrf_of(client.get("/").text)
    page = client.post(
        "/drafts", files={"table": ("flats.csv", flats)}, data={"csrf": csrf}
    )
    saved = client.post(str(page.url), data={"csrf": csrf, "study": name})
    assert saved.url.path.startswith("/studies/")
    return saved.url.path


# Without logins, with a secret


SECRET = "a-long-secret-word"


@pytest.fixture
def local_app(store: SqlStore) -> Any:
    return create_app(store, secret=SECRET)


def test_link_with_the_secret_lets_a_browser_in(local_app: Any, flats: bytes) -> None:
    client = TestClient(local_app)
    assert "This app is private" in client.get("/").text
    entered = client.get(f"/?token={SECRET}", follow_redirects=False)
    assert (entered.status_code, entered.headers["location"]) == (303, "/")
    cookie = entered.headers["set-cookie"]
    assert cookie.startswith("penchant_session_80=")
    assert "HttpOnly" in cookie
    assert "SameSite=lax" in cookie
    assert "Upload" in client.get("/").text
    assert client.get(f"/?token={SECRET}", follow_redirects=False).status_code == 303
    made = client.post("/drafts", files={"table": ("flats.csv", flats)})
    assert made.url.path.startswith("/drafts/")
    assert client.get("/api/v1/studies").status_code == 200


def test_link_with_the_secret_leads_to_any_page(local_app: Any) -> None:
    client = TestClient(local_app)
    path = f"/studies/x?people=2&token={SECRET}&simulated=1"
    entered = client.get(path, follow_redirects=False)
    assert entered.headers["location"] == "/studies/x?people=2&simulated=1"
    away = client.get(f"//evil.example/?token={SECRET}", follow_redirects=False)
    assert "evil" not in away.headers.get("location", "")


def test_secret_of_an_earlier_start_is_told_how_to_go_on(local_app: Any) -> None:
    client = TestClient(local_app, cookies={"penchant_session_80": "an older word"})
    page = client.get("/", headers={"Accept-Language": "fr"})
    assert page.status_code == 200
    assert "Cette application est privée" in page.text
    assert client.get("/?token=older").status_code == 200


def test_program_shows_the_secret_as_a_bearer_token(local_app: Any) -> None:
    client = TestClient(local_app, headers={"Authorization": f"Bearer {SECRET}"})
    new = {"name": "New", "items": [{"name": "a", "values": {"x": 1}}]}
    assert client.post("/api/v1/studies", json=new).status_code == 201


def test_people_who_are_invited_need_no_secret(local_app: Any, store: SqlStore) -> None:
    study = Study(store, store.create_study("Flats", load_flats()))
    client = TestClient(local_app)
    assert client.get("/healthz").status_code == 200
    page = client.post(f"/s/{study.id}/join")
    assert page.status_code == 200
    assert page.url.path.startswith("/p/")
    token = page.url.path.removeprefix("/p/")
    me = {"Authorization": f"Bearer {token}"}
    assert client.get("/api/v1/me", headers=me).status_code == 200
    assert client.post(f"/api/v1/studies/{study.id}/join", json={}).status_code == 201
