"""The bars: what must hold, what was measured, and whether it does.

A bar is missed where the 90 % range of the figure excludes it.
"""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass

from scipy.stats import beta

from experiments.truth._figures import Figure, difference, pooled, quotient
from experiments.truth._people import FAMILIES, PLATEAUS, POPULATED
from experiments.truth._store import Cell

__all__ = ["Bar", "all_bars", "at_least", "at_most", "group_bars", "real_bars"]

Cells = Mapping[tuple[str, int, str], Cell]
Row = tuple[str, Figure, float]
"""A cell's name, its figure, and by how much its range lies beyond the bar."""

Beyond = Callable[[Figure], float]

_SLOPED = ("additive", "dense", "interaction", "noisy", "lexicographic", *POPULATED)
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
    misses : sequence of str
        Every cell beyond the limit, with its figure.
    """

    what: str
    limit: str
    measured: str = "—"
    verdict: str = "not run"
    misses: tuple[str, ...] = ()

    @classmethod
    def judge(cls, what: str, limit: str, rows: Iterable[Row]) -> "Bar":
        """Judge by the worst of several cells."""
        known = sorted((row for row in rows if row[1].n), key=lambda row: -row[2])
        if not known:
            return cls(what, limit)
        texts = [f"{name}: {figure}" for name, figure, _ in known]
        misses = tuple(t for t, row in zip(texts, known, strict=True) if row[2] > 0)
        return cls(what, limit, texts[0], "missed" if misses else "reached", misses)


def all_bars(cells: Cells) -> list[Bar]:
    """Judge what single people were told."""
    silent = [c for c in cells.values() if c.variant == "none"]
    tapped = [c for c in cells.values() if c.variant == "truth"]
    return [
        *_certainty(silent + tapped),
        *_regret(cells, silent, tapped),
        *_reasons(silent, tapped),
        *_ranges(silent + tapped),
        *(
            Bar.judge(
                f"CPU per answer and next question, {n} items",
                f"{limit} ms",
                _pool([c for c in silent if c.n_items == n], at_most(limit), "cpu ms"),
            )
            for n, limit in _MILLISECONDS.items()
        ),
    ]


def at_most(limit: float) -> Beyond:
    return lambda figure: figure.low - limit


def at_least(limit: float) -> Beyond:
    return lambda figure: limit - figure.high


def _each(cells: Iterable[Cell], beyond: Beyond, *figures: str) -> list[Row]:
    """Look at every cell by itself."""
    found = [(cell, name, quotient(cell, name)) for cell in cells for name in figures]
    return [(_name(cell, name), figure, beyond(figure)) for cell, name, figure in found]


def _pool(cells: Iterable[Cell], beyond: Beyond, figure: str) -> list[Row]:
    """Look at all cells together."""
    found = pooled(cells, figure)
    return [("pooled", found, beyond(found))]


def _name(cell: Cell, figure: str) -> str:
    """Name a cell, and after how many questions where that is part of the figure."""
    taps = "" if cell.variant == "none" else " with taps"
    after = figure.rpartition(" ")[2]
    moment = f" after {after}" if after.isdigit() else ""
    return f"{cell.family} {cell.n_items}{taps}{moment}"


def _certainty(told: list[Cell]) -> list[Bar]:
    def only(*families: str) -> list[Cell]:
        return [c for c in told if c.family in families]

    others = [c for c in told if c.family != "shifted"]
    over = _each(others, at_most(0.05), "over")
    over += _each(only("shifted"), at_most(0.08), "over")
    sloped = _each(only(*_SLOPED), at_least(-0.08), "over")
    plateaus = _each(only(*PLATEAUS), at_least(-0.20), "over")
    modest = "certainty, said less right"
    return [
        Bar.judge("certainty, said less right", "at most .05, shifted .08", over),
        Bar.judge(modest, "at least -.08 but for plateaus, hidden, plain", sloped),
        Bar.judge(modest, "at least -.20 for plateaus", plateaus),
        Bar.judge(
            "expected regret, true / said",
            "at most 1.3",
            _each(told, at_most(1.3), "regret ratio"),
        ),
    ]


def _regret(cells: Cells, silent: list[Cell], tapped: list[Cell]) -> list[Bar]:
    cold = [c for c in silent if c.family in FAMILIES]
    gaps = ("gap 5", "gap 10", "gap 20")
    means = [
        (f"{n} items after {gap[4:]}", figure, beyond)
        for n in (40, 200)
        for gap in gaps
        for _, figure, beyond in _pool(
            [c for c in cold if c.n_items == n], lambda f: f.value - f.error, gap
        )
    ]
    worst = _each(cold, lambda f: f.value - 2.5 * f.error, *gaps)
    additive = [c for c in tapped if c.family == "additive"]
    matched = []
    for cell in silent:
        today = cells.get((cell.family, cell.n_items, "today"))
        if cell.family == "matched" and today is not None:
            for name in ("regret 5", "regret 10", "regret 20"):
                gap = difference(cell, today, name)
                matched.append((_name(cell, name), gap, gap.low))
    what = "regret less that of a linear model"
    return [
        Bar.judge(what, "mean at most one standard error above 0", means),
        Bar.judge(what, "no family 2.5 standard errors above 0", worst),
        Bar.judge(
            "regret with taps / that of a linear model",
            "at most .6, additive, after 10",
            _each(additive, at_most(0.6), "of rival 10"),
        ),
        Bar.judge(
            "regret less that of a Gaussian belief", "matched: at most 0", matched
        ),
    ]


def _reasons(silent: list[Cell], tapped: list[Cell]) -> list[Bar]:
    told = silent + tapped
    sloped = [c for c in told if c.family not in PLATEAUS]
    additive = [c for c in told if c.family in ("additive", "dense")]
    right, cares = "main reason as one or two names is right", "listed is cared about"
    pairs = _each(additive, at_most(0.05), *(f"false pairs {q}" for q in (5, 10, 20)))
    return [
        Bar.judge(
            right, "pooled at least .78", _pool(told, at_least(0.78), "reason 10")
        ),
        Bar.judge(
            right,
            "at least .70 but for plateaus",
            _each(sloped, at_least(0.70), "reason 10"),
        ),
        Bar.judge(
            "main reason told, without taps",
            "pooled at least .45",
            _pool(silent, at_least(0.45), "told 10"),
        ),
        Bar.judge(
            "main reason told, with taps",
            "pooled at least .80",
            _pool(tapped, at_least(0.80), "told 10"),
        ),
        Bar.judge(
            cares, "pooled at least .85", _pool(told, at_least(0.85), "listed 10")
        ),
        Bar.judge(cares, "each at least .85", _each(told, at_least(0.85), "listed 10")),
        Bar.judge("interactions told to additive people", "at most 5 %", pairs),
    ]


def _ranges(told: list[Cell]) -> list[Bar]:
    def beyond(figure: Figure) -> float:
        return max(figure.low - 0.95, 0.86 - figure.high)

    return [
        Bar.judge(
            f"90 % ranges of {what} hold",
            ".86 to .95",
            _each(told, beyond, f"{what} 10", f"{what} 20"),
        )
        for what in ("points", "parts")
    ]


def real_bars(sets: Mapping[str, Mapping[str, list[float]]]) -> list[Bar]:
    """Judge predictions of real answers; the figures are those of `real.run`."""
    gaps, errors = [], []
    for name, found in sets.items():
        gap = Figure(*found["log loss less PopulationGP's"])
        gaps.append((name, gap, at_most(0.0)(gap)))
        error = Figure(*found["calibration error"])
        errors.append((name, error, at_most(0.04)(error)))
    return [
        Bar.judge("real answers: log loss less PopulationGP's", "at most 0", gaps),
        Bar.judge("real answers: calibration error", "at most .04", errors),
    ]


def group_bars(figures: Mapping[str, Mapping[str, float]], n_groups: int) -> list[Bar]:
    """Judge what groups were told; the figures are those of `groups.run`."""

    def rows(
        beyond: Beyond, key: str, worlds: Iterable[str], each: int = 1
    ) -> list[Row]:
        return [
            (f"{world}{'' if key == 'kinds' else f', {key}'}", share, beyond(share))
            for world in worlds
            if world in figures
            for share in [_share(figures[world], key, each * n_groups)]
        ]

    alike = [f"{world} {n}" for world in ("identical", "crowd") for n in (10, 20, 30)]
    checked = [f"careless {world} checks 2" for world in ("crowd", "two")]
    clicks = [
        r for k in ("left", "alternating") for r in rows(at_least(0.95), k, checked)
    ]
    found = rows(at_least(0.72), "kinds", ["two 20"])
    found += rows(at_least(0.78), "kinds", ["two 30"])
    everywhere = [world for world in figures if not world.startswith("careless")]
    return [
        Bar.judge(
            "one kind of people split",
            "at most 5 %",
            rows(at_most(0.05), "kinds", alike),
        ),
        Bar.judge("two kinds found", "20 people .72, 30 people .78", found),
        Bar.judge(
            "two opposed kinds found",
            "at least .95",
            rows(at_least(0.95), "kinds", ["opposed 30"]),
        ),
        Bar.judge("careless by side found", "at least .95", clicks),
        Bar.judge(
            "careless at random found, two checks",
            "at least .80",
            rows(at_least(0.80), "random", checked, 2),
        ),
        Bar.judge(
            "honest people called careless",
            "at most 5 %",
            rows(at_most(0.05), "honest", checked, 30),
        ),
        Bar.judge(
            '"opinions differ on", wrongly',
            "at most 5 %",
            rows(at_most(0.05), "differ_wrong", everywhere),
        ),
    ]


def _share(figures: Mapping[str, float], key: str, n: int) -> Figure:
    """Give a share of n with the 90 % range of a uniform prior."""
    value = 1 - figures["said_none"] if key == "kinds" else figures[key]
    low, high = beta.ppf([0.05, 0.95], n * value + 1, n * (1 - value) + 1)
    return Figure(value, float(low), float(high), float((high - low) / 3.29), n)
