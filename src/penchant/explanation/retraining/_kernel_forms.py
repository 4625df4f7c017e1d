"""Kernels that are a function of a sum over columns, so that any columns can go."""

from dataclasses import dataclass
from typing import Any

import numpy as np
from sklearn.gaussian_process import kernels as gp

from penchant.typing import FloatArray


@dataclass(frozen=True)
class KernelForm:
    """A kernel h(sum_c t(x_c, y_c)) with terms t of single columns.

    Parameters
    ----------
    term : {"squared", "absolute", "product"}
        (x - y)^2, ``|x - y|`` or x y. The first two make
        amplitude exp(-gamma sum), the last one (gamma sum + offset)^degree.
    gamma : float or {"scale", "auto"}
        As in scikit-learn's support vector machines: it depends on the columns.
    length_scale : float or ndarray of shape (n_columns,)
        Divides the columns.
    amplitude, offset, degree : float
    """

    term: str
    gamma: float | str = 1.0
    length_scale: Any = 1.0
    amplitude: float = 1.0
    offset: float = 0.0
    degree: float = 1.0

    def terms(self, left: FloatArray, right: FloatArray) -> FloatArray:
        """Give the sum of the terms of some columns, shape (n_left, n_right)."""
        total = np.zeros((len(left), len(right)))
        for x, y in zip(left.T, right.T, strict=True):
            if self.term == "product":
                total += np.multiply.outer(x, y)
            else:
                step = np.subtract.outer(x, y)
                total += step**2 if self.term == "squared" else np.abs(step)
        return total

    def gram(self, sums: FloatArray, columns: FloatArray) -> FloatArray:
        """Give the kernel of some columns.

        Parameters
        ----------
        sums : ndarray of shape (n_left, n_right)
            Of the terms of these columns; overwritten.
        columns : ndarray of shape (n, n_columns)
            Their training values, for `gamma`.
        """
        gamma = self._gamma(columns)
        if self.term == "product":
            sums *= gamma
            sums += self.offset
            if self.degree != 1.0:
                sums **= self.degree
            return sums
        sums *= -gamma
        np.exp(sums, out=sums)
        if self.amplitude != 1.0:
            sums *= self.amplitude
        return sums

    def _gamma(self, columns: FloatArray) -> float:
        n_columns = int(columns.shape[1])
        if self.gamma == "auto":
            return 1.0 / n_columns
        if self.gamma == "scale":
            variance = float(columns.var())
            return 1.0 / (n_columns * variance) if variance != 0 else 1.0
        return float(self.gamma)


def form_of_name(estimator: Any) -> KernelForm | None:
    """Give the kernel that a machine names in its parameters, if it has this form."""
    kernel = estimator.kernel
    if not isinstance(kernel, str):
        return None
    gamma = "auto" if estimator.gamma is None else estimator.gamma
    if kernel in ("rbf", "laplacian"):
        term = "squared" if kernel == "rbf" else "absolute"
        return KernelForm(term, gamma)
    if kernel == "linear":
        return KernelForm("product")
    if kernel in ("poly", "polynomial"):
        offset, degree = float(estimator.coef0), float(estimator.degree)
        return KernelForm("product", gamma, offset=offset, degree=degree)
    return None


def form_of_process(kernel: Any) -> tuple[KernelForm, float] | None:
    """Give the kernel and the white noise of a Gaussian process, if it is an RBF.

    An RBF, times constants, plus white noise.
    """
    noise = 0.0
    if type(kernel) is gp.Sum:
        first, second = kernel.k1, kernel.k2
        if type(first) is gp.WhiteKernel:
            first, second = second, first
        if type(second) is not gp.WhiteKernel:
            return None
        kernel, noise = first, float(second.noise_level)
    factors = _factors(kernel)
    smooth = [factor for factor in factors if type(factor) is gp.RBF]
    constants = [factor for factor in factors if type(factor) is gp.ConstantKernel]
    if len(smooth) != 1 or len(smooth) + len(constants) != len(factors):
        return None
    amplitude = float(np.prod([factor.constant_value for factor in constants]))
    scale = smooth[0].length_scale
    return KernelForm("squared", 0.5, scale, amplitude), noise


def _factors(kernel: Any) -> list[Any]:
    if type(kernel) is gp.Product:
        return [*_factors(kernel.k1), *_factors(kernel.k2)]
    return [kernel]
