"""Small pictures of a learned model as SVG text, in the colours of their page."""

from collections.abc import Sequence
from html import escape
from typing import Any

from penchant.views._charts import Axis

_WIDTH, _HEIGHT = 320, 190
_LEFT, _BOTTOM, _TOP, _RIGHT = 52, 34, 12, 12


def _frame(
    inner: list[str], words: str, size: tuple[int, int] = (_WIDTH, _HEIGHT)
) -> str:
    width, height = size
    return (
        f'<svg viewBox="0 0 {width} {height}" role="img" aria-label="{escape(words)}">'
        f"<title>{escape(words)}</title>{''.join(inner)}</svg>"
    )


def _across(axis: Axis, value: float) -> float:
    return round(_LEFT + axis.place(value) / 100 * (_WIDTH - _LEFT - _RIGHT), 1)


def _up(axis: Axis, value: float) -> float:
    share = axis.place(value) / 100
    return round(_HEIGHT - _BOTTOM - share * (_HEIGHT - _BOTTOM - _TOP), 1)


def _label(x: float, y: float, words: str, anchor: str = "middle") -> str:
    return f'<text x="{x}" y="{y}" text-anchor="{anchor}">{escape(words)}</text>'


def _line(points: Sequence[tuple[float, float]], kind: str) -> str:
    listed = " ".join(f"{x},{y}" for x, y in points)
    return f'<polyline class="{kind}" points="{listed}"/>'


def _level(kind: str, y: float) -> str:
    right = _WIDTH - _RIGHT
    return f'<line class="{kind}" x1="{_LEFT}" x2="{right}" y1="{y}" y2="{y}"/>'


def _scale_up(axis: Axis) -> list[str]:
    marks = []
    for value in axis.ticks():
        y = _up(axis, value)
        marks.append(_level("grid", y))
        marks.append(_label(_LEFT - 6, y + 4, f"{value:.4g}", "end"))
    return marks


def _scale_across(axis: Axis, words: str) -> list[str]:
    marks = [
        _label(_across(axis, value), _HEIGHT - _BOTTOM + 15, f"{value:.4g}")
        for value in axis.ticks(4)
    ]
    return [*marks, _label((_WIDTH + _LEFT) / 2, _HEIGHT - 4, words)]


def curve(
    words: str,
    name: str,
    grid: Sequence[Any],
    values: Sequence[float],
    low: Sequence[float] = (),
    high: Sequence[float] = (),
) -> str:
    """Draw what each value of an attribute adds; levels as dots, with a band."""
    numeric = all(isinstance(value, int | float) for value in grid)
    up = Axis.around([*values, *low, *high, 0.0])
    across = (
        Axis(float(grid[0]), float(grid[-1]))
        if numeric
        else Axis(-0.5, len(grid) - 0.5)
    )
    xs = [_across(across, float(g) if numeric else k) for k, g in enumerate(grid)]
    ends = [(x, _up(up, v)) for x, v in zip(xs, values, strict=True)]
    inner = [*_scale_up(up), _level("zero", _up(up, 0))]
    lows = [(x, _up(up, v)) for x, v in zip(xs, low, strict=False)]
    highs = [(x, _up(up, v)) for x, v in zip(xs, high, strict=False)]
    if numeric:
        if lows:
            ring = " ".join(f"{x},{y}" for x, y in [*lows, *reversed(highs)])
            inner.append(f'<polygon class="band" points="{ring}"/>')
        inner += [_line(ends, "curve"), *_scale_across(across, name)]
    else:
        inner += [
            f'<line class="bar" x1="{x}" x2="{x}" y1="{b}" y2="{t}"/>'
            for (x, b), (_, t) in zip(lows, highs, strict=True)
        ]
        inner += [f'<circle class="dot" cx="{x}" cy="{y}" r="4"/>' for x, y in ends]
        inner += [
            _label(x, _HEIGHT - _BOTTOM + 15, str(level)[:10])
            for x, level in zip(xs, grid, strict=True)
            if len(grid) <= 8
        ]
        inner.append(_label((_WIDTH + _LEFT) / 2, _HEIGHT - 4, name))
    return _frame(inner, words)


def surface(
    words: str,
    name: str,
    grid: Sequence[Sequence[Any]],
    values: Sequence[Sequence[float]],
) -> str:
    """Draw what two attributes add together, beyond their own curves, as a table."""
    reach = max(abs(v) for row in values for v in row) or 1.0
    n_rows, n_columns = len(grid[0]), len(grid[1])
    width = (_WIDTH - _LEFT - _RIGHT) / n_columns
    height = (_HEIGHT - _BOTTOM - _TOP) / n_rows
    inner = []
    for i, row in enumerate(values):
        for j, value in enumerate(row):
            x, y = _LEFT + j * width, _HEIGHT - _BOTTOM - (i + 1) * height
            kind = "plus" if value >= 0 else "minus"
            inner.append(
                f'<rect class="{kind}" x="{x:.1f}" y="{y:.1f}" width="{width:.1f}" '
                f'height="{height:.1f}" fill-opacity="{abs(value) / reach:.2f}"/>'
            )
    ends = [(_word(side[0]), _word(side[-1])) for side in grid]
    inner += [
        _label(_LEFT, _HEIGHT - _BOTTOM + 15, ends[1][0], "start"),
        _label(_WIDTH - _RIGHT, _HEIGHT - _BOTTOM + 15, ends[1][1], "end"),
        _label(_LEFT - 6, _HEIGHT - _BOTTOM, ends[0][0], "end"),
        _label(_LEFT - 6, _TOP + 10, ends[0][1], "end"),
        _label((_WIDTH + _LEFT) / 2, _HEIGHT - 4, name),
    ]
    return _frame(inner, words)


def _word(value: Any) -> str:
    return f"{value:.4g}" if isinstance(value, int | float) else str(value)[:9]


def bars(values: Sequence[tuple[str, float]], words: str) -> str:
    """Draw bars from zero, one per row, to the right or to the left."""
    height = 24 * len(values) + 8
    axis = Axis.both_sides([v for _, v in values])
    if min((v for _, v in values), default=0.0) >= 0:
        axis = Axis(0.0, axis.high)
    left, width = 150, 2 * _WIDTH - 60

    def place(value: float) -> float:
        return left + axis.place(value) / 100 * (width - left - 60)

    inner = []
    for k, (name, value) in enumerate(values):
        y = 24 * k + 6
        x, end = sorted((place(0.0), place(value)))
        kind = "plus" if value >= 0 else "minus"
        inner.append(
            f'<rect class="{kind}" x="{x:.1f}" y="{y}" height="14" '
            f'width="{max(end - x, 0.5):.1f}"/>'
        )
        inner.append(_label(left - 8, y + 12, name[:24], "end"))
        inner.append(_label(width, y + 12, f"{value:+.3g}", "end"))
    return _frame(inner, words, (width, height))


def scatter(
    points: Sequence[tuple[str, float, float, float]],
    names: tuple[str, str],
    *,
    diagonal: bool = False,
) -> str:
    """Draw named points with errors: (name, x, y, error of y)."""
    sizes = [x for _, x, _, _ in points]
    reach = [y + sign * error for _, _, y, error in points for sign in (-1, 1)]
    across, up = Axis.around([*sizes, 0.0]), Axis.around(reach)
    if diagonal:
        across = up = Axis.around([*reach, *sizes])
    inner, said = _scale_up(up), list[float]()
    if diagonal:
        ends = [(_across(across, v), _up(up, v)) for v in (across.low, across.high)]
        inner.append(_line(ends, "zero"))
    for name, x, y, error in points:
        at, beside = _across(across, x), _up(up, y) + 4
        ends = [(at, _up(up, y + error)), (at, _up(up, y - error))]
        inner.append(_line(ends, "bar"))
        inner.append(f'<circle class="dot" cx="{at}" cy="{_up(up, y)}" r="4"/>')
        while any(abs(beside - other) < 12 for other in said):
            beside += 12  # names at one height stand below each other
        said += [beside] if name else []
        aside, anchor = (-8, "end") if at > _WIDTH / 2 else (8, "start")
        inner.append(_label(at + aside, beside, name, anchor))
    inner += _scale_across(across, names[0])
    return _frame(inner, f"{names[1]} / {names[0]}")
