"""From encoded items and a loss to a capacity: what all Choquet estimators share."""

from dataclasses import dataclass, fields, replace
from typing import Any

import numpy as np

from penchant._progress import Progress
from penchant._validation import check_memory
from penchant.choquet.solver._losses import Loss
from penchant.choquet.solver._monotone import (
    MobiusFit,
    MobiusProblem,
    choose_cone,
    fit_mobius,
)
from penchant.exceptions import DataError
from penchant.kernels import count_subsets, subset_minima
from penchant.typing import BoolArray, FloatArray, IntArray


@dataclass(frozen=True)
class ChoquetOptions:
    """How to fit: k, cone, penalty and accuracy.

    Attributes
    ----------
    k : int
        Largest size of a set of attributes with a coefficient.
    monotone : bool
        Whether the capacity must be monotone.
    alpha : float
        Strength of the penalty alpha / 2 ||m||^2 beside the mean loss.
    cone : {"auto", "exact", "inner"}
        Cone of monotone capacities; "auto": exact where feasible.
    total : float or None
        What mu(N) must be.
    tol : float
        Largest gap relative to the objective.
    max_iter : int
        Largest number of steps of the solver.
    progress : Progress or None
        Told of each step; ends the fit in time.
    """

    k: int
    monotone: bool
    alpha: float
    cone: Any
    total: float | None
    tol: float
    max_iter: int
    progress: Progress | None = None


@dataclass(frozen=True)
class ChoquetRows:
    """Rows of a loss whose scores are u(first) - u(second) + intercept of the group.

    Attributes
    ----------
    items : ndarray of shape (n_items, n_features)
        Items in [0, 1], larger is better.
    loss : Loss
        Loss of the scores, one per row; weights of one answer add up over all to 1.
    first : ndarray of shape (n_rows,)
        Index of the item of each row.
    second : ndarray of shape (n_rows,) or None
        Index of the item to subtract; None: nothing.
    groups : ndarray of shape (n_rows,) or None
        Index of the intercept; None: none.
    sources : ndarray of shape (n_rows,)
        Which rows belong to one answer; cross-validation keeps them together.
    strata : ndarray of shape (n_rows,) or None
        What each fold should have an equal share of.
    """

    items: FloatArray
    loss: Any
    first: IntArray
    sources: IntArray
    second: IntArray | None = None
    groups: IntArray | None = None
    strata: IntArray | None = None

    def design(self, columns: FloatArray) -> FloatArray:
        """Combine columns over the items into columns over the rows."""
        rows = columns[self.first]
        return rows if self.second is None else rows - columns[self.second]

    def scores(self, fit: MobiusFit, k: int) -> FloatArray:
        """Give the scores of the rows under fitted coefficients."""
        scores = self.design(subset_minima(self.items, k) @ fit.mobius)
        return scores if self.groups is None else scores + fit.intercepts[self.groups]

    def take(self, index: IntArray) -> "ChoquetRows":
        """Keep some rows; their weights add up to the same as all weights."""
        return replace(
            self,
            loss=_take_loss(self.loss, index),
            first=self.first[index],
            sources=self.sources[index],
            second=None if self.second is None else self.second[index],
            groups=None if self.groups is None else self.groups[index],
            strata=None if self.strata is None else self.strata[index],
        )


def fit_rows(rows: ChoquetRows, options: ChoquetOptions) -> MobiusFit:
    """Fit Möbius coefficients to rows."""
    n = rows.items.shape[1]
    k = min(options.k, n)
    cone = options.cone
    if not options.monotone:
        cone = "free"
    elif cone == "auto":
        cone = choose_cone(n, k, count_subsets(n, k))
    _check_memory(rows.first.size, n, k, cone)
    problem = MobiusProblem(
        rows.design(subset_minima(rows.items, k)),
        n,
        k,
        options.alpha,
        rows.groups,
        options.total,
    )
    return fit_mobius(
        problem,
        rows.loss,
        cone,
        tol=options.tol,
        max_iter=options.max_iter,
        progress=options.progress,
    )


def _check_memory(n_rows: int, n: int, k: int, cone: str) -> None:
    """Refuse designs that are too large; the factor is measured, it is 3.8 to 4.3."""
    n_subsets = float(count_subsets(n, k))
    # Minima alone, or minima and maxima.
    n_weights = n_subsets if cone == "free" or k == 1 else 2 * n_subsets
    square = min(n_rows, n_weights) if cone == "free" else n_weights
    check_memory(
        8 * (4.5 * n_rows * n_weights + 3 * square**2),
        f"A Choquet integral of {n} criteria with k={k} on {n_rows} rows",
        f"Set a smaller k than {k}." if k > 1 else "Give fewer items.",
    )


def choose_order(
    rows: ChoquetRows,
    options: ChoquetOptions,
    orders: range,
    n_folds: int,
    random_state: np.random.RandomState,
) -> tuple[int, dict[int, float]]:
    """Choose k by the held-out loss of cross-validation.

    The smallest k is taken whose loss exceeds the best by no more than one standard
    error of their difference over the folds.

    Parameters
    ----------
    rows : ChoquetRows
        All rows.
    options : ChoquetOptions
        Their k is replaced by each candidate.
    orders : range
        Candidates.
    n_folds : int
        Number of folds.
    random_state : RandomState
        Shuffles the answers.

    Returns
    -------
    k : int
        The choice.
    losses : dict from int to float
        Mean held-out loss of each k.
    """
    folds = _assign_folds(rows, n_folds, random_state)
    if np.unique(folds).size < 2:
        raise DataError(
            "k='auto' needs at least 2 different answers for cross-validation. Got 1; "
            "choose k yourself."
        )
    found = []
    for fold in np.unique(folds):
        options_of = [replace(options, k=k) for k in orders]
        found.append([_held_out_loss(rows, folds == fold, o) for o in options_of])
        if options.progress is not None and options.progress.is_over:
            break  # what is left of the folds cannot be told apart any more
    losses = np.array(found)
    means = losses.mean(axis=0)
    # Paired by fold: what makes a fold hard is common to all k and drops out.
    excess = losses - losses[:, [means.argmin()]]
    spread = excess.std(axis=0, ddof=1) if len(losses) > 1 else 0.0 * means
    error = spread / np.sqrt(losses.shape[0])
    # The simplest k that is not clearly worse: held-out losses of neighbouring k differ
    # by little more than noise (one-standard-error rule).
    good = excess.mean(axis=0) <= error
    return orders[int(good.argmax())], dict(zip(orders, means.tolist(), strict=True))


def _held_out_loss(
    rows: ChoquetRows, held: BoolArray, options: ChoquetOptions
) -> float:
    """Fit to the rows that are not held out; give the loss on those that are."""
    fit = fit_rows(rows.take(np.flatnonzero(~held)), options)
    test = rows.take(np.flatnonzero(held))
    loss: Loss = test.loss
    return loss.value(test.scores(fit, options.k))


def _assign_folds(
    rows: ChoquetRows, n_folds: int, random_state: np.random.RandomState
) -> IntArray:
    """Deal the shuffled answers out to folds, stratum by stratum."""
    _, where, answer = np.unique(rows.sources, return_index=True, return_inverse=True)
    shuffled = random_state.permutation(where.size)
    if rows.strata is not None:
        strata = rows.strata[where][shuffled]
        # Dealt out in turn, equal strata side by side: every fold gets its share of
        # each.
        shuffled = shuffled[np.argsort(strata, kind="stable")]
    fold_of = np.empty(where.size, dtype=np.int64)
    fold_of[shuffled] = np.arange(where.size) % n_folds
    return fold_of[answer.ravel()]


def _take_loss(loss: Any, index: IntArray) -> Any:
    parts = {f.name: getattr(loss, f.name)[index] for f in fields(loss) if f.init}
    # The loss stays a mean over as much weight, so that alpha means the same in a fold.
    parts["weight"] = parts["weight"] * (loss.weight.sum() / parts["weight"].sum())
    return type(loss)(**parts)
