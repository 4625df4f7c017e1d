"""Hostile texts in every view and export: shown as text, never as something else."""

import csv
import io
import json
import re
from collections.abc import Iterator
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import quote, urlencode

import pandas as pd
import pytest
from fastapi.testclient import TestClient
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from penchant.data import Attribute, Items
from penchant.studies import Noun, SqlStore, Study, StudySettings, store_url
from penchant.web import create_app
from penchant.web._fitting import Fitting

SCRIPT = "<script>alert(1)</script>"
QUOTES = "\"'><img src=x onerror=alert(2)>"
FORMULA = '=HYPERLINK("x";"y")'
PLUS = "+1+cmd|' /C calc'!A0"
TEMPLATE = "{{ 7*7 }}{% raw %}${1}"
TURNED = "\u202eevil\u202c תל אביב"
LONG = "x" * 10_000
EMOJI = "🏠 👩‍👩‍👧 家"
MATH = r"$\frac{1}{0$ & \\"
HOSTILE = (SCRIPT, QUOTES, FORMULA, PLUS, TEMPLATE, TURNED, LONG, EMOJI, MATH)


@pytest.fixture(scope="module")
def world(
    tmp_path_factory: pytest.TempPathFactory,
) -> Iterator[tuple[TestClient, str, str]]:
    """A study in which everything that people write is hostile."""
    yield from make_world(tmp_path_factory.mktemp("hostile"))


@pytest.fixture(scope="module")
def changed_world(
    tmp_path_factory: pytest.TempPathFactory,
) -> Iterator[tuple[TestClient, str, str]]:
    """Another one, which tests may change."""
    yield from make_world(tmp_path_factory.mktemp("changed"))


def make_world(folder: Path) -> Iterator[tuple[TestClient, str, str]]:
    with SqlStore(store_url(folder)) as store:
        n = len(HOSTILE)
        frame = pd.DataFrame(
            {
                f"{SCRIPT} {LONG[:5000]}": [float(k) for k in range(n)],
                QUOTES: [("=1+1", SCRIPT, TURNED)[k % 3] for k in range(n)],
                MATH: [float((3 * k) % 7) for k in range(n)],
            }
        )
        attributes = [
            Attribute(frame.columns[0], direction="up", unit=SCRIPT),
            Attribute(QUOTES, "categorical", "unknown", ("=1+1", SCRIPT, TURNED)),
            Attribute(MATH, direction="unknown"),
        ]
        items = Items.from_frame(frame, attributes, names=list(HOSTILE))
        called = StudySettings(nouns=(Noun("en", SCRIPT, f"{TURNED}{FORMULA}"[:40]),))
        name = f"{SCRIPT}{TURNED}"[:110]
        study = Study(store, store.create_study(name, items, settings=called))
        token = ""
        for number in range(7):
            person, token = study.join((SCRIPT, FORMULA, TURNED, "\u202e")[number % 4])
            for turn in range(5):
                question = study.ask(person.id)
                if question is None:
                    break
                side = "left" if (number + turn) % 3 else "right"
                study.tell(person.id, question.id, side)
        yield TestClient(create_app(store)), study.id, token


class Reader(HTMLParser):
    """What a browser would make of a page."""

    def __init__(self) -> None:
        super().__init__()
        self.tags: set[str] = set()
        self.attributes: set[str] = set()
        self.scripts: set[str | None] = set()
        self.words = ""

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.add(tag)
        self.attributes |= {name for name, _ in attrs}
        if tag == "script":
            self.scripts.add(dict(attrs).get("src"))

    def handle_data(self, data: str) -> None:
        self.words += data


def pages(study_id: str, token: str) -> list[str]:
    return [
        "/",
        f"/studies/{study_id}",
        f"/studies/{study_id}?sort=0",
        f"/studies/{study_id}/settings",
        f"/studies/{study_id}/delete",
        f"/studies/{study_id}/group",
        f"/studies/{study_id}/group?attribute=1",
        f"/studies/{study_id}/model",
        f"/studies/{study_id}/report",
        f"/studies/{study_id}?simulated=1",
        f"/studies/{study_id}/export/report.html",
        f"/s/{study_id}/join",
        f"/p/{token}",
        f"/p/{token}/result",
        f"/p/{token}/why?item=1",
        f"/p/{token}/compare?a=0&b=1",
        f"/p/{token}/what-if?item=0",
        f"/p/{token}/withdraw",
        f"/p/{token}/pause",
    ]


def test_pages_show_hostile_texts_as_text(
    world: tuple[TestClient, str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    client, study_id, token = world
    begin = Fitting.made
    monkeypatch.setattr(Fitting, "made", lambda self, study, _=None: begin(self, study))
    for path in pages(study_id, token):
        response = client.get(path)
        assert response.status_code == 200, (path, response.text)
        page, read = response.text, Reader()
        read.feed(page)
        assert read.scripts <= {"/static/penchant.js"}, path
        assert "img" not in read.tags, path
        assert not [name for name in read.attributes if name.startswith("on")], path
        assert "<script>alert(1)" in read.words, path
        assert "49${1}" not in read.words, path
        bare = re.sub("\u2068[^\u2069]*\u2069", "", page)
        if "/p/" in path or "/group" in path or "report" in path:
            assert "\u202e" not in bare, path


def test_every_page_of_an_owner_survives_without_the_names_overflowing(
    world: tuple[TestClient, str, str],
) -> None:
    client, study_id, _ = world
    page = client.get(f"/studies/{study_id}/group").text
    assert LONG not in page
    assert "x" * 60 in page


@pytest.mark.parametrize("name", ["answers.csv", "ranking.csv"])
def test_own_tables_of_a_participant_run_nothing(
    world: tuple[TestClient, str, str], name: str
) -> None:
    client, _, token = world
    response = client.get(f"/p/{token}/export/{name}")
    rows = list(csv.reader(io.StringIO(response.content.decode("utf-8-sig"))))
    assert len(rows) > 3
    for cell in (cell for row in rows[1:] for cell in row):
        assert not re.match(r"[=+@\t\r]|-(?![\d.]+$)", cell), cell[:50]
    everything = json.loads(client.get(f"/p/{token}/export/result.json").content)
    assert {each["name"] for each in everything["ranking"]} == set(HOSTILE)


def test_notebook_holds_no_text_of_the_study(
    world: tuple[TestClient, str, str],
) -> None:
    client, study_id, _ = world
    notebook = client.get(f"/studies/{study_id}/export/notebook.ipynb")
    assert b"<script" not in notebook.content
    code = "".join("".join(cell["source"]) for cell in notebook.json()["cells"])
    file = re.findall(r"^FILE = '([^']*)'$", code, re.MULTILINE)[0]
    exported = client.get(f"/studies/{study_id}/export/study.json")
    assert quote(file) in exported.headers["content-disposition"]


@pytest.mark.parametrize("name", ["answers.csv", "ranking.csv"])
def test_tables_run_nothing(world: tuple[TestClient, str, str], name: str) -> None:
    client, study_id, _ = world
    response = client.get(f"/studies/{study_id}/export/{name}")
    rows = list(csv.reader(io.StringIO(response.content.decode("utf-8-sig"))))
    cells = [cell for row in rows[1:] for cell in row]
    assert f"'{FORMULA}" in cells
    assert f"'{PLUS}" in cells or name == "answers.csv"
    for cell in cells:
        assert not re.match(r"[=+@\t\r]|-(?![\d.]+$)", cell), cell[:50]
    same = client.get(f"/api/v1/studies/{study_id}/{name}")
    assert same.content == response.content


def test_json_keeps_texts_as_they_are(world: tuple[TestClient, str, str]) -> None:
    client, study_id, token = world
    dump = json.loads(client.get(f"/studies/{study_id}/export/study.json").content)
    assert dump["items"]["names"] == list(HOSTILE)
    items = client.get(f"/api/v1/studies/{study_id}/items").json()
    assert [item["name"] for item in items["items"]] == list(HOSTILE)
    bearer = {"Authorization": f"Bearer {token}"}
    for path in ("me/ranking", "me/why?item=2", "me/compare?a=1&b=6", "me/items"):
        response = client.get(f"/api/v1/{path}", headers=bearer)
        assert response.status_code == 200
        assert response.headers["content-type"] == "application/json"
    group = client.get(f"/api/v1/studies/{study_id}/group").json()
    assert {item["name"] for item in group["items"]} == set(HOSTILE)


@pytest.mark.parametrize("name", ["ranking", "weights", "curves", "rules", "model"])
def test_pictures_show_texts_and_stay_small(
    world: tuple[TestClient, str, str], name: str
) -> None:
    client, study_id, _ = world
    response = client.get(f"/studies/{study_id}/charts/{name}.svg")
    assert response.status_code == 200, response.text
    assert b"<script" not in response.content
    width = float(re.findall(rb'width="([\d.]+)pt"', response.content)[0])
    assert width < 1500


def test_file_names_are_harmless(world: tuple[TestClient, str, str]) -> None:
    client, study_id, _ = world
    response = client.get(f"/studies/{study_id}/export/ranking.csv")
    given_name = response.headers["content-disposition"]
    assert re.fullmatch(
        r"attachment; filename=\"[\w. -]+\"; filename\*=UTF-8''[\w.%-]+", given_name
    )


FORMS = [
    "/drafts",
    "/drafts/{x}",
    "/drafts/{x}/discard",
    "/login",
    "/logout",
    "/studies/{study}/state",
    "/studies/{study}/settings",
    "/studies/{study}/participants",
    "/studies/{study}/participants/{x}/link",
    "/studies/{study}/participants/{x}/remove",
    "/studies/{x}/delete",
    "/s/{study}/join",
    "/s/{study}/language",
    "/p/{token}/consent",
    "/p/{token}/about",
    "/studies/{study}/questions",
    "/p/{token}/answer",
    "/p/{token}/undo",
    "/p/{token}/finish",
    "/p/{token}/go-on",
    "/p/{token}/language",
    "/p/{x}/answer",
    "/p/{x}/withdraw",
    "/language",
]
WORDS = (
    "study open label question answer best worst place-0 max_questions max_regret "
    "language-en language page consent intro csrf name password next role-0 kind-1 "
    "noun nouns noun-en nouns-en nouns-fr"
)
NAMES = st.sampled_from(WORDS.split(" "))
VALUES = st.one_of(
    st.text(max_size=30),
    st.sampled_from([*HOSTILE, "\0", "\ud800", "-1", "1e309", "nan", "left", "yes"]),
)


@settings(
    max_examples=150,
    deadline=None,
    derandomize=True,
    database=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture],
)
@given(
    path=st.sampled_from(FORMS),
    hole=st.text(min_size=1, max_size=20),
    fields=st.dictionaries(st.one_of(NAMES, st.text(max_size=8)), VALUES, max_size=5),
    multipart=st.booleans(),
)
def test_forms_survive_anything(
    changed_world: tuple[TestClient, str, str],
    path: str,
    hole: str,
    fields: dict[str, str],
    multipart: bool,
) -> None:
    client, study_id, token = changed_world
    address = path.format(
        x=quote(hole, safe="", errors="replace"), study=study_id, token=token
    )
    if multipart:
        parts = {
            name.encode("utf-8", "replace").decode() or "x": (
                None,
                value.encode("utf-8", "replace"),
            )
            for name, value in fields.items()
        }
        response = client.post(address, files=parts or None, follow_redirects=False)
    else:
        response = client.post(
            address,
            content=urlencode(fields, errors="surrogatepass"),
            headers={"Content-Type": "application/x-www-form-urlencoded"},
            follow_redirects=False,
        )
    assert response.status_code < 500, response.text
