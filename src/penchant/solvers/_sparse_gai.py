"""Sparse GAI utilities by column generation, with a certificate over all subsets."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np

from penchant.exceptions import DataError
from penchant.solvers._column_generation import Certified, ColumnGeneration
from penchant.solvers._evidence import NO_ITEM, Evidence
from penchant.solvers._factors import FactorDictionary, Subset
from penchant.solvers._pricing import ListPricer, Pricer
from penchant.typing import ArrayLike, FloatArray, IntArray


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
        self._trivial = len(self._evidence) == 0
        if not self._trivial:
            distinct = [matrix[representatives] for matrix in matrices]
            self._dictionary = FactorDictionary(distinct)
            few = ListPricer.of_all(self._dictionary, self.max_order)
            self._pricer = few or Pricer(self._dictionary, self.max_order)

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
        if self._trivial:
            return self._result(C, "optimal", _NOTHING)
        generation = ColumnGeneration(
            self._evidence.scaled(C),
            self._dictionary,
            self._pricer if candidates is None else self._list_pricer(candidates),
            tol=tol,
            max_nodes=max_nodes,
            max_rounds=max_rounds,
        )
        certified = generation.run(support)
        status = "optimal"
        if certified.gap > tol:
            status = "stalled" if certified.complete else "node_limit"
        return self._result(C, status, certified)

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

    def _result(self, C: float, status: str, certified: Certified) -> SparseGAIResult:
        order = sorted(
            range(len(certified.subsets)),
            key=lambda s: (len(certified.subsets[s]), certified.subsets[s]),
        )
        factors = tuple(certified.subsets[s] for s in order)
        tensors = tuple(
            self._dictionary.tensor(certified.subsets[s], certified.tails[s])
            for s in order
        )
        return SparseGAIResult(
            status=status,
            primal=certified.primal,
            dual=certified.dual,
            gap=certified.gap,
            max_order=self.max_order,
            C=C,
            n_iter=certified.n_iter,
            n_rounds=certified.n_rounds,
            n_nodes=certified.n_nodes,
            factors=factors,
            tensors=tensors,
            norms=np.array([np.linalg.norm(tensor) for tensor in tensors]),
            intercept=certified.intercept,
        )


_NOTHING = Certified((), [], 0.0, 0.0, 0.0, 0.0, 0, 0, 0, True)


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
