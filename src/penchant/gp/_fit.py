"""The fit of a Gaussian process: hyper-parameters by evidence, then the posterior."""

from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from scipy.linalg.lapack import dpotrf, dtrtrs
from scipy.optimize import minimize
from scipy.special import ndtri
from sklearn.utils import check_random_state

from penchant._parallel import one_thread
from penchant._progress import Progress
from penchant.gp._kernels import KernelFamily
from penchant.gp._process import GaussianProcess, InducingItems
from penchant.gp._ranker_answers import PersonalAnswers
from penchant.gp.inference._evidence_gradient import evidence_gradient
from penchant.gp.inference._expectation_propagation import (
    EPResult,
    expectation_propagation,
)
from penchant.gp.inference._laplace import (
    LaplaceResult,
    laplace,
    laplace_in_features,
    root_of_covariance,
)
from penchant.gp.inference._sites import Rows, Sites
from penchant.typing import FloatArray

if TYPE_CHECKING:
    from penchant.gp._ranker import GaussianProcessRanker

_ROUGH = 1e-5
"""Gap of the inference while hyper-parameters move, and that must be reached."""
_EXACT = 1e-8
"""Gap of the inference in the end, where rounding allows it."""
_ENOUGH = 1e-6
"""The same with features of few items."""
N_LEARNING = 300
"""Answers that hyper-parameters are learned from, with features of few items."""
_SMALL = 300
"""Matrices of at most this size are worth one thread only."""
_TIE_DEVIATION = 1.0
_THRESHOLD_DEVIATION = 2.0
_GAP_DEVIATION = 1.0
_REACH = 5.0
"""Ends of intervals move at most this many logarithms from where they start."""


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


class Learned(NamedTuple):
    """Hyper-parameters, and whether the steps that led there reached the tolerance."""

    hyper: HyperParameters
    kernel: FloatArray
    n_iter: int
    is_optimal: bool


@dataclass(frozen=True, eq=False)
class ProcessFit:
    """The learned process, and how well the two optimisations went.

    Parameters
    ----------
    process : GaussianProcess
    learned : Learned
    log_evidence : float
    gap : float
        That of the inference.
    residual : float or None
        Share of the prior variance that features leave out; None: no features.
    """

    process: GaussianProcess
    learned: Learned
    log_evidence: float
    gap: float
    residual: float | None = None

    @property
    def is_inferred(self) -> bool:
        """Whether the inference went as far as it must."""
        return self.gap <= _ROUGH


def fit_exactly(
    make_family: Callable[[FloatArray], KernelFamily],
    answers: PersonalAnswers,
    U: FloatArray,
    model: "GaussianProcessRanker",
    progress: Progress,
) -> ProcessFit:
    """Learn hyper-parameters by evidence, then find the posterior of all items.

    Parameters
    ----------
    make_family : callable
        Gives the kernels between encoded items.
    answers : PersonalAnswers
    U : ndarray of shape (n_items, n_features)
        The encoded items of the answers.
    model : GaussianProcessRanker
        Its parameters say how to fit.
    progress : Progress
        Told of each step; ends the fit when time is over.
    """
    problem = PosteriorProblem(make_family(U), answers, model, progress)
    with _threads_for(problem.size):
        learned = problem.learn()
        K, _ = problem.family.gram(learned.kernel)
        result, _ = problem.infer(learned.hyper.parameters, K, _EXACT)
        root = problem.gain_root(K, result)
    coef = answers.rows.pull(result.pull, len(U))
    kernel = problem.family.kernel(learned.kernel)
    return ProcessFit(
        process=GaussianProcess(kernel, U, coef, root, float(model.noise)),
        learned=learned,
        log_evidence=result.log_evidence,
        gap=result.gap,
    )


def fit_in_features(
    make_family: Callable[[FloatArray], KernelFamily],
    answers: PersonalAnswers,
    U: FloatArray,
    model: "GaussianProcessRanker",
    progress: Progress,
) -> ProcessFit:
    """Learn hyper-parameters from few answers, then the utility from all of them.

    The utility is ``w'phi(x)`` with w ~ N(0, I) and Nystrom features phi of
    few of the items. What the prior knows beyond them stays in the
    variance. O(n_answers n_inducing^2) per Newton step.

    Parameters
    ----------
    make_family, answers, U, model, progress
        As for `fit_exactly`.
    """
    rng = check_random_state(model.random_state)
    # Hyper-parameters are few numbers: some hundred answers determine them about as
    # well as all, and O(n^3) per step allows no more.
    some = rng.choice(len(answers.rows), min(N_LEARNING, len(answers.rows)), False)
    few, used = answers.take(np.sort(some))
    problem = PosteriorProblem(make_family(U[used]), few, model, progress)
    with _threads_for(problem.size):
        learned = problem.learn()
    kernel = problem.family.kernel(learned.kernel)
    inducing = InducingItems.from_items(kernel, U, model.n_inducing, rng)
    found = laplace_in_features(
        inducing.differences(U, answers.rows),
        answers.sites(*problem.ends(learned.hyper.parameters)),
        tol=_ENOUGH,
        go_on=lambda gap: progress.step(gap=gap),
    )
    return ProcessFit(
        process=inducing.process(found, float(model.noise)),
        learned=learned,
        log_evidence=found.log_evidence,
        gap=found.gap,
        residual=inducing.residual,
    )


class PosteriorProblem:
    """Log evidence times prior as a function of all hyper-parameters.

    These are the kernel's, then the logarithm of the tie width (with ties), then
    the first threshold and the logarithms of the gaps between thresholds (with
    ratings). The noise is 1: one scale is fixed (GP-2).

    Parameters
    ----------
    family : KernelFamily
    answers : PersonalAnswers
    model : GaussianProcessRanker
    progress : Progress

    Notes
    -----
    Where there are more items than answers, inference is about the differences that
    the answers speak of, A f with the covariance A K A' (GP-4).
    """

    def __init__(
        self,
        family: KernelFamily,
        answers: PersonalAnswers,
        model: "GaussianProcessRanker",
        progress: Progress,
    ) -> None:
        self.family, self._answers = family, answers
        self._model, self._progress = model, progress
        width = model.tie_width
        self._tie_width = 0.5 if width is None else width / model.noise
        n_items, n_answers = len(answers.items), len(answers.rows)
        # The smaller of the two systems, of items or of answers, is factorised.
        self._by_answer = n_items > n_answers
        self.size = min(n_items, n_answers)
        self._rows = Rows.identity(n_answers) if self._by_answer else answers.rows
        self._largest_slope = np.inf
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
        # A rating is utility plus noise: quantiles of that sum, at the prior's mean
        # variance.
        K, _ = self.family.gram(self.family.prior_mean)
        spread = np.sqrt(1.0 + np.diagonal(K).mean())
        shares = np.clip(self._answers.level_shares(), 0.01, 0.99)
        return spread * ndtri(shares)

    def ends(self, parameters: FloatArray) -> tuple[float, FloatArray]:
        """Give tie width and thresholds."""
        own = parameters[self.n_kernel :]
        width = self._tie_width
        if self._answers.has_ties:
            width, own = float(np.exp(own[0])), own[1:]
        # Logarithms of the gaps: thresholds stay in order wherever the search goes.
        thresholds = np.cumsum(np.concatenate([own[:1], np.exp(own[1:])]))
        return width, thresholds

    def learn(self) -> Learned:
        """Maximise evidence times prior, as far as the model says."""
        if not self._model.learn:
            return self._learned(self.start, 0, True)
        found = minimize(
            self.objective,
            self.start,
            jac=True,
            method="L-BFGS-B",
            bounds=self.bounds,
            callback=self._report_step,
            options={
                "maxiter": self._model.max_iter,
                "gtol": self._model.tol,
                # Evidence is inferred to _ROUGH: a smaller fall of it may be the
                # inference's.
                "ftol": 1e-7,
                "maxcor": 20,
            },
        )
        return self._learned(found.x, int(found.nit), bool(found.success))

    def _report_step(self, parameters: FloatArray) -> None:
        """Tell of a step of learning; stop when time is over."""
        if not self._progress.step(gap=self._largest_slope):
            raise StopIteration

    def _learned(self, parameters: FloatArray, n_iter: int, optimal: bool) -> Learned:
        noise = float(self._model.noise)
        width, thresholds = self.ends(parameters)
        hyper = HyperParameters(parameters, noise * width, noise * thresholds)
        kernel = parameters[: self.n_kernel]
        return Learned(hyper, kernel, n_iter, optimal)

    def infer(
        self, parameters: FloatArray, K: FloatArray, tol: float
    ) -> tuple[LaplaceResult | EPResult, Sites]:
        """Find the posterior, from that of the last call."""
        sites = self._answers.sites(*self.ends(parameters))
        by_laplace = self._model.inference == "laplace"
        solve = laplace if by_laplace else expectation_propagation
        result = solve(
            np.zeros(self.size),
            self._answers.rows.project(K) if self._by_answer else K,
            sites,
            rows=None if self._by_answer else self._rows,
            start=self._warm,
            tol=tol,
        )
        # Hyper-parameters move little per step, and so do the sites.
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
        K, kept = self.family.gram(own)
        result, sites = self.infer(parameters, K, _ROUGH)
        by = evidence_gradient(result, sites, self._rows)
        Q = by.cov
        if self._by_answer:
            spread = self._answers.rows.spread
            # From A K A' back to K: A' Q A.
            Q = spread(spread(Q).T)
        gradient = np.concatenate(
            [
                self.family.slopes(own, Q, kept),
                self._own_slopes(parameters, by.lower, by.upper),
            ]
        )
        # The prior keeps apart what the answers cannot: without it the evidence is
        # flat, or rises for ever, along scales of attributes that do not matter.
        score = (parameters - self.start) / self._deviation
        value = result.log_evidence - 0.5 * score @ score
        slopes = score / self._deviation - gradient
        self._largest_slope = float(np.abs(slopes).max(initial=0.0))
        return -float(value), slopes

    def gain_root(self, K: FloatArray, result: LaplaceResult | EPResult) -> FloatArray:
        """Give V with V'V = (K + W^-1)^-1, for singular K and W too."""
        rows = self._answers.rows
        if self._by_answer:
            scale = np.sqrt(result.precision)
            return rows.spread(_whitened(rows.project(K), np.diag(scale)).T).T
        return _whitened(K, root_of_covariance(rows.gram(result.precision, len(K))))

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


def _threads_for(size: int) -> AbstractContextManager[Any]:
    """Keep small matrices on one thread: waking others takes longer than the work."""
    return nullcontext() if size > _SMALL else one_thread()


def _whitened(K: FloatArray, C: FloatArray) -> FloatArray:
    """Give L^-1 C' with LL' = I + C'KC."""
    B = C.T @ K @ C
    B[np.diag_indices_from(B)] += 1.0
    factor, _ = dpotrf(B, lower=1)
    return dtrtrs(factor, C.T, lower=1)[0]
