"""Groups: what may be said about many people from the answers of all."""

from penchant.elicitation.groups._careless import (
    careless_kind,
    log_careless,
    own_checks,
)
from penchant.elicitation.groups._group_belief import (
    Consensus,
    GroupBelief,
    believe_group,
)
from penchant.elicitation.groups._lines import GroupLines
from penchant.elicitation.groups._people import Newcomer, PersonAnswers
from penchant.elicitation.groups._votes import quantiles

__all__ = [
    "Consensus",
    "GroupBelief",
    "GroupLines",
    "Newcomer",
    "PersonAnswers",
    "believe_group",
    "careless_kind",
    "log_careless",
    "own_checks",
    "quantiles",
]
