"""Pictures of one explanation: steps from the base, bars, and A against B."""

from collections.abc import Sequence

import numpy as np
from matplotlib.axes import Axes

from penchant.exceptions import DataError
from penchant.explanation import Attribution
from penchant.plotting._attribution_parts import (
    NOTHING,
    RANGE,
    Part,
    draw_parts,
    draw_range,
    parts_of,
    set_reach,
    write_beside,
)
from penchant.plotting._marks import label_rows, write
from penchant.plotting._numbers import format_numbers
from penchant.plotting._style import (
    SMALL,
    Theme,
    ThemeName,
    drawing,
    hide_numbers,
    number_axis,
    write_title,
)
from penchant.typing import FloatArray


def plot_waterfall(
    attribution: Attribution,
    *,
    max_attributes: int = 10,
    ax: Axes | None = None,
    theme: ThemeName = "light",
) -> Axes:
    """Draw the way from the base to the prediction, one step per attribute.

    The largest steps come first. The axis does not begin at 0, so both ends are dots.

    Parameters
    ----------
    attribution : Attribution
        Of one row.
    max_attributes : int, default=10
        The others are one step together.
    ax : Axes, optional
        Where to draw; default: a new figure.
    theme : {"light", "dark"}, default="light"

    Returns
    -------
    Axes

    Examples
    --------
    >>> from penchant.explanation import Attribution
    >>> from penchant.plotting import plot_waterfall
    >>> found = Attribution([[0.2, -0.5]], 1.0, [0.7], ["rent", "size"], "an example")
    >>> ax = plot_waterfall(found)
    >>> [label.get_text() for label in ax.get_yticklabels()]
    ['start', 'size', 'rent', 'prediction']
    """
    parts = parts_of(attribution, max_attributes)
    if len(attribution) > 1:
        raise DataError(
            f"This draws one row. Got {len(attribution):,}; take one, a[0], or use "
            "plot_contributions to see what matters over all."
        )
    base, end = float(attribution.base[0]), float(attribution.predictions[0])
    stops = base + np.cumsum([0.0, *(part.value for part in parts)])
    is_contrast = attribution.reference is not None
    with drawing(ax, theme, _size(len(parts) + 2)) as (axes, colours):
        texts = format_numbers([part.value for part in parts], signed=True)
        for row, (part, text) in enumerate(zip(parts, texts, strict=True), 1):
            _draw_step(axes, row, stops[row - 1], part, text, colours)
        _draw_joints(axes, stops, colours)
        last = len(parts) + 1
        axes.scatter([base, end], [0, last], s=44, color=colours.accent, zorder=4)
        ends = format_numbers([base, end])
        for row, at, text in zip((0, last), (base, end), ends, strict=True):
            write_beside(axes, row, at, text, 1, colours)
        names = _end_names(attribution) if is_contrast else ("start", "prediction")
        labels = [names[0], *(_label(part, is_contrast) for part in parts), names[1]]
        label_rows(axes, labels, colours, 0.05)
        reaches = [part.half for part in parts]
        lows = np.minimum(stops[:-1], stops[1:]) - reaches
        highs = np.maximum(stops[:-1], stops[1:]) + reaches
        set_reach(axes, [*lows, base, end], [*highs, base, end])
        number_axis(axes.xaxis)
        write_title(axes, _note(attribution, parts, ""))
    return axes


def plot_contributions(
    attribution: Attribution,
    *,
    max_attributes: int = 12,
    ax: Axes | None = None,
    theme: ThemeName = "light",
) -> Axes:
    """Draw what each attribute adds, the largest on top.

    Bars to the right raise the prediction, bars to the left lower it. For several
    rows: the mean size of the contributions, to see which attributes matter.

    Parameters
    ----------
    attribution : Attribution
    max_attributes : int, default=12
        The others are one bar together.
    ax : Axes, optional
        Where to draw; default: a new figure.
    theme : {"light", "dark"}, default="light"

    Returns
    -------
    Axes

    Examples
    --------
    >>> from penchant.explanation import Attribution
    >>> from penchant.plotting import plot_contributions
    >>> found = Attribution([[0.2, -0.5]], 1.0, [0.7], ["rent", "size"], "an example")
    >>> ax = plot_contributions(found)
    >>> [text.get_text() for text in ax.texts]
    ['−0.500', '+0.200']
    """
    is_one = len(attribution) == 1
    parts = parts_of(attribution, max_attributes)
    with drawing(ax, theme, _size(len(parts))) as (axes, colours):
        draw_parts(axes, parts, colours, signed=is_one)
        is_contrast = attribution.reference is not None
        label_rows(axes, [_label(part, is_contrast) for part in parts], colours, 0.05)
        hide_numbers(axes)
        what = "contribution" if is_one else f"mean size over {len(attribution):,} rows"
        write_title(axes, _note(attribution, parts, what))
    return axes


def plot_contrast(
    attribution: Attribution,
    *,
    max_attributes: int = 12,
    ax: Axes | None = None,
    theme: ThemeName = "light",
) -> Axes:
    """Draw what speaks for A on the left and what speaks for B on the right.

    Parameters
    ----------
    attribution : Attribution
        From `penchant.explanation.contrast`. The values of both items stand in the
        margins.
    max_attributes : int, default=12
        The others are one bar together.
    ax : Axes, optional
        Where to draw; default: a new figure.
    theme : {"light", "dark"}, default="light"

    Returns
    -------
    Axes

    Examples
    --------
    >>> from penchant.explanation import contrast
    >>> from penchant.models import GAIRanker
    >>> from penchant.plotting import plot_contrast
    >>> pairs = [[[3, 1], [1, 2]], [[2, 0], [1, 1]], [[1, 1], [1, 3]]]
    >>> ranker = GAIRanker().fit(pairs, [1, 1, 0])
    >>> ax = plot_contrast(contrast(ranker, [3, 0], [1, 3]))
    >>> [label.get_text() for label in ax.get_yticklabels()]
    ['x0', 'x1']
    """
    if attribution.reference is None:
        raise DataError(
            "plot_contrast needs the result of contrast(model, a, b). Got an "
            "attribution without a rival; use plot_waterfall or plot_contributions."
        )
    parts = parts_of(attribution, max_attributes, keep_zeros=True)
    rival, item = _end_names(attribution)
    with drawing(ax, theme, (6.8, 1.3 + 0.34 * len(parts))) as (axes, colours):
        turned = [Part(part.name, -part.value, part.std, part.cells) for part in parts]
        # A stands on the left, so what speaks for it goes there, in its colour.
        draw_parts(axes, turned, colours, signed=False, is_turned=True)
        label_rows(axes, [part.name for part in parts], colours, 0.05)
        _write_margins(axes, parts, colours)
        low, high = axes.get_xlim()
        reach = max(-low, high)
        axes.set_xlim(-reach, reach)
        hide_numbers(axes)
        _write_sides(axes, item, rival, colours)
        ranged = attribution.std is not None
        axes.set_xlabel(f"advantage; {RANGE}" if ranged else "advantage")
    return axes


def _note(attribution: Attribution, parts: Sequence[Part], what: str) -> str:
    """Say what is shown, and what is not."""
    notes = [what] if what else []
    if any(part.half > 0 for part in parts):
        notes.append(RANGE)
    values = np.abs(attribution.values).max(axis=0)
    n_none = int((values <= NOTHING * values.max(initial=0.0)).sum())
    if n_none:
        noun = "attribute adds" if n_none == 1 else "attributes add"
        notes.append(f"{n_none} {noun} nothing")
    return "; ".join(notes)


def _label(part: Part, is_contrast: bool) -> str:
    item, rival = part.cells
    if is_contrast and rival:
        return f"{part.name}: {rival} \N{RIGHTWARDS ARROW} {item}"
    return f"{part.name} = {item}" if item else part.name


def _end_names(attribution: Attribution) -> tuple[str, str]:
    """Give the names of rival and item; letters where they have none."""
    assert attribution.reference is not None  # callers have looked
    labels = (attribution.reference.index[0], attribution.rows[0])
    pairs = zip(labels, ("B", "A"), strict=True)
    first, second = (x if isinstance(x, str) else other for x, other in pairs)
    return ("B", "A") if first == second else (first, second)


def _draw_step(
    ax: Axes, row: int, start: float, part: Part, text: str, theme: Theme
) -> None:
    fill = theme.pro if part.value >= 0 else theme.con
    ax.barh(row, part.value, left=start, height=0.55, color=fill, zorder=2)
    end = start + part.value
    draw_range(ax, row, end, part.half, theme)
    side = 1 if part.value >= 0 else -1
    write_beside(ax, row, end + side * part.half, text, side, theme)


def _draw_joints(ax: Axes, stops: FloatArray, theme: Theme) -> None:
    """Join each step with the next one by a dotted line."""
    for row, stop in enumerate(stops):
        ax.plot([stop, stop], [row, row + 1], ":", color=theme.line_strong, lw=1.0)


def _write_margins(ax: Axes, parts: Sequence[Part], theme: Theme) -> None:
    """Write the values of both items beside the bars."""
    frame = ("axes fraction", "data")
    for row, part in enumerate(parts):
        for place, shift, text in ((0.0, -4, part.cells[0]), (1.0, 4, part.cells[1])):
            style = {"ha": "right" if place == 0 else "left", "xycoords": frame}
            write(ax, (place, row), text, theme.ink_2, shift=(shift, 0), **style)
    longest = max((len(part.cells[0]) for part in parts), default=0)
    ax.tick_params(axis="y", pad=12 + 5.8 * longest)


def _write_sides(ax: Axes, item: str, rival: str, theme: Theme) -> None:
    for place, name, align, colour in (
        (0.0, f"for {item}", "left", theme.pro),
        (1.0, f"for {rival}", "right", theme.con),
    ):
        style = {"ha": align, "va": "baseline", "fontsize": SMALL, "fontweight": "bold"}
        frame = {"xycoords": "axes fraction", "shift": (0, 6)}
        write(ax, (place, 1.0), name, colour, **frame, **style)


def _size(n_rows: int) -> tuple[float, float]:
    return 6.2, 0.9 + 0.34 * n_rows
