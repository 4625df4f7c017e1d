"""The rules, curves, pairs and Choquet model of all answers, as one page shows them."""

from math import ceil, isnan, log10
from types import SimpleNamespace as View
from typing import Any, Final

import numpy as np
from babel.numbers import format_decimal

from penchant.data import Attribute, Items
from penchant.learning import ModelPart, read_model
from penchant.studies import Curve, GroupModels
from penchant.texts import Texts
from penchant.views._charts import Axis, Bar, NumberRow, Numbers
from penchant.views._display import grid_value, show_name
from penchant.views._segments import lines_view, points_axis

_LONGEST_RULE: Final = 300
_SIGNS: Final = {"<=": "≤", ">=": "≥", "!=": "≠"}
_LEAST_SHARE: Final = 0.01
_MOST_CURVES: Final = 8
_GRID: Final = 25
_SHADES: Final = 4
_MOST_CELLS: Final = 7
_MOST_PAIRS: Final = 6


def model_view(models: GroupModels, items: Items, texts: Texts) -> View:
    """Show the models of all answers.

    Parameters
    ----------
    models : GroupModels
        As `penchant.studies.Study.group_models` gives them.
    items : Items
        The alternatives.
    texts : Texts
        In the language of the owner, about the study.
    """
    rules, zero = _rules(models.rules, texts)
    shares = _shares(models.gai)
    factors = tuple(_factor(models.gai, f, s, texts) for f, s in shares.items())
    return View(
        lead=texts.count("owner.model.learned", models.n_comparisons),
        contradicted=_contradicted(models, texts),
        rules=rules,
        zero=zero,
        factors=factors,
        curves=_curves(models.gai, [f[0] for f in shares if len(f) == 1], items, texts),
        rule_numbers=Numbers(
            (texts("owner.model.rule"), texts("owner.model.weight")),
            tuple(NumberRow(row.text, (row.weight,)) for row in rules),
        ),
        factor_numbers=Numbers(
            (texts("owner.model.part"), texts("owner.model.share")),
            tuple(NumberRow(row.name, (row.share,)) for row in factors),
        ),
        pairs=pair_tables(models, items, texts),
        certificate=_certificate(models.gai.dual_gap_, texts),
        choquet=choquet_view(models, texts),
    )


def _rules(model: Any, texts: Texts) -> tuple[tuple[View, ...], float]:
    signed = [
        rule.weight if rule.target == "better" else -rule.weight
        for rule in model.rules_
    ]
    axis = Axis.both_sides(signed)
    if min(signed, default=0.0) >= 0:
        axis = Axis(0.0, axis.high)
    rows = []
    for rule, weight in zip(model.rules_, signed, strict=True):
        text = show_name(_rule_words(rule, model.vocabulary_, texts), _LONGEST_RULE)
        number = _weight(weight, texts)
        key = "owner.model.rule_for" if weight >= 0 else "owner.model.rule_against"
        words = texts(key, rule=text, weight=number)
        rows.append(
            View(
                text=text,
                weight=number,
                bar=Bar.placed(axis, 0.0, weight, weight, weight),
                words=words,
            )
        )
    return tuple(rows), axis.place(0.0)


def _rule_words(rule: Any, vocabulary: Any, texts: Texts) -> str:
    """Write when a rule holds as people do, in the language of the reader."""
    told = []
    for condition in rule.feature.conditions:
        i, text = condition.attribute, condition.text(vocabulary)
        attribute = vocabulary.attributes[i]
        if attribute.kind == "numeric" and not isnan(condition.value):
            plain = vocabulary.value_text(i, condition.value)
            number = float(vocabulary.to_units(i, condition.value))
            text = text.removesuffix(plain) + texts.value(attribute, number)
        for plain, sign in _SIGNS.items():
            text = text.replace(f" {plain} ", f" {sign} ")
        told.append(text)
    return texts.listed(told)


def _weight(weight: float, texts: Texts) -> str:
    return format_decimal(weight, "+0.00;\N{MINUS SIGN}0.00", locale=texts.locale)


def _contradicted(models: GroupModels, texts: Texts) -> str:
    """Say of which attributes the answers alone would tell the opposite."""
    if not models.contradicted:
        return ""
    names = [show_name(name, 40) for name in models.contradicted]
    return texts("owner.model.contradicted", attributes=texts.listed(names))


def _shares(model: Any) -> dict[tuple[int, ...], float]:
    """Give the parts that matter, the largest first."""
    pairs = zip(model.factors_, model.variance_shares_.tolist(), strict=True)
    ordered = sorted(pairs, key=lambda pair: -pair[1])
    return {factor: share for factor, share in ordered if share >= _LEAST_SHARE}


def _factor(model: Any, factor: tuple[int, ...], share: float, texts: Texts) -> View:
    names = [show_name(model.encoding_.names[i], 40) for i in factor]
    name = names[0]
    if len(names) > 1:
        name = texts("owner.model.together", a=names[0], b=names[1])
    return _part(name, share, texts)


def _part(name: str, share: float, texts: Texts) -> View:
    """Show a part of a model with its share as a bar."""
    return View(
        name=name,
        share=texts.share(share),
        width=round(100 * share, 1),
        words=texts("owner.model.part_share", part=name, share=texts.share(share)),
    )


def _curves(
    model: Any, chosen: list[int], items: Items, texts: Texts
) -> tuple[View, ...]:
    scale = _scale(model, items)
    attributes = {attribute.name: attribute for attribute in items.attributes}
    points_word = texts("owner.model.points")
    found = []
    for i in chosen[:_MOST_CURVES]:
        grid = tuple(model.encoding_.grid(i, _GRID))
        points = scale * model.factor_function(i)(grid)
        attribute: Attribute = attributes[model.encoding_.names[i]]
        found.append(
            (attribute, Curve(attribute.name, grid, points, points, points, 0))
        )
    axis = points_axis(curve for _, curve in found)
    return tuple(
        lines_view(attribute, [curve], [points_word], axis, texts)
        for attribute, curve in found
    )


def _scale(model: Any, items: Items) -> float:
    """Give the points of one unit of utility: the whole table spans 100 points."""
    whole = items.impute("middle") if items.missing() else items  # as it was fitted
    return 100.0 / (float(np.ptp(model.utility(whole))) or 1.0)


def pair_tables(models: GroupModels, items: Items, texts: Texts) -> tuple[Any, ...]:
    """Show the pairs of the sparse model as tables, in points of the whole table."""
    scale = _scale(models.gai, items)
    attributes = {attribute.name: attribute for attribute in items.attributes}
    pairs = [
        part
        for part in read_model(models.gai)
        if part.kind == "pair" and part.size >= _LEAST_SHARE
    ]
    return tuple(_table(part, scale, attributes, texts) for part in pairs)


def _table(
    part: ModelPart, scale: float, attributes: dict[str, Attribute], texts: Texts
) -> View:
    first, second = (attributes[name] for name in part.names)
    points = scale * np.asarray(part.values, dtype=np.float64)
    places = [_some(len(side)) for side in part.grid]
    reach = float(np.abs(points).max()) or 1.0
    rows = tuple(
        (
            grid_value(first, part.grid[0], i, texts, 30),
            tuple(_cell(float(points[i, j]), reach, texts) for j in places[1]),
        )
        for i in places[0]
    )
    names = [show_name(name, 40) for name in part.names]
    return View(
        title=texts("owner.model.together", a=names[0], b=names[1]),
        share=texts.share(part.size),
        columns=tuple(
            grid_value(second, part.grid[1], j, texts, 30) for j in places[1]
        ),
        rows=rows,
    )


def _some(n: int) -> list[int]:
    """Give places of at most seven of n values, the ends among them."""
    return sorted({round(k) for k in np.linspace(0, n - 1, min(n, _MOST_CELLS))})


def _cell(points: float, reach: float, texts: Texts) -> View:
    """Give points with their shade: p1 to p4 for, m1 to m4 against, empty: none."""
    shade = ceil(_SHADES * abs(points) / reach - 0.5)
    side = "p" if points > 0 else "m"
    return View(
        points=texts.signed(points), shade=f"{side}{shade}" if shade > 0 else ""
    )


def choquet_view(models: GroupModels, texts: Texts) -> View | None:
    """Show the Choquet reading; None if there is none."""
    model = models.choquet
    if model is None:
        return None
    parts = read_model(model)
    criteria = [part for part in parts if part.kind == "criterion"]
    total = sum(part.size for part in criteria) or 1.0
    left = [show_name(name, 40) for name in models.unordered]
    return View(
        fits=texts(
            "choquet.fits",
            own=texts.number(round(100 * models.choquet_right)),
            curves=texts.number(round(100 * models.gai_right)),
        ),
        certificate=_certificate(model.dual_gap_, texts),
        left=texts("choquet.left", attributes=texts.listed(left)) if left else "",
        importance=tuple(
            _part(show_name(part.names[0], 40), part.size / total, texts)
            for part in criteria
        ),
        together=tuple(_pairs(parts, total, texts)),
    )


def _pairs(parts: tuple[ModelPart, ...], total: float, texts: Texts) -> list[str]:
    found = []
    for part in parts:
        share = part.size / total
        if part.kind != "interaction" or abs(share) < _LEAST_SHARE:
            continue
        key = "choquet.both" if share > 0 else "choquet.either"
        a, b = (show_name(name, 40) for name in part.names)
        found.append(texts(key, a=a, b=b, share=texts.share(abs(share))))
    return found[:_MOST_PAIRS]


def _certificate(gap: float, texts: Texts) -> str:
    if isnan(gap):
        return texts("choquet.no_certificate")
    bound = 10.0 ** ceil(log10(max(gap, 1e-6)))
    return texts("choquet.certificate", gap=texts.number(bound))
