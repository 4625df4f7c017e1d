import gzip
import re
from collections.abc import Callable

import pytest
from fastapi.testclient import TestClient

from penchant.datasets import load_flats
from penchant.studies import SqlStore, Study, StudySettings


@pytest.fixture
def answered(store: SqlStore) -> str:
    """Give the path of somebody who answered five questions about forty flats."""
    settings = StudySettings(max_questions=5, max_regret=0.0)
    study = Study(store, store.create_study("Flats", load_flats(), settings=settings))
    person, token = study.join()
    prices = study.items.frame["price"]
    while (question := study.ask(person.id)) is not None:
        left, right = question.items
        cheaper = "left" if prices[left] < prices[right] else "right"
        study.tell(person.id, question.id, cheaper)
    return f"/p/{token}"


def test_result_has_every_panel_and_stays_small(
    client: TestClient, answered: str, text: Callable[[str], str]
) -> None:
    page = client.get(f"{answered}/result")
    assert page.status_code == 200
    assert len(gzip.compress(page.content)) <= 15_000
    for panel in ("ranking", "why", "compare", "curves", "what-if", "answers"):
        assert f'<section class="panel" id="{panel}"' in page.text
    ids = re.findall(r"\sid=\"([^\"]+)\"", page.text)
    assert len(ids) == len(set(ids))
    words = text(page.text)
    assert "after 5 answers" in words
    assert "All 40 alternatives in numbers" in words
    for word in ("posterior", "utility", "Shapley"):
        assert word not in words
    assert not re.search(r"[^0-9]0\s%|100\s%", words)


def test_every_chart_has_its_numbers(client: TestClient, answered: str) -> None:
    page = client.get(f"{answered}/result").text
    panels = re.findall(
        r'<section class="panel" id="([\w-]+)".*?</section>', page, re.S
    )
    drawn = [
        panel
        for panel in re.findall(r'<section class="panel".*?</section>', page, re.S)
        if "<svg" in panel
    ]
    assert len(drawn) >= 5
    assert all("<details>" in panel and "<table" in panel for panel in drawn)
    assert len(panels) > len(drawn)


def test_reasons_of_any_alternative(client: TestClient, answered: str) -> None:
    page = client.get(f"{answered}/why?item=7").text
    assert f"Why {load_flats().names[7]}?" in page
    assert "Compare with your best match" in page
    assert f"{answered}/what-if?item=7" in page


def test_two_alternatives_compared(client: TestClient, answered: str) -> None:
    page = client.get(f"{answered}/compare?a=3&b=9").text
    assert "What would change the choice?" in page
    assert page.count(" selected>") == 2
    same = client.get(f"{answered}/compare?a=3&b=3").text
    assert "Choose two different alternatives" in same


def test_curve_of_any_attribute(client: TestClient, answered: str) -> None:
    assert "What you value: price" in client.get(f"{answered}/curves?attribute=0").text
    levels = client.get(f"{answered}/curves?attribute=4").text
    assert "roof terrace" in levels
    assert 'class="curve"' not in levels


def test_what_if_follows_the_sliders(
    client: TestClient, answered: str, text: Callable[[str], str]
) -> None:
    def points(query: str) -> float:
        page = text(client.get(f"{answered}/what-if?item=0{query}").text)
        found = re.search("Against today ([\u2212+]?\\d+)", page)
        assert found is not None
        return float(found[1].replace("\u2212", "-"))

    assert points("") == 0
    assert points("&v0=400") > 0 > points("&v0=1500")


@pytest.mark.parametrize(
    "path",
    [
        "why?item=40",
        "why?item=-1",
        "why",
        "compare?a=0&b=40",
        "compare?a=0",
        "curves?attribute=8",
        "what-if?item=40",
        "what-if?item=0&v0=1e999",
        "what-if?item=0&v4=9",
        "what-if?item=99999999999999999999999",
    ],
)
def test_what_there_is_not_is_refused(
    client: TestClient, answered: str, path: str
) -> None:
    assert client.get(f"{answered}/{path}").status_code == 422


def test_a_study_of_one_alternative_has_a_result(
    client: TestClient, store: SqlStore
) -> None:
    study_id = store.create_study("One", load_flats().take([0]))
    _, token = Study(store, study_id).join()
    page = client.get(f"/p/{token}")
    assert page.url.path == f"/p/{token}/result"
    assert page.status_code == 200
    assert 'id="compare"' not in page.text
