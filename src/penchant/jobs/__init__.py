"""Models learned from files: jobs in processes of their own, and what they leave."""

from penchant.jobs._asked import (
    JobSettings,
    TargetGuess,
    guess_target,
    kind_of,
    read_job,
)
from penchant.jobs._kept import KeptModel, Reasons, Said, game_of
from penchant.jobs._notebook import model_notebook
from penchant.jobs._runner import Limits, Runner
from penchant.jobs._work import work

__all__ = [
    "JobSettings",
    "KeptModel",
    "Limits",
    "Reasons",
    "Runner",
    "Said",
    "TargetGuess",
    "game_of",
    "guess_target",
    "kind_of",
    "model_notebook",
    "read_job",
    "work",
]
