"""The choice of a GAI model by folds, one way for ratings and comparisons."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import cast

import numpy as np
from joblib import Parallel, delayed

from penchant.encoding import make_kernels
from penchant.gai._candidates import (
    ProductFamily,
    ScoredCandidate,
    skewness_rates,
)
from penchant.gai._choice import GAICandidate, GAIChoice
from penchant.gai._fit import Fold, JudgedItems, LearnedGAI, SparseMachine
from penchant.gai._mixture import MixedGAI
from penchant.kernels import UnivariateKernel
from penchant.typing import FloatArray, IntArray
from penchant.utility import DualGAI

_WEIGHTS = (0.1, 0.5)
_SPARSE_COSTS = (10.0, 30.0, 100.0, 300.0)
"""Of all rows together, on kernels of mean diagonal 1."""
_SPARSITY_LIMIT = 0.05
"""By how much more error the sparse model may have than the dense one."""
_PAPER_COSTS = tuple(np.logspace(-1.0, 2.0, 20).tolist())


@dataclass(frozen=True)
class Recipe:
    """What is compared for one kind of answers.

    Parameters
    ----------
    loss : {"tube", "hinge"}
    scales : tuple of float
        Length scales of the product kernels.
    costs, epsilons : tuple
        Grid of their machines, for kernels of mean diagonal 1.
    n_blended : int
        How many candidates are added up at most, with repetitions.
    path_slack : float
        The sparsest model is taken whose error is by this share above the smallest.
    """

    loss: str
    scales: tuple[float, ...]
    costs: tuple[float, ...]
    epsilons: tuple[float | None, ...]
    n_blended: int
    path_slack: float


RATINGS = Recipe(
    loss="tube",
    scales=(0.2, 0.6),
    costs=(0.3, 2.0, 12.0, 60.0),
    epsilons=(0.01, 0.2),
    n_blended=12,
    path_slack=0.01,
)
# Machines of comparisons differ in their units: they are not added up.
COMPARISONS = Recipe(
    loss="hinge",
    scales=(0.3, 1.0),
    costs=(0.1, 1.0, 10.0, 100.0),
    epsilons=(None,),
    n_blended=1,
    path_slack=0.02,
)


@dataclass(frozen=True, eq=False)
class Referee:
    """Errors of predictions out of fold.

    Parameters
    ----------
    items : JudgedItems
    rows : ndarray of shape (n_rows,)
        Test rows of all folds, one fold after the other.
    grades : tuple of float or None
        Values to round predictions to before they are judged.
    """

    items: JudgedItems
    rows: IntArray
    grades: tuple[float, ...] | None

    def errors(self, predictions: FloatArray) -> FloatArray:
        """Judge predictions, shape (..., n_rows)."""
        values = predictions if self.grades is None else snap(predictions, self.grades)
        return self.items.errors(values, self.rows)

    @property
    def plain(self) -> "Referee":
        """The same without rounding; it is the less noisy judge of models."""
        return replace(self, grades=None)

    def if_better(self, predictions: FloatArray) -> "Referee":
        """Round to grades only where that lowers the error of these predictions."""
        better = self.errors(predictions) < self.plain.errors(predictions)
        return self if better else self.plain


@dataclass(frozen=True, eq=False, kw_only=True)
class Selection:
    """The course of the choice, for ratings and for comparisons (GAI-6, GAI-7).

    Parameters
    ----------
    items : JudgedItems
        Ratings are standardised. At least one attribute takes part.
    folds : sequence of (train, test)
        Row indices.
    recipe : Recipe
    preset : {"fast", "paper"}
    sparse : "auto" or bool
        Whether to keep the sparse model; "auto": if it costs little.
    sparse_order : int
        Largest order of the factors that the sparse model may have.
    tol : float
    n_jobs : int or None
    """

    items: JudgedItems
    folds: Sequence[Fold]
    recipe: Recipe
    preset: str
    sparse: str | bool
    sparse_order: int
    tol: float
    n_jobs: int | None

    def run(self) -> tuple[LearnedGAI, GAIChoice]:
        """Compare, choose and fit; the choice is told in the user's units."""
        published = self.preset == "paper"
        learned, choice = self._published() if published else self._compared()
        return learned, _in_units(choice, self.items)

    def _compared(self) -> tuple[LearnedGAI, GAIChoice]:
        """Choose among dense models, then between these and the sparse path."""
        tables = Parallel(n_jobs=self.n_jobs)(
            delayed(family.evaluate)(self.folds) for family in self._families()
        )
        scored = [candidate for table in tables for candidate in table]
        dense = _Blend(scored, self._referee, self.recipe.n_blended)
        choice = dense.choice(self.preset, len(self.folds))
        if self.sparse is False:
            return dense.fit(self.items, self.tol), choice
        return self._sparse_or_dense(dense, choice)

    @property
    def _referee(self) -> Referee:
        # Splitters of the user may leave rows out or test them twice.
        rows = np.concatenate([test for _, test in self.folds])
        return Referee(self.items, rows, self.items.grades)

    def _families(self) -> list[ProductFamily]:
        items, recipe = self.items, self.recipe
        rates = skewness_rates(items.encoding, items.U, items.item_weights)
        warps = (np.zeros_like(rates), rates) if rates.any() else (rates,)
        return [
            ProductFamily(
                items, recipe.loss, scale, weight, warp, recipe.costs, recipe.epsilons
            )
            for warp in warps
            for scale in recipe.scales
            for weight in _WEIGHTS
        ]

    def _sparse_or_dense(
        self, dense: "_Blend", choice: GAIChoice
    ) -> tuple[LearnedGAI, GAIChoice]:
        """Keep few factors where that costs little: the 1.05 rule of GAI-6."""
        base = dense.best
        weight = float(np.sqrt(base.candidate.weight))
        unit = 1.0 / (weight * self.items.weights.sum())
        costs = tuple(float(unit * cost) for cost in _SPARSE_COSTS)
        epsilon, order = base.candidate.epsilon, self.sparse_order
        path = _Path(self.items, base.kernels, costs, epsilon, order, self.tol)
        predictions = path.predictions(self.folds, self.n_jobs)
        errors = dense.referee.plain.errors(predictions)
        place = _sparsest_within(errors, self.recipe.path_slack)
        error = float(errors[place])
        kept, reason = _sparsity_verdict(choice, error, self.sparse)
        candidate = replace(
            base.candidate,
            family="sparse",
            C=costs[place],
            cv_error=error,
            share=float(kept),
        )
        others = choice.candidates
        if kept:
            others = tuple(replace(other, share=0.0) for other in others)
            rounded = float(dense.referee.errors(predictions[place]))
            choice = replace(choice, sparse=True, cv_error=rounded)
        choice = replace(
            choice,
            candidates=_best_first((*others, candidate)),
            sparse_error=error,
            reason=reason,
        )
        return path.fit(place) if kept else dense.fit(self.items, self.tol), choice

    def _published(self) -> tuple[LearnedGAI, GAIChoice]:
        """Choose the cost for the paper's kernel by the certified path."""
        items, recipe = self.items, self.recipe
        kernels = make_kernels("rbf", 1.0, items.encoding)
        epsilon, order = items.paper_epsilon, items.max_order
        path = _Path(items, kernels, _PAPER_COSTS, epsilon, order, self.tol)
        errors = self._referee.plain.errors(path.predictions(self.folds, self.n_jobs))
        place = int(np.argmin(errors))
        weight = kernels[items.encoding.active[0]].mean_diagonal()
        plain = GAICandidate("published", recipe.loss, False, 1.0, weight)
        candidates = [
            replace(plain, C=cost, epsilon=epsilon, cv_error=float(error))
            for cost, error in zip(_PAPER_COSTS, errors, strict=True)
        ]
        candidates[place] = replace(candidates[place], share=1.0)
        choice = GAIChoice(
            preset="paper",
            candidates=_best_first(candidates),
            sparse=True,
            cv_error=float(errors[place]),
            dense_error=None,
            sparse_error=float(errors[place]),
            grades=None,
            n_folds=len(self.folds),
            reason="Published settings; C by cross-validation.",
        )
        return path.fit(place), choice


def _in_units(choice: GAIChoice, items: JudgedItems) -> GAIChoice:
    """Go from standardised ratings to those of the user."""

    def scaled(error: float | None) -> float | None:
        return None if error is None else items.unit * error

    grades = choice.grades
    if grades is not None:
        grades = tuple(items.offset + items.unit * grade for grade in grades)
    return replace(
        choice,
        candidates=tuple(
            replace(candidate, cv_error=items.unit * candidate.cv_error)
            for candidate in choice.candidates
        ),
        cv_error=items.unit * choice.cv_error,
        dense_error=scaled(choice.dense_error),
        sparse_error=scaled(choice.sparse_error),
        grades=grades,
    )


@dataclass(frozen=True, eq=False)
class _Path:
    """Certified sparse models for rising costs, each from the last support (GAI-3)."""

    items: JudgedItems
    kernels: Sequence[UnivariateKernel]
    costs: tuple[float, ...]
    epsilon: float | None
    max_order: int
    tol: float

    @cached_property
    def _machine(self) -> SparseMachine:
        active = self.items.encoding.active
        return SparseMachine(self.items.U, self.kernels, active, self.max_order)

    def fit(self, place: int) -> LearnedGAI:
        """Learn the model of one cost, along the path, from all rows."""
        evidence = self.items.evidence(self.epsilon)
        return self._machine.fit_path(evidence, self.costs[: place + 1], self.tol)[-1]

    def predictions(self, folds: Sequence[Fold], n_jobs: int | None) -> FloatArray:
        """Give the predictions out of fold for each cost."""
        tables = Parallel(n_jobs=n_jobs)(delayed(self._fold)(*fold) for fold in folds)
        return np.concatenate(list(tables), axis=1)

    def _fold(self, train: IntArray, test: IntArray) -> FloatArray:
        evidence = self.items.evidence(self.epsilon, train)
        models = self._machine.fit_path(evidence, self.costs, self.tol)
        return np.stack([self.items.predict(model.utility, test) for model in models])


class _Blend:
    """The dense model: a weighted sum of a few candidates, or the best one."""

    def __init__(
        self, scored: Sequence[ScoredCandidate], referee: Referee, n_steps: int
    ) -> None:
        table = np.stack([candidate.predictions for candidate in scored])
        self._scored = scored
        self._shares = _blend(table, referee.plain, n_steps)
        self._errors = referee.plain.errors(table)
        self.predictions: FloatArray = self._shares @ table
        self.referee = referee.if_better(self.predictions)

    @property
    def best(self) -> ScoredCandidate:
        """The best candidate by itself."""
        return self._scored[int(np.argmin(self._errors))]

    def choice(self, preset: str, n_folds: int) -> GAIChoice:
        """Tell what was blended, with errors and shares, best first."""
        rows = zip(self._scored, self._errors, self._shares, strict=True)
        candidates = [
            replace(scored.candidate, cv_error=float(error), share=float(share))
            for scored, error, share in rows
        ]
        return GAIChoice(
            preset=preset,
            candidates=_best_first(candidates),
            sparse=False,
            cv_error=float(self.referee.errors(self.predictions)),
            dense_error=float(self.referee.plain.errors(self.predictions)),
            sparse_error=None,
            grades=self.referee.grades,
            n_folds=n_folds,
            reason="The dense model was asked for.",
        )

    def fit(self, items: JudgedItems, tol: float) -> LearnedGAI:
        """Fit the candidates that have a share to all rows, and add them up."""
        places: list[int] = np.flatnonzero(self._shares).tolist()
        fits = [self._scored[k].fit(items, tol) for k in places]
        parts = [
            cast(DualGAI, learned.utility).scaled(0.0, float(self._shares[k]))
            for learned, k in zip(fits, places, strict=True)
        ]
        worst = max(fits, key=lambda learned: learned.gap)
        utility = parts[0] if len(parts) == 1 else MixedGAI(tuple(parts))
        n_iter = sum(learned.n_iter for learned in fits)
        return LearnedGAI(utility, worst.gap, worst.status, n_iter)


def _blend(table: FloatArray, referee: Referee, n_steps: int) -> FloatArray:
    """Combine candidates by forward selection with replacement.

    In each step the candidate enters that lowers the error of the mean most; the
    best of the steps is returned. A mean of a few good and different models is safer
    than the best one alone, which is what a single step gives.

    Parameters
    ----------
    table : ndarray of shape (n_candidates, n_rows)
        Predictions out of fold.
    referee : Referee
    n_steps : int

    Returns
    -------
    ndarray of shape (n_candidates,)
        Shares; non-negative, summing to 1.
    """
    total, counts = np.zeros(table.shape[1]), np.zeros(len(table))
    best, shares = np.inf, counts
    for step in range(1, n_steps + 1):
        errors = referee.errors((total + table) / step)
        chosen = int(np.argmin(errors))
        total = total + table[chosen]
        counts[chosen] += 1
        if errors[chosen] < best:
            best, shares = float(errors[chosen]), counts / step
    return shares


def _sparsest_within(errors: FloatArray, slack: float) -> int:
    """Give the first place whose error is within a share of the smallest one."""
    return int(np.flatnonzero(errors <= (1.0 + slack) * errors.min())[0])


def _sparsity_verdict(
    dense: GAIChoice, sparse_error: float, wanted: str | bool
) -> tuple[bool, str]:
    """Tell whether to keep the sparse model, and why (GAI-6).

    Up to 5 % of accuracy is given for few factors.

    Parameters
    ----------
    dense : GAIChoice
        The dense alternative.
    sparse_error : float
        On the same rows.
    wanted : "auto" or True
    """
    dense_error = dense.dense_error or 0.0
    change = "from 0"
    if dense_error > 0:
        change = f"by {sparse_error / dense_error - 1.0:+.1%}"
    effect = f"Few factors change the error {change}"
    if wanted is True:
        return True, f"{effect}: the sparse model was asked for."
    effect += f" ({_SPARSITY_LIMIT:+.0%} is accepted)"
    if sparse_error <= (1.0 + _SPARSITY_LIMIT) * dense_error:
        return True, f"{effect}: the sparse model was kept."
    return False, f"{effect}: the dense model was kept."


def snap(values: FloatArray, grades: Sequence[float]) -> FloatArray:
    """Round each value to the nearest of the rising grades.

    Examples
    --------
    >>> import numpy as np
    >>> from penchant.gai._selection import snap
    >>> snap(np.array([-1.0, 1.4, 1.6]), (0.0, 1.0, 2.0))
    array([0., 1., 2.])
    """
    levels = np.asarray(grades, dtype=np.float64)
    middles = (levels[1:] + levels[:-1]) / 2.0
    return levels[np.searchsorted(middles, values)]


def _best_first(candidates: Sequence[GAICandidate]) -> tuple[GAICandidate, ...]:
    return tuple(sorted(candidates, key=lambda candidate: candidate.cv_error))
