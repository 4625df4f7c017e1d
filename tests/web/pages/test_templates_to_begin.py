"""Templates on the home page and in the API."""

import io

import pandas as pd
from fastapi.testclient import TestClient

from penchant.studies import TEMPLATES, SqlStore


def test_a_study_begins_with_a_template(client: TestClient, store: SqlStore) -> None:
    home = client.get("/").text
    for name in TEMPLATES:
        assert f'action="/templates/{name}"' in home
        table = client.get(f"/templates/{name}.csv")
        frame = pd.read_csv(io.BytesIO(table.content), encoding="utf-8-sig")
        assert len(frame) >= 20
    page = client.post("/templates/suppliers", headers={"Accept-Language": "en"})
    assert page.status_code == 200
    assert "Suppliers of a part" in page.text
    assert store.list_studies()[0].name == "Suppliers of a part"
    assert client.post("/templates/boats").status_code == 404
    assert client.get("/templates/boats.csv").status_code == 404


def test_the_api_begins_a_study_with_a_template(client: TestClient) -> None:
    assert client.get("/api/v1/templates").json() == list(TEMPLATES)
    sent = {"name": "Unser Urlaub", "language": "de"}
    made = client.post("/api/v1/templates/holidays", json=sent)
    assert made.status_code == 201
    assert made.json()["name"] == "Unser Urlaub"
    assert made.json()["settings"]["intro"].startswith("Wohin")
    assert client.post("/api/v1/templates/boats", json={}).status_code == 404
