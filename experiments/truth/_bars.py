"""The bars: what must hold, what was measured, and whether it does.

A bar is missed where the 90 % range of a figure excludes it.
"""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from typing import NamedTuple

from scipy.stats import beta

from experiments.truth._figures import Figure, difference, pooled, quotient
from experiments.truth._people import FAMILIES, PLATEAUS, POPULATED
from experiments.truth._store import Cell

__all__ = ["Bar", "Bound", "all_bars", "at_least", "at_most", "group_bars", "real_bars"]

Cells = Mapping[tuple[str, int, str], Cell]
Named = tuple[str, Figure]

_SLOPED = ("additive", "dense", "interaction", "noisy", "lexicographic", *POPULATED)
_MOMENTS = (5, 10, 20)
_FEWEST_TABLES = 3
"""A cell of fewer is shown but not judged: drawing one or two tables is no range."""


class Bound(NamedTuple):
    """A bar in words, and how far a figure's range lies beyond it."""

    text: str
    beyond: Callable[[Figure], float]


def at_most(limit: float) -> Bound:
    return Bound(f"at most {limit:g}", lambda figure: figure.low - limit)


def at_least(limit: float) -> Bound:
    return Bound(f"at least {limit:g}", lambda figure: limit - figure.high)


def _between(low: float, high: float) -> Bound:
    text = f"{low:g} to {high:g}"
    return Bound(text, lambda figure: max(figure.low - high, low - figure.high))


def _near_zero(errors: float) -> Bound:
    text = f"above 0 by at most {errors:g} standard errors"
    return Bound(text, lambda figure: figure.value - errors * figure.error)


@dataclass(frozen=True)
class Bar:
    """One line of the table.

    Parameters
    ----------
    what, limit : str
        The statement, and what must hold.
    measured : str
        The figure nearest to the limit or farthest beyond it.
    verdict : {"reached", "open", "missed", "not run"}
        Open: a figure lies beyond the limit, but its range does not.
    misses : tuple of str
        Every cell beyond the limit, with its figure.
    """

    what: str
    limit: str
    measured: str = "—"
    verdict: str = "not run"
    misses: tuple[str, ...] = ()

    @classmethod
    def judge(cls, what: str, bound: Bound, figures: Iterable[Named]) -> "Bar":
        """Judge by the worst of several figures."""
        known = [(bound.beyond(f), name, f) for name, f in figures if f.n]
        if not known:
            return cls(what, bound.text)
        known.sort(key=lambda row: -row[0])
        texts = tuple(f"{name}: {figure}" for _, name, figure in known)
        misses = texts[: sum(beyond > 0 for beyond, _, _ in known)]
        points = [replace(f, low=f.value, high=f.value) for _, _, f in known]
        reached = all(bound.beyond(point) <= 0 for point in points)
        verdict = "missed" if misses else "reached" if reached else "open"
        return cls(what, bound.text, texts[0], verdict, misses)


def _name(cell: Cell, figure: str) -> str:
    """Name a cell, and after how many questions where that is part of the figure."""
    taps = "" if cell.variant == "none" else " with taps"
    after = figure.rpartition(" ")[2]
    moment = f" after {after}" if after.isdigit() else ""
    return f"{cell.family} {cell.n_items}{taps}{moment}"


def _each(cells: Iterable[Cell], *figures: str) -> list[Named]:
    """Look at every cell by itself, if it has tables enough for a range."""
    enough = [c for c in cells if len(c.tables) >= _FEWEST_TABLES]
    return [(_name(c, name), quotient(c, name)) for c in enough for name in figures]


def _pool(cells: Iterable[Cell], figure: str, name: str = "pooled") -> list[Named]:
    """Look at all cells together."""
    return [(name, pooled(cells, figure))]


def all_bars(cells: Cells) -> list[Bar]:
    """Judge what single people were told."""
    silent = [c for c in cells.values() if c.variant == "none"]
    tapped = [c for c in cells.values() if c.variant == "truth"]
    return [
        *_certainty(silent + tapped),
        *_regret(cells, silent, tapped),
        *_reasons(silent, tapped),
        *(
            Bar.judge(
                f"90 % ranges of {what} hold",
                _between(0.86, 0.95),
                _each(silent + tapped, f"{what} 10", f"{what} 20"),
            )
            for what in ("points", "parts")
        ),
        *(
            Bar.judge(
                f"CPU ms per answer and next question, {n} items",
                at_most(limit),
                _pool([c for c in silent if c.n_items == n], "cpu ms"),
            )
            for n, limit in ((40, 6), (200, 12), (2000, 60))
        ),
    ]


def _certainty(told: list[Cell]) -> list[Bar]:
    def over(*families: str) -> list[Named]:
        return _each([c for c in told if c.family in families], "over")

    what = "certainty, said less right"
    others = [family for family in (*FAMILIES, *POPULATED) if family != "shifted"]
    ratios = _each(told, "regret ratio")
    return [
        Bar.judge(what, at_most(0.05), over(*others)),
        Bar.judge(f"{what}, shifted", at_most(0.08), over("shifted")),
        Bar.judge(f"{what}, but plateaus", at_least(-0.08), over(*_SLOPED)),
        Bar.judge(f"{what}, plateaus", at_least(-0.20), over(*PLATEAUS)),
        Bar.judge("expected regret, true / said", at_most(1.3), ratios),
    ]


def _regret(cells: Cells, silent: list[Cell], tapped: list[Cell]) -> list[Bar]:
    cold = [c for c in silent if c.family in FAMILIES]
    means, matched = [], []
    for n in (40, 200):
        here = [c for c in cold if c.n_items == n]
        now, today = (cells.get(("matched", n, v)) for v in ("none", "today"))
        for q in _MOMENTS:
            means += _pool(here, f"gap {q}", f"{n} items after {q}")
            if now is not None and today is not None:
                gap = difference(now, today, f"regret {q}")
                matched.append((f"{n} items after {q}", gap))
    worst = _each(cold, *(f"gap {q}" for q in _MOMENTS))
    taps = _each([c for c in tapped if c.family == "additive"], "of rival 10")
    what = "regret less a linear model's"
    return [
        Bar.judge(f"{what}, mean", _near_zero(1), means),
        Bar.judge(f"{what}, each family", _near_zero(2.5), worst),
        Bar.judge("regret with taps / a linear model's, additive", at_most(0.6), taps),
        Bar.judge("regret less a Gaussian belief's, matched", at_most(0), matched),
    ]


def _reasons(silent: list[Cell], tapped: list[Cell]) -> list[Bar]:
    told = silent + tapped
    sloped = [c for c in told if c.family not in PLATEAUS]
    additive = [c for c in told if c.family in ("additive", "dense")]
    right, lists = "main reason, one or two names, right", "listed and cared about"
    pairs = _each(additive, *(f"false pairs {q}" for q in _MOMENTS))
    reason, named, listed = "reason 10", "told 10", "listed 10"
    judge = Bar.judge
    return [
        judge(f"{right}, all", at_least(0.78), _pool(told, reason)),
        judge(f"{right}, but plateaus", at_least(0.70), _each(sloped, reason)),
        judge("main reason told without taps", at_least(0.45), _pool(silent, named)),
        judge("main reason told with taps", at_least(0.80), _pool(tapped, named)),
        judge(f"{lists}, all", at_least(0.85), _pool(told, listed)),
        judge(f"{lists}, each family", at_least(0.85), _each(told, listed)),
        judge("interactions told to additive people", at_most(0.05), pairs),
    ]


def real_bars(sets: Mapping[str, Mapping[str, list[float]]]) -> list[Bar]:
    """Judge predictions of real answers; the figures are those of `real.run`."""

    def named(key: str) -> list[Named]:
        return [(name, Figure(*found[key])) for name, found in sets.items()]

    gap, error = "log loss less PopulationGP's", "calibration error"
    return [
        Bar.judge(f"real answers, {gap}", at_most(0.0), named(gap)),
        Bar.judge(f"real answers, {error}", at_most(0.04), named(error)),
    ]


def group_bars(figures: Mapping[str, Mapping[str, float]], n_groups: int) -> list[Bar]:
    """Judge what groups were told; the figures are those of `groups.run`."""

    def shares(key: str, *worlds: str, each: int = 1) -> list[Named]:
        known = [world for world in worlds if world in figures]
        return [(w, _share(figures[w], key, each * n_groups)) for w in known]

    alike = [f"{world} {n}" for world in ("identical", "crowd") for n in (10, 20, 30)]
    checked = [f"careless {world} checks 2" for world in ("crowd", "two")]
    sides = shares("left", *checked) + shares("alternating", *checked)
    random, honest = (
        shares("random", *checked, each=2),
        shares("honest", *checked, each=30),
    )
    differ = shares(
        "differ_wrong", *(w for w in figures if "differ_wrong" in figures[w])
    )
    judge = Bar.judge
    return [
        judge("one kind of people split", at_most(0.05), shares("kinds", *alike)),
        judge("two kinds found, 20 people", at_least(0.72), shares("kinds", "two 20")),
        judge("two kinds found, 30 people", at_least(0.78), shares("kinds", "two 30")),
        judge("two opposed found", at_least(0.95), shares("kinds", "opposed 30")),
        judge("careless by side found", at_least(0.95), sides),
        judge("careless at random found, two checks", at_least(0.80), random),
        judge("honest called careless", at_most(0.05), honest),
        judge('"opinions differ on", wrongly', at_most(0.05), differ),
    ]


def _share(figures: Mapping[str, float], key: str, n: int) -> Figure:
    """Give a share of n with the 90 % range under a uniform prior."""
    value = 1 - figures["said_none"] if key == "kinds" else figures[key]
    low, high = beta.ppf([0.05, 0.95], n * value + 1, n * (1 - value) + 1)
    return Figure(value, float(low), float(high), float(high - low) / 3.29, n)
