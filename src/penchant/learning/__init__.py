"""Compare readable models on one table, and read the one that is recommended."""

from penchant.learning._candidates import CANDIDATES, Candidate
from penchant.learning._compare import compare, divide, fit_candidate, judge
from penchant.learning._result import CandidateResult, Difference, ModelComparison
from penchant.learning._target import Kind, Target, find_target

__all__ = [
    "CANDIDATES",
    "Candidate",
    "CandidateResult",
    "Difference",
    "Kind",
    "ModelComparison",
    "Target",
    "compare",
    "divide",
    "find_target",
    "fit_candidate",
    "judge",
]
