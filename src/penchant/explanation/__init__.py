"""Why this, and why this rather than that: contributions of the attributes."""

# The first five register their models with `closed_form`.
import penchant.explanation._choquet
import penchant.explanation._gai
import penchant.explanation._gaussian_process
import penchant.explanation._personal
import penchant.explanation._rules  # noqa: F401
from penchant.explanation._attribution import Attribution
from penchant.explanation._closed_form import ClosedForm, Shares, closed_form
from penchant.explanation._coalitional import CoalitionalExplainer
from penchant.explanation._explain import contrast, explain
from penchant.explanation._explainers import (
    CompleteExplainer,
    DepthExplainer,
    LeastSquaresExplainer,
)
from penchant.explanation._flip import Change, Flip, flip
from penchant.explanation._product_kernel import KernelMachine, ProductKernel
from penchant.explanation._reasons import Reason, Reasons, reasons
from penchant.explanation._support import AnswerSupport, support

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
    "reasons",
    "support",
]
