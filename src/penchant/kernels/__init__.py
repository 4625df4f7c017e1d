"""Kernels on single attributes and on whole items."""

from penchant.kernels._anova import anova_kernel, subset_kernel, sum_over_subsets
from penchant.kernels._choquet import choquet_kernel
from penchant.kernels._kernel import (
    FeatureMap,
    KernelSum,
    ScaledKernel,
    UnivariateKernel,
)
from penchant.kernels._univariate import (
    RBF,
    BSpline,
    Categorical,
    Ordinal,
    Spline,
    zero_mean_rbf,
)

__all__ = [
    "RBF",
    "BSpline",
    "Categorical",
    "FeatureMap",
    "KernelSum",
    "Ordinal",
    "ScaledKernel",
    "Spline",
    "UnivariateKernel",
    "anova_kernel",
    "choquet_kernel",
    "subset_kernel",
    "sum_over_subsets",
    "zero_mean_rbf",
]
