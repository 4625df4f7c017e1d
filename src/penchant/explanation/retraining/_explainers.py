"""Complete, k-depth and least-squares explainers (EX-2, EX-3, EX-7)."""

from dataclasses import dataclass, field
from functools import partial
from math import comb
from numbers import Integral
from typing import Any, ClassVar

import numpy as np
from sklearn.utils._param_validation import Interval

from penchant.exceptions import DataError
from penchant.explanation._least_squares import (
    draw_sets,
    least_squares_weights,
    smallest_budget,
)
from penchant.explanation._players import frame_of
from penchant.explanation._shapley import (
    depth_weights,
    mask_of,
    masks_up_to,
    members,
    normalized,
)
from penchant.explanation._smooth_games import (
    MAX_INTERPOLATED,
    smooth_influences,
)
from penchant.explanation.retraining._association import constant_players
from penchant.explanation.retraining._game import RetrainingGame
from penchant.explanation.retraining._retraining import (
    RetrainingExplainer,
    Solve,
    check_number,
    linear,
)
from penchant.typing import FloatArray, IntArray

_DEFAULT_BUDGET = 512


class CompleteExplainer(RetrainingExplainer):
    """Shapley values of models of all sets of attributes (EX-2).

    The influence of an attribute is what it adds to a model of others, averaged over
    all orders in which the attributes can be added. This trains 2^d - 2 models for d
    attributes; from about 10 on use `LeastSquaresExplainer`.

    Parameters
    ----------
    players : dict or None, default=None
        Columns that are one attribute, by position or by name, such as
        ``{"colour": [3, 4, 5]}`` for a one-hot block. All other columns stand alone.
    memory : path, joblib.Memory or None, default=None
        Where trained models are kept, for later sessions and other explainers.
    random_state : int, RandomState or None, default=None
        An int makes the result repeatable: estimators whose random_state is None get
        a seed, the same for all sets.
    n_jobs : int or None, default=None
        Processes on this machine, -1 for one per core.
    cluster : str or None, default=None
        Address of a Dask scheduler, instead of `n_jobs`.
    verbose : bool, default=False
        Whether to show a progress bar.

    Attributes
    ----------
    names_ : tuple of str
        The attributes.
    n_models_ : int
        Number of models, the user's own included.
    complexity_ : float
        Their share among the models of all sets.
    game_ : RetrainingGame
        The trained models.

    Notes
    -----
    The class explained is the one that `predict` names, and the base is its frequency
    among the labels. A classifier without `predict_proba` counts as certain of what
    it predicts.

    SHAP and its relatives keep one model and replace values; this trains models that
    never saw an attribute. The two answer different questions, and their difference
    is no error of either.

    References
    ----------
    The paper of the coalitional methods: see METHODS, section EX.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from sklearn.svm import SVR
    >>> from penchant.explanation import CompleteExplainer
    >>> X, y = load_iris(return_X_y=True)
    >>> model = SVR().fit(X[:, :3], X[:, 3])
    >>> found = CompleteExplainer().fit(model, X[:, :3], X[:, 3]).explain(X[:1, :3])
    >>> found.values.round(2)
    array([[-0.26, -0.33, -0.38]])
    >>> found.n_models, bool(abs(found.gap).max() < 1e-9)
    (7, True)
    """

    def _method(self) -> str:
        return "complete"

    def _plan(
        self, game: RetrainingGame, rng: np.random.Generator
    ) -> tuple[list[int], Solve]:
        n_players = len(game.players)
        check_number(game.full, n_players)
        masks = list(range(1, game.full + 1))
        return masks, linear(depth_weights(masks, n_players, n_players))


@dataclass(kw_only=True, eq=False, repr=False)
class DepthExplainer(RetrainingExplainer):
    """What an attribute adds to models of few others (EX-3).

    The mean over the sizes 0, ..., k - 1 of what it adds on average to a model of so
    many others. The influences do not add up to the prediction unless k is the number
    of attributes: `gap` tells how much is missing.

    Parameters
    ----------
    k : int, default=2
        Largest number of attributes in a model.
    normalize : bool, default=False
        Whether to spread the gap evenly over the attributes.
    players, memory, random_state, n_jobs, cluster, verbose
        As for `CompleteExplainer`.

    Attributes
    ----------
    names_, n_models_, complexity_, game_
        As for `CompleteExplainer`.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from sklearn.svm import SVR
    >>> from penchant.explanation import DepthExplainer
    >>> X, y = load_iris(return_X_y=True)
    >>> explainer = DepthExplainer(k=1).fit(SVR(), X[:, :3], X[:, 3])
    >>> explainer.explain(X[:1, :3]).values.round(2)
    array([[-0.81, -0.93, -0.96]])
    """

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        **RetrainingExplainer._parameter_constraints,
        "k": [Interval(Integral, 1, None, closed="left")],
        "normalize": ["boolean"],
    }

    k: int = field(default=2, kw_only=False)
    normalize: bool = False

    def _method(self) -> str:
        return f"depth {self.k}"

    def _plan(
        self, game: RetrainingGame, rng: np.random.Generator
    ) -> tuple[list[int], Solve]:
        n_players = len(game.players)
        if self.k > n_players:
            raise DataError(
                f"k must be at most the number of attributes ({n_players}). "
                f"Got {self.k}."
            )
        n_models = sum(comb(n_players, size) for size in range(1, self.k + 1))
        check_number(n_models, n_players)
        masks = masks_up_to(n_players, self.k)
        weights = depth_weights(masks, n_players, self.k)
        if self.normalize:
            masks, weights = normalized(masks, weights, game.full)
        return masks, linear(weights)


@dataclass(kw_only=True, eq=False, repr=False)
class LeastSquaresExplainer(RetrainingExplainer):
    """Influences that come near the complete method with few models (EX-7).

    Trains models of all single attributes, of all but one, and of random sets with
    their complements; the Shapley value is then that of the smoothest game through
    their worths. The influences always add up to the prediction, and are those of
    `CompleteExplainer` once the budget covers all sets.

    Parameters
    ----------
    budget : int or None, default=None
        Number of models, the user's own included; at least 2 d + 1 for d attributes.
        None: 512, or 2 d + 1 if that is more. All sets are taken if they are fewer.
    players, memory, random_state, n_jobs, cluster, verbose
        As for `CompleteExplainer`; `random_state` also chooses the sets.

    Attributes
    ----------
    solution_ : {"all sets", "smoothest game", "weighted squares"}
        What was solved: see Notes.
    names_, n_models_, complexity_, game_
        As for `CompleteExplainer`.

    Notes
    -----
    The smoothest game is the mean of a Gaussian process over sets of attributes, given
    the worths that are known: least squares in the norm of its kernel. How nearly
    additive the game is and how fast interactions fade is not assumed: the answer is
    the mean over 54 processes, from additive to rough, weighted by how likely each
    makes the worths of the row. So it suits models that are trained anew as well as
    functions that are nearly additive, for which it comes near weighted least squares.
    It needs linear systems with one equation per two models, so that from 4,097 models
    on weighted least squares take over: influences whose sums over sets are nearest to
    the worths, in the weights that make the Shapley value exact.

    The processes also tell how far the influences may be from those of all models:
    these are the standard errors (`std`) of the attribution, 0 where all sets are known
    and unknown for weighted squares.

    An attribute with one value in all rows gets 0 and no models, unless the budget
    covers all sets.

    Examples
    --------
    >>> from sklearn.datasets import load_diabetes
    >>> from sklearn.kernel_ridge import KernelRidge
    >>> from penchant.explanation import LeastSquaresExplainer
    >>> X, y = load_diabetes(return_X_y=True, as_frame=True)
    >>> model = KernelRidge(kernel="rbf", alpha=0.1).fit(X, y)
    >>> explainer = LeastSquaresExplainer(budget=101, random_state=0)
    >>> found = explainer.fit(model, X, y).explain(X[:5])
    >>> found.n_models, bool(abs(found.gap).max() < 1e-9)
    (101, True)
    """

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        **RetrainingExplainer._parameter_constraints,
        "budget": [Interval(Integral, 1, None, closed="left"), None],
    }

    budget: int | None = field(default=None, kw_only=False)

    def _method(self) -> str:
        return f"least squares: {self.solution_}"

    def _plan(
        self, game: RetrainingGame, rng: np.random.Generator
    ) -> tuple[list[int], Solve]:
        n_players = len(game.players)
        least = smallest_budget(n_players)
        budget = max(least, _DEFAULT_BUDGET) if self.budget is None else self.budget
        if budget < least:
            raise DataError(
                f"The budget must be at least {least:,} models for {n_players} "
                f"attributes. Got {budget:,}."
            )
        check_number(min(budget, game.full), n_players)
        constant = constant_players(frame_of(game.table), game.players)
        changing = np.flatnonzero(~constant)
        if budget >= game.full or len(changing) in (0, n_players):
            changing = np.arange(n_players)
        sets, solve = self._plan_among(len(changing), int(budget), rng)
        if len(changing) == n_players:
            return sets, solve
        # All that change, and all: the same to a model, and the user has the latter.
        masks = [mask_of(changing[list(members(each))].tolist()) for each in sets]
        everyone = mask_of(changing.tolist())
        masks = [game.full if mask == everyone else mask for mask in masks]
        return masks, partial(_spread_out, solve, changing, n_players)

    def _plan_among(
        self, n_players: int, budget: int, rng: np.random.Generator
    ) -> tuple[list[int], Solve]:
        """Choose the sets, and what is solved, for players that all matter."""
        masks, shares = draw_sets(n_players, budget, rng)
        if len(masks) == (1 << n_players) - 1:
            self.solution_ = "all sets"
            weights = depth_weights(masks, n_players, n_players)
            return masks, linear(weights, is_exact=True)
        if len(masks) <= MAX_INTERPOLATED:
            self.solution_ = "smoothest game"
            return masks, partial(smooth_influences, masks, n_players)
        self.solution_ = "weighted squares"
        return masks, linear(least_squares_weights(masks, shares, n_players))


def _spread_out(
    solve: Solve, players: IntArray, n_players: int, worths: FloatArray
) -> tuple[FloatArray, FloatArray | None]:
    """Solve for some players; the others have no influence, and that is certain."""
    wide = np.zeros((2, len(worths), n_players))
    values, errors = solve(worths)
    wide[0][:, players] = values
    if errors is None:
        return wide[0], None
    wide[1][:, players] = errors
    return wide[0], wide[1]
