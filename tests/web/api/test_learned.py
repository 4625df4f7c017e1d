"""Models learned from files, through the API."""

import base64
from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pytest
from fastapi.testclient import TestClient

from penchant.jobs import KeptModel, work
from penchant.studies import SqlStore
from penchant.web import add_api_token
from tests.jobs.conftest import flats, pairs


@pytest.fixture
def call(
    login_client: TestClient, store: SqlStore, owners: dict[str, str]
) -> Callable[..., Any]:
    """Call the API for ada."""
    token = add_api_token(store, owners["ada"], timedelta(days=1))
    headers = {"Authorization": f"Bearer {token}"}

    def send(method: str, path: str, status: int = 200, **options: Any) -> Any:
        response = login_client.request(
            method, f"/api/v1{path}", headers=headers, **options
        )
        assert response.status_code == status, response.text
        is_json = "json" in response.headers.get("content-type", "")
        return response.json() if is_json and response.content else response

    return send


def test_from_a_table_to_reasons(store: SqlStore, call: Callable[..., Any]) -> None:
    sent = {"name": "Flats", "table": flats().decode(), "n_folds": 2, "down": ["rent"]}
    made = call("POST", "/models", 201, json=sent)
    assert (made["state"], made["target"], made["share"]) == ("waiting", "rating", 0.0)
    path = f"/models/{made['id']}"
    assert [each["id"] for each in call("GET", "/models")] == [made["id"]]
    call("GET", f"{path}/description", 409)
    assert call("POST", f"{path}/cancel")["state"] == "cancelled"
    assert call("POST", f"{path}/resume")["state"] == "waiting"
    call("POST", f"{path}/resume", 409)
    job = store.get_job(made["id"])
    store.cancel_job(job.id)
    told = {**job.settings, "candidates": ["linear", "choquet"]}
    store.queue_job(job.id, settings=told)
    store.claim_job("a", 60.0)
    work(store, job.id, "a")
    store.end_job(job.id, "a", "done", {})
    assert call("GET", path)["share"] == 1.0
    kept = KeptModel(store, store.get_job(job.id))
    said = call("GET", f"{path}/description")
    assert said["recommended"] == kept.comparison.recommended.name
    assert {each["name"] for each in said["candidates"]} == {"linear", "choquet"}
    assert [part["names"] for part in said["parts"]] == [
        list(part.names) for part in kept.parts(kept.shown)
    ]
    choquet = call("GET", f"{path}/description?model=choquet")
    assert {part["kind"] for part in choquet["parts"]} == {"criterion", "interaction"}
    why = call("GET", f"{path}/why?row=2")
    assert why["name"] == "Flat 1"
    ways = [why["exact"], why["coalitions"]]
    for way in ways:
        total = way["base"] + sum(way["values"].values()) + way["gap"]
        assert total == pytest.approx(way["total"])
    assert why["exact"]["total"] == pytest.approx(why["value"])
    rather = call("GET", f"{path}/rather-than?row=2&rival=3&model=linear")
    assert set(rather["reasons"]["values"]) == {"rent", "size", "noise"}
    found = call("POST", f"{path}/predictions?filename=a.csv", content=flats(3))
    assert found["columns"] == ["row", "name", "prediction"]
    assert found["rows"][1][1] == "Flat 1"
    assert found["rows"][1][2] == pytest.approx(why["value"])
    call("POST", f"{path}/predictions?filename=a.csv", 422, content=b"a,b\n1,2\n")
    call("GET", f"{path}/why?row=99", 422)
    call("GET", f"{path}/why?row=1&model=gai", 422)
    assert b"What decides rating" in call("GET", f"{path}/files/report.html").content
    assert call("GET", f"{path}/files/table").content == flats()
    call("GET", f"{path}/files/answers", 404)
    assert call("POST", f"{path}/choose", json={"model": "choquet"})["state"] == (
        "waiting"
    )
    call("DELETE", path, 204)
    call("GET", path, 404)


def test_answers_and_bytes(store: SqlStore, call: Callable[..., Any]) -> None:
    packed = base64.b64encode(pairs(flats(12))).decode()
    sent = {"name": "Pairs", "answers": packed, "base64": True}
    made = call("POST", "/models", 201, json=sent)
    assert store.job_part(made["id"], "answers") == pairs(flats(12))
    for wrong, words in (
        ({"name": "x"}, "Choose a file"),
        ({"name": "x", "table": "!!", "base64": True}, "not base64"),
        ({"name": "x", "answers": "winner,loser\nA\n"}, "ow 2"),
        ({"name": "x", "table": flats().decode(), "target": "odd"}, "no column 'odd'"),
        ({"name": "x", "table": "a,b\n1,2\n3,4\n"}, "at least 10"),
    ):
        assert words in call("POST", "/models", 422, json=wrong)["detail"]
    assert "not valid JSON" in call("POST", "/models", 422, content=b"{")["detail"]
    for _ in range(9):
        call("POST", "/models", 201, json=sent)
    assert "wait already" in call("POST", "/models", 409, json=sent)["detail"]
    assert len(store.list_jobs()) == 10
