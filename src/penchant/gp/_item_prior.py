"""What features of items tell of their utilities before anybody is asked."""

from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.linalg import cho_factor, cho_solve
from scipy.optimize import minimize

from penchant._cached import cached_property
from penchant.gp._kernels import ItemKernel, KernelFamily
from penchant.typing import FloatArray, IntArray

_NUGGET = (-1.5, 1.5)
"""Mean and standard deviation of the logarithm of the variance beyond features."""
_MAX_ITER = 30


def contrasts(n_items: int) -> FloatArray:
    """Give an orthonormal basis of the differences between items.

    Returns
    -------
    ndarray of shape (n_items, n_items - 1)
        Each column adds up to 0.
    """
    # Any basis orthogonal to the ones would do: utilities have no origin.
    steps = np.tri(n_items, n_items - 1, -1) - np.triu(np.ones((n_items, n_items - 1)))
    basis, _ = np.linalg.qr(steps - steps.mean(axis=0))
    return np.asarray(basis)


def find_rows(rows: FloatArray, table: FloatArray) -> IntArray:
    """Give where each row first stands in a table; -1: nowhere."""
    # + 0.0 makes -0 and 0 the same bytes; reversed, so that the first row wins.
    first = {row.tobytes(): k for k, row in reversed(list(enumerate(table + 0.0)))}
    return np.array([first.get(row.tobytes(), -1) for row in rows + 0.0], dtype=int)


@dataclass(frozen=True, eq=False)
class ItemPrior:
    """A covariance ``scale (k(x, y) + nugget [x is y])`` between items.

    Parameters
    ----------
    items : ndarray of shape (n_items, n_features)
        Encoded training items.
    kernel : ItemKernel
    nugget : float
        Variance of what an item is worth beyond its features.
    scale : float
        Makes the mean variance of the training items 1.
    parameters : ndarray of shape (n_parameters,)
        Logarithms: those of the kernel, then that of the nugget.
    """

    items: FloatArray
    kernel: ItemKernel
    nugget: float
    scale: float
    parameters: FloatArray

    @classmethod
    def from_family(
        cls,
        family: KernelFamily,
        items: FloatArray,
        parameters: FloatArray | None = None,
    ) -> "ItemPrior":
        """Give the prior with some parameters; None: those at the start."""
        if parameters is None:
            parameters = np.append(family.prior_mean, _NUGGET[0])
        kernel, nugget = family.kernel(parameters[:-1]), float(np.exp(parameters[-1]))
        mean_variance = float(kernel.paired(items, items).mean()) + nugget
        return cls(items, kernel, nugget, 1.0 / mean_variance, parameters)

    def covariance(self) -> FloatArray:
        """Give the covariance of the training items, (n_items, n_items)."""
        K = self.kernel.gram(self.items, self.items)
        K[np.diag_indices_from(K)] += self.nugget
        return np.asarray(self.scale * K)

    @cached_property
    def _factor(self) -> Any:
        return cho_factor(self.covariance(), lower=True, check_finite=False)

    def target(self, basis: FloatArray) -> FloatArray:
        """Give the covariance of the differences of `contrasts`."""
        return np.asarray(basis.T @ self.covariance() @ basis)

    def fitted(
        self, family: KernelFamily, learned: FloatArray, n_people: float
    ) -> "ItemPrior":
        """Give the prior most likely to have made a learned covariance.

        Parameters
        ----------
        family : KernelFamily
            Where the kernel comes from.
        learned : ndarray of shape (n_items - 1, n_items - 1)
            Covariance of the differences of `contrasts`.
        n_people : float
            How many people it stands for.
        """
        basis = contrasts(len(self.items))
        centre = np.append(family.prior_mean, _NUGGET[0])
        width = np.append(family.prior_deviation, _NUGGET[1])

        def loss(parameters: FloatArray) -> tuple[float, FloatArray]:
            value, slope = _misfit(family, parameters, basis, learned)
            away = (parameters - centre) / width
            # Wishart: as if so many people had been seen, each with a known utility.
            total = n_people * value + 0.5 * away @ away
            return total, n_people * slope + away / width

        best = minimize(
            loss,
            self.parameters,
            jac=True,
            method="L-BFGS-B",
            bounds=[*family.bounds, (-9.0, 3.0)],
            options={"maxiter": _MAX_ITER},
        )
        return ItemPrior.from_family(family, self.items, best.x)

    def regression(
        self, items: FloatArray, places: IntArray | None = None
    ) -> tuple[FloatArray, FloatArray]:
        """Predict utilities of items from those of the training items.

        Parameters
        ----------
        items : ndarray of shape (n, n_features)
        places : ndarray of int of shape (n,), optional
            Which training item each is, -1: none; default: the one that equals it.

        Returns
        -------
        weights : ndarray of shape (n, n_items)
        rest : ndarray of shape (n, n)
            Covariance of what the training items leave open.
        """
        cross = np.asarray(self.scale * self.kernel.gram(items, self.items))
        weights = cho_solve(self._factor, cross.T, check_finite=False).T
        places = find_rows(items, self.items) if places is None else places
        known = np.flatnonzero(places >= 0)
        # A nugget would shrink the utility of a known item towards its neighbours.
        weights[known] = 0.0
        weights[known, places[known]] = 1.0
        own = self.kernel.gram(items, items)
        own[np.diag_indices_from(own)] += self.nugget
        rest = self.scale * own - weights @ cross.T
        rest[known], rest[:, known] = 0.0, 0.0
        return weights, 0.5 * (rest + rest.T)


def _misfit(
    family: KernelFamily, parameters: FloatArray, basis: FloatArray, inner: FloatArray
) -> tuple[float, FloatArray]:
    """Give (log|C| + tr(C^-1 L))/2 of the contrasts' prior C, and its slopes."""
    K, kept = family.gram(parameters[:-1])
    nugget = np.exp(parameters[-1])
    C = basis.T @ K @ basis
    C[np.diag_indices_from(C)] += nugget
    lower = np.linalg.cholesky(C)
    inverse = np.linalg.inv(C)
    part = inverse @ inner
    value = float(np.log(np.diagonal(lower)).sum() + 0.5 * np.trace(part))
    # d/dC of (log|C| + tr(C^-1 L)) / 2, carried from the contrasts to the items.
    inner_slope = 0.5 * (inverse - part @ inverse)
    Q = basis @ inner_slope @ basis.T
    slopes = family.slopes(parameters[:-1], 0.5 * (Q + Q.T), kept)
    return value, np.append(slopes, nugget * np.trace(inner_slope))
