"""Which question to ask next, and when to stop: policies, conversations, simulation."""

from penchant.elicitation import policies
from penchant.elicitation._batch import batch
from penchant.elicitation._elicitor import Elicitor
from penchant.elicitation._forecast import Forecast
from penchant.elicitation._questions import Question, Recommendation, Told
from penchant.elicitation._simulate import FlippedAnswers, ProbitAnswers, simulate
from penchant.elicitation._simulation import Simulation
from penchant.elicitation._stopping import StopRule

__all__ = [
    "Elicitor",
    "FlippedAnswers",
    "Forecast",
    "ProbitAnswers",
    "Question",
    "Recommendation",
    "Simulation",
    "StopRule",
    "Told",
    "batch",
    "policies",
    "simulate",
]
