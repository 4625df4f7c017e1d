"""Which question to ask next, and when to stop: policies, conversations, simulation."""

from penchant.elicitation import policies
from penchant.elicitation._batch import batch
from penchant.elicitation._belief import BestItem, Recommendation
from penchant.elicitation._conversation import Conversation, Setting, tell_known
from penchant.elicitation._dominance import Dominance
from penchant.elicitation._elicitor import Elicitor
from penchant.elicitation._forecast import Forecast, carry_on, draw_people
from penchant.elicitation._history import Question, Told
from penchant.elicitation._simulate import FlippedAnswers, ProbitAnswers, simulate
from penchant.elicitation._simulation import Simulation
from penchant.elicitation._stopping import StopRule

__all__ = [
    "BestItem",
    "Conversation",
    "Dominance",
    "Elicitor",
    "FlippedAnswers",
    "Forecast",
    "ProbitAnswers",
    "Question",
    "Recommendation",
    "Setting",
    "Simulation",
    "StopRule",
    "Told",
    "batch",
    "carry_on",
    "draw_people",
    "policies",
    "simulate",
    "tell_known",
]
