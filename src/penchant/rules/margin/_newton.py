"""Newton equations of the margin master, on the shorter side of the game (PRL-5)."""

from typing import Any

import numpy as np
from scipy.linalg import blas, lapack

from penchant.typing import FloatArray


class NotDefiniteError(ArithmeticError):
    """Rounding has spoilt the factorisation: no more digits in this precision."""


class Scratch:
    """Memory that the Newton systems of one master use one after the other.

    Asking the system for large arrays anew would cost as much as filling them.
    """

    def __init__(self) -> None:
        self._bytes: dict[str, Any] = {}

    def array(self, name: str, shape: tuple[int, int], dtype: Any) -> Any:
        """Return an array with arbitrary content; one at a time for each name."""
        size = shape[0] * shape[1] * np.dtype(dtype).itemsize
        if name not in self._bytes or len(self._bytes[name]) < size:
            self._bytes[name] = np.empty(size + size // 2, dtype=np.uint8)
        return self._bytes[name][:size].view(dtype).reshape(shape)

    def array_like(self, name: str, matrix: Any) -> Any:
        """Return an array of the shape, type and order of a contiguous matrix."""
        if matrix.flags.c_contiguous:
            return self.array(name, matrix.shape, matrix.dtype)
        return self.array(name, matrix.shape[::-1], matrix.dtype).T


class NewtonSystem:
    """Solve the Newton equations for the weights of columns and rows.

    With payoffs ``C`` (rows by columns) the unknowns satisfy

    - ``dq / w - C'dp + dv = g``
    - ``C dq + dp / theta - drho = h``
    - ``sum(dq) = r_q`` and ``sum(dp) = r_p``.

    Eliminating the longer of dq and dp leaves a symmetric positive definite system of
    the size of the shorter; exchanging the players exchanges the two forms. Cost: the
    length of the longer side times the square of the shorter.

    Parameters
    ----------
    columns : ndarray of shape (n_columns, n_rows)
        C', one column of the game after the other. Its type sets the precision of the
        factorisation; in single precision the equations hold to a few digits.
    w : ndarray of shape (n_columns,)
        Positive.
    theta : ndarray of shape (n_rows,)
        Positive.
    scratch : Scratch
        Held until the next system is made with it.
    """

    def __init__(
        self, columns: Any, w: FloatArray, theta: FloatArray, scratch: Scratch
    ) -> None:
        self._by_columns = len(w) <= len(theta)
        if self._by_columns:
            self._core = _ShortSide(columns, w, theta, scratch)
        else:
            self._core = _ShortSide(columns.T, theta, w, scratch)

    def solve(
        self, g: FloatArray, h: FloatArray, r_q: float, r_p: float
    ) -> tuple[FloatArray, FloatArray, float, float]:
        """Return dq, dp, dv and drho."""
        if self._by_columns:
            return self._core.solve(g, h, r_q, r_p)
        dp, minus_dq, minus_drho, dv = self._core.solve(h, -g, r_p, -r_q)
        return -minus_dq, dp, dv, -minus_drho


class _ShortSide:
    """Solve ``x/w - Ay + alpha = g; A'x + y/theta - beta = h`` and two sums."""

    def __init__(
        self, A: Any, w: FloatArray, theta: FloatArray, scratch: Scratch
    ) -> None:
        self._A, self._theta, self._total = A, theta, theta.sum()
        self._root = np.sqrt(w)
        self._pull = self._times(theta)
        self._factor = _factorise(self._matrix(scratch))
        self._unit = self._apply(np.ones(len(w)))

    def _times(self, y: FloatArray) -> FloatArray:
        product: FloatArray = (self._A @ y.astype(self._A.dtype)).astype(np.float64)
        return product

    def _times_transposed(self, x: FloatArray) -> FloatArray:
        product: FloatArray = (x.astype(self._A.dtype) @ self._A).astype(np.float64)
        return product

    def _matrix(self, scratch: Scratch) -> Any:
        """Return I + R (A D A' + weight 11') R, D the centred theta, R the root of w.

        Near a vertex only the sum of x fixes it, so that row is added, squared.
        """
        dtype, root = self._A.dtype, self._root.astype(self._A.dtype)
        # Centred first: subtracting the squared mean afterwards would lose digits.
        centre = (self._pull / self._total).astype(dtype)
        scaled = scratch.array_like("scaled", self._A)
        np.subtract(self._A, centre[:, None], out=scaled)
        scaled *= np.sqrt(self._theta).astype(dtype)
        matrix = scratch.array("matrix", (len(root), len(root)), dtype)
        np.matmul(scaled, scaled.T, out=matrix)
        self._weight = float(matrix.trace()) / len(root)
        matrix += dtype.type(self._weight)
        matrix *= root
        matrix *= root[:, None]
        matrix.flat[:: len(root) + 1] += 1.0
        return matrix

    def _apply(self, b: FloatArray) -> FloatArray:
        is_single = self._factor.dtype == np.float32
        solve = blas.strsv if is_single else blas.dtrsv  # dpotrs is slow for a vector
        solution = solve(self._factor, solve(self._factor, self._root * b, trans=1))
        x: FloatArray = self._root * solution
        return x

    def solve(
        self, g: FloatArray, h: FloatArray, r_x: float, r_y: float
    ) -> tuple[FloatArray, FloatArray, float, float]:
        """Return x, y, alpha and beta."""
        weighted = self._theta * h
        missing = r_y - weighted.sum()
        b = g + self._times(weighted) + self._pull * (missing / self._total)
        x = self._apply(b + self._weight * r_x)
        alpha = (x.sum() - r_x) / self._unit.sum()
        x -= alpha * self._unit
        beta = (missing + self._pull @ x) / self._total
        y = weighted + self._theta * (beta - self._times_transposed(x))
        return x, y, float(alpha), float(beta)


def _factorise(matrix: Any) -> Any:
    """Return the Cholesky factor of a symmetric matrix, which is overwritten."""
    cholesky = lapack.spotrf if matrix.dtype == np.float32 else lapack.dpotrf
    factor, failed = cholesky(matrix.T, overwrite_a=True, clean=False)
    if failed:
        raise NotDefiniteError
    return factor
