"""Which question to ask next, and when to stop: policies, conversations, simulation."""

from penchant.elicitation import policies
from penchant.elicitation._batch import batch
from penchant.elicitation._belief import BestItem, Recommendation
from penchant.elicitation._conversation import Conversation, Setting, tell_known
from penchant.elicitation._dominance import Dominance
from penchant.elicitation._elicitor import Elicitor
from penchant.elicitation._history import History, Question, Told, pair_evidence
from penchant.elicitation._simulate import FlippedAnswers, ProbitAnswers, simulate
from penchant.elicitation._simulation import Simulation
from penchant.elicitation._stopping import StopRule
from penchant.elicitation.person import (
    MainReason,
    PersonBelief,
    PersonSpace,
    Ranges,
    Reason,
    Together,
    learn_like_earlier,
)

__all__ = [
    "BestItem",
    "Conversation",
    "Dominance",
    "Elicitor",
    "FlippedAnswers",
    "History",
    "MainReason",
    "PersonBelief",
    "PersonSpace",
    "ProbitAnswers",
    "Question",
    "Ranges",
    "Reason",
    "Recommendation",
    "Setting",
    "Simulation",
    "StopRule",
    "Together",
    "Told",
    "batch",
    "learn_like_earlier",
    "pair_evidence",
    "policies",
    "simulate",
    "tell_known",
]
