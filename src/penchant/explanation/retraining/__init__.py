"""Explanations of any model by refitting it on part of the attributes."""

from penchant.explanation.retraining._coalitional import CoalitionalExplainer
from penchant.explanation.retraining._explainers import (
    CompleteExplainer,
    DepthExplainer,
    LeastSquaresExplainer,
)

__all__ = [
    "CoalitionalExplainer",
    "CompleteExplainer",
    "DepthExplainer",
    "LeastSquaresExplainer",
]
