"""GAI utilities from a thousand rows to a million: bins, sums over blocks, a path."""

from penchant.gai.binned._fit import BinnedFit, Evidence, fit_binned
from penchant.gai.binned._losses import (
    Grades,
    Hinge,
    Logistic,
    Loss,
    Preference,
    Squared,
    Tube,
)
from penchant.gai.binned._utility import BinnedGAI

__all__ = [
    "BinnedFit",
    "BinnedGAI",
    "Evidence",
    "Grades",
    "Hinge",
    "Logistic",
    "Loss",
    "Preference",
    "Squared",
    "Tube",
    "fit_binned",
]
