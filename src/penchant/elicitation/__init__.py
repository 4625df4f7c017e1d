"""Which question to ask next, and when to stop: policies, conversations, simulation."""

from penchant.elicitation import policies
from penchant.elicitation._batch import batch
from penchant.elicitation._best import BestItem, count_wins, gains_over
from penchant.elicitation._choice import leading_items
from penchant.elicitation._dominance import Dominance
from penchant.elicitation._draws import covariance_root, normal_draws
from penchant.elicitation._elicitor import Elicitor
from penchant.elicitation._history import History
from penchant.elicitation._questions import Forecast, Question, Recommendation, Told
from penchant.elicitation._simulate import FlippedAnswers, ProbitAnswers, simulate
from penchant.elicitation._simulation import Simulation
from penchant.elicitation._step import Setting, Step, tell_known
from penchant.elicitation._stopping import StopRule

__all__ = [
    "BestItem",
    "Dominance",
    "Elicitor",
    "FlippedAnswers",
    "Forecast",
    "History",
    "ProbitAnswers",
    "Question",
    "Recommendation",
    "Setting",
    "Simulation",
    "Step",
    "StopRule",
    "Told",
    "batch",
    "count_wins",
    "covariance_root",
    "gains_over",
    "leading_items",
    "normal_draws",
    "policies",
    "simulate",
    "tell_known",
]
