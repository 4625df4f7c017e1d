"""Why this, and why this rather than that: contributions of the attributes."""

from penchant.explanation._attribution import Attribution
from penchant.explanation._explain import contrast, explain
from penchant.explanation._flip import Change, Flip, flip
from penchant.explanation._reasons import Reason, Reasons, reasons
from penchant.explanation._support import AnswerSupport, support
from penchant.explanation._tables import format_cell
from penchant.explanation.closed_forms._closed_form import (
    ClosedForm,
    Shares,
    closed_form,
)
from penchant.explanation.closed_forms._product_kernel import (
    KernelMachine,
    ProductKernel,
)
from penchant.explanation.retraining._coalitional import CoalitionalExplainer
from penchant.explanation.retraining._explainers import (
    CompleteExplainer,
    DepthExplainer,
    LeastSquaresExplainer,
)

__all__ = [
    "AnswerSupport",
    "Attribution",
    "Change",
    "ClosedForm",
    "CoalitionalExplainer",
    "CompleteExplainer",
    "DepthExplainer",
    "Flip",
    "KernelMachine",
    "LeastSquaresExplainer",
    "ProductKernel",
    "Reason",
    "Reasons",
    "Shares",
    "closed_form",
    "contrast",
    "explain",
    "flip",
    "format_cell",
    "reasons",
    "support",
]
