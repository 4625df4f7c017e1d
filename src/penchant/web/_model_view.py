"""The rules and the sparse model of all answers, as one page shows them."""

from dataclasses import dataclass
from typing import Any, Final

import numpy as np

from penchant.data import Attribute, Items
from penchant.studies import Curve, GroupModels, Texts, load_texts
from penchant.web._charts import Axis, Bar, NumberRow, Numbers
from penchant.web._display import show_name
from penchant.web._group_curves import CurveView, lines_view
from penchant.web._views import count

__all__ = ["ModelView", "model_view"]

_LONGEST_RULE: Final = 300
_LEAST_SHARE: Final = 0.01
_MOST_CURVES: Final = 8
_GRID: Final = 25


@dataclass(frozen=True)
class RuleRow:
    """A rule and its weight; rules against go to the left."""

    text: str
    weight: str
    bar: Bar
    words: str


@dataclass(frozen=True)
class FactorRow:
    """A part of the model and its share."""

    name: str
    share: str
    width: float
    words: str


@dataclass(frozen=True)
class ModelView:
    """Two models of all answers.

    Parameters
    ----------
    lead : str
        What they were learned from.
    rules : tuple of RuleRow
        The heaviest first.
    zero : float
        Where no weight is, in percent.
    factors : tuple of FactorRow
        The parts of the sparse model that matter.
    curves : tuple of CurveView
        Its curves.
    rule_numbers, factor_numbers : Numbers
        The tables behind the charts.
    """

    lead: str
    rules: tuple[RuleRow, ...]
    zero: float
    factors: tuple[FactorRow, ...]
    curves: tuple[CurveView, ...]
    rule_numbers: Numbers
    factor_numbers: Numbers


def model_view(models: GroupModels, items: Items) -> ModelView:
    """Show the models of all answers.

    Parameters
    ----------
    models : GroupModels
        As `penchant.studies.Study.group_models` gives them.
    items : Items
        The alternatives.
    """
    texts = load_texts("en")
    rules, zero = _rules(models.rules, texts)
    shares = _shares(models.gai)
    factors = tuple(_factor(models.gai, f, s, texts) for f, s in shares.items())
    return ModelView(
        f"From {count(models.n_comparisons, 'comparison')} of all participants",
        rules,
        zero,
        factors,
        _curves(models.gai, [f[0] for f in shares if len(f) == 1], items, texts),
        Numbers(
            ("Rule", "Weight"),
            tuple(NumberRow(row.text, (row.weight,)) for row in rules),
        ),
        Numbers(
            ("Part", "Share"),
            tuple(NumberRow(row.name, (row.share,)) for row in factors),
        ),
    )


def _rules(model: Any, texts: Texts) -> tuple[tuple[RuleRow, ...], float]:
    signed = [
        rule.weight if rule.target == "better" else -rule.weight
        for rule in model.rules_
    ]
    axis = Axis.both_sides(signed)
    if min(signed, default=0.0) >= 0:
        axis = Axis(0.0, axis.high)
    rows = []
    for rule, weight in zip(model.rules_, signed, strict=True):
        text = show_name(rule.text, _LONGEST_RULE)
        number = f"{weight:+.2f}".replace("-", "\N{MINUS SIGN}")
        side = "for" if weight >= 0 else "against"
        words = f"{text}: speaks {side} an alternative, weight {number}"
        rows.append(RuleRow(text, number, Bar.on(axis, 0.0, weight, 0.0), words))
    return tuple(rows), axis.at(0.0)


def _shares(model: Any) -> dict[tuple[int, ...], float]:
    """Give the parts that matter, the largest first."""
    pairs = zip(model.factors_, model.variance_shares_.tolist(), strict=True)
    ordered = sorted(pairs, key=lambda pair: -pair[1])
    return {factor: share for factor, share in ordered if share >= _LEAST_SHARE}


def _factor(
    model: Any, factor: tuple[int, ...], share: float, texts: Texts
) -> FactorRow:
    names = [show_name(model.encoding_.names[i], 40) for i in factor]
    name = " with ".join(names)
    return FactorRow(
        name,
        texts.share(share),
        round(100 * share, 1),
        f"{name}: {texts.share(share)} of the differences",
    )


def _curves(
    model: Any, chosen: list[int], items: Items, texts: Texts
) -> tuple[CurveView, ...]:
    """Draw curves so that the whole utility of the table spans 100 points."""
    utility = model.utility(items)
    scale = 100.0 / (float(np.ptp(utility)) or 1.0)
    attributes = {attribute.name: attribute for attribute in items.attributes}
    views = []
    for i in chosen[:_MOST_CURVES]:
        grid = tuple(model.encoding_.grid(i, _GRID))
        points = scale * model.factor_function(i)(grid)
        attribute: Attribute = attributes[model.encoding_.names[i]]
        curve = Curve(attribute.name, grid, points, points, points, 0.0)
        views.append(lines_view(attribute, [curve], ["Points"], texts))
    return tuple(views)
