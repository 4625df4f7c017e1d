"""Solve over all subsets by solving over few, and prove that few were enough."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np

from penchant.gai.solver._central_path import interior_point
from penchant.gai.solver._cone_program import ConeProgram, Iterate, Point
from penchant.gai.solver._evidence import Evidence
from penchant.gai.solver._pricing import ListPricer, Pricer
from penchant.typing import FloatArray
from penchant.utility import FactorDictionary, Subset

_LEVELS = (0.5, 0.05)
"""Relative gaps of the restricted problem at which more subsets are sought, at first.

Far from the optimum, new subsets disturb an iterate least. The last of the levels is
also where the final level begins anew after adding subsets."""

_NEGLIGIBLE = 1e-6
"""Share of the sum of all norms below which a subset counts as unused."""


@dataclass(frozen=True, eq=False)
class Certified:
    """A model on some subsets, its objective, and a bound over all subsets.

    Parameters
    ----------
    subsets : tuple of tuple of int
    tails : list of ndarray
        Weights v_S on the columns of each subset.
    intercept, primal, dual, gap : float
    n_iter, n_rounds, n_nodes : int
    complete : bool
        Whether the last search over the subsets was not cut off.
    """

    subsets: tuple[Subset, ...]
    tails: list[FloatArray]
    intercept: float
    primal: float
    dual: float
    gap: float
    n_iter: int
    n_rounds: int
    n_nodes: int
    complete: bool


class ColumnGeneration:
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
        self._floor = max(1e-12 * size, np.finfo(np.float64).tiny)
        self._keep_nothing()

    def _keep_nothing(self) -> None:
        """Begin with the constant utility, which is optimal for flat evidence."""
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

    def run(self, support: Iterable[Subset]) -> Certified:
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
        return self._certified()

    def _warm_up(self, program: ConeProgram) -> Iterate:
        """Start; raise C step by step if the start is outside the dual cones."""
        iterate = program.start()
        largest = program.norms(iterate.dual_tails).max()
        share = min(1.0, 0.5 / largest) if largest > 0 else 1.0
        if share < 1.0:
            iterate = program.with_costs(share).start()
        while share < 1.0:
            iterate = self._solve(program.with_costs(share), iterate, 0.3)
            share = min(1.0, 30.0 * share)
            iterate = program.with_costs(share).at(iterate.point)
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
        level = 0.7 * self._tol
        careful = False
        while self._going():
            last = self._solve(program, iterate, level, careful=careful)
            violated = self._certify(program, last, level)
            if violated:
                unused = self._unused(program, last)
                program, iterate = _exchange(program, iterate, unused, violated)
            elif careful:
                break
            else:
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
        intercept = self._evidence.best_intercept(iterate.utilities)
        loss = self._evidence.loss(iterate.utilities, intercept)
        primal = loss + float(program.norms(point.tails).sum())
        if primal < self._primal:
            self._program, self._tails = program, point.tails
            self._intercept, self._primal = intercept, primal
        pricing = self._pricer.search(
            program.pull(point.rows),
            (1.0 + 0.3 * level) ** 2,
            limit=max(20, len(program.subsets) // 2),
            budget=self._max_nodes,
        )
        self._n_nodes += pricing.n_nodes
        self._complete = pricing.complete
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

    def _certified(self) -> Certified:
        subsets, tails = self._sparsest()
        return Certified(
            subsets=subsets,
            tails=tails,
            intercept=self._intercept,
            primal=self._primal,
            dual=self._dual,
            gap=self.gap,
            n_iter=self._n_iter,
            n_rounds=self._n_rounds,
            n_nodes=self._n_nodes,
            complete=self._complete,
        )

    def _sparsest(self) -> tuple[tuple[Subset, ...], list[FloatArray]]:
        """Leave out negligible subsets as far as the certificate allows it."""
        program = self._program
        if program is None:
            return (), []
        norms = program.norms(self._tails)
        for share in (1e-4, 1e-5, 1e-6, 0.0):
            keep = norms > share * norms.sum()
            tails = np.where(program.spread(keep), self._tails, 0.0)
            utilities = program.utilities(tails)
            intercept = self._evidence.best_intercept(utilities)
            primal = self._evidence.loss(utilities, intercept) + norms[keep].sum()
            if share == 0.0 or primal - self._dual <= self._tol * primal:
                break
        self._intercept, self._primal = intercept, float(primal)
        parts = program.split(tails)
        chosen = np.flatnonzero(keep)
        return tuple(program.subsets[s] for s in chosen), [parts[s] for s in chosen]


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
    tails = np.zeros(len(changed.arrays.columns))
    tails[: changed.arrays.offsets[len(subsets)]] = point.tails[program.spread(kept)]
    heads = np.append(point.heads[kept], np.full(len(added), iterate.mean_gap))
    rows = point.rows * (0.9 / max(0.9, changed.pulls(point.rows).max()))
    lost = iterate.utilities - changed.utilities(tails)
    excess = point.excess + np.maximum(changed.evidence.differences(lost), 0.0)
    return changed, changed.at(Point(rows, point.intercept, excess, heads, tails))
