"""Utilities that are sums of parts, and what every such model can do."""

from penchant.utility._factors import (
    FactorDictionary,
    Subset,
    SubsetKernels,
    evaluate_factor,
)
from penchant.utility._model import FactorFunction, GAIModel
from penchant.utility._network import CompactGAI, Configuration
from penchant.utility._parts import (
    DualGAI,
    Factor,
    GAIUtility,
    Kind,
    KnotMap,
    TensorGAI,
    sum_orders,
)

__all__ = [
    "CompactGAI",
    "Configuration",
    "DualGAI",
    "Factor",
    "FactorDictionary",
    "FactorFunction",
    "GAIModel",
    "GAIUtility",
    "Kind",
    "KnotMap",
    "Subset",
    "SubsetKernels",
    "TensorGAI",
    "evaluate_factor",
    "sum_orders",
]
