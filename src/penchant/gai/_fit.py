"""What GAI models learn from, and the machines that learn them: sparse and dense."""

from abc import ABC, abstractmethod
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import combinations
from math import comb

import numpy as np

from penchant.encoding import Encoding, Pairs
from penchant.gai._dense import DenseResult, fit_comparisons, fit_ratings
from penchant.gai.solver._evidence import Evidence
from penchant.gai.solver._sparse_gai import SparseGAIProblem, SparseGAIResult
from penchant.kernels import UnivariateKernel
from penchant.typing import FloatArray, IntArray
from penchant.utility import DualGAI, Factor, GAIUtility, TensorGAI, sum_orders

Fold = tuple[IntArray, IntArray]
"""Rows to learn from, and rows to predict."""

_TIE_EPSILON = 0.01
"""What tied items may differ by, unless told."""
_PAPER_EPSILON = 0.01
"""Half-width of the paper's tube, as a share of the range of the ratings."""
_FOLD_TOLERANCE = 1e-3
"""Relative gap of ranking machines that are fitted to be judged, not kept."""


@dataclass(frozen=True, eq=False)
class LearnedGAI:
    """A utility and how well it solves its problem.

    Parameters
    ----------
    utility : GAIUtility
    gap : float
        Relative duality gap.
    status : str
        "optimal" if the gap is at most the tolerance.
    n_iter : int
    solver : {"exact", "binned", "linear"}
        Which problem was solved.
    """

    utility: GAIUtility
    gap: float
    status: str
    n_iter: int
    solver: str = "exact"


class SparseMachine:
    """Few factors among all subsets up to an order, with a certificate (GAI-3).

    Parameters
    ----------
    U : ndarray of shape (n_items, n_features)
        Encoded items.
    kernels : sequence of UnivariateKernel
        One per attribute.
    active : sequence of int
        Attributes that may occur in factors.
    max_order : int or None
    """

    def __init__(
        self,
        U: FloatArray,
        kernels: Sequence[UnivariateKernel],
        active: Sequence[int],
        max_order: int | None,
    ) -> None:
        self._active, self._max_order = active, max_order
        self._maps = {i: kernels[i].feature_map() for i in active}
        self._features = [self._maps[i](U[:, i]) for i in active]
        if not self._features:  # the solver then finds the best constant
            self._features = [np.zeros((len(U), 1))]

    def fit(
        self, evidence: Evidence, *, C: float, tol: float, hierarchical: bool
    ) -> LearnedGAI:
        """Learn the utility for one cost; on request with all parts of its factors."""
        problem = self._problem(evidence)
        solve = _solve_hierarchical if hierarchical else SparseGAIProblem.solve
        return self._learned(solve(problem, C, tol=tol))

    def fit_path(
        self, evidence: Evidence, costs: Sequence[float], tol: float
    ) -> list[LearnedGAI]:
        """Learn the utilities for rising costs, each from the last one's support."""
        results = self._problem(evidence).solve_path(costs, tol=tol)
        return [self._learned(result) for result in results]

    def _problem(self, evidence: Evidence) -> SparseGAIProblem:
        return SparseGAIProblem(self._features, evidence, max_order=self._max_order)

    def _learned(self, result: SparseGAIResult) -> LearnedGAI:
        subsets = tuple(tuple(self._active[k] for k in s) for s in result.factors)
        utility = TensorGAI(dict(self._maps), subsets, result.tensors, result.intercept)
        return LearnedGAI(utility, result.gap, result.status, result.n_iter)


def _solve_hierarchical(
    problem: SparseGAIProblem, C: float, *, tol: float
) -> SparseGAIResult:
    """Grow the factors order by order; none enters without all its parts.

    Candidates of the next order are the subsets all of whose parts were chosen.
    When a factor loses a part, it is taken from the candidates and the problem is
    solved again; this ends because candidates only get fewer.
    """
    result = problem.solve(C, tol=tol, candidates=())
    for order in range(2, problem.max_order + 1):
        grown = _next_order(result.factors, order)
        if not grown:
            break
        admissible = grown.union(result.factors)
        while True:
            support = admissible.intersection(result.factors)
            result = problem.solve(C, tol=tol, support=support, candidates=admissible)
            orphans = _orphans(result.factors)
            if not orphans:
                break
            admissible -= orphans
    return result


def _next_order(factors: Iterable[Factor], order: int) -> set[Factor]:
    """List the subsets of a size all of whose parts are factors."""
    known = set(factors)
    smaller = [s for s in known if len(s) == order - 1]
    singles = {s[0] for s in known if len(s) == 1}
    longer = {(*s, i) for s in smaller for i in singles if i > s[-1]}
    return {s for s in longer if all(p in known for p in combinations(s, order - 1))}


def _orphans(factors: Iterable[Factor]) -> set[Factor]:
    """Find the factors that miss a part, or a part of a part."""
    kept: set[Factor] = set()
    for factor in sorted(factors, key=len):
        if len(factor) == 1 or kept.issuperset(combinations(factor, len(factor) - 1)):
            kept.add(factor)
    return set(factors) - kept


class DenseMachine:
    """One kernel over all subsets up to an order, on the distinct items (GAI-9).

    Parameters
    ----------
    U : ndarray of shape (n_items, n_features)
        Encoded items.
    kernels : sequence of UnivariateKernel
        One per attribute.
    active : sequence of int
        Attributes that take part.
    order_weights : sequence of float
        Weights of the subsets with 1, 2, ... attributes.

    Attributes
    ----------
    gram : ndarray of shape (n_distinct, n_distinct)
    item_of : ndarray of shape (n_items,)
        Place of each item among the distinct ones.
    """

    def __init__(
        self,
        U: FloatArray,
        kernels: Sequence[UnivariateKernel],
        active: Sequence[int],
        order_weights: Sequence[float],
    ) -> None:
        self._active = tuple(active)
        self._kernels = tuple(kernels[i] for i in active)
        self._order_weights = tuple(order_weights)
        self._items, item_of = np.unique(
            U[:, list(active)], axis=0, return_inverse=True
        )
        self.item_of: IntArray = item_of.ravel()
        columns = zip(self._kernels, self._items.T, strict=True)
        grams = [kernel.k0(column, column) for kernel, column in columns]
        size = len(self._items)
        self.gram = (
            sum_orders(grams, self._order_weights) if grams else np.zeros((size, size))
        )

    def mean_diagonal(self, weights: FloatArray) -> float:
        """Give the mean of the kernel's diagonal over the items."""
        diagonal = np.diagonal(self.gram)[self.item_of]
        return float(np.average(diagonal, weights=weights))

    def learned(self, result: DenseResult) -> LearnedGAI:
        """Give the utility of coefficients on the distinct items."""
        used = result.coef != 0
        utility = DualGAI(
            self._active,
            self._kernels,
            self._items[used],
            result.coef[used],
            self._order_weights,
            result.intercept,
        )
        return LearnedGAI(utility, result.gap, result.status, result.n_iter)


@dataclass(frozen=True, eq=False, kw_only=True)
class JudgedItems(ABC):
    """Encoded items and what people said about them, row by row.

    Whatever differs between ratings and comparisons is here: the evidence for a
    sparse machine, the fit of a dense one, what is predicted of a row, and how wrong
    a prediction is.

    Parameters
    ----------
    U : ndarray of shape (n_items, n_features)
        Encoded items.
    weights : ndarray of shape (n_rows,)
        How much each row counts.
    encoding : Encoding
    max_order : int
        Largest number of attributes in a factor.
    offset, unit : float
        Take utilities to the units of the user.
    grades : tuple of float or None, default=None
        Values that predictions may be rounded to.
    """

    U: FloatArray
    weights: FloatArray
    encoding: Encoding
    max_order: int
    offset: float = 0.0
    unit: float = 1.0
    grades: tuple[float, ...] | None = None

    @property
    def item_weights(self) -> FloatArray:
        """How much each item counts."""
        return np.ones(len(self.U))

    @property
    def paper_epsilon(self) -> float | None:
        """The half-width of the paper's tube; None: its loss has none."""
        return None

    @abstractmethod
    def evidence(self, epsilon: float | None, rows: IntArray | None = None) -> Evidence:
        """Give some rows (None: all) as evidence; the others get weight 0."""

    @abstractmethod
    def fit_machine(
        self, machine: DenseMachine, *, C: float, epsilon: float | None, tol: float
    ) -> LearnedGAI:
        """Fit a dense machine to all rows."""

    @abstractmethod
    def predict_fold(
        self, machine: DenseMachine, fold: Fold, *, C: float, epsilon: float | None
    ) -> FloatArray:
        """Fit a dense machine to some rows and predict others, without certificate."""

    @abstractmethod
    def predict(self, utility: GAIUtility, rows: IntArray) -> FloatArray:
        """Predict some rows."""

    @abstractmethod
    def errors(self, predictions: FloatArray, rows: IntArray) -> FloatArray:
        """Give the mean error of predictions of some rows, shape (..., n_rows)."""

    @abstractmethod
    def machine_cost(self, cost: float, machine: DenseMachine, weight: float) -> float:
        """Take a cost for a kernel of mean diagonal 1 to one for a product kernel."""

    def dense_machine(
        self,
        kernels: Sequence[UnivariateKernel],
        order_weights: Sequence[float] | None = None,
    ) -> DenseMachine:
        """Make the machine of all factors; None: of the same weight for all orders."""
        weights = (1.0,) * self.max_order if order_weights is None else order_weights
        return DenseMachine(self.U, kernels, self.encoding.active, weights)

    def _weights_of(self, rows: IntArray | None) -> FloatArray:
        if rows is None:
            return self.weights
        weights = np.zeros_like(self.weights)
        weights[rows] = self.weights[rows]
        return weights


@dataclass(frozen=True, eq=False, kw_only=True)
class RatedItems(JudgedItems):
    """Items with ratings, one per row (GAI-2).

    Parameters
    ----------
    y : ndarray of shape (n_items,)
    """

    y: FloatArray

    @property
    def item_weights(self) -> FloatArray:
        return self.weights

    @property
    def paper_epsilon(self) -> float:
        return _PAPER_EPSILON * float(np.ptp(self.y))

    def evidence(self, epsilon: float | None, rows: IntArray | None = None) -> Evidence:
        weights = self._weights_of(rows)
        return Evidence.from_ratings(self.y, epsilon=epsilon or 0.0, weights=weights)

    def fit_machine(
        self, machine: DenseMachine, *, C: float, epsilon: float | None, tol: float
    ) -> LearnedGAI:
        result = fit_ratings(
            machine.gram,
            machine.item_of,
            self.y,
            C=C,
            epsilon=epsilon or 0.0,
            weights=self.weights,
            tol=tol,
        )
        return machine.learned(result)

    def predict_fold(
        self, machine: DenseMachine, fold: Fold, *, C: float, epsilon: float | None
    ) -> FloatArray:
        from sklearn.svm import SVR  # late: it takes long to import

        train, test = fold
        # Equal rows are merged: libsvm would have a variable for each.
        rated = np.stack([machine.item_of[train], self.y[train]])
        pairs, row_of = np.unique(rated, axis=1, return_inverse=True)
        counts = np.bincount(row_of.ravel(), self.weights[train])
        items, gram = pairs[0].astype(np.int64), machine.gram
        regression = SVR(kernel="precomputed", C=C, epsilon=epsilon or 0.0)
        regression.fit(gram[np.ix_(items, items)], pairs[1], sample_weight=counts)
        against = gram[np.ix_(machine.item_of[test], items[regression.support_])]
        return against @ regression.dual_coef_[0] + regression.intercept_[0]

    def predict(self, utility: GAIUtility, rows: IntArray) -> FloatArray:
        return utility.utility(self.U[rows])

    def errors(self, predictions: FloatArray, rows: IntArray) -> FloatArray:
        """Give mean absolute errors."""
        weights = self.weights[rows] / self.weights[rows].sum()
        return np.abs(predictions - self.y[rows]) @ weights

    def machine_cost(self, cost: float, machine: DenseMachine, weight: float) -> float:
        """Divide by the mean over the items, with the 1 of the constant."""
        return cost / (1.0 + machine.mean_diagonal(self.weights))


@dataclass(frozen=True, eq=False, kw_only=True)
class ComparedItems(JudgedItems):
    """Items with comparisons and ties, one per row (GAI-7).

    Parameters
    ----------
    pairs : Pairs
        Their items are the rows of U.
    """

    pairs: Pairs

    def evidence(self, epsilon: float | None, rows: IntArray | None = None) -> Evidence:
        pairs, weights = self.pairs, self._weights_of(rows)
        strict, ties = ~pairs.ties, pairs.ties
        return Evidence.from_comparisons(
            pairs.winners[strict], pairs.losers[strict], weights=weights[strict]
        ) + Evidence.from_ties(
            pairs.winners[ties],
            pairs.losers[ties],
            epsilon=_TIE_EPSILON if epsilon is None else epsilon,
            weights=weights[ties],
        )

    def fit_machine(
        self, machine: DenseMachine, *, C: float, epsilon: float | None, tol: float
    ) -> LearnedGAI:
        evidence = self.evidence(epsilon).merged(machine.item_of)
        return machine.learned(fit_comparisons(machine.gram, evidence, C=C, tol=tol))

    def predict_fold(
        self, machine: DenseMachine, fold: Fold, *, C: float, epsilon: float | None
    ) -> FloatArray:
        train, test = fold
        evidence = self.evidence(epsilon, train).merged(machine.item_of)
        result = fit_comparisons(machine.gram, evidence, C=C, tol=_FOLD_TOLERANCE)
        return self.predict(machine.learned(result).utility, test)

    def predict(self, utility: GAIUtility, rows: IntArray) -> FloatArray:
        """Give by how much the winners are better."""
        values = utility.utility(self.U)
        winners, losers = self.pairs.winners[rows], self.pairs.losers[rows]
        return values[winners] - values[losers]

    def errors(self, predictions: FloatArray, rows: IntArray) -> FloatArray:
        """Give shares of wrong pairs; equal utilities are half wrong.

        Ties are not judged. Products are added up row by row, not by a matrix
        product, so that equal predictions have equal errors to the last bit.
        """
        judged = ~self.pairs.ties[rows]
        weights = self.weights[rows[judged]]
        wrong = 0.5 - 0.5 * np.sign(predictions[..., judged])
        total = max(float(weights.sum()), np.finfo(float).tiny)
        return (wrong * weights).sum(axis=-1) / total

    def machine_cost(self, cost: float, machine: DenseMachine, weight: float) -> float:
        """Divide by the mean over the domain."""
        n_active = len(self.encoding.active)
        orders = range(self.max_order + 1)
        return cost * (1.0 / sum(comb(n_active, q) * weight**q for q in orders))
