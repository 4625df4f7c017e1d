import gzip
import re
from collections.abc import Callable

import pandas as pd
import pytest
from fastapi.testclient import TestClient

from penchant.data import Items
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
        assert f'<div id="{panel}">' in page.text
        assert f'<details class="fold" id="{panel}-fold" name="more">' in page.text
    ids = re.findall(r"\sid=\"([^\"]+)\"", page.text)
    assert len(ids) == len(set(ids))
    words = text(page.text)
    assert "after 5 answers" in words
    assert "All 40 alternatives" in words
    for word in ("posterior", "utility", "Shapley"):
        assert word not in words
    assert not re.search(r"[^0-9]0\s%|100\s%", words)


@pytest.mark.parametrize("n_attributes", [0, 2])
def test_two_alternatives_are_decided_by_one_answer(
    client: TestClient, store: SqlStore, text: Callable[[str], str], n_attributes: int
) -> None:
    offers = pd.DataFrame({"salary": [62.0, 54.0], "commute": [45.0, 15.0]})
    items = Items.from_frame(offers.iloc[:, :n_attributes], names=["Bank", "Startup"])
    study = Study(store, store.create_study("Offers", items))
    person, token = study.join()
    question = study.ask(person.id)
    assert question is not None
    study.tell(person.id, question.id, "left")
    assert study.ask(person.id) is None
    words = text(client.get(f"/p/{token}/result").text)
    chosen = items.names[question.items[0]]
    assert f"Your best match out of 2 alternatives {chosen}" in words
    assert f"The chance that {chosen} is the best for you" in words
    assert "after one answer." in words
    # A list of names has nothing that could be a reason or be changed.
    for part in ("The main reason for", f"Why {chosen}?", "What if it were different?"):
        assert (part in words) == bool(n_attributes)


def test_every_chart_has_its_numbers(client: TestClient, answered: str) -> None:
    page = client.get(f"{answered}/result").text
    folds = dict(re.findall(r'id="([\w-]+)-fold"(.*?)</div></details>', page, re.S))
    for panel in ("why", "compare", "curves"):
        assert "<details>" in folds[panel]
        assert "<table" in folds[panel]
    # the ranking and what counts have their numbers beside the drawing
    assert folds["ranking"].count('class="figure"') == len(load_flats())
    assert folds["curves"].count('<div class="curve">') == 8


def test_one_order_and_one_number(client: TestClient, answered: str) -> None:
    page = client.get(f"{answered}/result").text
    ranking = re.search(r'<div id="ranking">.*?</ol>', page, re.S)
    assert ranking is not None
    names = re.findall(r"/why\?item=(\d+)", ranking[0])
    points = re.findall(r'<span class="figure">(\u2212?\d+)</span>', ranking[0])
    values = [int(each.replace("\u2212", "-")) for each in points]
    assert len(names) == len(values) == len(load_flats())
    assert values == sorted(values, reverse=True)
    top = re.search(r'<ol class="rows top">.*?</ol>', page, re.S)
    assert top is not None
    assert re.findall(r"/why\?item=(\d+)", top[0]) == names[:3]
    assert re.findall(r'<span class="figure">(\d+)</span>', top[0]) == points[:3]


def test_a_value_never_stands_without_its_name(
    client: TestClient, answered: str
) -> None:
    page = client.get(f"{answered}/result").text
    facts = re.findall(r'<span class="inline">(.*?)</span>', page)
    assert facts
    for each in facts:
        for part in each.split(" · "):
            assert re.fullmatch(r"[\w ]+ <b>.+</b>", part)


def test_reasons_of_any_alternative(client: TestClient, answered: str) -> None:
    pages = [client.get(f"{answered}/why?item={item}").text for item in (7, 8)]
    for item, page in zip((7, 8), pages, strict=True):
        assert f"Why {load_flats().names[item]}?" in page
        assert f"{answered}/what-if?item={item}" in page
    # One of them may be the best match itself.
    assert any("Compare with your best match" in page for page in pages)


def test_two_alternatives_compared(client: TestClient, answered: str) -> None:
    page = client.get(f"{answered}/compare?a=3&b=9").text
    assert "What would change the choice?" in page
    assert page.count(" selected>") == 2
    same = client.get(f"{answered}/compare?a=3&b=3").text
    assert "Choose two different alternatives" in same


def test_what_was_said_already_is_not_told_as_a_guess(
    client: TestClient, store: SqlStore, text: Callable[[str], str]
) -> None:
    study = Study(store, store.create_study("Flats", load_flats()))
    person, token = study.join()
    question = study.ask(person.id)
    assert question is not None
    told = study.tell(person.id, question.id, "right").answered[-1]
    reason = study.reasons_for(told)[0]
    study.because(person.id, question.id, reason)
    left, right = question.items
    for a, b in ((left, right), (right, left)):
        words = text(client.get(f"/p/{token}/compare?a={a}&b={b}").text)
        assert f"When asked, you chose {study.items.names[right]}." in words
    other = next(k for k in range(40) if k not in question.items)
    words = text(client.get(f"/p/{token}/compare?a={left}&b={other}").text)
    assert "When asked" not in words
    assert f"{reason} you named it once" in text(client.get(f"/p/{token}/result").text)


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
