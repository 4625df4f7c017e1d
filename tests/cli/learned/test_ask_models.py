"""`penchant predict`, `why` and `plot`: asking a model that was learned."""

import json
import shutil
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

from penchant.data import Comparisons, Items
from penchant.io import load, save
from penchant.models import (
    ChoquetRegressor,
    GAIClassifier,
    GAIRanker,
    GAIRegressor,
    RuleClassifier,
)
from penchant.testing import LinearRanker
from tests.cli.learned.conftest import cases, items_with_names, liked
from tests.cli.learned.test_learn import run


@pytest.fixture(scope="session")
def learned(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Models of four kinds, fitted once, and the table they were fitted to."""
    here = tmp_path_factory.mktemp("learned")
    frame = cases()
    items = Items.from_frame(frame)
    values = liked(frame)
    save(GAIRegressor(max_order=1).fit(items, values), here / "sum.penchant")
    save(ChoquetRegressor().fit(items, values), here / "choquet.penchant")
    grades = np.array(["low", "mid", "top"])[np.digitize(values, [-1, 1])]
    save(RuleClassifier(max_rules=3).fit(items, grades), here / "rules.penchant")
    save(GAIClassifier(max_order=0).fit(items, values > 0), here / "two.penchant")
    frame.assign(rating=values, grade=grades).to_csv(here / "table.csv", index=False)
    return here


@pytest.fixture
def folder(here: Path, learned: Path) -> Path:
    return shutil.copytree(learned, here, dirs_exist_ok=True)


def why(*words: object) -> Any:
    return json.loads(run("why", *words, "--json").stdout)


def test_numbers_classes_and_places(folder: Path) -> None:
    run("predict", "sum.penchant", "table.csv", "-o", "p.csv")
    table, model = pd.read_csv("table.csv"), load("sum.penchant")
    found = pd.read_csv("p.csv")
    assert found["row"].tolist()[:2] == [2, 3]
    expected = model.predict(table[["rent", "size", "quiet"]])
    assert np.allclose(found["prediction"], expected)
    run("predict", "rules.penchant", "table.csv", "-o", "c.csv")
    chances = pd.read_csv("c.csv").filter(like="chance of")
    assert np.allclose(chances.sum(axis=1), 1.0)


def test_levels_are_known_in_any_spelling_and_strange_ones_are_told(
    here: Path,
) -> None:
    frame = pd.DataFrame({"land": ["Italien", "Spanien"] * 8, "x": range(16)})
    model = GAIRegressor(max_order=1).fit(Items.from_frame(frame), [3.0, 1.0] * 8)
    save(model, here / "land.penchant")
    Path("new.csv").write_text("land,x\nItalien,4\nitalien,4\nitalien,4\nPeru,4\n")
    said = " ".join(
        run("predict", "land.penchant", "new.csv", "-o", "p.csv").stderr.split()
    )
    assert said.startswith("Row 5, column 'land': the model has not seen 'Peru'")
    assert said.endswith("It knows Italien, Spanien.")
    found = pd.read_csv("p.csv")["prediction"]
    assert found[:3].nunique() == 1
    assert found[0] > found[3] + 0.5


def test_places_of_a_ranking(here: Path) -> None:
    frame = items_with_names()
    items = Items.from_frame(frame, names="name")
    pairs = Comparisons.from_rankings([np.argsort(-liked(frame))])
    save(GAIRanker(max_order=0).fit(items, pairs), here / "rank.penchant")
    frame.to_csv("items.csv", index=False)
    run("predict", "rank.penchant", "items.csv", "-o", "p.csv")
    found = pd.read_csv("p.csv")
    assert found["place"].is_monotonic_increasing
    assert set(found["name"]) == set(frame["name"])
    told = why(
        "rank.penchant", "items.csv", "--row", "flat 1", "--rather-than", "flat 2"
    )
    assert told["words"].startswith("For flat 1 rather than flat 2")
    said = run(
        *("why", "rank.penchant", "items.csv", "--row", 3, "--method", "coalitions"),
        *("--target", "rent"),
        code=1,
    )
    assert "learned from comparisons" in said.output


def test_why_adds_up(folder: Path) -> None:
    told = why("sum.penchant", "table.csv", "--row", 7)
    assert told["base"] + sum(told["adds"].values()) == pytest.approx(
        told["prediction"]
    )
    table = pd.read_csv("table.csv").iloc[[5]]
    expected = load("sum.penchant").predict(table[["rent", "size", "quiet"]])[0]
    assert told["prediction"] == pytest.approx(expected)
    pair = why("sum.penchant", "table.csv", "--row", 7, "--rather-than", 9)
    other = why("sum.penchant", "table.csv", "--row", 9)
    assert pair["base"] == pytest.approx(other["prediction"])


@pytest.mark.parametrize("method", ["coalitions", "least-squares"])
def test_why_by_fitting_again(folder: Path, method: str) -> None:
    told = why(
        *("choquet.penchant", "table.csv", "--row", 7, "--method", method),
        *("--target", "rating"),
    )
    assert set(told["adds"]) == {"rent", "size", "quiet"}
    said = run("why", "choquet.penchant", "table.csv", "--row", 7).stdout
    assert "begins at" in said


def test_why_says_for_which_of_two_classes(folder: Path) -> None:
    ask = ("why", "two.penchant", "table.csv", "--row", 7)
    said = " ".join(run(*ask, "--rather-than", 9).stdout.split())
    assert "The score speaks for 'True' where it is above 0, for 'False' below." in said
    assert "Adds for True" in said
    assert why(*ask[1:])["for"] == "True"
    assert why("sum.penchant", "table.csv", "--row", 7)["for"] is None


def test_why_says_what_to_do(folder: Path) -> None:
    ask = ("why", "choquet.penchant", "table.csv", "--row")
    assert "from 2 to 73" in run(*ask, 99, code=1).output
    needs = run(*ask, 7, "--method", "coalitions", code=1).output
    assert "add --target" in " ".join(needs.split())
    assert "must be one of" in run(*ask, 7, "--method", "guess", code=2).output
    both = run(*ask, 7, "--rather-than", 8, "--method", "coalitions", code=2)
    assert "goes with" in both.output
    assert "the same" in run(*ask, 7, "--rather-than", 7, code=2).output
    several = run("why", "rules.penchant", "table.csv", "--row", 7, code=1).output
    assert "--method coalitions" in " ".join(several.split())
    Path("other.csv").write_text("rent,size\n1,2\n2,3\n")
    missing = run("why", "sum.penchant", "other.csv", "--row", 2, code=1).output
    assert "needs the column 'quiet'" in " ".join(missing.split())


def test_pictures(folder: Path) -> None:
    for name in ("sum", "choquet", "rules"):
        run("plot", f"{name}.penchant", "-o", f"{name}.svg")
        assert b"<svg" in Path(f"{name}.svg").read_bytes()
    run("plot", "choquet.penchant", "--interactions", "-o", "pairs.png")
    assert Path("pairs.png").read_bytes().startswith(b"\x89PNG")
    assert "must end in" in run("plot", "sum.penchant", "-o", "x.txt", code=2).output
    save(LinearRanker().fit([[[3.0], [1.0]]], [1]), "line.penchant")
    assert (
        "cannot be drawn" in run("plot", "line.penchant", "-o", "l.svg", code=1).output
    )
