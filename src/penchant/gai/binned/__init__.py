"""GAI utilities from a thousand rows to a million: bins, sums over blocks, a path."""

from penchant.gai.binned._fit import BinnedFit, Rows, fit_binned
from penchant.gai.binned._losses import (
    Grades,
    Hinge,
    Logistic,
    Loss,
    Preference,
    Squared,
    Tube,
)
from penchant.gai.binned._precision import FactorError, factor_errors, has_errors
from penchant.gai.binned._spread import Spread, is_spread, read_column
from penchant.gai.binned._utility import BinnedGAI

__all__ = [
    "BinnedFit",
    "BinnedGAI",
    "FactorError",
    "Grades",
    "Hinge",
    "Logistic",
    "Loss",
    "Preference",
    "Rows",
    "Spread",
    "Squared",
    "Tube",
    "factor_errors",
    "fit_binned",
    "has_errors",
    "is_spread",
    "read_column",
]
