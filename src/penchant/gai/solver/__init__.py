"""Solvers of sparse GAI problems: arrays in, arrays and a certificate out."""

from penchant.gai.solver._anova_evidence import AnovaEvidence, AnovaEvidenceResult
from penchant.gai.solver._evidence import Evidence
from penchant.gai.solver._isotonic import nearest_monotone
from penchant.gai.solver._sparse_gai import SparseGAIProblem, SparseGAIResult

__all__ = [
    "AnovaEvidence",
    "AnovaEvidenceResult",
    "Evidence",
    "SparseGAIProblem",
    "SparseGAIResult",
    "nearest_monotone",
]
