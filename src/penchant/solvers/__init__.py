"""Optimisation: arrays in, arrays and a certificate out."""

from penchant.solvers._anova_evidence import AnovaEvidence, AnovaEvidenceResult
from penchant.solvers._evidence import Evidence
from penchant.solvers._evidence_gradient import EvidenceGradient, evidence_gradient
from penchant.solvers._expectation_propagation import (
    EPResult,
    expectation_propagation,
)
from penchant.solvers._factors import evaluate_factor
from penchant.solvers._isotonic import nearest_monotone
from penchant.solvers._laplace import LaplaceResult, laplace
from penchant.solvers._monotone import (
    MobiusFit,
    MobiusProblem,
    choose_cone,
    fit_mobius,
    project_monotone,
)
from penchant.solvers._sites import Rows, SiteDerivatives, Sites, TiltedMoments
from penchant.solvers._sparse_gai import SparseGAIProblem, SparseGAIResult

__all__ = [
    "AnovaEvidence",
    "AnovaEvidenceResult",
    "EPResult",
    "Evidence",
    "EvidenceGradient",
    "LaplaceResult",
    "MobiusFit",
    "MobiusProblem",
    "Rows",
    "SiteDerivatives",
    "Sites",
    "SparseGAIProblem",
    "SparseGAIResult",
    "TiltedMoments",
    "choose_cone",
    "evaluate_factor",
    "evidence_gradient",
    "expectation_propagation",
    "fit_mobius",
    "laplace",
    "nearest_monotone",
    "project_monotone",
]
