"""A small orthogonal additive Gaussian process of order 2, as a baseline.

Lu, Boukouvalas and Hensman, "Additive Gaussian processes revisited" (ICML 2022): the
kernel of each attribute is made orthogonal to constants, here over the training values;
the process is the sum of a constant, all single attributes and all pairs, with one
variance per order. Length scales, variances and noise maximise the evidence.
"""

import numpy as np
from scipy.linalg import cho_factor, cho_solve
from scipy.optimize import minimize

__all__ = ["OrthogonalAdditiveGP"]

_MAX_ITER = 25
_JITTER = 1e-6


class OrthogonalAdditiveGP:
    """Fit by evidence, predict the mean; no options."""

    def fit(self, X: np.ndarray, y: np.ndarray) -> "OrthogonalAdditiveGP":
        """Learn scales and weights; time is cubic in the rows."""
        self._mean, self._spread = X.mean(axis=0), X.std(axis=0)
        self._spread[self._spread == 0] = 1.0
        self._level, self._unit = y.mean(), y.std() or 1.0
        self._X = (X - self._mean) / self._spread
        target = (y - self._level) / self._unit
        d = X.shape[1]
        start = np.concatenate([np.zeros(d), np.log([0.5, 0.1, 0.3])])
        bounds = [(-2.0, 3.0)] * d + [(-8.0, 3.0)] * 2 + [(-6.0, 1.0)]
        found = minimize(
            self._loss,
            start,
            args=(target,),
            jac=True,
            bounds=bounds,
            options={"maxiter": _MAX_ITER},
        )
        self.parameters_ = found.x
        K = self._kernel(found.x, self._X) + self._noise(found.x)
        self._weights = cho_solve(cho_factor(K, lower=True), target)
        return self

    def predict(self, X: np.ndarray) -> np.ndarray:
        """Give the mean of the process."""
        rows = (X - self._mean) / self._spread
        K = self._kernel(self.parameters_, rows)
        return self._level + self._unit * (K @ self._weights)

    def _noise(self, parameters: np.ndarray) -> np.ndarray:
        return (np.exp(parameters[-1]) + _JITTER) * np.eye(len(self._X))

    def _singles(self, parameters: np.ndarray, rows: np.ndarray) -> np.ndarray:
        """Give the kernel of each attribute, orthogonal to constants: (d, n, n_train).

        k(x, z) - E k(x, s) E k(s, z) / E E k(s, t), over training values s and t.
        """
        parts = []
        for i, scale in enumerate(np.exp(parameters[: rows.shape[1]])):
            known = self._X[:, i]
            k = _bell(rows[:, i], known, scale)
            own = _bell(known, known, scale)
            means = own.mean(axis=0)
            parts.append(k - np.outer(k.mean(axis=1), means) / means.mean())
        return np.array(parts)

    def _kernel(self, parameters: np.ndarray, rows: np.ndarray) -> np.ndarray:
        return _summed(self._singles(parameters, rows), *np.exp(parameters[-3:-1]))

    def _loss(
        self, parameters: np.ndarray, target: np.ndarray
    ) -> tuple[float, np.ndarray]:
        """Give minus the log evidence and its slope (length scales by differences)."""
        d = self._X.shape[1]
        one, two = np.exp(parameters[-3:-1])
        singles = self._singles(parameters, self._X)
        total = singles.sum(axis=0)
        pairs = 0.5 * (total**2 - (singles**2).sum(axis=0))
        K = one * total + two * pairs + self._noise(parameters)
        factor = cho_factor(K, lower=True)
        weights = cho_solve(factor, target)
        value = 0.5 * target @ weights + np.log(np.diag(factor[0])).sum()
        # d value = tr(M dK) with M = (K^-1 - w w') / 2
        M = 0.5 * (cho_solve(factor, np.eye(len(K))) - np.outer(weights, weights))
        step = 1e-4
        moved = parameters.copy()
        moved[:d] += step
        changes = (self._singles(moved, self._X) - singles) / step
        slope = [
            np.sum(M * changes[i] * (one + two * (total - singles[i])))
            for i in range(d)
        ]
        slope += [one * np.sum(M * total), two * np.sum(M * pairs)]
        slope.append(np.exp(parameters[-1]) * np.trace(M))
        return float(value), np.array(slope)


def _bell(a: np.ndarray, b: np.ndarray, scale: float) -> np.ndarray:
    return np.exp(-0.5 * ((a[:, None] - b) / scale) ** 2)


def _summed(singles: np.ndarray, one: float, two: float) -> np.ndarray:
    """Add up all attributes and all pairs."""
    total = singles.sum(axis=0)
    return one * total + two * 0.5 * (total**2 - (singles**2).sum(axis=0))
