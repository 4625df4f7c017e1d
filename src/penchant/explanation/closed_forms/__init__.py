"""Exact explanations of our own models."""

# The first four register their models with `closed_form`.
import penchant.explanation.closed_forms._choquet
import penchant.explanation.closed_forms._gai
import penchant.explanation.closed_forms._gaussian_process
import penchant.explanation.closed_forms._rules  # noqa: F401
from penchant.explanation.closed_forms._closed_form import (
    ClosedForm,
    Shares,
    closed_form,
)
from penchant.explanation.closed_forms._product_kernel import (
    KernelMachine,
    ProductKernel,
)

__all__ = ["ClosedForm", "KernelMachine", "ProductKernel", "Shares", "closed_form"]
