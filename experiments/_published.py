"""The numbers that a paper printed, kept as text so that no digit is lost."""

import tomllib
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from experiments._outcome import Measurement

__all__ = ["PAPERS", "Comparison", "PublishedTable", "load_published"]

PAPERS = {
    "gai": (
        "Herin, Perny, Sokolovska: Learning GAI-Decomposable Utility Models for "
        "Multiattribute Decision Making (AAAI 2024)"
    ),
    "prl": (
        "Polato, Aiolli: Interpretable Preference Learning: A Game Theoretic Framework "
        "for Large Margin On-Line Feature and Rule Learning (AAAI 2019)"
    ),
    "choquet": (
        "Fallah Tehrani, Strickert, Hüllermeier: The Choquet Kernel for Monotone Data "
        "(ESANN 2014)"
    ),
    "gppe": (
        "Bonilla, Guo, Sanner: Gaussian Process Preference Elicitation (NIPS 2010)"
    ),
    "coalitional": (
        "Escriva, Ferrettini, Aligon, Excoffier, Soulé-Dupuy: Stratégies "
        "coalitionnelles pour une explication efficace des prédictions individuelles "
        "(EGC 2022)"
    ),
    "studies": "Not a paper: how many questions the app needs (experiments/studies)",
    "learning": (
        "Not a paper: whether the recommended model is as good as the best readable "
        "one (experiments/learning)"
    ),
    "strong": (
        "Not a paper: peers that are strong, on the same games, splits and people "
        "(experiments/strong)"
    ),
}


@dataclass(frozen=True)
class PublishedTable:
    """One table of a paper: where it stands and its cells as printed.

    Parameters
    ----------
    where, caption : str
        What it is.
    n : int
        Repetitions behind a printed number.
    cells : dict of (row, column) to str
        What is printed there.
    sentences : dict of (row, column) to str
        What the text says; it holds where our number is at or below zero.
    same_data : bool
        Whether our numbers are of the same data, so that they can agree or not.
    """

    where: str
    caption: str
    n: int
    cells: dict[tuple[str, str], str]
    sentences: dict[tuple[str, str], str] = field(default_factory=dict)
    same_data: bool = True

    def without_run(self, cells: Iterable[Measurement]) -> Iterator[Measurement]:
        """Yield the printed cells that are not among ours, as not run."""
        ours = {(cell.row, cell.column) for cell in cells}
        for row, column in self.cells:
            if (row, column) not in ours:
                yield Measurement(row, column, note="only printed")

    def compare(self, cell: Measurement) -> "Comparison":
        """Set a measurement beside the printed number."""
        said = self.sentences.get((cell.row, cell.column))
        if said is not None:
            return Sentence(cell, said, self.n)
        if not cell.in_paper:
            return Comparison(cell, None, 0)
        if (cell.row, cell.column) not in self.cells:
            raise KeyError(
                f"{self.where} has no row {cell.row!r} with a column {cell.column!r}. "
                "Correct the label, or set in_paper=False for a cell of our own."
            )
        printed = self.cells[cell.row, cell.column]
        kind = Comparison if self.same_data else OtherData
        return kind(cell, printed, self.n)


@dataclass(frozen=True)
class Comparison:
    """A measurement beside the number that the paper prints, if it prints one.

    The verdict is *agrees* when the two means differ by at most two standard errors
    of their difference (or by half a unit of the last printed digit), *close* when
    they differ by at most one standard deviation of single repetitions, else
    *lower* or *higher* than published.
    """

    cell: Measurement
    published: str | None
    n_published: int

    @property
    def ours(self) -> str:
        """Our number with as many digits as the paper prints."""
        if self.cell.mean is None:
            return "—"
        places = 5 if self.published is None else _decimals(self.published)
        spread = "" if self.cell.std is None else f" ± {self.cell.std:.{places}f}"
        return f"{self.cell.mean:.{places}f}{spread}"

    @property
    def difference(self) -> str:
        """Ours minus published."""
        if self.cell.mean is None or self.published is None:
            return "—"
        mean, _ = _numbers(self.published)
        return f"{self.cell.mean - mean:+.{_decimals(self.published)}f}"

    @property
    def verdict(self) -> str:
        """How the two compare, in a word or two."""
        if self.cell.mean is None:
            return "not run"
        if self.published is None:
            return "not in the paper"
        mean, spread = _numbers(self.published)
        gap = self.cell.mean - mean
        variances = np.array([spread, self.cell.std or 0.0]) ** 2
        error = np.sqrt(variances @ [1 / self.n_published, 1 / self.cell.n])
        rounding = 0.5 * 10.0 ** -_decimals(self.published)
        if abs(gap) <= max(2.0 * error, rounding):
            return "agrees"
        if abs(gap) <= np.sqrt(variances.mean()):
            return "close"
        return "lower" if gap < 0 else "higher"


class OtherData(Comparison):
    """A measurement of other data than the paper's: shown beside it, not judged."""

    @property
    def verdict(self) -> str:
        """Say that there is none."""
        return "not run" if self.cell.mean is None else "other data"


class Sentence(Comparison):
    """A measurement that a sentence of the paper says is not above zero."""

    @property
    def ours(self) -> str:
        """Our number with five digits."""
        return Comparison(self.cell, None, 0).ours

    @property
    def difference(self) -> str:
        """None: words have no distance."""
        return "—"

    @property
    def verdict(self) -> str:
        """Whether what the paper says is so here."""
        if self.cell.mean is None:
            return "not run"
        return "holds" if self.cell.mean <= 0.0 else "does not hold"


def load_published(paper: Path) -> dict[str, PublishedTable]:
    """Read ``published.toml`` of a paper's folder."""
    with (paper / "published.toml").open("rb") as file:
        tables: dict[str, Any] = tomllib.load(file)
    return {
        key: PublishedTable(
            where=table["where"],
            caption=table["caption"],
            n=table["n"],
            cells=_by_place(table["cells"]),
            sentences=_by_place(table.get("sentences", {})),
            same_data=table.get("same_data", True),
        )
        for key, table in tables.items()
    }


def _by_place(rows: dict[str, dict[str, str]]) -> dict[tuple[str, str], str]:
    return {
        (row, col): text for row, cols in rows.items() for col, text in cols.items()
    }


def _numbers(printed: str) -> tuple[float, float]:
    """Split ``0.12 ± 0.03`` into mean and spread; without spread it is 0."""
    mean, _, spread = printed.partition("±")
    return float(mean), float(spread or 0.0)


def _decimals(printed: str) -> int:
    mean = printed.partition("±")[0].strip()
    return len(mean.partition(".")[2])
