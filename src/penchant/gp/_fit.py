"""The fit of a Gaussian process: hyper-parameters by evidence, then the posterior."""

from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.linalg.lapack import dpotrf, dtrtrs
from scipy.optimize import minimize
from scipy.special import ndtri
from sklearn.utils.parallel import _get_threadpool_controller

from penchant.gp._kernels import ItemKernel, KernelFamily
from penchant.gp._ranker_answers import PersonalAnswers
from penchant.gp.inference._evidence_gradient import evidence_gradient
from penchant.gp.inference._expectation_propagation import (
    EPResult,
    expectation_propagation,
)
from penchant.gp.inference._laplace import LaplaceResult, laplace, root_of_covariance
from penchant.gp.inference._sites import Sites
from penchant.typing import FloatArray

__all__ = ["GaussianProcess", "HyperParameters", "ProcessFit", "fit_process"]

_ROUGH = 1e-5
"""Gap of the inference while hyper-parameters move, and that must be reached."""
_EXACT = 1e-8
"""Gap of the inference in the end, where rounding allows it."""
_SMALL = 300
"""Matrices of at most this size are worth one thread only."""
_TIE_DEVIATION = 1.0
_THRESHOLD_DEVIATION = 2.0
_GAP_DEVIATION = 1.0
_REACH = 5.0
"""Ends of intervals move at most this many logarithms from where they start."""


@dataclass(frozen=True, eq=False)
class GaussianProcess:
    """A posterior belief about the utilities of all items that could be (GP-6).

    Parameters
    ----------
    kernel : ItemKernel
        Prior covariance, in units of the variance of the noise.
    items : ndarray of shape (n_items, n_features)
        Encoded items that answers speak of.
    coef : ndarray of shape (n_items,)
        The mean is noise * K(x, items) @ coef.
    root : ndarray of shape (rank, n_items)
        The covariance is noise^2 (K(x, x') - K(x, items) root' root K(items, x')).
    noise : float
        Standard deviation of the noise, the unit of the utility.
    """

    kernel: ItemKernel
    items: FloatArray
    coef: FloatArray
    root: FloatArray
    noise: float

    def mean(self, gram: FloatArray) -> FloatArray:
        """Give the posterior mean from covariances with the items, (n, n_items)."""
        return self.noise * (gram @ self.coef)

    def cov(self, prior: FloatArray, gram: FloatArray) -> FloatArray:
        """Give the posterior covariance from the prior one, shape (n, n)."""
        seen = gram @ self.root.T
        return self.noise**2 * (prior - seen @ seen.T)

    def deviation(self, prior: FloatArray, gram: FloatArray) -> FloatArray:
        """Give posterior standard deviations from prior variances, shape (n,)."""
        seen = gram @ self.root.T
        left = prior - np.einsum("ij,ij->i", seen, seen)
        deviation: FloatArray = self.noise * np.sqrt(np.maximum(left, 0.0))
        return deviation


@dataclass(frozen=True, eq=False)
class HyperParameters:
    """What was learned besides the utilities, in the units of the utility.

    Parameters
    ----------
    parameters : ndarray of shape (n_parameters,)
        What was optimised; a start for a similar fit.
    tie_width : float
        Two items whose noisy utilities differ by less are tied.
    thresholds : ndarray of shape (n_levels - 1,)
        Noisy utilities at which the next level of a rating starts.
    """

    parameters: FloatArray
    tie_width: float
    thresholds: FloatArray


@dataclass(frozen=True, eq=False)
class ProcessFit:
    """The learned process, and how well the two optimisations went.

    Parameters
    ----------
    process : GaussianProcess
    hyper : HyperParameters
    log_evidence : float
    n_iter : int
        Steps of L-BFGS.
    learning_status, inference_status : {"optimal", "stalled"}
    gap : float
        That of the inference.
    """

    process: GaussianProcess
    hyper: HyperParameters
    log_evidence: float
    n_iter: int
    learning_status: str
    inference_status: str
    gap: float


def fit_process(
    family: KernelFamily,
    answers: PersonalAnswers,
    U: FloatArray,
    *,
    inference: str,
    noise: float,
    tie_width: float,
    learn: bool,
    tol: float,
    max_iter: int,
) -> ProcessFit:
    """Learn hyper-parameters by evidence, then find the posterior.

    Parameters
    ----------
    family : KernelFamily
        Made for U.
    answers : PersonalAnswers
    U : ndarray of shape (n_items, n_features)
        The encoded items of the answers.
    inference : {"laplace", "ep"}
    noise : float
        Unit of the utility.
    tie_width : float
        Centre of its prior, in units of the noise.
    learn : bool
        False: all hyper-parameters stay at the centres of their priors.
    tol : float
        Largest slope of the log evidence at which learning stops.
    max_iter : int
        Largest number of steps of L-BFGS.
    """
    problem = PosteriorProblem(family, answers, inference, tie_width)
    with _threads_for(len(U)):
        parameters, n_iter, status = problem.start, 0, "optimal"
        if learn:
            parameters, n_iter, status = _learn(problem, tol, max_iter)
        own = parameters[: problem.n_kernel]
        K, _ = family.gram(own)
        result, _ = problem.infer(parameters, K, _EXACT)
        root = _gain_root(K, answers.rows.gram(result.precision, len(U)))
    coef = answers.rows.pull(result.pull, len(U))
    process = GaussianProcess(family.kernel(own), U, coef, root, noise)
    width, thresholds = problem.ends(parameters)
    return ProcessFit(
        process=process,
        hyper=HyperParameters(parameters, noise * width, noise * thresholds),
        log_evidence=result.log_evidence,
        n_iter=n_iter,
        learning_status=status,
        inference_status="optimal" if result.gap <= _ROUGH else "stalled",
        gap=result.gap,
    )


def _learn(
    problem: "PosteriorProblem", tol: float, max_iter: int
) -> tuple[FloatArray, int, str]:
    """Maximise evidence times prior; give parameters, number of steps and status."""
    found = minimize(
        problem.objective,
        problem.start,
        jac=True,
        method="L-BFGS-B",
        bounds=problem.bounds,
        options={"maxiter": max_iter, "gtol": tol, "ftol": 1e-7, "maxcor": 20},
    )
    return found.x, int(found.nit), "optimal" if found.success else "stalled"


class PosteriorProblem:
    """Log evidence times prior as a function of all hyper-parameters.

    These are the kernel's, then the logarithm of the tie width (with ties), then
    the first threshold and the logarithms of the gaps between thresholds (with
    ratings). The noise is 1: one scale is fixed (GP-2).

    Parameters
    ----------
    family : KernelFamily
    answers : PersonalAnswers
    inference : {"laplace", "ep"}
    tie_width : float
        Centre of its prior.
    """

    def __init__(
        self,
        family: KernelFamily,
        answers: PersonalAnswers,
        inference: str,
        tie_width: float,
    ) -> None:
        self._family, self._answers = family, answers
        self._infer = laplace if inference == "laplace" else expectation_propagation
        self._tie_width = tie_width
        self._warm: tuple[FloatArray, FloatArray] | None = None
        self.n_kernel = len(family.prior_mean)
        own, deviations, reach = self._own_parameters()
        self.start: FloatArray = np.concatenate([family.prior_mean, own])
        self._deviation = np.concatenate([family.prior_deviation, deviations])
        self.bounds = family.bounds + [
            (at - far, at + far) for at, far in zip(own, reach, strict=True)
        ]

    def _own_parameters(self) -> tuple[FloatArray, FloatArray, FloatArray]:
        """Give start, prior deviation and reach of tie width and thresholds."""
        start, deviation, reach = [], [], []
        if self._answers.has_ties:
            start.append(np.log(self._tie_width))
            deviation.append(_TIE_DEVIATION)
            reach.append(_REACH)
        if self._answers.n_thresholds:
            thresholds = self._first_thresholds()
            gaps = np.log(np.maximum(np.diff(thresholds), 1e-2))
            start += [thresholds[0], *gaps]
            deviation += [_THRESHOLD_DEVIATION] + [_GAP_DEVIATION] * len(gaps)
            reach += [10.0 * _THRESHOLD_DEVIATION] + [_REACH] * len(gaps)
        return np.array(start), np.array(deviation), np.array(reach)

    def _first_thresholds(self) -> FloatArray:
        """Split the prior of a rated utility with noise as the ratings are split."""
        K, _ = self._family.gram(self._family.prior_mean)
        spread = np.sqrt(1.0 + np.diagonal(K).mean())
        shares = np.clip(self._answers.level_shares(), 0.01, 0.99)
        thresholds: FloatArray = spread * ndtri(shares)
        return thresholds

    def ends(self, parameters: FloatArray) -> tuple[float, FloatArray]:
        """Give tie width and thresholds."""
        own = parameters[self.n_kernel :]
        width = self._tie_width
        if self._answers.has_ties:
            width, own = float(np.exp(own[0])), own[1:]
        thresholds = np.cumsum(np.concatenate([own[:1], np.exp(own[1:])]))
        return width, thresholds

    def infer(
        self, parameters: FloatArray, K: FloatArray, tol: float
    ) -> tuple[LaplaceResult | EPResult, Sites]:
        """Find the posterior of the items, from that of the last call."""
        ends = self._answers.ends(*self.ends(parameters))
        sites = Sites(*ends, weights=self._answers.weights)
        result = self._infer(
            np.zeros(len(K)),
            K,
            sites,
            rows=self._answers.rows,
            start=self._warm,
            tol=tol,
        )
        self._warm = (result.tau, result.nu)
        return result, sites

    def objective(self, parameters: FloatArray) -> tuple[float, FloatArray]:
        """Give minus the logarithm of evidence times prior, and its gradient.

        Parameters
        ----------
        parameters : ndarray of shape (n_parameters,)

        Returns
        -------
        value : float
        gradient : ndarray of shape (n_parameters,)
        """
        own = parameters[: self.n_kernel]
        K, kept = self._family.gram(own)
        result, sites = self.infer(parameters, K, _ROUGH)
        by = evidence_gradient(result, sites, self._answers.rows)
        gradient = np.concatenate(
            [
                self._family.slopes(own, by.cov, kept),
                self._own_slopes(parameters, by.lower, by.upper),
            ]
        )
        score = (parameters - self.start) / self._deviation
        value = result.log_evidence - 0.5 * score @ score
        return -float(value), score / self._deviation - gradient

    def _own_slopes(
        self, parameters: FloatArray, lower: FloatArray, upper: FloatArray
    ) -> FloatArray:
        """Take the derivatives by the ends back to tie width and thresholds."""
        width, thresholds = self.ends(parameters)
        by_width, by_threshold = self._answers.pull_ends(lower, upper)
        slopes = [width * by_width] if self._answers.has_ties else []
        if len(thresholds):
            above = np.cumsum(by_threshold[::-1])[::-1]  # all thresholds from k on
            slopes += [above[0], *(np.diff(thresholds) * above[1:])]
        return np.array(slopes)


def _threads_for(n_items: int) -> AbstractContextManager[Any]:
    """Keep small matrices on one thread: waking others takes longer than the work."""
    if n_items > _SMALL:
        return nullcontext()
    limit: AbstractContextManager[Any] = _get_threadpool_controller().limit(
        limits=1, user_api="blas"
    )
    return limit


def _gain_root(K: FloatArray, W: FloatArray) -> FloatArray:
    """Give V with V'V = (K + W^-1)^-1, for singular K and W too."""
    C = root_of_covariance(W)
    B = C.T @ K @ C
    B[np.diag_indices_from(B)] += 1.0
    factor, _ = dpotrf(B, lower=1)
    root: FloatArray = dtrtrs(factor, C.T, lower=1)[0]
    return root
