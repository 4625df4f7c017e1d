"""Six small files as people have them: made here, from seeds."""

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from penchant.data import Rankings, write_answers
from penchant.learning import CANDIDATES

N = 72


def cases(seed: int = 0) -> pd.DataFrame:
    random = np.random.default_rng(seed)
    return pd.DataFrame(
        {
            "rent": random.integers(400, 1500, N),
            "size": random.integers(20, 120, N),
            "quiet": random.integers(0, 11, N),
        }
    )


def liked(frame: pd.DataFrame, seed: int = 1) -> np.ndarray:
    noise = np.random.default_rng(seed).normal(0, 0.3, len(frame))
    values = frame["size"] / 25 - frame["rent"] / 300 + frame["quiet"] / 10
    return np.asarray(values) + noise


def items_with_names() -> pd.DataFrame:
    frame = cases(2).iloc[:12].copy()
    frame.insert(0, "name", [f"flat {k}" for k in range(12)])
    return frame


def ratings(folder: Path) -> list[str]:
    frame = cases().assign(rating=lambda f: liked(f).round(2))
    frame.to_csv(folder / "table.csv", index=False)
    return ["table.csv", "--target", "rating"]


def two_classes(folder: Path) -> list[str]:
    frame = cases().assign(taken=lambda f: np.where(liked(f) > 0, "yes", "no"))
    frame.to_csv(folder / "table.csv", index=False)
    return ["table.csv", "--target", "taken"]


def five_grades(folder: Path) -> list[str]:
    frame = cases().assign(stars=lambda f: 1 + np.digitize(liked(f), [-2, -1, 0, 2]))
    frame.to_csv(folder / "table.csv", index=False)
    return ["table.csv", "--target", "stars"]


def wide_choices(folder: Path) -> list[str]:
    a, b = cases(3), cases(4)
    wide = a.add_suffix("_a").join(b.add_suffix("_b"))
    wide["choice"] = np.where(liked(a) > liked(b), "a", "b")
    wide.to_csv(folder / "choices.csv", index=False)
    return ["--answers", "choices.csv"]


def preflib(folder: Path) -> list[str]:
    frame = items_with_names()
    frame.to_csv(folder / "items.csv", index=False)
    orders = [np.argsort(-liked(frame, seed))[:4] for seed in range(20)]
    write_answers(Rankings(orders), folder / "votes.soi", list(frame["name"]))
    return ["items.csv", "--answers", "votes.soi"]


def battles(folder: Path) -> list[str]:
    frame = items_with_names()
    frame.to_csv(folder / "items.csv", index=False)
    random = np.random.default_rng(5)
    pairs = [random.choice(12, 2, replace=False) for _ in range(110)]
    rows = []
    for k, (a, b) in enumerate(pairs):
        values = liked(frame, k)
        tie = abs(values[a] - values[b]) < 0.1
        side = "model_a" if values[a] > values[b] else "model_b"
        names = frame["name"].iloc[[a, b]].tolist()
        rows.append((*names, "tie (bothbad)" if tie else side))
    table = pd.DataFrame(rows, columns=["model_a", "model_b", "winner"])
    table.to_csv(folder / "battles.csv", index=False)
    return ["items.csv", "--answers", "battles.csv"]


TABLES: dict[str, tuple[Callable[[Path], list[str]], str, str]] = {
    "ratings": (ratings, "numbers", "curves choquet gai"),
    "two classes": (two_classes, "classes", "rules choquet gai"),
    "five grades": (five_grades, "grades", "curves choquet"),
    "wide choices": (wide_choices, "comparisons", "choquet process"),
    "preflib": (preflib, "comparisons", "rules"),
    "battles": (battles, "comparisons", "gai"),
}
"""How a file is made, what is found in it, and what is compared with linear models and
boosted trees: every candidate once or twice, since they take seconds."""


@pytest.fixture
def compare_only(monkeypatch: pytest.MonkeyPatch) -> Callable[[str], None]:
    """Let the command compare linear models, boosted trees and few others."""

    def choose(others: str = "") -> None:
        names = {"linear", "boosting", *others.split()}
        few = {name: CANDIDATES[name] for name in CANDIDATES if name in names}
        monkeypatch.setattr("penchant.learning._compare.CANDIDATES", few)

    return choose


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder of one's own, in which commands run; explanations take little time."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("penchant.learning._report._SECONDS", 1.0)
    return tmp_path
