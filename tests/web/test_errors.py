import pytest
from fastapi.testclient import TestClient

from penchant.exceptions import (
    ConflictError,
    FormatError,
    MissingExtraError,
    NotAnswerableError,
    StoreError,
)
from penchant.studies import SqlStore, add_demo

JSON = {"Accept": "application/json"}


def test_program_gets_json(client: TestClient) -> None:
    response = client.get("/studies/unknown", headers=JSON)
    assert response.status_code == 404
    assert response.json() == {
        "detail": "There is no such study. It may have been removed."
    }


def test_browser_gets_a_page(client: TestClient) -> None:
    accept = {"Accept": "text/html,application/xhtml+xml,application/json;q=0.9"}
    response = client.get("/studies/unknown", headers=accept)
    assert response.status_code == 404
    assert "<h1>Nothing is here</h1>" in response.text
    assert "or what was here has been removed" in response.text
    headers = {"Accept": "text/html", "Accept-Language": "de"}
    upload = client.get("/drafts/nothing", headers=headers).text
    assert "Diese Datei ist nicht mehr da" in upload
    assert "no longer there" not in upload


def test_wrong_method_names_the_right_ones(client: TestClient) -> None:
    response = client.post("/healthz")
    assert response.status_code == 405
    assert response.headers["allow"] == "GET"
    assert "This does not work here" in response.text


def test_value_in_the_address_is_named(client: TestClient, store: SqlStore) -> None:
    response = client.get(f"/studies/{add_demo(store)}?page=minus")
    assert response.status_code == 422
    assert "The value of &#39;page&#39; is missing or not accepted." in response.text


@pytest.mark.parametrize(
    ("error", "status"),
    [
        (StoreError("The disk is full."), 503),
        (NotAnswerableError("There is no question."), 409),
        (ConflictError("Somebody was faster."), 409),
        (FormatError("The file is damaged."), 422),
        (MissingExtraError("matplotlib", "plot"), 500),
    ],
)
def test_errors_of_penchant_have_their_status(
    client: TestClient,
    store: SqlStore,
    monkeypatch: pytest.MonkeyPatch,
    error: Exception,
    status: int,
) -> None:
    def fail(*, owner: str | None = None) -> None:
        raise error

    monkeypatch.setattr(store, "list_studies", fail)
    response = client.get("/", headers=JSON)
    assert response.status_code == status
    said = response.json()["detail"]
    if status == 503:
        assert said.startswith("There is too much to do")  # not where, nor why
    else:
        assert said == str(error)
