import gzip
import html
import io
import json
import re
from collections.abc import Callable, Iterator
from threading import Event
from typing import Any

import numpy as np
import pandas as pd
import pytest
from fastapi.testclient import TestClient

from penchant.data import Items
from penchant.datasets import load_flats
from penchant.exceptions import NotAnswerableError
from penchant.studies import (
    SqlStore,
    Study,
    import_study,
    load_texts,
    simulated_answer,
    store_url,
)
from penchant.views._group import group_view, ranking_csv
from penchant.web import _fitting, create_app
from penchant.web._fitting import Fitting
from penchant.web.pages import _group as _group_routes

TEXTS = load_texts("en")


@pytest.fixture(scope="module")
def world(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[SqlStore, str]]:
    """Twelve people of two kinds who answered about the flats."""
    with SqlStore(store_url(tmp_path_factory.mktemp("group"))) as store:
        items = load_flats()
        study = Study(store, store.create_study("Flats", items))
        rng = np.random.default_rng(0)
        coded = items.encode()
        for number in range(12):
            likes = coded[:, 0 if number < 7 else 1]
            likes = (likes - likes.mean()) / likes.std()
            likes = likes + 0.1 * rng.standard_normal(len(items))
            person, _ = study.join(f"Person {number}", simulated=number == 3)
            for _ in range(12):
                question = study.ask(person.id)
                if question is None:
                    break
                answer = simulated_answer(question.form, question.items, likes, rng)
                study.tell(person.id, question.id, answer)
        study.join("Silent")
        yield store, study.id


@pytest.fixture(scope="module")
def client(world: tuple[SqlStore, str]) -> TestClient:
    return TestClient(create_app(world[0]))


def test_common_choice_is_the_title(
    client: TestClient, world: tuple[SqlStore, str], text: Callable[[str], str]
) -> None:
    store, study_id = world
    group = Study(store, study_id).group()
    page = client.get(f"/studies/{study_id}/group")
    words = html.unescape(text(page.text))
    front = [item.name for item in group.in_front]
    title = "is the best common choice" if len(front) == 1 else "are in front"
    title = title if len(front) <= 10 else "Nothing is clearly in front"
    assert title in words
    assert "What 12 people want together" in words
    assert "One of these people is simulated" in words
    assert f"{100 * group.agreement:.0f} of 100 times" in words
    assert len(gzip.compress(page.content)) <= 15_000
    assert f"{front[0]} suits the group at {group.items[0].mean:.0f} of 100." in words
    assert ("Opinions differ on" in words) is (group.differ is not None)


def test_charts_show_the_numbers_of_the_group(world: tuple[SqlStore, str]) -> None:
    store, study_id = world
    study = Study(store, study_id)
    group = study.group()
    view = group_view(group, study.items, TEXTS)
    assert group.kinds in ("lean", "two")
    assert len(group.segments) == len(view.segments) == 2
    sizes = [len(segment.members) for segment in group.segments]
    assert sum(sizes) + group.n_between == 12
    assert [card.size for card in view.segments] == [f"{n} people" for n in sizes]
    rows = [row for tier in view.tiers for row in tier.rows]
    assert [row.name for row in rows] == [item.name for item in group.items]
    top = sum(item.in_top for item in group.items)
    assert top == pytest.approx(3 * 12, abs=0.5)
    for card, segment in zip(view.segments, group.segments, strict=True):
        assert segment.best.name in card.best
        label, share = next(iter(segment.weights.items()))
        assert (card.weights[0].label, card.weights[0].share) == (
            label,
            TEXTS.share(share),
        )


def test_curves_are_those_of_the_segments(world: tuple[SqlStore, str]) -> None:
    store, study_id = world
    study = Study(store, study_id)
    group = study.group()
    view = group_view(group, study.items, TEXTS)
    texts = load_texts("en")
    for k, shown in enumerate(view.curves):
        for number, segment in enumerate(group.segments):
            expected = [texts.signed(value) for value in segment.curves[k].points]
            column = [row.cells[number] for row in shown.numbers.rows]
            assert column == expected
            line, attribute = shown.lines[number], segment.curves[k].attribute
            if attribute in ("balcony", "furnished"):  # levels without an order
                assert (line.path, len(line.marks)) == ("", len(expected))
            else:
                assert line.path.count("L") == len(expected) - 1


def test_owner_can_leave_somebody_out_and_undo_it(
    client: TestClient, world: tuple[SqlStore, str], text: Callable[[str], str]
) -> None:
    store, study_id = world
    study = Study(store, study_id)
    before = study.group()
    person = next(who for who in before.members if who.label == "Person 2")
    address = f"/studies/{study_id}/participants/{person.id}/count"
    page = client.post(address, data={"weight": "0", "page": "group"})
    assert page.url.path == f"/studies/{study_id}/group"
    words = text(page.text)
    assert "The owner of the study left one person out." in words
    assert "What 11 people want together" in words
    assert f'action="{address}"' in page.text  # the way back
    assert "left out" in text(client.get(f"/studies/{study_id}").text)
    report = text(client.get(f"/studies/{study_id}/export/report.html").text)
    assert "left one person out" in report
    assert "Person 2" not in report
    back = client.post(address, data={"weight": "1"})
    assert back.url.path == f"/studies/{study_id}"
    assert study.group().n_voices == 12
    assert study.group().careless == before.careless


def test_ranking_is_exported(client: TestClient, world: tuple[SqlStore, str]) -> None:
    store, study_id = world
    group = Study(store, study_id).group()
    response = client.get(f"/studies/{study_id}/export/ranking.csv")
    assert response.headers["content-type"] == "text/csv; charset=utf-8"
    assert 'filename="Flats ranking.csv"' in response.headers["content-disposition"]
    table = pd.read_csv(io.BytesIO(response.content), encoding="utf-8-sig")
    assert table["alternative"].tolist() == [item.name for item in group.items]
    assert table["mean"].to_numpy() == pytest.approx(
        [item.mean for item in group.items], abs=1e-3
    )
    assert ranking_csv(group) == response.content.decode("utf-8-sig")


def test_results_are_exported_as_a_workbook(
    client: TestClient, world: tuple[SqlStore, str]
) -> None:
    store, study_id = world
    found = Study(store, study_id).group()
    for address in (f"/studies/{study_id}/export", f"/api/v1/studies/{study_id}"):
        response = client.get(f"{address}/study.xlsx")
        assert "spreadsheetml" in response.headers["content-type"]
        table = pd.read_excel(io.BytesIO(response.content), "ranking")
        assert table["alternative"].tolist() == [item.name for item in found.items]


def test_the_page_says_what_would_change_the_first_place(
    client: TestClient, world: tuple[SqlStore, str], text: Callable[[str], str]
) -> None:
    store, study_id = world
    found = Study(store, study_id).group()
    turned = found.another_winner
    assert turned is not None
    for path in ("group", "report"):
        page = client.get(f"/studies/{study_id}/{path}").text
        words = html.unescape(text(page))
        assert "What would have to change for another first place?" in words
        rival = found.items[1].name
        assert f"{round(turned.lead, 1):g} points ahead of {rival}" in words
        for value in turned.winner_values:
            assert value.attribute in words


def test_answers_and_study_are_exported(
    client: TestClient, world: tuple[SqlStore, str], store: SqlStore
) -> None:
    source, study_id = world
    answers = client.get(f"/studies/{study_id}/export/answers.csv")
    table = pd.read_csv(io.BytesIO(answers.content), encoding="utf-8-sig")
    group = Study(source, study_id).group()
    assert len(table) == sum(member.n_answers for member in group.members)
    dump = client.get(f"/studies/{study_id}/export/study.json")
    copy = Study(store, import_study(store, json.loads(dump.content)))
    assert copy.group().items[0].name == group.items[0].name


def test_models_are_shown_on_one_page(
    client: TestClient,
    world: tuple[SqlStore, str],
    text: Callable[[str], str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    store, study_id = world
    monkeypatch.setattr(_group_routes, "_PATIENCE", None)
    models = Study(store, study_id).group_models()
    page = client.get(f"/studies/{study_id}/model")
    words = text(page.text)
    assert f"From {models.n_comparisons} comparisons of all participants" in words
    for rule in models.rules.rules_:
        shown = rule.text.replace(">=", "≥").replace("<=", "≤").replace("!=", "≠")
        assert shown in page.text.replace("\u00a0", " ")
    best = int(np.argmax(models.gai.variance_shares_))
    for i in models.gai.factors_[best]:
        assert models.gai.encoding_.names[i] in words
    assert page.text.count("<section") >= 3


def test_report_needs_nothing_else(
    client: TestClient, world: tuple[SqlStore, str], text: Callable[[str], str]
) -> None:
    _, study_id = world
    response = client.get(f"/studies/{study_id}/export/report.html")
    page = response.text
    assert response.headers["content-disposition"].startswith("attachment")
    assert "suits the group at" in text(page)
    assert "clicking without reading" not in text(page)
    assert "The rules of the whole group" in text(page)
    assert "--accent: #0f5c63" in page
    assert re.search(r'(href|src|action)="', page) is None
    assert "http-equiv" in page
    assert "<script" not in page
    assert "url(" not in page


@pytest.mark.parametrize("name", ["ranking", "weights", "rules", "model"])
def test_pictures_are_drawn(
    client: TestClient, world: tuple[SqlStore, str], name: str
) -> None:
    address = f"/studies/{world[1]}/charts/{name}"
    vector = client.get(f"{address}.svg")
    assert vector.headers["content-type"] == "image/svg+xml"
    assert b"<svg" in vector.content
    image = client.get(f"{address}.png")
    assert image.content.startswith(b"\x89PNG")


@pytest.mark.parametrize(
    "path",
    ["export/x", "export/study.pdf", "charts/x.svg"],
)
def test_there_are_no_other_files(
    client: TestClient, world: tuple[SqlStore, str], path: str
) -> None:
    assert client.get(f"/studies/{world[1]}/{path}").status_code == 404
    other = client.get(f"/studies/{world[1]}/charts/ranking.gif")
    assert other.status_code == 422


def test_study_without_answers_says_so(
    world: tuple[SqlStore, str], client: TestClient, text: Callable[[str], str]
) -> None:
    store, _ = world
    study_id = store.create_study("Empty", load_flats())
    address = f"/studies/{study_id}"
    assert "Nobody has answered yet" in client.get(f"{address}/group").text
    assert "too few answers" in text(client.get(f"{address}/model").text)
    client.cookies.set("language", "de")
    for page in ("model", "report"):
        shown = client.get(f"{address}/{page}").text
        assert "gibt es noch zu wenige Antworten." in shown
        assert "/charts/" not in shown  # there is nothing to draw yet
    client.cookies.clear()
    assert "Nobody has answered yet" in client.get(f"{address}/export/report.html").text
    assert client.get(f"{address}/charts/ranking.svg").status_code == 409
    assert client.get(f"{address}/charts/rules.svg").status_code == 409
    table = client.get(f"{address}/export/ranking.csv").content.decode("utf-8-sig")
    assert table.count("\n") == 1


class _Slow:
    """A study whose models take until `go` is set."""

    id = "slow"

    def __init__(self) -> None:
        self.go = Event()
        self.n_fits = 0

    def group_models(self) -> Any:
        self.n_fits += 1
        self.go.wait(60)
        if self.n_fits > 1:
            raise NotAnswerableError("too few")
        return "models"


def test_models_are_fitted_once_for_all_who_wait() -> None:
    fitting, study = Fitting(lambda slow: slow.group_models()), _Slow()
    slow: Any = study
    assert fitting.made(slow, 0.01) is None
    assert fitting.made(slow, 0.01) is None
    assert study.n_fits == 1
    waiting = fitting._begin(slow)
    study.go.set()
    assert waiting.result(60) == "models"
    with pytest.raises(NotAnswerableError):
        fitting.made(slow, 60)
    assert fitting._running == {}


def test_page_does_not_wait_for_models_for_ever(
    client: TestClient, world: tuple[SqlStore, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(_group_routes._FITTING, "made", lambda *_: None)
    page = client.get(f"/studies/{world[1]}/model").text
    assert "The models are being fitted" in page
    assert "Look again" in page


@pytest.mark.parametrize("page", ["group", "report"])
def test_while_people_are_counted_a_page_says_so(
    client: TestClient,
    world: tuple[SqlStore, str],
    monkeypatch: pytest.MonkeyPatch,
    page: str,
) -> None:
    store, study_id = world
    with monkeypatch.context() as slow:
        slow.setattr(_fitting._COUNTING, "made", lambda *_: None)
        shown = client.get(f"/studies/{study_id}/{page}").text
    n_people = len(store.list_participants(study_id))
    assert f"The answers of {n_people} people are being counted" in shown
    assert "data-again" in shown
    assert '<noscript><meta http-equiv="refresh"' in shown
    assert f'href="/studies/{study_id}/{page}">Look again' in shown
    assert "being counted" not in client.get(f"/studies/{study_id}/{page}").text


def test_unknown_values_keep_no_page_of_the_owner_away(store: SqlStore) -> None:
    flats = load_flats().take(range(12))
    frame = flats.frame.copy()
    frame.loc[[0, 1], "price"] = np.nan
    frame.loc[2, "noise"] = None
    items = Items(frame, flats.attributes, flats.names)
    study = Study(store, store.create_study("Flats", items), background=False)
    likes, rng = np.arange(12.0), np.random.default_rng(0)
    for _ in range(3):
        person, _ = study.join()
        for _ in range(10):
            question = study.ask(person.id)
            if question is None:  # of twelve flats the best may be known sooner
                break
            answer = simulated_answer(question.form, question.items, likes, rng)
            study.tell(person.id, question.id, answer)
    study.group_models()
    client = TestClient(create_app(store))
    for page in (
        "group",
        "model",
        "report",
        "export/report.html",
        "export/study.xlsx",
        "export/ranking.csv",
        "export/study.json",
        *(
            f"charts/{name}.svg"
            for name in ("ranking", "weights", "curves", "rules", "model")
        ),
    ):
        found = client.get(f"/studies/{study.id}/{page}")
        assert found.status_code == 200, page
        if page in ("model", "export/report.html"):
            assert "being fitted" not in found.text
