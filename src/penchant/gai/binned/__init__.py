"""GAI utilities from a thousand rows to a million: bins, sums over blocks, a path."""

from penchant.gai.binned._fit import BinnedFit, Rows, fit_binned
from penchant.gai.binned._losses import (
    Grades,
    Logistic,
    Loss,
    Preference,
    Squared,
    Tube,
)
from penchant.gai.binned._memory import check_memory
from penchant.gai.binned._spread import Spread, is_spread, read_column
from penchant.gai.binned._utility import BinnedGAI
from penchant.gai.binned._watch import FitProgress, Watch, watched

__all__ = [
    "BinnedFit",
    "BinnedGAI",
    "FitProgress",
    "Grades",
    "Logistic",
    "Loss",
    "Preference",
    "Rows",
    "Spread",
    "Squared",
    "Tube",
    "Watch",
    "check_memory",
    "fit_binned",
    "is_spread",
    "read_column",
    "watched",
]
