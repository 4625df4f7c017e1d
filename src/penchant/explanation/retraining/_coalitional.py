"""The coalitional explainer: Shapley values within groups (EX-4 to EX-6)."""

import warnings
from dataclasses import dataclass, field
from numbers import Integral, Real
from typing import Any, ClassVar

import numpy as np
from sklearn.utils._param_validation import Interval, StrOptions

from penchant.exceptions import DataError
from penchant.explanation._coalitions import submasks
from penchant.explanation._players import frame_of
from penchant.explanation._shapley import coalitional_weights, normalized
from penchant.explanation.retraining._game import RetrainingGame
from penchant.explanation.retraining._groups import (
    STRATEGIES,
    choose_alpha,
    count_subsets,
    groups_at,
    thresholds,
)
from penchant.explanation.retraining._retraining import (
    MAX_MODELS,
    RetrainingExplainer,
    check_number,
)
from penchant.typing import FloatArray

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
    ) -> tuple[list[int], FloatArray]:
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
            return normalized(masks, weights, game.full)
        return masks, weights

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
