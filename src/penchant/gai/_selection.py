"""The choice of a GAI model for ratings: candidates, blend, grades, sparsity."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import cast

import numpy as np
from joblib import Parallel, delayed

from penchant.encoding import make_kernels
from penchant.gai._candidates import (
    EvidenceFamily,
    Folds,
    KernelFamily,
    ProductFamily,
    RatedItems,
    ScoredCandidate,
)
from penchant.gai._choice import (
    GAICandidate,
    GAIChoice,
    Referee,
    blend,
    sparsity_verdict,
)
from penchant.gai._fit import LearnedGAI
from penchant.gai._mixture import MixedGAI
from penchant.gai._sparse_path import SparsePath, sparsest_within
from penchant.gai.solver._evidence import Evidence
from penchant.typing import FloatArray, IntArray
from penchant.utility import DualGAI

__all__ = ["RatingSelection"]

_SCALES, _WEIGHTS = (0.2, 0.6), (0.1, 0.5)
_COSTS, _EPSILONS = (0.3, 2.0, 12.0, 60.0), (0.01, 0.2)
_EVIDENCE_COSTS, _EVIDENCE_EPSILONS = (1.0, 10.0), (0.05,)
_FEW_ATTRIBUTES = 6
"""Up to here the evidence families have all orders; above, orders up to 3."""
_EVIDENCE_LIMIT = 2000
"""With more distinct items the evidence would take too long."""
_SPARSE_COSTS = (10.0, 30.0, 100.0, 300.0)
"""Of all ratings together, on kernels of mean diagonal 1."""
_PATH_SLACK = 0.01
_PAPER_COSTS = tuple(np.logspace(-1.0, 2.0, 20).tolist())
_PAPER_EPSILON = 0.01


@dataclass(frozen=True, eq=False)
class RatingSelection:
    """The course of the choice for ratings (GAI-6).

    Parameters
    ----------
    data : RatedItems
        With at least one attribute that takes part.
    folds : sequence of (train, test)
        Row indices.
    preset : {"fast", "accurate", "paper"}
    sparse : "auto" or bool
        Whether to keep the sparse model; "auto": if it costs little.
    sparse_order : int
        Largest order of the factors that the sparse model may have.
    grades : tuple of float or None
        Values that the standardised ratings take, if they are grades.
    tol : float
    n_jobs : int or None
    """

    data: RatedItems
    folds: Folds
    preset: str
    sparse: str | bool
    sparse_order: int
    grades: tuple[float, ...] | None
    tol: float
    n_jobs: int | None

    def run(self) -> tuple[LearnedGAI, GAIChoice]:
        """Compare, choose and fit; errors and grades are standardised."""
        if self.preset == "paper":
            return self._published()
        families = self._families()
        tables = Parallel(n_jobs=self.n_jobs)(
            delayed(family.evaluate)(self.data, self.folds) for family in families
        )
        dense = _Blend([scored for table in tables for scored in table], self._referee)
        choice = dense.choice(self.preset, len(self.folds))
        if self.sparse is False:
            return dense.fit(self.data, self.tol), choice
        return self._sparse_or_dense(dense, choice)

    @property
    def _referee(self) -> Referee:
        rows = _test_rows(self.folds)
        return Referee(self.data.y[rows], self.data.weights[rows], self.grades)

    def _families(self) -> list[KernelFamily]:
        warps = (False, True) if self.data.rates.any() else (False,)
        families: list[KernelFamily] = [
            ProductFamily(scale, weight, warp, _COSTS, _EPSILONS)
            for warp in warps
            for scale in _SCALES
            for weight in _WEIGHTS
        ]
        n_items, n_active = len(np.unique(self.data.U, axis=0)), len(self.data.active)
        if self.preset == "accurate" and n_items <= _EVIDENCE_LIMIT:
            largest = n_active if n_active <= _FEW_ATTRIBUTES else 3
            families += [
                EvidenceFamily(order, warp, _EVIDENCE_COSTS, _EVIDENCE_EPSILONS)
                for order, warp in ((2, False), (largest, False), (largest, True))
            ]
        return families

    def _sparse_or_dense(
        self, dense: "_Blend", choice: GAIChoice
    ) -> tuple[LearnedGAI, GAIChoice]:
        """Keep few factors where that costs little: the 1.05 rule of GAI-6."""
        base = dense.best_product
        weight = np.asarray(base.candidate.weight)
        unit = 1.0 / (np.sqrt(weight) * self.data.weights.sum())
        path = SparsePath(
            self.data.U,
            base.kernels,
            self.data.active,
            tuple(float(unit * cost) for cost in _SPARSE_COSTS),
            self.sparse_order,
            self.tol,
        )
        epsilon = float(base.candidate.epsilon or 0.0)
        predictions = self._path_predictions(path, epsilon)
        errors = dense.referee.plain.errors(predictions)
        place = sparsest_within(errors, _PATH_SLACK)
        kept, reason = sparsity_verdict(choice, float(errors[place]), self.sparse)
        candidate = replace(
            base.candidate,
            family="sparse",
            C=path.costs[place],
            cv_error=float(errors[place]),
        )
        rounded = float(dense.referee.errors(predictions[place]))
        choice = choice.with_sparse(candidate, kept, rounded, reason)
        if not kept:
            return dense.fit(self.data, self.tol), choice
        return path.models(self._evidence(epsilon), place + 1)[-1], choice

    def _published(self) -> tuple[LearnedGAI, GAIChoice]:
        """Choose the cost for the paper's kernel by the certified path."""
        kernels = make_kernels("rbf", 1.0, self.data.encoding)
        path = SparsePath(
            self.data.U,
            kernels,
            self.data.active,
            _PAPER_COSTS,
            self.data.max_order,
            self.tol,
        )
        epsilon = _PAPER_EPSILON * float(np.ptp(self.data.y))
        predictions = self._path_predictions(path, epsilon)
        errors = self._referee.plain.errors(predictions)
        place = int(np.argmin(errors))
        weight = kernels[self.data.active[0]].mean_diagonal()
        candidates = [
            GAICandidate(
                "published", "tube", False, 1.0, weight, cost, epsilon, float(error)
            )
            for cost, error in zip(path.costs, errors, strict=True)
        ]
        choice = GAIChoice.published(candidates, len(self.folds))
        return path.models(self._evidence(epsilon), place + 1)[-1], choice

    def _path_predictions(self, path: SparsePath, epsilon: float) -> FloatArray:
        """Give the predictions out of fold for each cost."""
        tables = Parallel(n_jobs=self.n_jobs)(
            delayed(path.values)(self._evidence(epsilon, train), test)
            for train, test in self.folds
        )
        return np.concatenate(list(tables), axis=1)

    def _evidence(self, epsilon: float, rows: IntArray | None = None) -> Evidence:
        """Give the ratings of some rows; the others get weight 0."""
        weights = self.data.weights
        if rows is not None:
            weights = np.zeros(len(weights))
            weights[rows] = self.data.weights[rows]
        return Evidence.from_ratings(self.data.y, epsilon=epsilon, weights=weights)


class _Blend:
    """The dense model: a weighted sum of a few candidates."""

    def __init__(self, scored: Sequence[ScoredCandidate], referee: Referee) -> None:
        table = np.stack([candidate.predictions for candidate in scored])
        self._scored = scored
        self._shares = blend(table, referee)
        self._errors = referee.plain.errors(table)
        self.predictions: FloatArray = self._shares @ table
        self.referee = referee.if_better(self.predictions)

    @property
    def best_product(self) -> ScoredCandidate:
        """The best product kernel by itself."""
        order: list[int] = np.argsort(self._errors, kind="stable").tolist()
        ranked = [self._scored[k] for k in order]
        return next(s for s in ranked if s.candidate.family == "product")

    def choice(self, preset: str, n_folds: int) -> GAIChoice:
        """Tell what was blended, with errors and shares, best first."""
        rows = zip(self._scored, self._errors, self._shares, strict=True)
        candidates = [
            replace(scored.candidate, cv_error=float(error), share=float(share))
            for scored, error, share in rows
        ]
        return GAIChoice(
            preset,
            tuple(sorted(candidates, key=lambda candidate: candidate.cv_error)),
            False,
            float(self.referee.errors(self.predictions)),
            float(self.referee.plain.errors(self.predictions)),
            None,
            self.referee.grades,
            n_folds,
            "The dense model was asked for.",
        )

    def fit(self, data: RatedItems, tol: float) -> LearnedGAI:
        """Fit the candidates that have a share to all rows, and add them up."""
        places: list[int] = np.flatnonzero(self._shares).tolist()
        fits = [self._scored[k].fit(data, tol) for k in places]
        parts = [
            cast(DualGAI, learned.utility).scaled(0.0, float(self._shares[k]))
            for learned, k in zip(fits, places, strict=True)
        ]
        worst = max(fits, key=lambda learned: learned.gap)
        utility = parts[0] if len(parts) == 1 else MixedGAI(tuple(parts))
        n_iter = sum(learned.n_iter for learned in fits)
        return LearnedGAI(utility, worst.gap, worst.status, n_iter)


def _test_rows(folds: Folds) -> IntArray:
    return np.concatenate([test for _, test in folds])
