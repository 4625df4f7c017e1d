"""Parts of an explanation, and the marks that pictures of them share."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from matplotlib.axes import Axes

from penchant.exceptions import DataError
from penchant.explanation import Attribution, format_cell
from penchant.plotting._marks import write
from penchant.plotting._numbers import format_numbers
from penchant.plotting._style import Theme

_Z = 1.645
"""Half width of a 90 % range in standard deviations."""
NOTHING = 1e-12
"""Contributions below this share of the largest are none."""
RANGE = "whiskers: 90\N{NARROW NO-BREAK SPACE}% range"


@dataclass(frozen=True)
class Part:
    """One attribute, or several small ones together, and what it adds."""

    name: str
    value: float
    std: float | None = None
    cells: tuple[str, str] = ("", "")

    @property
    def half(self) -> float:
        """Half of the range that its true value lies in."""
        return 0.0 if self.std is None else _Z * self.std


def parts_of(
    attribution: Attribution, max_attributes: int, *, keep_zeros: bool = False
) -> list[Part]:
    """Give the largest contributions, and the others as one part.

    For several rows the mean sizes, without ranges. Attributes that add nothing are
    left out.
    """
    if max_attributes < 1:
        raise DataError(f"max_attributes must be at least 1. Got {max_attributes}.")
    if not len(attribution):
        raise DataError("There is nothing to draw: the attribution has no rows.")
    is_one = len(attribution) == 1
    values = attribution.values[0] if is_one else np.abs(attribution.values).mean(0)
    order = np.argsort(-np.abs(values), kind="stable")
    if not keep_zeros:
        order = order[np.abs(values[order]) > NOTHING * np.abs(values).max()]
    kept, rest = order[:max_attributes], order[max_attributes:]
    if len(rest) == 1:
        kept, rest = order, rest[:0]
    names = attribution.names
    if not is_one:
        parts = [Part(names[k], float(values[k])) for k in kept]
        others = Part(f"{len(rest)} others", float(values[rest].sum()))
    else:
        parts = [
            replace(part_of(attribution, names[k], [k]), cells=_cells(attribution, k))
            for k in kept.tolist()
        ]
        others = part_of(attribution, f"{len(rest)} others", rest.tolist())
    return [*parts, others] if len(rest) else parts


def part_of(attribution: Attribution, name: str, columns: list[int]) -> Part:
    """Give what some attributes add together to the first row."""
    value = float(attribution.values[0, columns].sum())
    return Part(name, value, spread_of(attribution, columns))


def spread_of(attribution: Attribution, members: Sequence[int]) -> float | None:
    """Give the standard deviation of the sum of some contributions to the first row."""
    if attribution.cov is not None:
        block = attribution.cov[0][np.ix_(members, members)]
        return float(np.sqrt(max(block.sum(), 0.0)))
    if attribution.std is not None and len(members) == 1:
        return float(attribution.std[0, members[0]])
    return None


def _cells(attribution: Attribution, k: int) -> tuple[str, str]:
    return (
        format_cell(attribution.data, 0, k),
        format_cell(attribution.reference, 0, k),
    )


def draw_parts(
    ax: Axes,
    parts: Sequence[Part],
    theme: Theme,
    *,
    signed: bool,
    is_turned: bool = False,
) -> None:
    """Draw bars from zero with whiskers and numbers, from top to bottom."""
    rows = np.arange(len(parts))
    values = np.array([part.value for part in parts])
    first, second = (theme.con, theme.pro) if is_turned else (theme.pro, theme.con)
    fills = [first if value >= 0 else second for value in values]
    ax.barh(rows, values, height=0.55, color=fills, zorder=2)
    shown = np.abs(values) if is_turned else values
    texts = format_numbers(shown, signed=signed)
    for row, part, text in zip(rows, parts, texts, strict=True):
        draw_range(ax, float(row), part.value, part.half, theme)
        side = 1 if part.value >= 0 else -1
        edge = part.value + side * part.half
        write_beside(ax, int(row), edge, text, side, theme)
    ax.axvline(0, color=theme.line_strong, linewidth=0.8, zorder=3)
    halves = np.array([part.half for part in parts])
    set_reach(ax, [0.0, *(values - halves)], [0.0, *(values + halves)])
    if len(values) and values.min() >= 0.0:  # no number stands on the left
        low = min(0.0, float((values - halves).min()))
        ax.set_xlim(left=low - 0.02 * (ax.get_xlim()[1] - low) * (low < 0))


def draw_range(ax: Axes, row: float, at: float, half: float, theme: Theme) -> None:
    """Draw a whisker with caps; none where the value is certain."""
    if half > 0:
        ax.errorbar(
            at, row, xerr=half, color=theme.ink, elinewidth=1.2, capsize=3, zorder=4
        )


def write_beside(
    ax: Axes, row: int, at: float, text: str, side: int, theme: Theme
) -> None:
    """Write the number of a bar beside its end."""
    align = "left" if side > 0 else "right"
    style = {"behind": theme.surface, "zorder": 5}
    write(ax, (at, row), text, theme.ink, shift=(6 * side, 0), ha=align, **style)


def set_reach(ax: Axes, lows: Sequence[float], highs: Sequence[float]) -> None:
    """Leave room for the numbers beside the bars."""
    low, high = float(min(lows)), float(max(highs))
    room = 0.17 * ((high - low) or 1.0)
    ax.set_xlim(low - room, high + room)
