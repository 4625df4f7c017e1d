"""Many small Gaussian systems at once: loops over plain arrays, compiled.

LAPACK takes several times as long for matrices of this size, of which the answers of
a study need thousands. Loops are written out, since to compile a copy of a slice takes
seconds.
"""

import math

import numpy as np
from numba import njit

from penchant.typing import FloatArray

# Sums may be reordered for speed; infinities and NaN keep their meaning.
compiled = njit(
    cache=True, nogil=True, error_model="numpy", fastmath={"reassoc", "contract"}
)
inlined = njit(inline="always")


def scaled_inverses(
    cov: FloatArray, precision: FloatArray
) -> tuple[FloatArray, FloatArray]:
    """Give ``C = S (I + S G S)^-1 S`` with ``S^2 = T``, and ``log det(I + S G S)``.

    C is ``(G + T^-1)^-1``, also where a precision is 0.

    Parameters
    ----------
    cov : ndarray of shape (..., n, n)
        G, symmetric; only what is below the diagonal is read.
    precision : ndarray of shape (..., n)
        The diagonal of T, not negative. More of them than of G take G in turns.
    """
    n, batch = cov.shape[-1], precision.shape[:-1]
    found, log_det = np.empty((*batch, n, n)), np.empty(batch)
    systems = np.ascontiguousarray(cov).reshape(math.prod(cov.shape[:-2]), n, n)
    each = np.ascontiguousarray(precision).reshape(log_det.size, n)
    _invert(systems, each, found.reshape(log_det.size, n, n), log_det.reshape(-1))
    return found, log_det


@compiled
def _invert(
    cov: FloatArray, precision: FloatArray, found: FloatArray, log_det: FloatArray
) -> None:
    for h in range(len(precision)):
        log_det[h] = scaled_inverse(cov[h % len(cov)], precision[h], found[h])


@compiled
def scaled_inverse(cov: FloatArray, precision: FloatArray, found: FloatArray) -> float:
    """Write C of one system, and give the logarithm of the determinant."""
    n = len(cov)
    scale = np.empty(n)
    for i in range(n):
        scale[i] = math.sqrt(precision[i])
        for j in range(i + 1):
            found[i, j] = scale[i] * cov[i, j] * scale[j]
        found[i, i] += 1.0
    log_det = _sweep_out(found)
    for i in range(n):
        for j in range(i + 1):
            found[i, j] *= -scale[i] * scale[j]
            found[j, i] = found[i, j]
    return log_det


@compiled
def _sweep_out(system: FloatArray) -> float:
    """Turn a system to minus its inverse, below the diagonal; give its log det.

    One row after the other (Goodnight 1979); it must be positive definite.
    """
    n, log_det = len(system), 0.0
    column = np.empty(n)
    for k in range(n):
        pivot = system[k, k]
        log_det += math.log(pivot)
        column[k] = 0.0
        for i in range(k):
            column[i] = system[k, i]
        for i in range(k + 1, n):
            column[i] = system[i, k]
        for i in range(n):
            share = column[i] / pivot
            for j in range(i + 1):
                system[i, j] -= share * column[j]
        for j in range(k):
            system[k, j] = column[j] / pivot
        for i in range(k + 1, n):
            system[i, k] = column[i] / pivot
        system[k, k] = -1.0 / pivot
    return log_det
