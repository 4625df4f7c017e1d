"""Models of the answers of all participants that can be read on one page."""

import warnings
from dataclasses import dataclass
from typing import Any

from penchant.choquet import ChoquetRanker
from penchant.data import Comparisons, Items
from penchant.exceptions import DataError, DirectionWarning, NotAnswerableError
from penchant.gai import GAIRankerCV
from penchant.rules import RuleRanker
from penchant.studies._directed_rules import fit_directed_rules

_MOST_RULES = 12


@dataclass(frozen=True, eq=False)
class GroupModels:
    """Models of all answers together that can be read on one page.

    Parameters
    ----------
    rules : RuleRanker
        Few weighted rules.
    gai : GAIRankerCV
        A sparse sum of functions of one or two attributes.
    n_comparisons : int
        What they were fitted on.
    contradicted : tuple of str
        Attributes of which the answers alone say the opposite of the known direction;
        rules to that effect are left out.
    choquet : ChoquetRanker or None
        A monotone model of importance and interaction; None: fewer than two
        attributes have an order.
    unordered : tuple of str
        Attributes that it leaves out, since their levels have no order.
    gai_right, choquet_right : float
        Share of the answers that each puts in the right order, of those that it was
        learned from.
    """

    rules: RuleRanker
    gai: GAIRankerCV
    n_comparisons: int
    contradicted: tuple[str, ...] = ()
    choquet: ChoquetRanker | None = None
    unordered: tuple[str, ...] = ()
    gai_right: float = float("nan")
    choquet_right: float = float("nan")


def group_models(items: Items, comparisons: Comparisons) -> GroupModels:
    """Fit rules, a sparse GAI model and a Choquet integral to the answers of all.

    All keep to the known directions of attributes: none ever says that more rent
    is better. Takes seconds for a thousand comparisons.

    Parameters
    ----------
    items : Items
        The alternatives, without gaps.
    comparisons : Comparisons
        Of all people.
    """
    pooled: Any = comparisons.pooled()
    try:
        gai = GAIRankerCV(
            preset="fast", sparse=True, max_order=2, monotone="directions"
        ).fit(items, pooled)
        rules, contradicted = fit_directed_rules(items, pooled, _MOST_RULES)
    except DataError as error:
        raise NotAnswerableError(
            f"There are too few answers for rules of the whole group: {error}"
        ) from error
    choquet, unordered, right = _choquet(items, pooled)
    return GroupModels(
        rules,
        gai,
        len(comparisons.winners),
        contradicted,
        choquet,
        unordered,
        float(gai.score(items, pooled)),
        right,
    )


def _choquet(
    items: Items, pooled: Any
) -> tuple[ChoquetRanker | None, tuple[str, ...], float]:
    """Fit a Choquet integral to the attributes that have an order."""
    ordered = [a for a in items.attributes if a.kind != "categorical"]
    out = tuple(a.name for a in items.attributes if a.kind == "categorical")
    if len(ordered) < 2:
        return None, out, float("nan")
    table = Items(items.frame[[a.name for a in ordered]], tuple(ordered), items.names)
    with warnings.catch_warnings():
        # The owner knows better: rules say where the answers alone would contradict.
        warnings.simplefilter("ignore", DirectionWarning)
        model = ChoquetRanker(k=2).fit(table, pooled)
    return model, out, float(model.score(table, pooled))
