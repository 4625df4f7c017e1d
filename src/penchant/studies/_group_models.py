"""Models of the answers of all participants that can be read on one page."""

from dataclasses import dataclass
from typing import Any

from penchant.data import Comparisons, Items
from penchant.exceptions import DataError, NotAnswerableError
from penchant.models import GAIRankerCV, RuleRanker

__all__ = ["GroupModels", "group_models"]

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
    """

    rules: RuleRanker
    gai: GAIRankerCV
    n_comparisons: int


def group_models(items: Items, comparisons: Comparisons) -> GroupModels:
    """Fit rules and a sparse GAI model to the answers of all.

    Takes seconds for a thousand comparisons.

    Parameters
    ----------
    items : Items
        The alternatives, without gaps.
    comparisons : Comparisons
        Of all people.
    """
    pooled: Any = comparisons.pooled()
    try:
        gai = GAIRankerCV(preset="fast", sparse=True, max_order=2).fit(items, pooled)
        rules = RuleRanker(max_rules=_MOST_RULES).fit(items, pooled)
    except DataError as error:
        raise NotAnswerableError(
            f"There are too few answers for rules of the whole group: {error}"
        ) from error
    return GroupModels(rules, gai, len(comparisons.winners))
