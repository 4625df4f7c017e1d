"""What a process does before its app serves."""

import sys

import pytest
from fastapi.testclient import TestClient
from threadpoolctl import threadpool_info

from penchant.studies import SqlStore
from penchant.web import _lifespan, create_app


def test_a_process_that_serves_is_warm_and_computes_on_one_thread(
    store: SqlStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    warm: list[bool] = []
    monkeypatch.setattr(_lifespan, "warm_up", lambda: warm.append(True))
    before = sys.getswitchinterval()
    try:
        with TestClient(create_app(store)) as client:
            assert warm == [True]
            blas = [each for each in threadpool_info() if each["user_api"] == "blas"]
            assert {each["num_threads"] for each in blas} <= {1}
            assert client.get("/readyz").json() == {"status": "ok"}
    finally:
        sys.setswitchinterval(before)
