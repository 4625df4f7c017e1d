"""Optimisation: arrays in, arrays and a certificate out."""

from penchant.solvers._anova_evidence import AnovaEvidence, AnovaEvidenceResult
from penchant.solvers._column_source import ColumnSource, Priced, SampledSource
from penchant.solvers._evidence import Evidence
from penchant.solvers._evidence_gradient import EvidenceGradient, evidence_gradient
from penchant.solvers._expectation_propagation import (
    EPResult,
    expectation_propagation,
)
from penchant.solvers._factors import evaluate_factor
from penchant.solvers._fictitious_play import fictitious_play
from penchant.solvers._game_solution import GameSolution
from penchant.solvers._isotonic import nearest_monotone
from penchant.solvers._laplace import LaplaceResult, laplace
from penchant.solvers._margin_program import (
    MarginRound,
    MarginSolution,
    solve_margin,
)
from penchant.solvers._matrix_games import solve_matrix_game
from penchant.solvers._matrix_source import MatrixSource
from penchant.solvers._monotone import (
    MobiusFit,
    MobiusProblem,
    choose_cone,
    fit_mobius,
    project_monotone,
)
from penchant.solvers._random_replacement import replace_randomly
from penchant.solvers._sites import Rows, SiteDerivatives, Sites, TiltedMoments
from penchant.solvers._sparse_gai import SparseGAIProblem, SparseGAIResult

__all__ = [
    "AnovaEvidence",
    "AnovaEvidenceResult",
    "ColumnSource",
    "EPResult",
    "Evidence",
    "EvidenceGradient",
    "GameSolution",
    "LaplaceResult",
    "MarginRound",
    "MarginSolution",
    "MatrixSource",
    "MobiusFit",
    "MobiusProblem",
    "Priced",
    "Rows",
    "SampledSource",
    "SiteDerivatives",
    "Sites",
    "SparseGAIProblem",
    "SparseGAIResult",
    "TiltedMoments",
    "choose_cone",
    "evaluate_factor",
    "evidence_gradient",
    "expectation_propagation",
    "fictitious_play",
    "fit_mobius",
    "laplace",
    "nearest_monotone",
    "project_monotone",
    "replace_randomly",
    "solve_margin",
    "solve_matrix_game",
]
