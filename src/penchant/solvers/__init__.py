"""Optimisation: arrays in, arrays and a certificate out."""

from penchant.solvers._anova_evidence import AnovaEvidence, AnovaEvidenceResult
from penchant.solvers._evidence import Evidence
from penchant.solvers._factors import evaluate_factor
from penchant.solvers._isotonic import nearest_monotone
from penchant.solvers._monotone import (
    MobiusFit,
    MobiusProblem,
    choose_cone,
    fit_mobius,
    project_monotone,
)
from penchant.solvers._sparse_gai import SparseGAIProblem, SparseGAIResult

__all__ = [
    "AnovaEvidence",
    "AnovaEvidenceResult",
    "Evidence",
    "MobiusFit",
    "MobiusProblem",
    "SparseGAIProblem",
    "SparseGAIResult",
    "choose_cone",
    "evaluate_factor",
    "fit_mobius",
    "nearest_monotone",
    "project_monotone",
]
