"""Expectation propagation for many small Gaussian models at once, in row space.

Model h says ``s ~ N(m_h, G_h)`` of the numbers s_r that the rows of evidence are
about, and row r that s_r plus noise lies between two ends, but for lapses:

    p(row | s) = lapse + (1 - 2 lapse) [Phi((upper - s)/noise) - Phi((lower - s)/noise)]

Sites ``exp(nu s - tau s^2 / 2)`` replace the rows. All arrays have the models first.
"""

from typing import Any, NamedTuple

import numpy as np
from scipy.special import ndtr

from penchant.typing import FloatArray

_LEAST = 1e-6
"""Least precision of a site: rows that look like lapses would have negative ones."""

_BLOCK = 8
"""Rows up to which LAPACK inverts a triangle faster than products of blocks do."""

_ROOT = 1.0 / np.sqrt(2.0 * np.pi)


class Likelihood(NamedTuple):
    """Ends, noise and lapses of rows, each of shape (n_models, n_rows)."""

    lower: FloatArray
    upper: FloatArray
    noise: FloatArray
    lapse: FloatArray


class Sites(NamedTuple):
    """Precisions and shifts, each of shape (n_models, n_rows)."""

    tau: FloatArray
    nu: FloatArray


class State(NamedTuple):
    """Where propagation ended.

    Parameters
    ----------
    sites : Sites
    inner : ndarray of shape (n_models, n_rows, n_rows)
        C = (G + T^-1)^-1, T the precisions.
    weights : ndarray of shape (n_models, n_rows)
        w = C (T^-1 nu - m): the posterior mean of s is m + G w.
    log_evidence : ndarray of shape (n_models,)
        Of the rows.
    """

    sites: Sites
    inner: FloatArray
    weights: FloatArray
    log_evidence: FloatArray


def propagate(
    mean: FloatArray,
    gram: FloatArray,
    rows: Likelihood,
    start: Sites,
    inner: FloatArray | None = None,
    *,
    max_iter: int = 4,
    tol: float = 1e-2,
    damping: float = 0.9,
) -> State:
    """Find the sites, all at once in each sweep, from where they stand.

    Parameters
    ----------
    mean : ndarray of shape (n_models, n_rows)
    gram : ndarray of shape (n_models, n_rows, n_rows)
    rows : Likelihood
    start : Sites
        Of the first rows; those after them are new.
    inner : ndarray of shape (n_models, n_old, n_old), optional
        C of the first rows, where it is known.
    max_iter : int
        Most sweeps, at least 1.
    tol : float
        Change of standardised means at which to stop.
    damping : float
        Share of a step that is taken.
    """
    n_new = mean.shape[1] - start.tau.shape[1]
    none = np.zeros((len(mean), n_new))
    tau, nu = (np.hstack([part, none]) for part in start)
    tau = np.maximum(tau, _LEAST)
    log_det = np.zeros(len(mean))  # found in the first step, and needed after it
    inner = _inverse(gram, tau)[0] if inner is None else _bordered(gram, tau, inner)
    for sweep in range(max_iter + 1):
        weights = _times(inner, nu / tau - mean)
        middle = mean + _times(gram, weights)
        # G - G C G = T^-1 C G
        spread = np.maximum(np.einsum("hrs,hrs->hr", inner, gram) / tau, 0.0)
        left = np.maximum(1.0 - spread * tau, 1e-9)
        v, mu = spread / left, (middle - spread * nu) / left
        log_z, slope, curvature = _moments(mu, v, rows)
        # how far the marginal would move, in its own standard deviations
        moved = np.abs(mu + v * slope - middle) / np.sqrt(spread + 1e-12)
        moved = moved * (spread > 1e-12)
        if sweep == max_iter or (sweep and moved.max(initial=0.0) < tol):
            break
        new_tau = np.maximum(curvature / np.maximum(1.0 - v * curvature, 1e-9), _LEAST)
        new_nu = new_tau * mu + slope * (1.0 + v * new_tau)
        fresh = tau <= _LEAST  # what starts from nothing takes the whole step
        step = np.where(fresh, 1.0, damping)
        tau = np.maximum(tau + step * (new_tau - tau), _LEAST)
        nu = nu + step * (new_nu - nu)
        inner, log_det = _inverse(gram, tau)
    told = _times(inner, mean)
    total = nu * (told / tau + middle) - mean * told  # twice the exponent
    # The logarithm of the integral of N(mu, v) times a site, of each row.
    grown = 1.0 + v * tau
    inside = (2.0 * nu * mu + nu**2 * v - tau * mu**2) / grown
    evidence = 0.5 * total + log_z - 0.5 * (inside - np.log(grown))
    evidence = evidence.sum(axis=1) + log_det
    return State(Sites(tau, nu), inner, weights, evidence)


def _times(matrices: FloatArray, vectors: FloatArray) -> FloatArray:
    return np.asarray((matrices @ vectors[:, :, None])[:, :, 0])


def _inverse(gram: FloatArray, tau: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Give C = S (I + S G S)^-1 S with S^2 = T, and -log det(I + S G S) / 2."""
    scale = np.sqrt(tau)
    system = scale[:, :, None] * gram
    system *= scale[:, None, :]
    np.einsum("hrr->hr", system)[...] += 1.0
    root: FloatArray = np.asarray(np.linalg.cholesky(system), dtype=np.float64)
    _invert(root)
    log_det = np.log(np.einsum("hrr->hr", root)).sum(axis=1)
    root *= scale[:, None, :]
    return np.matmul(root.transpose(0, 2, 1), root, out=system), log_det


def _invert(lower: FloatArray) -> None:
    """Invert lower triangular matrices in place, block by block."""
    n = lower.shape[1]
    if n <= _BLOCK:
        lower[...] = np.linalg.inv(lower)
        return
    half = _BLOCK * ((n + _BLOCK) // (2 * _BLOCK))
    first, last = lower[:, :half, :half], lower[:, half:, half:]
    _invert(first)
    _invert(last)
    lower[:, half:, :half] = -last @ lower[:, half:, :half] @ first


def _bordered(gram: FloatArray, tau: FloatArray, inner: FloatArray) -> FloatArray:
    """Give C of all rows from that of the first ones: few are new."""
    n = inner.shape[1]
    cross = gram[:, :n, n:]
    pulled = inner @ cross
    corner = gram[:, n:, n:] - cross.transpose(0, 2, 1) @ pulled
    np.einsum("hrr->hr", corner)[...] += 1.0 / tau[:, n:]
    corner[...] = np.linalg.inv(corner)
    beside = pulled @ corner
    whole = np.empty_like(gram)
    np.matmul(beside, pulled.transpose(0, 2, 1), out=whole[:, :n, :n])
    whole[:, :n, :n] += inner
    whole[:, :n, n:] = -beside
    whole[:, n:, :n] = -beside.transpose(0, 2, 1)
    whole[:, n:, n:] = corner
    return whole


def _moments(
    mu: FloatArray, v: FloatArray, rows: Likelihood
) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Give log Z of each row under N(mu, v), its slope and minus its curvature."""
    scale = np.sqrt(v + rows.noise**2)
    below, at_a, end_a = _end((rows.lower - mu) / scale)
    above, at_b, end_b = 1.0, 0.0, 0.0
    if np.isfinite(rows.upper).any():  # only ties have an upper end
        above, at_b, end_b = _end((rows.upper - mu) / scale)
    clear = 1.0 - 2.0 * rows.lapse
    z = rows.lapse + clear * (above - below)
    slope = clear * (at_a - at_b) / (scale * z)
    second = clear * (end_a - end_b) / (scale**2 * z)
    return np.log(z), slope, slope**2 - second


def _end(x: FloatArray) -> tuple[Any, Any, Any]:
    """Give the normal distribution at x, its density, and x times its density.

    Both are 0 at infinity.
    """
    x = np.clip(x, -40.0, 40.0)
    density = _ROOT * np.exp(-0.5 * x * x)
    return ndtr(x), density, x * density
