"""Why a model says what it says: of one row two ways, and of two rows."""

from collections.abc import Mapping
from dataclasses import replace
from types import SimpleNamespace as View
from typing import Any, Final

from penchant.data import Items
from penchant.jobs import KeptModel, Reasons, Said
from penchant.texts import Texts
from penchant.views._charts import Axis, Bar, NumberRow, Numbers
from penchant.views._display import Fact, item_facts, show_name
from penchant.views._what_if import sliders_of
from penchant.views.learned._words import in_full, name_of, number, signed

MOST_OPTIONS: Final = 200
"""Rows in a list to choose from; of more the number is typed."""
_MOST_FACTS: Final = 8
_COLUMNS: Final = 12


def row_choice(
    kept: KeptModel, row: int, against: int | None, model: str, texts: Texts
) -> View:
    """Offer rows, models and rivals."""
    names = kept.items.names if len(kept.items) <= MOST_OPTIONS else ()
    return View(
        row=row,
        against=against,
        model=model,
        lines=kept.lines,
        rows=tuple(show_name(name, 40) for name in names),
        models=tuple((name, name_of(name, texts)) for name in kept.names),
    )


def said_words(said: Said, kind: str, texts: Texts) -> str:
    """Say what a model says of a row."""
    if said.value is None:
        share = dict(said.chances).get(said.label, 0.0)
        label = show_name(said.label, 40)
        return texts("models.why.chance", label=label, share=texts.share(share))
    value = number(said.value, texts, 4)
    return value if kind == "numbers" else texts("models.why.score", value=value)


def why_view(kept: KeptModel, row: int, model: str, texts: Texts) -> View:
    """Explain a row that was learned from, by the exact form and by coalitions."""
    frame, kind = kept.items.frame.iloc[[row]], kept.comparison.kind
    exact, coalitions = kept.exact(model, frame), kept.by_coalitions(model, row)
    said = kept.said(model, frame)[0]
    facts = list(item_facts(kept.items, row, texts, _MOST_FACTS - 1))
    truth = kept.truth(row)
    if truth is not None:
        shown = number(truth, texts, 4) if kind == "numbers" else show_name(truth, 40)
        facts.append(Fact(texts("models.why.truth"), shown))
    name = show_name(kept.items.names[row])
    groups = coalitions.groups if coalitions else ()
    sure, hint = _agreement(exact, coalitions, kind, texts)
    values = _values(kept.items, row, texts)
    return View(
        lead=texts("models.why.lead", name=name, model=name_of(model, texts)),
        title=said_words(said, kind, texts),
        facts=tuple(facts),
        sure=sure,
        hint=hint,
        ways=ways_view(values, exact, coalitions, kind, texts),
        signs=_signs(exact, coalitions, kept, texts),
        groups=tuple(
            texts(
                "models.why.group",
                n=texts.number(k),
                columns=texts.listed([show_name(each, 30) for each in group]),
            )
            for k, group in enumerate(groups, 1)
        ),
        others=_others(kept, frame, model, texts),
    )


def _order(reasons: Reasons | None) -> list[str]:
    if reasons is None:
        return []
    sizes = dict(zip(reasons.names, map(abs, reasons.values), strict=True))
    return sorted(sizes, key=lambda name: -sizes[name])


def _agreement(
    exact: Reasons | None, coalitions: Reasons | None, kind: str, texts: Texts
) -> tuple[str, str]:
    """Say on how many columns, the heaviest first, both ways agree."""
    one = exact or coalitions
    if one is None:
        return texts("models.why.no_way"), ""
    first = _order(one)[0]
    value = signed(one.values[one.names.index(first)], texts)
    unit = _unit(one, kind, texts)
    said = show_name(first, 30)
    hint = texts("models.why.first", column=said, value=f"{value} {unit}")
    if exact is None or coalitions is None:
        return texts("models.why.one_way"), hint
    agreed = 0
    for a, b in zip(_order(exact), _order(coalitions), strict=True):
        if a != b:
            break
        agreed += 1
    if not agreed:
        return texts("models.why.differ"), hint
    return texts.count("models.why.agree", agreed), hint


def _signs(
    exact: Reasons | None, coalitions: Reasons | None, kept: KeptModel, texts: Texts
) -> str:
    """Say why the ways may differ in signs: a scale, and the chance of one label."""
    labels = [show_name(str(label), 30) for label in kept.comparison.labels]
    label = "" if exact is None or coalitions is None else coalitions.label
    if not label or show_name(label, 30) == labels[-1]:
        return texts("models.why.hint")
    best, worst = labels[-1], labels[0]
    return texts("models.why.signs", best=best, worst=worst, label=show_name(label, 30))


def ways_view(
    values: Mapping[str, str],
    exact: Reasons | None,
    coalitions: Reasons | None,
    kind: str,
    texts: Texts,
    key: str = "",
) -> View:
    """Show both ways side by side, the heaviest columns first.

    Parameters
    ----------
    values : mapping of str to str
        What stands in each column.
    exact, coalitions : Reasons or None
        None: that way does not apply.
    kind : str
        Of the comparison.
    key : str
        What numbers in a file are called first; empty: this is a page.
    """
    ways = {"exact": exact, "coalitions": coalitions}
    axes = dict(zip(ways, _axes(exact, coalitions), strict=True))
    groups = coalitions.groups if coalitions else ()
    rows = []
    for column in _order(exact or coalitions)[:_COLUMNS]:
        halves = {
            way: _half(reasons, axes[way], column, way, key, texts)
            for way, reasons in ways.items()
        }
        group = _groups_of(column, groups, texts)
        label, value = show_name(column, 30), show_name(values[column], 30)
        rows.append(View(label=label, group=group, value=value, **halves))
    sides = {
        way: _way(reasons, axes[way], way, kind, key, texts)
        for way, reasons in ways.items()
    }
    return View(rows=tuple(rows), **sides)


def _values(items: Items, row: int, texts: Texts) -> dict[str, str]:
    names = (attribute.name for attribute in items.attributes)
    return dict(zip(names, texts.values(items, row), strict=True))


def _groups_of(column: str, groups: tuple[tuple[str, ...], ...], texts: Texts) -> str:
    mine = [texts.number(k) for k, group in enumerate(groups, 1) if column in group]
    if len(groups) < 2 or not mine:
        return ""
    return texts("models.why.group", n=texts.listed(mine), columns="").rstrip(
        " :\u00a0"
    )


def _axes(*ways: Reasons | None) -> list[Axis]:
    """Give both ways one scale, if they are in the same units."""
    values = [() if way is None else way.values for way in ways]
    if all(way is None or not way.label for way in ways):
        values = [tuple(each for side in values for each in side)] * len(ways)
    return [Axis.around([0.0, *side]) for side in values]


def _half(
    reasons: Reasons | None, axis: Axis, column: str, way: str, key: str, texts: Texts
) -> View:
    if reasons is None:
        return View(figure="", words="", bar=None)
    place = reasons.names.index(column)
    value = reasons.values[place]
    shown = signed(value, texts, max(map(abs, reasons.values)))
    words = texts(
        "models.why.words",
        column=show_name(column, 30),
        way=texts(f"models.why.{way}"),
        value=shown,
    )
    bar = Bar.placed(axis, 0.0, value, value, value)
    figure = in_full(value, key and f"{key}.{way}.{place}", shown)
    return View(figure=figure, words=words, bar=bar)


def _unit(reasons: Reasons, kind: str, texts: Texts) -> str:
    """Say in what the numbers of a way are."""
    if reasons.label:
        return texts("models.why.in_chance", label=show_name(reasons.label, 30))
    return texts(f"models.why.in_{'units' if kind == 'numbers' else 'score'}")


def _way(
    reasons: Reasons | None, axis: Axis, way: str, kind: str, key: str, texts: Texts
) -> View:
    if reasons is None:
        return View(
            there=False,
            unit="",
            zero=0.0,
            begins="",
            ends="",
            facts=(),
            hint=texts(f"models.why.no_{way}"),
        )
    unit = _unit(reasons, kind, texts)
    fits = reasons.n_models
    fitted = texts("models.why.none") if fits is None else texts.number(fits)
    facts = [Fact(texts("models.why.fitted"), fitted)]
    if fits is not None:
        seconds = texts("models.over.seconds", n=number(reasons.seconds, texts, 2))
        facts.append(Fact(texts("models.why.time"), seconds))
    left = number(reasons.gap, texts, 2)
    small = abs(reasons.gap) <= 1e-6 * (1 + abs(reasons.total))
    adds = texts("models.why.yes" if small else "models.why.left_over", value=left)
    facts.append(Fact(texts("models.why.adds_up"), adds))
    ends = {
        word: in_full(value, key and f"{key}.{way}_{name}", number(value, texts, 4))
        for word, name, value in (
            ("begins", "base", reasons.base),
            ("ends", "total", reasons.total),
        )
    }
    return View(
        there=True,
        unit=unit,
        zero=axis.place(0.0),
        **ends,
        facts=tuple(facts),
        hint=texts(f"models.why.game_{reasons.game}"),
    )


def _others(kept: KeptModel, frame: Any, model: str, texts: Texts) -> Numbers | None:
    """Explain the same row by the formulas of the other models."""
    found = {
        name: reasons
        for name in kept.names
        if name != model
        if (reasons := kept.exact(name, frame)) is not None
    }
    if not found:
        return None
    columns = _order(next(iter(found.values())))[:_COLUMNS]
    heads = (texts("models.why.column"), *(name_of(name, texts) for name in found))
    rows = [
        NumberRow(
            show_name(column, 30),
            tuple(
                signed(each.values[each.names.index(column)], texts)
                for each in found.values()
            ),
        )
        for column in columns
    ]
    return Numbers(heads, tuple(rows))


def rather_view(
    kept: KeptModel, row: int, rival: int, model: str, texts: Texts
) -> View:
    """Say what speaks for one row rather than another."""
    items = kept.items
    first, second = (show_name(items.names[each], 40) for each in (row, rival))
    said = kept.said(model, items.frame.iloc[[row, rival]])
    facts = tuple(
        Fact(name, said_words(each, kept.comparison.kind, texts))
        for name, each in zip((first, second), said, strict=True)
    )
    found = kept.rather_than(model, row, rival)
    title = texts("models.rather.title", a=first, b=second)
    if found is None:
        none = texts("models.why.no_exact")
        return View(
            title=title,
            hint=none,
            name=first,
            rival=second,
            said=facts,
            steps=(),
            total="",
        )
    axis = Axis.both_sides(found.values)
    mine, theirs = (_values(items, each, texts) for each in (row, rival))
    steps, reach = [], max(map(abs, found.values))
    for column in _order(found)[:_COLUMNS]:
        value = found.values[found.names.index(column)]
        if not value:
            continue
        shown, label = signed(value, texts, reach), show_name(column, 30)
        way = texts("models.why.exact")
        # To the left is what speaks for the first, as it stands there.
        bar = Bar.placed(axis, 0.0, -value, -value, -value)
        bar = replace(bar, side="pro" if value > 0 else "con")
        steps.append(
            View(
                label=label,
                value=show_name(mine[column], 30),
                rival=show_name(theirs[column], 30),
                points=shown,
                words=texts("models.why.words", column=label, way=way, value=shown),
                bar=bar,
            )
        )
    total = signed(sum(found.values), texts, reach)
    hint = texts("models.why.game_rival")
    return View(
        title=title,
        hint=hint,
        name=first,
        rival=second,
        said=facts,
        steps=tuple(steps),
        total=total,
    )


def imagined_view(
    kept: KeptModel,
    row: int,
    model: str,
    values: Mapping[str, float | str],
    texts: Texts,
) -> View:
    """Show what a model would say if a row had other values."""
    kind = kept.comparison.kind
    frame = kept.frame_of(values)
    now = kept.said(model, frame)[0]
    before = kept.said(model, kept.items.frame.iloc[[row]])[0]
    exact = kept.exact(model, frame)
    reasons: tuple[tuple[str, str], ...] = ()
    if exact is not None:
        adds = dict(zip(exact.names, exact.values, strict=True))
        reach = max(map(abs, exact.values))
        reasons = tuple(
            (show_name(column, 30), signed(adds[column], texts, reach))
            for column in _order(exact)[:_MOST_FACTS]
        )
    return View(
        row=row,
        name=show_name(kept.items.names[row]),
        sliders=sliders_of(kept.items, values, texts),
        said=said_words(now, kind, texts),
        before=said_words(before, kind, texts),
        reasons=reasons,
    )
