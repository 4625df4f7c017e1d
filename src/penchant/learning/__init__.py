"""Compare readable models on one table, and read the one that is recommended."""

from penchant.learning._candidates import CANDIDATES, Candidate
from penchant.learning._compare import compare, divide, fit_candidate, judge
from penchant.learning._files import (
    LearningTable,
    check_column,
    find_row,
    known_rows,
    predicted_table,
    read_learning_files,
    unseen_levels,
)
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
    "LearningTable",
    "ModelComparison",
    "ModelPart",
    "ModelReport",
    "RowReasons",
    "Target",
    "check_column",
    "compare",
    "describe",
    "divide",
    "explain_by_coalitions",
    "find_row",
    "find_target",
    "fit_candidate",
    "judge",
    "known_rows",
    "predicted_table",
    "read_learning_files",
    "read_model",
    "say_parts",
    "unseen_levels",
]
