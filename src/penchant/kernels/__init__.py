"""Kernels on single attributes and on whole items."""

from penchant.kernels._anova import anova_kernel, subset_kernel, sum_over_subsets
from penchant.kernels._anova_tables import (
    AttributeTable,
    anova_gram,
    anova_slopes,
    centred_table,
)
from penchant.kernels._choquet import (
    choquet_kernel,
    count_subsets,
    list_subsets,
    subset_gains,
    subset_minima,
    subset_sizes,
)
from penchant.kernels._levels import Categorical, Ordinal
from penchant.kernels._univariate import (
    RBF,
    BSpline,
    FeatureMap,
    KernelSum,
    ScaledKernel,
    Spline,
    UnivariateKernel,
    WarpedRBF,
    zero_mean_rbf,
)

__all__ = [
    "RBF",
    "AttributeTable",
    "BSpline",
    "Categorical",
    "FeatureMap",
    "KernelSum",
    "Ordinal",
    "ScaledKernel",
    "Spline",
    "UnivariateKernel",
    "WarpedRBF",
    "anova_gram",
    "anova_kernel",
    "anova_slopes",
    "centred_table",
    "choquet_kernel",
    "count_subsets",
    "list_subsets",
    "subset_gains",
    "subset_kernel",
    "subset_minima",
    "subset_sizes",
    "sum_over_subsets",
    "zero_mean_rbf",
]
