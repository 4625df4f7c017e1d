"""Sparse GAI utilities: a curve per attribute and a surface per interacting group."""

from penchant.gai._bands import Band, curve_bands
from penchant.gai._base import BaseGAI
from penchant.gai._choice import GAICandidate, GAIChoice
from penchant.gai._classifier import GAIClassifier
from penchant.gai._cv import GAIRankerCV, GAIRegressorCV
from penchant.gai._estimators import GAIRanker, GAIRegressor
from penchant.gai._mixture import MixedGAI

__all__ = [
    "Band",
    "BaseGAI",
    "GAICandidate",
    "GAIChoice",
    "GAIClassifier",
    "GAIRanker",
    "GAIRankerCV",
    "GAIRegressor",
    "GAIRegressorCV",
    "MixedGAI",
    "curve_bands",
]
