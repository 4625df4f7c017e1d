"""The bars: what must hold, what was measured, and whether it does.

A bar is missed where the 90 % range of the figure excludes it.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from experiments.truth._figures import Figure, difference, pooled, quotient
from experiments.truth._people import FAMILIES, PLATEAUS
from experiments.truth._store import Cell

__all__ = ["Bar", "all_bars"]

Cells = Mapping[tuple[str, int, str], Cell]
Row = tuple[str, Figure, float]
"""A cell's name, its figure, and by how much its range lies beyond the bar."""

_MODEST = {
    **dict.fromkeys(["additive", "dense", "interaction", "noisy"], 0.08),
    **dict.fromkeys(["lexicographic", "matched", "shifted"], 0.08),
    **dict.fromkeys(PLATEAUS, 0.20),
}
_MILLISECONDS = {40: 6, 200: 12, 2000: 60}


@dataclass(frozen=True)
class Bar:
    """One line of the table.

    Parameters
    ----------
    what, limit : str
        The statement, and what must hold.
    measured : str
        The figure nearest to the limit or farthest beyond it.
    verdict : {"reached", "missed", "not run"}
    misses : tuple of str
        Every cell beyond the limit, with its figure.
    """

    what: str
    limit: str
    measured: str
    verdict: str
    misses: tuple[str, ...] = ()

    @classmethod
    def judge(cls, what: str, limit: str, rows: Iterable[Row]) -> "Bar":
        """Judge by the worst of several cells."""
        known = [row for row in rows if row[1].n]
        if not known:
            return cls(what, limit, "—", "not run")
        known.sort(key=lambda row: -row[2])
        misses = tuple(f"{name} {figure}" for name, figure, by in known if by > 0)
        worst = f"{known[0][0]} {known[0][1]}"
        return cls(what, limit, worst, "missed" if misses else "reached", misses)


def all_bars(cells: Cells, groups: Any = None, real: Any = None) -> list[Bar]:
    """Judge everything that was measured."""
    return [
        *_certainty(cells),
        *_regret(cells),
        *_reasons(cells),
        *_ranges(cells),
        *(_given("groups", groups)),
        *(_given("real answers", real)),
        *_speed(cells),
    ]


def _name(cell: Cell) -> str:
    taps = "" if cell.variant == "none" else f", taps: {cell.variant}"
    return f"{cell.family} {cell.n_items}{taps}"


def _of(
    cells: Cells, *variants: str, keep: Callable[[Cell], bool] = lambda cell: True
) -> Iterator[Cell]:
    return (c for c in cells.values() if c.variant in variants and keep(c))


def _at_most(cells: Iterable[Cell], figure: str, limit: Any) -> Iterator[Row]:
    for cell in cells:
        found = quotient(cell, figure)
        bound = limit(cell) if callable(limit) else limit
        yield _name(cell), found, found.low - bound


def _at_least(cells: Iterable[Cell], figure: str, limit: Any) -> Iterator[Row]:
    for cell in cells:
        found = quotient(cell, figure)
        bound = limit(cell) if callable(limit) else limit
        yield _name(cell), found, bound - found.high


def _pooled_at_least(cells: Iterable[Cell], figure: str, limit: float) -> list[Row]:
    found = pooled(cells, figure)
    return [("pooled", found, limit - found.high)]


def _certainty(cells: Cells) -> Iterator[Bar]:
    told = list(_of(cells, "none", "truth"))
    yield Bar.judge(
        "certainty, over-confident",
        "at most .05, shifted .08",
        _at_most(told, "over", lambda c: 0.08 if c.family == "shifted" else 0.05),
    )
    for families, text in (
        ([f for f in _MODEST if f not in PLATEAUS], "at most .08"),
        (PLATEAUS, "plateaus: at most .20"),
    ):
        chosen = [c for c in told if c.family in families]
        rows = _at_least(chosen, "over", lambda c: -_MODEST[c.family])
        yield Bar.judge("certainty, too modest", text, rows)


def _regret(cells: Cells) -> Iterator[Bar]:
    told = list(_of(cells, "none", "truth"))
    rows = _at_most(told, "regret ratio", 1.3)
    yield Bar.judge("expected regret, true / said", "at most 1.3", rows)
    cold = list(_of(cells, "none", keep=lambda c: c.family in FAMILIES))
    means, worst = [], []
    for n_items in (40, 200):
        for q in (5, 10, 20):
            here = [c for c in cold if c.n_items == n_items]
            gap = pooled(here, f"gap {q}")
            means.append((f"{n_items} items, after {q}", gap, gap.value - gap.error))
            for cell in here:
                gap = quotient(cell, f"gap {q}")
                by = gap.value - 2.5 * gap.error
                worst.append((f"{_name(cell)} after {q}", gap, by))
    what = "regret less that of a linear model"
    yield Bar.judge(what, "mean at most 0, within one standard error", means)
    yield Bar.judge(what, "no family above 0 by 2.5 standard errors", worst)
    yield Bar.judge("the same with taps", "at most .6 of it", _with_taps(cells))
    rows = [
        (f"{_name(cell)} after {q}", gap, gap.low)
        for cell in _of(cells, "none", keep=lambda c: c.family == "matched")
        if ("matched", cell.n_items, "today") in cells
        for q in (5, 10, 20)
        for gap in [
            difference(cell, cells["matched", cell.n_items, "today"], f"regret {q}")
        ]
    ]
    yield Bar.judge(
        "regret less that of the Gaussian belief", "matched: at most 0", rows
    )


def _with_taps(cells: Cells) -> Iterator[Row]:
    """Give regret over the rival's after ten answers, additive people."""
    for cell in _of(cells, "truth", keep=lambda c: c.family == "additive"):
        for tally in cell.tables.values():
            ours, rival = tally.sums["regret 10"], tally.sums["rival 10"]
            tally.sums["regret over rival"] = [ours[0], rival[0]]
        found = quotient(cell, "regret over rival")
        yield _name(cell), found, found.low - 0.6


def _reasons(cells: Cells) -> Iterator[Bar]:
    silent, tapped = list(_of(cells, "none")), list(_of(cells, "truth"))
    sloped = [c for c in silent + tapped if c.family not in PLATEAUS]
    what = "main reason, one or two names"
    yield Bar.judge(
        f"{what}: right",
        "pooled at least .78",
        _pooled_at_least(silent, "reason 10", 0.78),
    )
    rows = _at_least(sloped, "reason 10", 0.70)
    yield Bar.judge(f"{what}: right", "each family but plateaus at least .70", rows)
    for chosen, limit, how in (
        (silent, 0.45, "without taps"),
        (tapped, 0.8, "with taps"),
    ):
        rows = _pooled_at_least(chosen, "told 10", limit)
        yield Bar.judge(f"{what}: told, {how}", f"pooled at least {limit:.2f}", rows)
    listed = list(_at_least(silent + tapped, "listed 10", 0.85))
    whole = _pooled_at_least(silent, "listed 10", 0.85)
    pooled_bar = Bar.judge("listed attributes are cared about", "at least .85", whole)
    each = Bar.judge("", "", listed)
    yield Bar(
        pooled_bar.what,
        pooled_bar.limit,
        pooled_bar.measured,
        pooled_bar.verdict,
        each.misses,
    )
    plain = [c for c in silent + tapped if c.family in ("additive", "dense")]
    rows = [
        row for q in (5, 10, 20) for row in _at_most(plain, f"false pairs {q}", 0.05)
    ]
    yield Bar.judge("interactions told to additive people", "at most 5 %", rows)


def _ranges(cells: Cells) -> Iterator[Bar]:
    for figure in ("points", "parts"):
        rows = []
        for q in (10, 20):
            for cell in _of(cells, "none", "truth"):
                found = quotient(cell, f"{figure} {q}")
                by = max(found.low - 0.95, 0.86 - found.high)
                rows.append((f"{_name(cell)} after {q}", found, by))
        yield Bar.judge(f"90 % ranges of {figure} hold", ".86 to .95", rows)


def _given(what: str, outcome: Any) -> list[Bar]:
    """Take the bars that another script judged."""
    if outcome is None:
        return [Bar(what, "—", "—", "not run")]
    return [Bar(**{**bar, "misses": tuple(bar["misses"])}) for bar in outcome["bars"]]


def _speed(cells: Cells) -> Iterator[Bar]:
    for n_items, limit in _MILLISECONDS.items():
        here = list(_of(cells, "none", keep=lambda c, n=n_items: c.n_items == n))
        found = pooled(here, "cpu")
        ms = Figure(
            *(1000 * np.array([found.value, found.low, found.high, found.error])),
            found.n,
        )
        name = f"{n_items} items"
        measured = f"{ms.value:.1f} ms" if ms.n else "—"
        verdict = ("missed" if ms.value > limit else "reached") if ms.n else "not run"
        yield Bar(
            f"CPU per answer and next question, {name}",
            f"{limit} ms",
            measured,
            verdict,
        )
