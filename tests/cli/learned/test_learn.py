"""`penchant learn` on six files, and every number of its report computed again."""

import json
import re
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from typer.testing import CliRunner

from penchant.cli._app import app
from penchant.explanation import contrast, explain
from penchant.io import load
from penchant.learning import (
    compare,
    find_target,
    judge,
    read_learning_files,
    read_model,
)
from tests.cli.learned.conftest import TABLES


def run(*words: object, code: int = 0) -> Any:
    result = CliRunner().invoke(app, list(map(str, words)))
    assert result.exit_code == code, result.output
    return result


class Numbers(HTMLParser):
    """Collects the numbers of a page, and whatever could need a network."""

    def __init__(self) -> None:
        super().__init__()
        self.numbers: dict[str, float] = {}
        self.tags: set[str] = set()
        self.addresses: list[str] = []

    def handle_starttag(self, tag: str, attrs: Any) -> None:
        self.tags.add(tag)
        found = dict(attrs)
        self.addresses += [found[k] for k in ("src", "href", "action") if k in found]
        if tag == "data":
            value = float(found["value"])
            key = found["data-key"]
            assert self.numbers.setdefault(key, value) == value
            self.numbers[key] = value


@pytest.mark.parametrize("name", TABLES)
def test_kind_files_and_every_number(name: str, here: Path, compare_only: Any) -> None:
    make, kind, others = TABLES[name]
    compare_only(others)
    words = make(here)
    told = json.loads(run("learn", *words, "--json").stdout)
    assert told["kind"] == kind
    assert {"linear", "boosting", *others.split()} == {
        each["name"] for each in told["candidates"] if not each["skipped"]
    }
    model = load(here / "model.penchant")
    page = (here / "report.html").read_text(encoding="utf-8")
    found = Numbers()
    found.feed(page)
    assert not found.tags & {"script", "link", "img", "iframe", "form"}
    assert found.addresses == []
    assert "http" not in re.sub(r"http-equiv", "", page)
    table = Path(words[0]) if words[0].endswith(".csv") else None
    answers = (
        Path(words[words.index("--answers") + 1]) if "--answers" in words else None
    )
    target = words[words.index("--target") + 1] if "--target" in words else None
    read = read_learning_files(table, answers, target=target)
    X, y = read.items, read.target
    best = min(
        (each for each in told["candidates"] if each.get("size") is not None),
        key=lambda each: each["loss"],
    )
    names = {told["recommended"], best["name"], "boosting"}
    again = compare(X, y, candidates=sorted(names))
    check_comparison(found.numbers, again)
    check_table(found.numbers, told["candidates"])
    check_parts(found.numbers, model)
    check_rows(found.numbers, model, X, y, again)
    known = [
        r"results\..*|boosting\..*|parts\.\d+\.size|rows\..*|calibration\..*|gap",
        r"n_rows|n_folds|random_state",
    ]
    assert all(re.fullmatch("|".join(known), key) for key in found.numbers)


def check_comparison(numbers: dict[str, float], again: Any) -> None:
    best = min(
        (r for r in again.results if not r.skipped and r.readable),
        key=lambda r: np.mean(r.losses),
    )
    for result in again.results:
        if result.skipped:
            continue
        key = f"results.{result.name}"
        losses, against = np.array(result.losses), np.array(best.losses)
        assert numbers[f"{key}.loss"] == pytest.approx(losses.mean())
        behind = losses - against
        assert numbers[f"{key}.behind.mean"] == pytest.approx(behind.mean())
        error = behind.std(ddof=1) / np.sqrt(len(behind))
        assert numbers[f"{key}.behind.error"] == pytest.approx(error)
        assert numbers[f"{key}.score"] == pytest.approx(result.score)
        assert numbers[f"{key}.score_error"] == pytest.approx(result.score_error)
        if result.readable:
            assert numbers[f"{key}.size"] == sum(result.parts.values())
    chosen = again.recommended
    trees = np.array(again["boosting"].losses)
    gain = np.array(chosen.losses) - trees
    assert numbers["boosting.mean"] == pytest.approx(gain.mean())
    for k, row in enumerate(chosen.calibration):
        for i, value in enumerate(row):
            assert numbers[f"calibration.{k}.{i}"] == pytest.approx(value)
    assert numbers["n_rows"] == again.n_rows
    assert numbers["n_folds"] == again.n_folds == 5
    if chosen.gap is not None:
        assert numbers["gap"] == pytest.approx(chosen.gap)


def check_table(numbers: dict[str, float], rows: list[dict[str, Any]]) -> None:
    """Compare the page with what the command printed about all candidates."""
    for row in rows:
        if row["skipped"]:
            continue
        key = f"results.{row['name']}"
        for name in ("loss", "score", "score_error"):
            assert numbers[f"{key}.{name}"] == row[name]
        assert numbers[f"{key}.behind.mean"] == row["behind"]["mean"]


def check_parts(numbers: dict[str, float], model: Any) -> None:
    parts = read_model(model)
    listed = [key for key in numbers if key.startswith("parts.")]
    assert len(listed) == len(parts)
    for k, part in enumerate(parts):
        assert numbers[f"parts.{k}.size"] == pytest.approx(part.size)


def check_rows(
    numbers: dict[str, float], model: Any, X: Any, y: Any, told: Any
) -> None:
    known = find_target(X, y)
    losses = np.array(told.recommended.losses)
    order = np.argsort(losses, kind="stable")
    assert numbers["rows.1.loss"] == losses.max()
    answers = np.unique(known.groups)
    for k, place in enumerate([order[len(order) // 2], order[-1], order[-2]]):
        row = int(np.flatnonzero(known.groups == answers[place])[0])
        assert numbers[f"rows.{k}.loss"] == losses[place]
        if known.kind == "comparisons":
            pair = known.values.take([row])
            sides = int(pair.winners[0]), int(pair.losers[0])
            found = contrast(model, *(known.items.take([side]) for side in sides))
        else:
            found = explain(model, known.items.take([row]), background=known.items)
        assert numbers[f"rows.{k}.exact_base"] == pytest.approx(found.base[0])
        assert numbers[f"rows.{k}.exact_total"] == pytest.approx(found.predictions[0])
        for i, value in enumerate(found.values[0]):
            assert numbers.get(f"rows.{k}.exact.{i}", value) == pytest.approx(value)
    assert judge(model, known, np.arange(len(known))).mean() < 1.2 * losses.mean()


def test_what_is_printed(here: Path, compare_only: Any) -> None:
    compare_only("choquet")
    words = TABLES["ratings"][0](here)
    options = ("--down", "rent", "--skip", "quiet", "--language", "de")
    result = run("learn", *words, *options)
    assert "Was rating bestimmt" in Path("report.html").read_text(encoding="utf-8")
    assert "Recommended for rating" in result.stdout
    assert "72 rows, numbers; 5 folds." in result.stdout
    assert "linear: 0% done." in result.stderr
    assert "About" in result.stderr


def test_answers_without_a_table_tell_how_good_each_is(
    here: Path, compare_only: Any
) -> None:
    compare_only()
    TABLES["battles"][0](here)
    told = json.loads(run("learn", "--answers", "battles.csv", "--json").stdout)
    assert told["kind"] == "comparisons"
    run("predict", "model.penchant", "items.csv", "-o", "p.csv", code=1)


def test_an_empty_target_is_named(here: Path) -> None:
    lines = ["size,y", *(f"{k}," for k in range(20))]
    (here / "t.csv").write_text("\n".join(lines))
    result = run("learn", "t.csv", "--target", "y", code=1)
    assert "Column 'y' is empty" in result.stderr


def test_notes_and_names(here: Path) -> None:
    lines = ["name,size,comment,y"]
    lines += [f"n{k % 5},{k},text {k} and more,{k}.5" for k in range(60)] + ["z,1,t,"]
    (here / "t.csv").write_text("\n".join(lines))
    read = read_learning_files(here / "t.csv", None, target="y")
    assert [a.name for a in read.items.attributes] == ["size"]
    assert read.notes == (
        "'name' was left out: its names repeat.",
        "1 rows without 'y' were left out.",
        "'comment' was left out: nearly every row has a text of its own.",
    )


def test_errors_say_what_to_do(here: Path) -> None:
    words = TABLES["ratings"][0](here)
    assert (
        "There is no column 'stars'"
        in run("learn", words[0], "--target", "stars", code=1).output
    )
    assert "Say what to learn from" in run("learn", words[0], code=2).output
    both = run("learn", *words, "--answers", words[0], code=2).output
    assert "Say only one of --target, --answers" in both
    assert "--kind must be" in run("learn", *words, "--kind", "x", code=2).output
    (here / "model.penchant").write_text("there")
    assert "exists already" in run("learn", *words, code=1).output
    nowhere = run("learn", *words, "--model", "gone/m.penchant", code=1).output
    assert "The folder 'gone' is not there" in nowhere
    (here / "few.csv").write_text("a,b\n1,2\n2,3\n4,3\n")
    few = run("learn", "few.csv", "--target", "b", "--force", code=1).output
    assert "at least 10" in few
    (here / "only.csv").write_text("b\n" + "\n".join(map(str, range(12))))
    assert (
        "no attributes"
        in run("learn", "only.csv", "--target", "b", "--force", code=1).output
    )
