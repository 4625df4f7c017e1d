"""Models of the answers of all participants that can be read on one page."""

from dataclasses import dataclass
from typing import Any

from penchant.data import Comparisons, Items
from penchant.exceptions import DataError, NotAnswerableError
from penchant.gai import GAIRankerCV
from penchant.rules import RuleRanker
from penchant.studies._directed_rules import fit_directed_rules

_MOST_RULES = 12


@dataclass(frozen=True, eq=False)
class GroupModels:
    """Two models of all answers together that can be read on one page.

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
    """

    rules: RuleRanker
    gai: GAIRankerCV
    n_comparisons: int
    contradicted: tuple[str, ...] = ()


def group_models(items: Items, comparisons: Comparisons) -> GroupModels:
    """Fit rules and a sparse GAI model to the answers of all.

    Both keep to the known directions of attributes: neither ever says that more rent
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
    return GroupModels(rules, gai, len(comparisons.winners), contradicted)
