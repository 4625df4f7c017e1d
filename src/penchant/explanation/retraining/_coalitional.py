"""The coalitional explainer: groups, and Shapley values within them (EX-4 to EX-6)."""

import warnings
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from numbers import Integral, Real
from typing import Any, ClassVar

import numpy as np
import pandas as pd
from sklearn.utils._param_validation import Interval, StrOptions

from penchant.exceptions import DataError
from penchant.explanation._players import Players, frame_of
from penchant.explanation._shapley import (
    coalitional_weights,
    mask_of,
    normalized,
    submasks,
)
from penchant.explanation.retraining._association import (
    associations,
    constant_players,
    design_blocks,
    inflations,
)
from penchant.explanation.retraining._game import RetrainingGame
from penchant.explanation.retraining._retraining import (
    MAX_MODELS,
    RetrainingExplainer,
    Solve,
    check_number,
    linear,
)
from penchant.typing import BoolArray, FloatArray

_ROUNDING = 1e-12

_MOST_COUNTED = 1_000_000
"""Models that an error still counts one by one."""


def thresholds(strategy: str, frame: pd.DataFrame, players: Players) -> FloatArray:
    """Give the threshold from which on each player joins each candidate group.

    Every strategy of EX-5 lets more players into its groups as alpha grows, so it is
    described by one number per candidate and player.

    Parameters
    ----------
    strategy : str
        One of `STRATEGIES`.
    frame : DataFrame of shape (n, n_columns)
    players : Players

    Returns
    -------
    ndarray of shape (n_candidates, n_players)
        Player j is in candidate i if alpha exceeds entry (i, j): -inf always, inf
        never. Constant players are never in, and the others do not notice them.
    """
    changing = np.flatnonzero(~constant_players(frame, players))
    if changing.size == 0:
        return np.full((0, len(players)), np.inf)
    active = Players(
        tuple(players.names[i] for i in changing),
        tuple(players.columns[i] for i in changing),
    )
    part = _THRESHOLDS[strategy](frame, active)
    table = np.full((len(part), len(players)), np.inf)
    table[:, changing] = part
    return table


def groups_at(table: FloatArray, alpha: float) -> list[int]:
    """Give the groups at a threshold: the largest candidates, then who is left.

    Parameters
    ----------
    table : ndarray of shape (n_candidates, n_players)
        From `thresholds`.
    alpha : float

    Returns
    -------
    list of int
        Sets of players, none within another, that cover all; in ascending order.
    """
    candidates = {mask_of(np.flatnonzero(row).tolist()) for row in table < alpha}
    kept = _largest(candidates - {0})
    covered = 0
    for group in kept:
        covered |= group
    alone = (1 << player for player in range(table.shape[1]))
    return sorted([*kept, *(mask for mask in alone if not covered & mask)])


def count_subsets(groups: Sequence[int], limit: int) -> int:
    """Count the distinct non-empty subsets of groups; stop above a limit.

    Returns
    -------
    int
        The count, or some number above `limit` if the count is above it.
    """
    largest = max((group.bit_count() for group in groups), default=0)
    if (1 << largest) - 1 > limit:
        return (1 << largest) - 1
    seen: set[int] = set()
    for group in sorted(groups, key=int.bit_count, reverse=True):
        seen.update(submasks(group))
        if len(seen) > limit:
            break
    return len(seen)


def choose_alpha(table: FloatArray, target: int, *, at_most: bool) -> float:
    """Find the threshold whose groups need a wanted number of models.

    Groups grow with alpha, and only at the finitely many entries of the table, so a
    binary search over these finds the best threshold with few counts. None of them
    goes beyond twice the target.

    Parameters
    ----------
    table : ndarray of shape (n_candidates, n_players)
        From `thresholds`.
    target : int
        Wanted number of distinct non-empty subsets of groups.
    at_most : bool
        Whether more than the target are forbidden; otherwise the nearest number
        wins, the smaller one of two equally near.

    Returns
    -------
    float
        The smallest alpha >= 0 with that number, from 0 on.
    """
    # A player joins where alpha exceeds an entry: just above it the groups change.
    steps = np.unique(table[np.isfinite(table) & (table >= 0.0)])
    alphas = np.append(0.0, np.nextafter(steps, np.inf))
    limit = target if at_most else 2 * target

    def count(k: int) -> int:
        return count_subsets(groups_at(table, alphas[k]), limit)

    below, above = -1, len(alphas)
    while above - below > 1:
        middle = (below + above) // 2
        below, above = (middle, above) if count(middle) <= target else (below, middle)
    if at_most and below < 0:
        fewest = count_subsets(groups_at(table, alphas[0]), _MOST_COUNTED)
        raise DataError(
            f"The budget must allow at least the {fewest:,} models of the smallest "
            f"groups. Got {target:,}."
        )
    if below < 0:
        return float(alphas[0])
    if not at_most and above < len(alphas):
        shortage, excess = target - count(below), count(above) - target
        if excess < shortage:
            return float(alphas[above])
    return float(alphas[below])


def _largest(masks: Iterable[int]) -> list[int]:
    """Drop the sets that lie within another."""
    kept: list[int] = []
    for mask in sorted(masks, key=int.bit_count, reverse=True):
        if not any(mask & group == mask for group in kept):
            kept.append(mask)
    return kept


def _spearman(frame: pd.DataFrame, players: Players) -> FloatArray:
    """{i} and the j with rho_ij > max_i (1 - alpha), if max_i > 0.1."""
    strengths = associations(frame, players)
    largest = _over_others(strengths, np.max)
    ratio = np.divide(
        strengths,
        largest[:, None],
        out=np.zeros_like(strengths),
        where=largest[:, None] > 0,
    )
    return _with_self(1.0 - ratio, largest > 0.1)


def _reverse_spearman(frame: pd.DataFrame, players: Players) -> FloatArray:
    """{i} and the j with rho_ij < min_i + alpha max_i, if min_i < 0.5."""
    strengths = associations(frame, players)
    largest = _over_others(strengths, np.max)
    smallest = _over_others(strengths, np.min)
    steps = np.divide(
        strengths - smallest[:, None],
        largest[:, None],
        out=np.full_like(strengths, np.inf),
        where=largest[:, None] > 0,
    )
    return _with_self(steps, smallest < 0.5)


def _pca(frame: pd.DataFrame, players: Players) -> FloatArray:
    """Per component v the k with |v_k| > max |v| (1 - alpha), and the largest.

    Of the covariance of the columns as they are, without scaling. A player of several
    columns counts by the length of its part of v; components without variance are
    left out, since any basis of their space would do.
    """
    blocks = design_blocks(frame, players)
    everything = np.concatenate(blocks, axis=1)
    _, sizes, vectors = np.linalg.svd(everything, full_matrices=False)
    vectors = vectors[sizes > _ROUNDING * sizes[0]]
    edges = np.cumsum([0, *(block.shape[1] for block in blocks)])[:-1]
    loadings = np.sqrt(np.add.reduceat(vectors**2, edges, axis=1))
    largest = loadings.max(axis=1, keepdims=True)
    table: FloatArray = 1.0 - loadings / largest
    table[np.arange(len(table)), loadings.argmax(axis=1)] = -np.inf
    return table


def _vif(frame: pd.DataFrame, players: Players) -> FloatArray:
    """{i} and the j with VIF_j without i < VIF_j (0.4 + alpha)."""
    ratios = _inflation_ratios(frame, players)
    return _with_self(ratios - 0.4, np.ones(len(ratios), dtype=np.bool_))


def _reverse_vif(frame: pd.DataFrame, players: Players) -> FloatArray:
    """{j: VIF_j without i > VIF_j (1 - 0.05 alpha)}: without i itself."""
    ratios = _inflation_ratios(frame, players)
    return np.where(np.isnan(ratios), np.inf, (1.0 - ratios) / 0.05)


def _inflation_ratios(frame: pd.DataFrame, players: Players) -> FloatArray:
    """Give VIF_j without i over VIF_j; 1 where nothing changes, NaN for i = j."""
    blocks = design_blocks(frame, players)
    n_players = len(blocks)
    before = inflations(blocks)
    ratios = np.full((n_players, n_players), np.nan)
    for i in range(n_players if n_players > 1 else 0):
        others = [j for j in range(n_players) if j != i]
        after = inflations([blocks[j] for j in others])
        for j, now in zip(others, after, strict=True):
            both = np.isinf(now) and np.isinf(before[j])
            ratio = 1.0 if both else now / before[j]
            ratios[i, j] = 1.0 if abs(ratio - 1.0) < _ROUNDING else min(ratio, 1.0)
    return ratios


def _over_others(
    strengths: FloatArray, reduce: Callable[..., FloatArray]
) -> FloatArray:
    """Reduce each row without its diagonal; 0 where there is nobody else."""
    n_players = len(strengths)
    if n_players == 1:
        return np.zeros(1)
    others = strengths[~np.eye(n_players, dtype=np.bool_)]
    return reduce(others.reshape(n_players, -1), axis=1)


def _with_self(table: FloatArray, eligible: BoolArray) -> FloatArray:
    """Let each player into their own group, and drop the rows that are not eligible."""
    full = table.copy()
    np.fill_diagonal(full, -np.inf)
    full[~eligible] = np.inf
    return full


_THRESHOLDS = {
    "spearman": _spearman,
    "reverse-spearman": _reverse_spearman,
    "pca": _pca,
    "vif": _vif,
    "reverse-vif": _reverse_vif,
}
STRATEGIES = tuple(_THRESHOLDS)


_DEFAULT_COMPLEXITY = 0.25


@dataclass(kw_only=True, eq=False, repr=False)
class CoalitionalExplainer(RetrainingExplainer):
    """Shapley values within groups of attributes that belong together (EX-4).

    Only sets within a group get a model, so that few models are needed if the groups
    are small. An attribute in several groups gets a mean, in which larger groups
    count far more. The influences add up to the prediction only by chance: `gap`
    tells what is missing. With equally many models `LeastSquaresExplainer` comes
    nearer to the complete method.

    Parameters
    ----------
    strategy : str, default="spearman"
        How groups are made (EX-5): of attributes that go together ("spearman", "vif"),
        that do not ("reverse-spearman", "reverse-vif"), or that make up a principal
        component ("pca").
    complexity : float or None, default=None
        Wanted number of models, as a share of those of all sets; the threshold that
        comes nearest is taken (EX-6). Default: 0.25.
    alpha : float or None, default=None
        The threshold itself, instead of `complexity`; larger values make larger
        groups.
    budget : int or None, default=None
        Largest number of models, instead of `complexity`: from about 15 attributes
        on a share of all sets means little.
    normalize : bool, default=False
        Whether to spread the gap evenly over the attributes.
    players, memory, random_state, n_jobs, cluster, verbose
        As for `CompleteExplainer`.

    Attributes
    ----------
    groups_ : tuple of tuple of str
        The groups.
    alpha_ : float
        The threshold.
    names_, n_models_, complexity_, game_
        As for `CompleteExplainer`; `complexity_` is what was achieved, which is not
        always what was asked for.

    Notes
    -----
    Association is ``|Spearman|`` between numbers or ordered levels, Cramer's V between
    categories, and the correlation ratio between the two kinds. A constant column
    stays alone.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from sklearn.svm import SVR
    >>> from penchant.explanation import CoalitionalExplainer
    >>> X, y = load_iris(return_X_y=True, as_frame=True)
    >>> explainer = CoalitionalExplainer(complexity=0.6).fit(SVR(), X, y)
    >>> [len(group) for group in explainer.groups_], explainer.n_models_
    ([2, 3], 9)
    """

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        **RetrainingExplainer._parameter_constraints,
        "strategy": [StrOptions(set(STRATEGIES))],
        "complexity": [Interval(Real, 0, 1, closed="right"), None],
        "alpha": [Interval(Real, 0, None, closed="left"), None],
        "budget": [Interval(Integral, 1, None, closed="left"), None],
        "normalize": ["boolean"],
    }

    strategy: str = field(default="spearman", kw_only=False)
    complexity: float | None = None
    alpha: float | None = None
    budget: int | None = None
    normalize: bool = False

    def _method(self) -> str:
        return f"coalitional by {self.strategy}"

    def _plan(
        self, game: RetrainingGame, rng: np.random.Generator
    ) -> tuple[list[int], Solve]:
        n_players = len(game.players)
        table = thresholds(self.strategy, frame_of(game.table), game.players)
        self.alpha_ = self._choose_alpha(table, n_players)
        groups = groups_at(table, self.alpha_)
        self.groups_ = tuple(tuple(game.players.names_of(group)) for group in groups)
        if n_players > 1 and len(groups) == n_players:
            warnings.warn(
                "Every attribute is alone in its group, so that this is the same as "
                "DepthExplainer(k=1). Ask for more models, or try another strategy.",
                stacklevel=4,
            )
        masks = sorted({part for group in groups for part in submasks(group)})
        weights = coalitional_weights(masks, n_players, groups)
        if self.normalize:
            masks, weights = normalized(masks, weights, game.full)
        return masks, linear(weights)

    def _choose_alpha(self, table: FloatArray, n_players: int) -> float:
        given = [self.complexity, self.alpha, self.budget]
        if sum(value is not None for value in given) > 1:
            raise DataError(
                "At most one of complexity, alpha and budget can be given. Got "
                f"complexity={self.complexity}, alpha={self.alpha}, "
                f"budget={self.budget}."
            )
        if self.budget is not None:
            check_number(self.budget, n_players)
            return choose_alpha(table, int(self.budget), at_most=True)
        if self.alpha is None:
            share = self.complexity or _DEFAULT_COMPLEXITY
            target = max(1, round(share * ((1 << n_players) - 1)))
            check_number(target, n_players)
            return choose_alpha(table, target, at_most=False)
        alpha = float(self.alpha)
        check_number(count_subsets(groups_at(table, alpha), MAX_MODELS), n_players)
        return alpha
