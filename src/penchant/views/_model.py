"""The rules and the sparse model of all answers, as one page shows them."""

from types import SimpleNamespace as View
from typing import Any, Final

import numpy as np
from babel.numbers import format_decimal

from penchant.data import Attribute, Items
from penchant.studies import Curve, GroupModels
from penchant.texts import Texts
from penchant.views._charts import Axis, Bar, NumberRow, Numbers
from penchant.views._display import show_name
from penchant.views._group_curves import lines_view, points_axis
from penchant.views.groups import (
    choquet_view,
    curves_certificate,
    pair_tables,
)

_LONGEST_RULE: Final = 300
_SIGNS: Final = {"<=": "≤", ">=": "≥", "!=": "≠"}
_LEAST_SHARE: Final = 0.01
_MOST_CURVES: Final = 8
_GRID: Final = 25


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
        certificate=curves_certificate(models, texts),
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
        text = show_name(_with_signs(rule.text), _LONGEST_RULE)
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


def _with_signs(text: str) -> str:
    """Write relations as people do."""
    for plain, sign in _SIGNS.items():
        text = text.replace(f" {plain} ", f" {sign} ")
    return text


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
    return View(
        name=name,
        share=texts.share(share),
        width=round(100 * share, 1),
        words=texts("owner.model.part_share", part=name, share=texts.share(share)),
    )


def _curves(
    model: Any, chosen: list[int], items: Items, texts: Texts
) -> tuple[View, ...]:
    """Draw curves so that the whole utility of the table spans 100 points."""
    utility = model.utility(items)
    scale = 100.0 / (float(np.ptp(utility)) or 1.0)
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
