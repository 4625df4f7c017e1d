"""What the explainers by refitted models share."""

from abc import abstractmethod
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any, ClassVar, Self

import numpy as np
import pandas as pd
from joblib import Memory
from sklearn.base import BaseEstimator
from sklearn.utils import check_random_state
from sklearn.utils._param_validation import HasMethods
from sklearn.utils.validation import check_is_fitted

from penchant.exceptions import DataError
from penchant.explanation._attribution import Attribution
from penchant.explanation._players import as_table, frame_of
from penchant.explanation.retraining._game import RetrainingGame
from penchant.typing import FloatArray

MAX_MODELS = 1 << 20
"""More models than this are refused: listing their sets would fill the memory."""

Solve = Callable[[FloatArray], tuple[FloatArray, FloatArray | None]]
"""From worths, shape (n_rows, n_sets), to influences and their standard errors."""


@dataclass(kw_only=True, eq=False, repr=False)
class RetrainingExplainer(BaseEstimator):  # type: ignore[misc]
    """Explain any estimator by what it learns from part of the attributes.

    Subclasses say which sets of attributes get a model, and how the worths of these
    sets make up the influence of an attribute.
    """

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        "players": [dict, None],
        "memory": [str, Path, HasMethods(["cache"]), None],
        "random_state": ["random_state"],
        "n_jobs": [int, None],
        "cluster": [str, None],
        "verbose": ["verbose"],
    }

    players: Mapping[str, Sequence[Any]] | None = None
    memory: str | Path | Memory | None = None
    random_state: int | np.random.RandomState | None = None
    n_jobs: int | None = None
    cluster: str | None = None
    verbose: bool = False

    @abstractmethod
    def _plan(
        self, game: RetrainingGame, rng: np.random.Generator
    ) -> tuple[list[int], Solve]:
        """Give the sets to train, and how their worths make up the influences."""

    @abstractmethod
    def _method(self) -> str:
        """Give the method in a few words."""

    def fit(self, estimator: Any, X: Any, y: Any) -> Self:
        """Train the models of the sets of attributes that the method needs.

        Parameters
        ----------
        estimator : estimator
            A classifier or regressor as in scikit-learn, fitted to X and y: the
            model that is explained. A clone is fitted if it is not.
        X : array-like, DataFrame or Items of n rows
        y : array-like of shape (n,)
            Labels or numbers.

        Returns
        -------
        self
        """
        self._validate_params()
        # A fixed seed also makes estimators repeatable that have none of their own.
        fixed = self.random_state is not None
        draw = check_random_state(self.random_state).randint(2**31 - 1, size=2)
        seed = int(draw[0]) if fixed else None
        game = RetrainingGame(estimator, X, y, self.players, seed=seed)
        masks, solve = self._plan(game, np.random.default_rng(int(draw[1])))
        game.train(
            masks,
            memory=self.memory,
            n_jobs=self.n_jobs,
            cluster=self.cluster,
            verbose=bool(self.verbose),
        )
        self.game_ = game
        self.names_ = game.players.names
        self.n_models_ = len(masks)
        self.complexity_ = len(masks) / game.full
        self._masks, self._solve = masks, solve
        return self

    def explain(self, X: Any = None, *, look_at: Any = None) -> Attribution:
        """Give the influence of each attribute on each prediction.

        Parameters
        ----------
        X : array-like, DataFrame or Items, default=None
            The rows to explain; None: those of `fit`. Models know the rows that they
            were trained on, so their influences there can look larger than they are.
        look_at : label, default=None
            The class whose probability is explained; None: the one that the model
            predicts, which may differ from row to row.

        Returns
        -------
        Attribution
        """
        check_is_fitted(self, "game_")
        game = self.game_
        table = game.table if X is None else _check_rows(X, game.table)
        target = game.target_of(table, look_at)
        masks = self._masks
        sets = masks if game.full in masks else [*masks, game.full]
        worths = game.worths(sets, table, target, n_jobs=self.n_jobs)
        base = game.base(target)
        values, std = self._solve(worths[:, : len(masks)])
        return Attribution(
            values=values,
            std=std,
            base=base,
            predictions=base + worths[:, sets.index(game.full)],
            names=self.names_,
            game=f"models of part of the attributes, {self._method()}",
            n_models=self.n_models_,
            complexity=self.complexity_,
            data=game.players.describe(table),
            classes=None if game.classes is None else game.classes[target],
        )


def linear(weights: FloatArray, *, is_exact: bool = False) -> Solve:
    """Let influences be weighted sums of worths; without error if they are exact."""
    return partial(_add_up, weights, is_exact)


def _add_up(
    weights: FloatArray, is_exact: bool, worths: FloatArray
) -> tuple[FloatArray, FloatArray | None]:
    values: FloatArray = worths @ weights
    return values, np.zeros_like(values) if is_exact else None


def check_number(n_models: int, n_players: int) -> None:
    """Refuse to train more models than can be listed."""
    if n_models > MAX_MODELS:
        raise DataError(
            f"This needs {n_models:,} models for {n_players} attributes, and at most "
            f"{MAX_MODELS:,} are allowed. Use LeastSquaresExplainer(budget=512), or "
            "CoalitionalExplainer(budget=512)."
        )


def _check_rows(X: Any, known: Any) -> Any:
    """Check that a table has the columns of the one that is known, in its order."""
    table = as_table(X)
    labels = list(frame_of(known).columns)
    named = isinstance(table, pd.DataFrame) and isinstance(known, pd.DataFrame)
    if named and set(table.columns) >= set(labels):
        return table[labels] if len(set(labels)) == len(labels) else table
    if frame_of(table).shape[1] != len(labels):
        raise DataError(
            f"X must have the {len(labels)} columns that the model was trained on. "
            f"Got {frame_of(table).shape[1]}."
        )
    return table
