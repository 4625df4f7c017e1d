"""The one belief about a person, and what may be told of it."""

from penchant.elicitation.person._belief import PersonBelief, learn_like_earlier
from penchant.elicitation.person._rows import Reason
from penchant.elicitation.person._space import PersonSpace
from penchant.elicitation.person._statements import MainReason, Ranges, Together

__all__ = [
    "MainReason",
    "PersonBelief",
    "PersonSpace",
    "Ranges",
    "Reason",
    "Together",
    "learn_like_earlier",
]
