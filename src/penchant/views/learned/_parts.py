"""What there is to read in a model: curves and pairs, importance, rules."""

from types import SimpleNamespace as View
from typing import Any, Final

import numpy as np

from penchant.data import Attribute, Items
from penchant.learning import ModelPart
from penchant.texts import Texts
from penchant.views._charts import Axis, Bar, NumberRow, Numbers, Tick, curve_shape
from penchant.views._curves import CurveView, Level, across_ticks
from penchant.views._display import grid_value, show_name
from penchant.views.learned._words import (
    Shown,
    parts_words,
    rule_side,
    rule_words,
    score_words,
    signed,
)

_TICKS: Final = 4
_LETTERS: Final = 36
_CELLS: Final = 5
"""Values of each attribute in the table of a pair, at most."""
_FAINT: Final = 0.2
"""An interaction of so much has the strongest colour, if none has more."""
_TOLD: Final = 0.05
"""An interaction of less is not put in words: no range of it is known."""
_RULES: Final = 15
"""Rules that are shown before the fold."""


def curves_page(shown: Shown, texts: Texts, pair: int | None = None) -> View:
    """Show the curves of a candidate and its pairs, one of them or all."""
    curves = [part for part in shown.parts if part.kind in ("weight", "curve")]
    reach = [v for c in curves for side in (c.values, c.low, c.high) for v in side]
    upward = Axis.around([0.0, *map(float, reach)])
    labels = list(dict.fromkeys(part.label for part in curves))
    groups = tuple(
        (
            _heading(label, texts),
            tuple(
                _curve(shown.items, part, upward, texts)
                for part in curves
                if part.label == label
            ),
        )
        for label in labels
    )
    bands = texts(f"models.curves.{'bands' if shown.n_resamples else 'no_bands'}")
    pairs = [part for part in shown.parts if part.kind == "pair"]
    chosen = pairs
    if pair is not None:
        chosen = pairs[pair : pair + 1] or pairs[-1:]
    parts = shown.comparison[shown.name].parts or {}
    counts = {key: n for key, n in parts.items() if n}
    return View(
        title=texts(
            "models.curves.h1", parts=parts_words(counts, texts), target=shown.target
        ),
        lead=f"{texts('models.curves.lead')} {score_words(shown, texts)}",
        groups=groups,
        bands=bands,
        pairs=tuple(_pair(shown, part, texts) for part in chosen),
        which=tuple((_part_name(shown, part, texts), part in chosen) for part in pairs),
        shares=tuple(
            _share(shown, part, texts)
            for part in sorted(shown.parts, key=lambda part: -part.size)
        ),
    )


def _heading(label: str, texts: Texts) -> str:
    if label:
        return texts("models.curves.adds_for", label=show_name(label, 40))
    return texts("models.curves.adds")


def _attribute(items: Items, name: str) -> Attribute:
    return next(each for each in items.attributes if each.name == name)


def _part_name(shown: Shown, part: ModelPart, texts: Texts) -> str:
    """Name the attributes of a part, and its class if there are several."""
    name = texts.listed([show_name(each, 30) for each in part.names])
    several = len({each.label for each in shown.parts}) > 1
    return f"{name} ({show_name(part.label, 20)})" if several else name


def _share(shown: Shown, part: ModelPart, texts: Texts) -> View:
    name, share = _part_name(shown, part, texts), texts.share(part.size)
    words = texts("models.share.words", name=name, share=share)
    return View(
        label=name,
        share=shown.sized(part, share),
        width=round(100 * min(part.size, 1.0), 2),
        words=words,
        low=0.0,
        high=0.0,
        unsure=False,
        named="",
    )


def _curve(items: Items, part: ModelPart, upward: Axis, texts: Texts) -> CurveView:
    attribute = _attribute(items, part.names[0])
    name, grid = show_name(attribute.name), part.grid[0]
    low, high = part.low or part.values, part.high or part.values
    numeric = attribute.kind == "numeric"
    across = Axis(float(grid[0]), float(grid[-1])) if numeric else upward
    rows = tuple(_number_row(attribute, part, k, texts) for k in range(len(grid)))
    keys = ("models.why.value", "models.pairs.more", "models.range")
    heads = tuple(map(texts, keys if part.low else keys[:2]))
    few = rows if len(rows) <= 6 else (rows[0], rows[len(rows) // 2], rows[-1])
    told = "; ".join(f"{row.name}: {', '.join(row.cells)}" for row in few)
    shape = None
    if numeric:
        sides = [[float(v) for v in side] for side in (grid, part.values, low, high)]
        shape = curve_shape(across, upward, *sides)
    return CurveView(
        name,
        show_name(attribute.unit_beside, 20),
        f"{name}. {told}",
        shape,
        across_ticks(attribute, across, texts),
        tuple(
            Tick(round(100 - upward.place(value), 2), signed(value, texts))
            for value in upward.ticks(_TICKS)
        ),
        _rug(items, attribute, across) if numeric else (),
        () if numeric else _levels(part, upward),
        round(100 - upward.place(0.0), 2),
        bool(part.low)
        and all(a <= 0 <= b for a, b in zip(part.low, part.high, strict=True)),
        Numbers(heads, rows),
    )


def _number_row(
    attribute: Attribute, part: ModelPart, k: int, texts: Texts
) -> NumberRow:
    value = grid_value(attribute, part.grid[0], k, texts)
    reach = max(map(abs, (*part.values, *part.low, *part.high)))
    cells = [signed(part.values[k], texts, reach)]
    if part.low:
        low, high = (signed(side[k], texts, reach) for side in (part.low, part.high))
        cells.append(texts("numbers.range", low=low, high=high))
    return NumberRow(value, tuple(cells))


def _levels(part: ModelPart, upward: Axis) -> tuple[Level, ...]:
    n = len(part.grid[0])
    low, high = part.low or part.values, part.high or part.values

    def down(value: float) -> float:
        return round(100 - upward.place(float(value)), 2)

    return tuple(
        Level(
            show_name(str(level), max(3, _LETTERS // n)) if n <= 8 else "",
            round(100 * (k + 0.5) / n, 2),
            down(part.values[k]),
            down(low[k]),
            down(high[k]),
            bool(part.low) and low[k] <= 0 <= high[k],
        )
        for k, level in enumerate(part.grid[0])
    )


def _rug(items: Items, attribute: Attribute, axis: Axis) -> tuple[float, ...]:
    column = items.frame[attribute.name].dropna().to_numpy(dtype=float)
    places = dict.fromkeys(round(axis.place(float(v))) for v in np.unique(column))
    return tuple(map(float, places))


def _pair(shown: Shown, part: ModelPart, texts: Texts) -> View:
    first, second = (_attribute(shown.items, name) for name in part.names)
    rows, columns = (_spread(len(side)) for side in part.grid)
    table = np.asarray(part.values, dtype=float)[np.ix_(rows, columns)]
    reach = float(np.abs(table).max()) or 1.0
    sides = [
        [grid_value(each, grid, k, texts, 20) for k in places]
        for each, grid, places in zip(
            (first, second), part.grid, (rows, columns), strict=True
        )
    ]
    sentences = []
    for key, place in (("most", table.argmax()), ("least", table.argmin())):
        i, j = np.unravel_index(int(place), table.shape)
        if (table[i, j] > 0) == (key == "most") and table[i, j]:
            a = f"{show_name(first.name, 30)} {sides[0][i]}"
            b = f"{show_name(second.name, 30)} {sides[1][j]}"
            value = signed(float(table[i, j]), texts)
            sentences.append(texts(f"models.pairs.{key}", a=a, b=b, value=value))
    names = [show_name(each.name, 30) for each in (first, second)]
    return View(
        title=texts("models.pairs.title", a=names[0], b=names[1]),
        first=names[0],
        second=names[1],
        heads=tuple(sides[1]),
        rows=tuple(
            (
                label,
                tuple(
                    _cell(float(v), reach, signed(float(v), texts, reach)) for v in row
                ),
            )
            for label, row in zip(sides[0], table, strict=True)
        ),
        sentences=tuple(sentences),
    )


def _spread(n: int) -> list[int]:
    """Give a few places out of so many, both ends among them."""
    return sorted({round(k) for k in np.linspace(0, n - 1, min(n, _CELLS))})


def _cell(value: float, reach: float, text: str) -> View:
    """Colour a cell by its size; next to nothing has no colour."""
    step = min(int(np.ceil(4 * abs(value) / reach - 1e-9)), 4)
    kind = f"{'p' if value > 0 else 'm'}{step}" if step and text != "0" else ""
    return View(text=text, kind=kind)


def importance_page(shown: Shown, model: Any, texts: Texts) -> View:
    """Show a Choquet integral."""
    criteria = [part for part in shown.parts if part.kind == "criterion"]
    pairs = [part for part in shown.parts if part.kind == "interaction"]
    total = sum(abs(part.size) for part in criteria) or 1.0
    shares = []
    for part in criteria:
        share = abs(part.size) / total
        name, words = show_name(part.names[0], 40), texts.share(share)
        said = texts("models.share.words", name=name, share=words)
        row = View(
            label=name,
            share=shown.sized(part, words),
            width=round(100 * share, 2),
            words=said,
            low=0.0,
            high=0.0,
            unsure=False,
            named="",
        )
        shares.append((row, _way(model, part.names[0], shown, texts)))
    names = [part.names[0] for part in criteria]
    known = {frozenset(part.names): part for part in pairs}
    reach = max([_FAINT, *(abs(part.size) / total for part in pairs)])

    def cell(name: str, other: str) -> View:
        part = known.get(frozenset((name, other)))
        if part is None:
            return View(text="0", kind="")
        value = part.size / total
        shade = _cell(value, reach, _two(value, texts))
        return View(text=shown.sized(part, shade.text), kind=shade.kind)

    rows = tuple(
        (show_name(name, 30), tuple(cell(name, other) for other in names[:k]))
        for k, name in enumerate(names)
        if k
    )
    strong = [part for part in pairs if abs(part.size) / total >= _TOLD][:5]
    sentences = tuple(
        (
            texts(
                f"models.interaction.{'both' if part.size > 0 else 'either'}",
                a=show_name(part.names[0], 30),
                b=show_name(part.names[1], 30),
                value=_two(part.size / total, texts),
            ),
            part.size > 0,
        )
        for part in strong
    )
    label = _spoken_for(shown)
    key = "models.importance.lead_for" if label else "models.importance.lead"
    lead = f"{texts(key, label=label)} {score_words(shown, texts)}"
    heads = tuple(show_name(name, 30) for name in names[:-1])
    return View(
        lead=lead, criteria=tuple(shares), heads=heads, rows=rows, sentences=sentences
    )


def _spoken_for(shown: Shown) -> str:
    """Give that of two classes for which a score speaks; no class is better."""
    labels = shown.comparison.labels
    classes = shown.comparison.kind == "classes" and len(labels) == 2
    return show_name(str(labels[-1]), 40) if classes else ""


def _way(model: Any, name: str, shown: Shown, texts: Texts) -> str:
    """Say which end of a criterion is better: less or more, or which level."""
    items, label = shown.items, _spoken_for(shown)
    directions = getattr(model, "directions_", None)
    # Of several classes each has a function, and directions, of its own.
    direction = directions.get(name) if isinstance(directions, dict) else None
    way = getattr(direction, "direction", "")
    if way not in ("up", "down"):
        return ""
    i = [each.name for each in items.attributes].index(name)
    attribute, domain = items.attributes[i], model.domain_
    said = texts(f"models.importance.{way}{'_for' if label else ''}", label=label)
    if attribute.kind != "numeric":
        codes = domain.levels[i]
        ends = (domain.low[i], domain.high[i]) if codes is None else codes
        code = ends[-1 if way == "up" else 0]
        best = show_name(
            attribute.levels[round(code * (len(attribute.levels) - 1))], 30
        )
        said = texts("owner.study.best_level", level=best)
        if label:
            said = texts("models.importance.level_for", level=best, label=label)
    sure = getattr(direction, "is_sure", True)
    return said if sure else f"{said} ({texts('numbers.not_sure')})"


def _two(value: float, texts: Texts) -> str:
    rounded = round(value, 2)
    return f"+{texts.number(rounded)}" if rounded > 0 else texts.number(rounded)


def rules_page(shown: Shown, model: Any, texts: Texts, n_first: int = _RULES) -> View:
    """Show weighted rules; of two sides, what speaks for the lower goes to the left.

    After `n_first` of them comes a fold.
    """
    rules = model.rules_
    labels = tuple(map(str, shown.comparison.labels)) or ("worse", "better")
    lower = labels[0] if len(labels) == 2 else None
    weights = [
        -float(rule.weight) if str(rule.target) == lower else float(rule.weight)
        for rule in rules
    ]
    axis = Axis.both_sides(weights)
    if min(weights, default=0.0) >= 0:
        axis = Axis(0.0, axis.high)
    rows = []
    for rule, part, weight in zip(rules, shown.parts, weights, strict=True):
        row = _rule(rule, part, axis, weight, texts)
        row.weight = shown.sized(part, row.weight)
        rows.append(row)
    rest = rows[n_first:]
    return View(
        title=texts.count("models.rules.h1", len(rows)),
        lead=f"{texts('models.rules.lead')} {score_words(shown, texts)}",
        first=tuple(rows[:n_first]),
        rest=tuple(rest),
        more=texts.count("models.rules.rest", len(rest)) if rest else "",
        zero=axis.place(0.0),
    )


def _rule(rule: Any, part: ModelPart, axis: Axis, weight: float, texts: Texts) -> View:
    text = show_name(rule_words(part, texts), 200)
    shown = signed(weight, texts, axis.high)
    share = texts.share(float(rule.coverage))
    facts = rule_side(part, texts), texts("models.rules.holds", share=share)
    words = texts("models.rules.words", text=text, weight=shown)
    bar = Bar.placed(axis, 0.0, weight, weight, weight)
    return View(text=text, facts=" · ".join(facts), weight=shown, words=words, bar=bar)
