"""Approximate inference: Laplace, expectation propagation, evidence and its slopes."""

from penchant.gp.inference._evidence_gradient import EvidenceGradient, evidence_gradient
from penchant.gp.inference._expectation_propagation import (
    EPResult,
    expectation_propagation,
)
from penchant.gp.inference._laplace import LaplaceResult, laplace
from penchant.gp.inference._sites import Rows, SiteDerivatives, Sites

__all__ = [
    "EPResult",
    "EvidenceGradient",
    "LaplaceResult",
    "Rows",
    "SiteDerivatives",
    "Sites",
    "evidence_gradient",
    "expectation_propagation",
    "laplace",
]
