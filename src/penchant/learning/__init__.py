"""Compare readable models on one table, and read the one that is recommended."""

from penchant.learning._candidates import CANDIDATES, Candidate
from penchant.learning._compare import compare, divide, fit_candidate, judge
from penchant.learning._reading import ModelPart, read_model
from penchant.learning._report import (
    ModelReport,
    RowReasons,
    describe,
    explain_by_coalitions,
)
from penchant.learning._result import (
    CandidateResult,
    Difference,
    ModelComparison,
    say_parts,
)
from penchant.learning._target import Kind, Target, find_target

__all__ = [
    "CANDIDATES",
    "Candidate",
    "CandidateResult",
    "Difference",
    "Kind",
    "ModelComparison",
    "ModelPart",
    "ModelReport",
    "RowReasons",
    "Target",
    "compare",
    "describe",
    "divide",
    "explain_by_coalitions",
    "find_target",
    "fit_candidate",
    "judge",
    "read_model",
    "say_parts",
]
