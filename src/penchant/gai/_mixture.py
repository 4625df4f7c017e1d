"""A weighted sum of dense GAI utilities, which is again one."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Self

import numpy as np

from penchant.typing import FloatArray
from penchant.utility import DualGAI, Factor, GAIUtility


@dataclass(frozen=True, eq=False)
class MixedGAI(GAIUtility):
    """The sum of dense utilities whose kernels are centred on the same measure.

    Zero means add up to zero means: the factors of the sum are the sums of the
    factors, and form its ANOVA decomposition.

    Parameters
    ----------
    parts : tuple of DualGAI
        Their shares in the sum are in their coefficients.
    kept : tuple of tuple of int or None, default=None
        Factors that are not left out; None: all.
    """

    parts: tuple[DualGAI, ...]
    kept: tuple[Factor, ...] | None = None

    @property
    def intercept(self) -> float:  # type: ignore[override]
        """The sum of the intercepts."""
        return float(sum(part.intercept for part in self.parts))

    @cached_property
    def factors(self) -> tuple[Factor, ...]:
        if self.kept is not None:
            return self.kept
        found = {factor for part in self.parts for factor in part.factors}
        return tuple(sorted(found, key=lambda factor: (len(factor), factor)))

    @property
    def weights(self) -> FloatArray:
        """Standard deviations: the parts have different norms."""
        return np.sqrt(self.variances)

    @cached_property
    def variances(self) -> FloatArray:
        variances = np.zeros(len(self.factors))
        place = {factor: k for k, factor in enumerate(self.factors)}
        for factor, covariance in self._covariances():
            if factor in place:
                variances[place[factor]] += covariance
        return np.maximum(0.0, variances)

    def _covariances(self) -> Iterator[tuple[Factor, float]]:
        """Give the covariance of every factor in every pair of parts."""
        for a, one in enumerate(self.parts):
            for other in self.parts[a:]:
                twice = 1.0 if other is one else 2.0
                moments = one.moments(other)
                start = twice * np.outer(one.coef, other.coef)
                for factor, product in one.products(start, moments):
                    order = len(factor) - 1
                    if order < other.max_order:
                        weight = one.order_weights[order] * other.order_weights[order]
                        yield factor, float(weight * product.sum())

    def factor(self, subset: Factor, values: FloatArray) -> FloatArray:
        having = [part for part in self.parts if len(subset) <= part.max_order]
        return sum((p.factor(subset, values) for p in having), np.zeros(len(values)))

    def restricted(self, factors: Iterable[Factor]) -> "MixedGAI":
        chosen = set(factors)
        return replace(self, kept=tuple(s for s in self.factors if s in chosen))

    def scaled(self, offset: float, scale: float) -> Self:
        first, *others = (part.scaled(0.0, scale) for part in self.parts)
        return replace(self, parts=(first.scaled(offset, 1.0), *others))

    def decompose(self, U: FloatArray) -> dict[Factor, FloatArray]:
        total = {factor: np.zeros(len(U)) for factor in self.factors}
        for part in self.parts:
            for factor, values in part.decompose(U).items():
                if factor in total:
                    total[factor] += values
        return total

    def utility(self, U: FloatArray) -> FloatArray:
        if self.kept is not None:
            return super().utility(U)
        return sum((part.utility(U) for part in self.parts), np.zeros(len(U)))
