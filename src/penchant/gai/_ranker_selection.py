"""The choice of a GAI model for comparisons: dense candidates and the sparse path."""

from dataclasses import dataclass, replace
from math import comb

import numpy as np
from joblib import Parallel, delayed

from penchant.encoding import Encoding, Pairs, make_kernels
from penchant.gai._candidates import Folds, attribute_kernels, skewness_rates
from penchant.gai._choice import GAICandidate, GAIChoice, sparsity_verdict
from penchant.gai._estimators import pair_evidence
from penchant.gai._fit import DenseMachine, LearnedGAI
from penchant.gai._sparse_path import SparsePath, sparsest_within
from penchant.gai.solver._evidence import Evidence
from penchant.kernels import UnivariateKernel
from penchant.typing import FloatArray, IntArray

__all__ = ["ComparisonSelection", "take_pairs"]

_SCALES = {"fast": (0.3, 1.0), "accurate": (0.15, 0.3, 0.6, 1.2)}
_WEIGHTS = (0.1, 0.5)
_COSTS = (0.1, 1.0, 10.0, 100.0)
"""On product kernels of mean diagonal 1."""
_SPARSE_COSTS = (10.0, 30.0, 100.0, 300.0)
"""Of all comparisons together, on kernels of mean diagonal 1."""
_PAPER_COSTS = tuple(np.logspace(-1.0, 2.0, 20).tolist())
_TIE_EPSILON = 0.01
_FOLD_TOLERANCE = 1e-3
_PATH_SLACK = 0.02


@dataclass(frozen=True, eq=False)
class ComparisonSelection:
    """The course of the choice for comparisons (GAI-6, GAI-7).

    Parameters
    ----------
    pairs : Pairs
    U : ndarray of shape (n_items, n_features)
        Encoded items of the pairs.
    encoding : Encoding
        With at least one attribute that takes part.
    folds : sequence of (train, test)
        Indices of pairs.
    preset : {"fast", "accurate", "paper"}
    sparse : "auto" or bool
    max_order, sparse_order : int
        Largest order of the factors of dense and sparse models.
    tol : float
    n_jobs : int or None
    """

    pairs: Pairs
    U: FloatArray
    encoding: Encoding
    folds: Folds
    preset: str
    sparse: str | bool
    max_order: int
    sparse_order: int
    tol: float
    n_jobs: int | None

    def run(self) -> tuple[LearnedGAI, GAIChoice]:
        """Compare, choose and fit."""
        if self.preset == "paper":
            return self._published()
        settings = self._settings()
        tables = Parallel(n_jobs=self.n_jobs)(
            delayed(self._judge_dense)(candidate) for candidate in settings
        )
        judged = [candidate for table in tables for candidate in table]
        candidates = sorted(judged, key=lambda candidate: candidate.cv_error)
        best = candidates[0]
        choice = GAIChoice(
            self.preset,
            (replace(best, share=1.0), *candidates[1:]),
            False,
            best.cv_error,
            best.cv_error,
            None,
            None,
            len(self.folds),
            "The dense model was asked for.",
        )
        if self.sparse is not False:
            return self._sparse_or_dense(best, choice)
        return self._fit_dense(best), choice

    def _sparse_or_dense(
        self, best: GAICandidate, choice: GAIChoice
    ) -> tuple[LearnedGAI, GAIChoice]:
        """Keep few factors where that costs little: the 1.05 rule of GAI-6."""
        unit = 1.0 / (np.sqrt(np.asarray(best.weight)) * self.pairs.weights.sum())
        costs = tuple(float(unit * cost) for cost in _SPARSE_COSTS)
        path = self._path(self._kernels(best), costs, self.sparse_order)
        errors = self._judge_path(path)
        place = sparsest_within(errors, _PATH_SLACK)
        error = float(errors[place])
        kept, reason = sparsity_verdict(choice, error, self.sparse)
        candidate = replace(
            best, family="sparse", C=costs[place], cv_error=error, share=0.0
        )
        choice = choice.with_sparse(candidate, kept, error, reason)
        if kept:
            return path.models(self._evidence(), place + 1)[-1], choice
        return self._fit_dense(best), choice

    def _fit_dense(self, best: GAICandidate) -> LearnedGAI:
        machine, C = self._machine(best), float(np.asarray(best.C))
        return machine.fit_comparisons(self._evidence(), C=C, tol=self.tol)

    def _settings(self) -> list[GAICandidate]:
        """List the kernels; costs are tried for each of them."""
        rates = skewness_rates(self.encoding, self.U, np.ones(len(self.U)))
        warps = (False, True) if rates.any() else (False,)
        return [
            GAICandidate("product", "hinge", warp, scale, weight)
            for warp in warps
            for scale in _SCALES[self.preset]
            for weight in _WEIGHTS
        ]

    def _kernels(self, candidate: GAICandidate) -> tuple[UnivariateKernel, ...]:
        rates = np.zeros(self.U.shape[1])
        if candidate.warp:
            rates = skewness_rates(self.encoding, self.U, np.ones(len(self.U)))
        scale, weight = np.asarray(candidate.scale), np.asarray(candidate.weight)
        return attribute_kernels(self.encoding, scale, weight, rates)

    def _machine(self, candidate: GAICandidate) -> DenseMachine:
        return DenseMachine(
            self.U,
            self._kernels(candidate),
            self.encoding.active,
            (1.0,) * self.max_order,
        )

    def _judge_dense(self, candidate: GAICandidate) -> list[GAICandidate]:
        """Give the candidate with every cost and its error out of fold."""
        machine = self._machine(candidate)
        unit = 1.0 / self._mean_diagonal(candidate)
        judged = []
        for cost in _COSTS:
            utilities = [
                machine.fit_comparisons(
                    self._evidence(train), C=cost * unit, tol=_FOLD_TOLERANCE
                ).utility.utility(self.U)
                for train, _ in self.folds
            ]
            error = float(self._errors(np.stack(utilities)[:, None, :])[0])
            judged.append(replace(candidate, C=cost * unit, cv_error=error))
        return judged

    def _mean_diagonal(self, candidate: GAICandidate) -> float:
        """Give the mean of the product kernel's diagonal over the domain."""
        n_active = len(self.encoding.active)
        orders = range(self.max_order + 1)
        weight = float(np.asarray(candidate.weight))
        return sum(comb(n_active, q) * weight**q for q in orders)

    def _published(self) -> tuple[LearnedGAI, GAIChoice]:
        kernels = make_kernels("rbf", 1.0, self.encoding)
        path = self._path(kernels, _PAPER_COSTS, self.max_order)
        errors = self._judge_path(path)
        place = int(np.argmin(errors))
        weight = kernels[self.encoding.active[0]].mean_diagonal()
        candidates = [
            GAICandidate(
                "published", "hinge", False, 1.0, weight, cost, None, float(error)
            )
            for cost, error in zip(path.costs, errors, strict=True)
        ]
        choice = GAIChoice.published(candidates, len(self.folds))
        return path.models(self._evidence(), place + 1)[-1], choice

    def _path(
        self,
        kernels: tuple[UnivariateKernel, ...],
        costs: tuple[float, ...],
        order: int,
    ) -> SparsePath:
        return SparsePath(self.U, kernels, self.encoding.active, costs, order, self.tol)

    def _judge_path(self, path: SparsePath) -> FloatArray:
        """Give the error out of fold for each cost."""
        tables = Parallel(n_jobs=self.n_jobs)(
            delayed(path.values)(self._evidence(train), slice(None))
            for train, _ in self.folds
        )
        return self._errors(np.stack(list(tables)))

    def _evidence(self, rows: IntArray | None = None) -> Evidence:
        """Give some of the comparisons and ties as evidence; None: all."""
        pairs = self.pairs if rows is None else take_pairs(self.pairs, rows)
        return pair_evidence(pairs, _TIE_EPSILON)

    def _errors(self, utilities: FloatArray) -> FloatArray:
        """Give the share of wrong test pairs; utilities (n_folds, n_models, n_items).

        Equal utilities are half wrong; ties are not judged.
        """
        wrong, total = np.zeros(utilities.shape[1]), 0.0
        for values, (_, test) in zip(utilities, self.folds, strict=True):
            rows = test[~self.pairs.ties[test]]
            weights = self.pairs.weights[rows]
            winners, losers = self.pairs.winners[rows], self.pairs.losers[rows]
            difference = values[:, winners] - values[:, losers]
            wrong += (0.5 - 0.5 * np.sign(difference)) @ weights
            total += float(weights.sum())
        return wrong / max(total, np.finfo(float).tiny)


def take_pairs(pairs: Pairs, rows: IntArray) -> Pairs:
    """Keep some of the pairs."""
    return replace(
        pairs,
        winners=pairs.winners[rows],
        losers=pairs.losers[rows],
        ties=pairs.ties[rows],
        weights=pairs.weights[rows],
    )
