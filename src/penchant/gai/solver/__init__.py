"""Solvers of sparse GAI problems: arrays in, arrays and a certificate out."""

from penchant.gai.solver._evidence import Evidence
from penchant.gai.solver._isotonic import nearest_monotone
from penchant.gai.solver._sparse_gai import SparseGAIProblem, SparseGAIResult

__all__ = [
    "Evidence",
    "SparseGAIProblem",
    "SparseGAIResult",
    "nearest_monotone",
]
