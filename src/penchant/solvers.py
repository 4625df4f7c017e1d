"""Solvers of all ideas: arrays in, arrays and a certificate out.

Each lives beside the idea that it serves and is imported when it is asked for.
"""

from typing import TYPE_CHECKING

from penchant._lazy import offer

if TYPE_CHECKING:
    from penchant.choquet.solver import *
    from penchant.gai.solver import *
    from penchant.gp.inference import *
    from penchant.rules.margin import *
    from penchant.rules.play import *
    from penchant.utility import *

__getattr__, __dir__ = offer(
    __name__,
    {
        "penchant.choquet.solver": (
            "MobiusFit MobiusProblem choose_cone fit_mobius project_monotone"
        ),
        "penchant.gai.solver": (
            "Evidence SparseGAIProblem SparseGAIResult nearest_monotone"
        ),
        "penchant.gp.inference": (
            "EPResult EvidenceGradient LaplaceResult Rows SiteDerivatives Sites "
            "evidence_gradient expectation_propagation laplace"
        ),
        "penchant.rules.margin": (
            "ColumnSource MarginRound MarginSolution Priced SampledSource solve_margin"
        ),
        "penchant.rules.play": (
            "GameSolution MatrixSource fictitious_play "
            "replace_randomly solve_matrix_game"
        ),
        "penchant.utility": "evaluate_factor",
    },
)

__all__ = __dir__()
