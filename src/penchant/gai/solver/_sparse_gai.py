"""Sparse GAI utilities by column generation, with a certificate over all subsets.

The problem over all subsets is solved over few; the search for violated subsets then
proves that few were enough (GAI-4).
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np

from penchant.exceptions import DataError
from penchant.gai.solver._cone_program import ConeProgram, Iterate, Point
from penchant.gai.solver._evidence import NO_ITEM, Evidence
from penchant.gai.solver._newton import interior_point
from penchant.gai.solver._pricing import ListPricer, Pricer
from penchant.typing import ArrayLike, FloatArray, IntArray
from penchant.utility import FactorDictionary, Subset

_LEVELS = (0.5, 0.05)
"""Relative gaps of the restricted problem at which more subsets are sought, at first.

Far from the optimum, new subsets disturb an iterate least. The last of the levels is
also where the final level begins anew after adding subsets."""

_NEGLIGIBLE = 1e-6
"""Share of the sum of all norms below which a subset counts as unused."""


@dataclass(frozen=True, eq=False)
class SparseGAIResult:
    """A sparse GAI utility and the proof of its quality.

    The utility of an item is `intercept` plus the sum over `factors` of
    `evaluate_factor(tensor, features of the factor's attributes)`. `primal` is the
    objective of exactly this model; `dual` bounds the optimum from below over *all*
    non-empty subsets of at most `max_order` attributes, whether the solver looked at
    them or not; `gap` is (primal - dual) / primal.

    Parameters
    ----------
    status : str
        "optimal" if the gap is at most the tolerance; otherwise "stalled"
        (rounding or the iteration limit ended progress) or "node_limit" (the search
        over subsets was cut off, so that `dual` is weak).
    primal, dual, gap : float
    max_order : int
        Largest subset that the certificate covers.
    C : float
    n_iter : int
        Interior-point iterations.
    n_rounds : int
        Solved restricted problems.
    n_nodes : int
        Subsets whose extensions were priced.
    factors : tuple of tuple of int
        Subsets of attributes with non-zero weights, sorted by size, then by index.
    tensors : tuple of ndarray
        Weights of each factor on the products of its attributes' features.
    norms : ndarray of shape (n_factors,)
        Norm of each tensor: d_S of GAI-3.
    intercept : float
    """

    status: str
    primal: float
    dual: float
    gap: float
    max_order: int
    C: float
    n_iter: int
    n_rounds: int
    n_nodes: int
    factors: tuple[Subset, ...]
    tensors: tuple[FloatArray, ...]
    norms: FloatArray
    intercept: float


class SparseGAIProblem:
    """Learn a utility that is sparse among all subsets of attributes (GAI-3, GAI-7).

    The problem is ``min C sum_k loss_k + sum_S ||v_S||``.

    Equal items and equal rows are merged once; the columns of each subset are made
    once and shared by all values of C.

    Parameters
    ----------
    features : sequence of ndarray of shape (n_items, n_features_i)
        Features of the items, one matrix per attribute (`FeatureMap`).
    evidence : Evidence
        Ratings, comparisons and ties over the items. Comparisons of items with equal
        features are left out: no utility can change their loss.
    max_order : int or None, default=None
        Largest number of attributes in a factor; None: no limit. The certificate
        covers the subsets up to this order.

    Examples
    --------
    >>> import numpy as np
    >>> from penchant.solvers import Evidence, SparseGAIProblem
    >>> x = np.linspace(-1.0, 1.0, 9)[:, None]
    >>> problem = SparseGAIProblem([x, x**2], Evidence.from_ratings(2.0 * x[:, 0]))
    >>> result = problem.solve(10.0)
    >>> result.status, result.factors, float(result.norms[0].round(2))
    ('optimal', ((0,),), 1.99)
    """

    def __init__(
        self,
        features: Sequence[ArrayLike],
        evidence: Evidence,
        *,
        max_order: int | None = None,
    ) -> None:
        matrices = _check_features(features, evidence)
        if max_order is not None and max_order < 1:
            raise DataError(f"max_order must be at least 1, or None. Got {max_order}.")
        self.max_order = min(max_order or len(matrices), len(matrices))
        self._evidence, representatives = _merge(matrices, evidence)
        distinct = [matrix[representatives] for matrix in matrices]
        self._dictionary = FactorDictionary(distinct, self.max_order)
        # Without evidence the first model is the best: nothing will be priced.
        few = ListPricer.of_all(self._dictionary) if len(self._evidence) else None
        self._pricer = few or Pricer(self._dictionary)

    def solve(
        self,
        C: float,
        *,
        tol: float = 1e-5,
        support: Iterable[Subset] = (),
        candidates: Iterable[Subset] | None = None,
        max_nodes: int = 200_000,
        max_rounds: int = 60,
    ) -> SparseGAIResult:
        """Learn the utility for one value of C.

        Parameters
        ----------
        C : float
            Cost of a unit of loss against a unit of norm: C' of GAI-3.
        tol : float, default=1e-5
            Relative gap to reach.
        support : iterable of tuple of int, default=()
            Subsets to start with beside the single attributes: a guess of the
            factors, such as those of a nearby C.
        candidates : iterable of tuple of int or None, default=None
            The subsets to choose from beside the single attributes; the certificate
            then covers these only. None: all subsets up to max_order.
        max_nodes : int, default=200_000
            Budget of one search over the subsets, unless they are few enough to look
            at each.
        max_rounds : int, default=60
            Largest number of restricted problems.

        Returns
        -------
        SparseGAIResult
        """
        if not C > 0:
            raise DataError(f"C must be positive. Got {C}.")
        generation = _ColumnGeneration(
            self._evidence.scaled(C),
            self._dictionary,
            self._pricer if candidates is None else self._list_pricer(candidates),
            tol=tol,
            max_nodes=max_nodes,
            max_rounds=max_rounds,
        )
        generation.run(support)
        return generation.result(C)

    def _list_pricer(self, candidates: Iterable[Subset]) -> ListPricer:
        singles = {(i,) for i in range(self._dictionary.n_attributes)}
        return ListPricer(self._dictionary, singles.union(candidates))

    def solve_path(
        self, C_values: Iterable[float], *, tol: float = 1e-5
    ) -> list[SparseGAIResult]:
        """Learn the utility for several values of C, each from the last support.

        Parameters
        ----------
        C_values : iterable of float
            Best in rising or falling order.
        tol : float, default=1e-5
            Relative gap to reach at each value.

        Returns
        -------
        list of SparseGAIResult
        """
        results: list[SparseGAIResult] = []
        for C in C_values:
            support = results[-1].factors if results else ()
            results.append(self.solve(C, tol=tol, support=support))
        return results


class _ColumnGeneration:
    """Solve restricted problems, add the most violated subsets, until none is left.

    Parameters
    ----------
    evidence : Evidence
        Merged rows, costs times C.
    dictionary : FactorDictionary
    pricer : Pricer or ListPricer
    tol : float
        Relative gap to reach.
    max_nodes, max_rounds : int
        Budgets of one search and of the whole.
    """

    def __init__(
        self,
        evidence: Evidence,
        dictionary: FactorDictionary,
        pricer: Pricer | ListPricer,
        *,
        tol: float,
        max_nodes: int,
        max_rounds: int,
    ) -> None:
        self._evidence, self._dictionary, self._pricer = evidence, dictionary, pricer
        self._tol, self._max_nodes, self._max_rounds = tol, max_nodes, max_rounds
        self._n_iter = self._n_rounds = self._n_nodes = 0
        self._complete = True
        size = float(evidence.costs @ np.abs(evidence.targets))
        # Where the evidence can be met exactly the primal tends to 0, and the relative
        # gap needs another unit.
        self._floor = max(1e-12 * size, np.finfo(np.float64).tiny)
        # Begin with the constant utility, which is optimal for flat evidence.
        nothing = np.zeros(self._dictionary.n_items)
        self._program: ConeProgram | None = None
        self._tails = np.zeros(0)
        self._intercept = self._evidence.best_intercept(nothing)
        self._primal = self._evidence.loss(nothing, self._intercept)
        self._dual = 0.0

    @property
    def gap(self) -> float:
        """Relative gap of the best model and the best bound so far."""
        return (self._primal - self._dual) / max(self._primal, self._floor)

    def run(self, support: Iterable[Subset]) -> None:
        """Solve, beginning with all single attributes and a guess of the support."""
        if self.gap > self._tol:
            singles = [(i,) for i in range(self._dictionary.n_attributes)]
            larger = sorted({tuple(s) for s in support if len(s) > 1})
            subsets = [*singles, *larger]
            program = ConeProgram(self._evidence, self._dictionary, subsets)
            iterate = self._warm_up(program)
            for level in _LEVELS:
                program, iterate = self._settle(program, iterate, level)
            self._finish(program, iterate)

    def _warm_up(self, program: ConeProgram) -> Iterate:
        """Start; raise C step by step if the start is outside the dual cones."""
        iterate = program.start()
        # The dual rows of a start are halves of the costs: smaller costs pull less,
        # and half the radius of the cones leaves room on all sides.
        largest = program.norms(iterate.dual_tails).max()
        share = min(1.0, 0.5 / largest) if largest > 0 else 1.0
        if share < 1.0:
            iterate = program.with_costs(share).start()
        while share < 1.0:
            iterate = self._solve(program.with_costs(share), iterate, 0.3)
            share = min(1.0, 30.0 * share)
            # Larger costs only widen the box of the dual rows: the point stays inside.
            iterate = program.with_costs(share).iterate(iterate.point)
        return iterate

    def _settle(
        self, program: ConeProgram, iterate: Iterate, level: float
    ) -> tuple[ConeProgram, Iterate]:
        """Solve to a level and add subsets, until none is violated at that level."""
        while self._going():
            iterate = self._solve(program, iterate, level)
            violated = self._certify(program, iterate, level)
            if not violated:
                break
            unused = self._unused(program, iterate) if level <= _LEVELS[-1] else set()
            program, iterate = _exchange(program, iterate, unused, violated)
        return program, iterate

    def _finish(self, program: ConeProgram, iterate: Iterate) -> None:
        """Solve to the end; every new start is the well-centred checkpoint."""
        level = 0.7 * self._tol  # the rest is for subsets that are not in the list
        careful = False
        while self._going():
            last = self._solve(program, iterate, level, careful=careful)
            violated = self._certify(program, last, level)
            if violated:
                unused = self._unused(program, last)
                program, iterate = _exchange(program, iterate, unused, violated)
            elif careful:
                break
            else:  # rounding ended progress: once more, with more digits
                careful = True

    def _going(self) -> bool:
        return self.gap > self._tol and self._n_rounds < self._max_rounds

    def _solve(
        self,
        program: ConeProgram,
        iterate: Iterate,
        level: float,
        careful: bool = False,
    ) -> Iterate:
        iterate, n_iter = interior_point(program, iterate, gap=level, careful=careful)
        self._n_iter += n_iter
        self._n_rounds += 1
        return iterate

    def _certify(
        self, program: ConeProgram, iterate: Iterate, level: float
    ) -> list[Subset]:
        """Bound the gap over all subsets; give the most violated ones."""
        point = iterate.point
        # Not the intercept of the iterate: the bound is about the model that is given.
        intercept = self._evidence.best_intercept(iterate.utilities)
        loss = self._evidence.loss(iterate.utilities, intercept)
        primal = loss + float(program.norms(point.tails).sum())
        if primal < self._primal:
            self._program, self._tails = program, point.tails
            self._intercept, self._primal = intercept, primal
        # Violations below a share of the level cost less in the bound than it allows.
        pricing = self._pricer.search(
            program.pull(point.rows),
            (1.0 + 0.3 * level) ** 2,
            limit=max(20, len(program.subsets) // 2),
            budget=self._max_nodes,
        )
        self._n_nodes += pricing.n_nodes
        self._complete = pricing.complete
        # Shrunk like this, the rows are feasible for all subsets: a bound on them all.
        feasible = point.rows / max(1.0, np.sqrt(pricing.bound))
        self._dual = max(self._dual, float(self._evidence.targets @ feasible))
        known = set(program.subsets)
        return [subset for subset in pricing.violated if subset not in known]

    def _unused(self, program: ConeProgram, iterate: Iterate) -> set[Subset]:
        """Find larger subsets with neither weight nor pull."""
        norms = program.norms(iterate.point.tails)
        idle = norms <= _NEGLIGIBLE * norms.sum()
        idle &= program.norms(iterate.dual_tails) <= 0.5
        pairs = zip(program.subsets, idle, strict=True)
        return {subset for subset, drop in pairs if drop and len(subset) > 1}

    def result(self, C: float) -> SparseGAIResult:
        """Give the best model, the bound over all subsets, and the way there."""
        weights = self._sparsest()
        factors = tuple(sorted(weights, key=lambda subset: (len(subset), subset)))
        tensors = tuple(self._dictionary.tensor(s, weights[s]) for s in factors)
        status = "optimal"
        if self.gap > self._tol:
            status = "stalled" if self._complete else "node_limit"
        return SparseGAIResult(
            status=status,
            primal=self._primal,
            dual=self._dual,
            gap=self.gap,
            max_order=self._dictionary.max_order,
            C=C,
            n_iter=self._n_iter,
            n_rounds=self._n_rounds,
            n_nodes=self._n_nodes,
            factors=factors,
            tensors=tensors,
            norms=np.array([np.linalg.norm(tensor) for tensor in tensors]),
            intercept=self._intercept,
        )

    def _sparsest(self) -> dict[Subset, FloatArray]:
        """Leave out negligible subsets as far as the certificate allows it.

        Gives the weights v_S on the columns of each subset that is left.
        """
        program = self._program
        if program is None:
            return {}
        norms = program.norms(self._tails)
        # The largest share first: the sparsest model that keeps its certificate wins.
        for share in (1e-4, 1e-5, 1e-6, 0.0):
            keep = norms > share * norms.sum()
            tails = np.where(program.spread(keep), self._tails, 0.0)
            utilities = program.utilities(tails)
            intercept = self._evidence.best_intercept(utilities)
            primal = self._evidence.loss(utilities, intercept) + norms[keep].sum()
            if share == 0.0 or primal - self._dual <= self._tol * primal:
                break
        self._intercept, self._primal = intercept, float(primal)
        parts = zip(program.subsets, program.split(tails), keep, strict=True)
        return {subset: part for subset, part, kept in parts if kept}


def _exchange(
    program: ConeProgram,
    iterate: Iterate,
    dropped: set[Subset],
    added: Sequence[Subset],
) -> tuple[ConeProgram, Iterate]:
    """Drop and add subsets, and make the iterate strictly feasible again."""
    kept = np.array([subset not in dropped for subset in program.subsets])
    subsets = [subset for subset in program.subsets if subset not in dropped]
    changed = ConeProgram(program.evidence, program.dictionary, [*subsets, *added])
    point = iterate.point
    tails = np.zeros(len(changed.columns))
    tails[: changed.offsets[len(subsets)]] = point.tails[program.spread(kept)]
    # New cones begin on the central path: with a tail of 0, head times 1 is its mu.
    heads = np.append(point.heads[kept], np.full(len(added), iterate.mean_gap))
    # Violated subsets pull with more than 1: shrink the rows to inside their cones.
    rows = point.rows * (0.9 / max(0.9, changed.pulls(point.rows).max()))
    # What dropped subsets gave to the utilities, the excess must pay for.
    lost = iterate.utilities - changed.utilities(tails)
    excess = point.excess + np.maximum(changed.evidence.differences(lost), 0.0)
    return changed, changed.iterate(Point(rows, point.intercept, excess, heads, tails))


def _check_features(
    features: Sequence[ArrayLike], evidence: Evidence
) -> list[FloatArray]:
    matrices = [np.asarray(matrix, dtype=np.float64) for matrix in features]
    shapes = [matrix.shape for matrix in matrices]
    if not shapes or any(len(s) != 2 or s[0] != shapes[0][0] for s in shapes):
        raise DataError(
            "features must be one 2-D matrix per attribute with equally many rows. "
            f"Got shapes {shapes}."
        )
    if shapes[0][0] < evidence.n_items:
        raise DataError(
            f"The evidence names item {evidence.n_items - 1}, but features have "
            f"{shapes[0][0]} rows. Give features for all items."
        )
    if not all(np.isfinite(matrix).all() for matrix in matrices):
        raise DataError("features must be finite. Got NaN or infinity.")
    return matrices


def _merge(
    matrices: Sequence[FloatArray], evidence: Evidence
) -> tuple[Evidence, IntArray]:
    """Merge equal items and rows; keep only items that the evidence is about."""
    table = np.ascontiguousarray(np.hstack(matrices))
    # Rows as strings of bytes: items are the same if all features are, to the last bit.
    as_bytes = table.view(np.dtype((np.void, table.itemsize * table.shape[1])))
    _, first, item_of = np.unique(
        as_bytes.ravel(), return_index=True, return_inverse=True
    )
    merged = evidence.merged(item_of.astype(np.int64))
    named = np.concatenate([merged.raised, merged.lowered])
    used = np.unique(named[named >= 0])
    position = np.full(len(first), NO_ITEM)
    position[used] = np.arange(len(used))
    return merged.renamed(position), first[used]
