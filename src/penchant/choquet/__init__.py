"""Choquet integrals: capacities, monotone models and kernel machines."""

from penchant.choquet._capacity import Capacity
from penchant.choquet._classifier import ChoquetClassifier
from penchant.choquet._estimators import ChoquetRanker, ChoquetRegressor
from penchant.choquet._explicit import apply_marginals
from penchant.choquet._kernel_capacity import KernelCapacity
from penchant.choquet._set_readings import CapacityComparison
from penchant.choquet._svm import ChoquetSVC, ChoquetSVR

__all__ = [
    "Capacity",
    "CapacityComparison",
    "ChoquetClassifier",
    "ChoquetRanker",
    "ChoquetRegressor",
    "ChoquetSVC",
    "ChoquetSVR",
    "KernelCapacity",
    "apply_marginals",
]
