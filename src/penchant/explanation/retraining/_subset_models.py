"""An estimator for part of the columns, trained in any order and any process."""

import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, NamedTuple, Protocol

import numpy as np
import pandas as pd
from sklearn.base import clone, is_classifier
from sklearn.compose import ColumnTransformer
from sklearn.dummy import DummyClassifier, DummyRegressor

from penchant.exceptions import DataError
from penchant.explanation._players import Players, frame_of, take_columns
from penchant.typing import FloatArray

# Parameters with one entry per column, in scikit-learn's models and in ours.
_PER_COLUMN = frozenset(
    (
        "directions",
        "domain",
        "kernel",
        "length_scale",
        "length_scale_bounds",
        "monotone",
        "monotonic_cst",
        "sigma",
    )
)


def restrict(estimator: Any, table: Any, kept: Sequence[int]) -> Any:
    """Clone an estimator for part of the columns.

    Column transformers select among the columns that are left, and parameters with
    one entry per column, such as length scales, keep the entries of these.

    Parameters
    ----------
    estimator : estimator
    table : ndarray, DataFrame or Items
        All columns.
    kept : sequence of int
        The columns that are left.

    Returns
    -------
    estimator or None
        Not fitted. None: none of these columns is used.
    """
    copy = clone(estimator)
    columns = _Columns(table, kept)
    parameters = copy.get_params(deep=True)
    transformers = [v for v in parameters.values() if isinstance(v, ColumnTransformer)]
    used = [_restrict_transformer(each, columns) for each in transformers]
    if not all(used):
        return None
    changes = {}
    for name, value in parameters.items():
        now = _restrict_value(name.rpartition("__")[2], value, columns)
        if now is not value:
            if transformers:
                raise DataError(
                    f"{name} counts columns that a ColumnTransformer makes, so it "
                    "cannot follow when some columns are left out. Use "
                    "categorical_features='from_dtype', or drop the parameter."
                )
            changes[name] = now
    return copy.set_params(**changes)


class _Columns:
    """The columns that are left, by position and by label."""

    def __init__(self, table: Any, kept: Sequence[int]) -> None:
        self.labels = list(frame_of(table).columns)
        self.kept = list(kept)
        self.place = {column: k for k, column in enumerate(self.kept)}
        self.part = take_columns(table, self.kept)

    def positions(self, chosen: Any) -> list[int]:
        """Give the old positions of columns named in any way that pandas knows."""
        numbers = pd.Series(range(len(self.labels)), index=self.labels)
        by_label = _is_by_label(chosen)
        found = numbers.loc[chosen] if by_label else numbers.iloc[chosen]
        return [int(column) for column in np.atleast_1d(found)]

    def follow(self, columns: Sequence[int]) -> list[int]:
        """Give the new positions of those columns that are left."""
        return [self.place[column] for column in columns if column in self.place]


def _is_by_label(chosen: Any) -> bool:
    if isinstance(chosen, slice):
        return isinstance(chosen.start, str) or isinstance(chosen.stop, str)
    first = chosen if np.ndim(chosen) == 0 else next(iter(chosen), 0)
    return isinstance(first, str)


def _restrict_transformer(transformer: ColumnTransformer, columns: _Columns) -> bool:
    """Let a column transformer select what is left; tell whether it selects any."""
    entries = []
    named: set[int] = set()
    used = False
    for name, step, chosen in transformer.transformers:
        if callable(chosen):
            resolved = columns.kept
            places = [resolved.index(c) for c in _called(chosen, columns)]
            now = chosen
        else:
            places = columns.follow(columns.positions(chosen))
            single = isinstance(chosen, str | int | np.integer)
            now = places[0] if single and places else places
        if not places:
            continue
        entries.append((name, step, now))
        named |= set(places)
        used |= not (isinstance(step, str) and step == "drop")
    transformer.set_params(transformers=entries)
    rest = transformer.remainder
    has_rest = not (isinstance(rest, str) and rest == "drop")
    return used or (has_rest and len(named) < len(columns.kept))


def _called(selector: Any, columns: _Columns) -> list[int]:
    """Give the old positions that a selector function finds among what is left."""
    found = selector(columns.part)
    labels = [columns.labels[column] for column in columns.kept]
    numbers = pd.Series(columns.kept, index=labels)
    picked = numbers.loc[found] if _is_by_label(found) else numbers.iloc[found]
    return [int(column) for column in np.atleast_1d(picked)]


def _restrict_value(name: str, value: Any, columns: _Columns) -> Any:
    """Give a parameter for the columns that are left; itself if it needs no change."""
    if value is None or isinstance(value, str):
        return value
    if name == "categorical_features":
        return columns.follow(columns.positions(value)) or None
    if name == "interaction_cst":
        groups = (columns.follow(sorted(group)) for group in value)
        return [set(group) for group in groups if group]
    if name in _PER_COLUMN and isinstance(value, Mapping):
        return _restrict_mapping(value, columns)
    if name in _PER_COLUMN and _has_entry_per_column(name, value, len(columns.labels)):
        taken = [value[column] for column in columns.kept]
        return np.array(taken) if isinstance(value, np.ndarray) else taken
    return value


def _restrict_mapping(value: Mapping[Any, Any], columns: _Columns) -> dict[Any, Any]:
    kept = {columns.labels[column] for column in columns.kept}
    followed: dict[Any, Any] = {}
    for key, entry in value.items():
        if isinstance(key, str):
            if key in kept:
                followed[key] = entry
        elif key in columns.place:
            followed[columns.place[key]] = entry
    return followed


def _has_entry_per_column(name: str, value: Any, n_columns: int) -> bool:
    if not isinstance(value, list | tuple | np.ndarray) or len(value) != n_columns:
        return False
    pairs = name in ("domain", "length_scale_bounds")
    return np.ndim(value[0]) > 0 if pairs else True


Complaint = tuple[type[Warning], str]


@dataclass(frozen=True, eq=False)
class Outputs:
    """What is explained of a model: probabilities of classes, or the prediction.

    Parameters
    ----------
    classes : ndarray or None
        All labels, sorted; None for regression.
    """

    classes: Any

    def __call__(self, model: Any, X: Any) -> FloatArray:
        """Give one column per class, or a single one for regression.

        A classifier without probabilities gives 1 to the class that it predicts.
        """
        if self.classes is None:
            predicted = np.asarray(model.predict(X), dtype=np.float64)
            return predicted.reshape(-1, 1)
        if not hasattr(model, "predict_proba"):
            return np.equal.outer(model.predict(X), self.classes) * 1.0
        table = np.asarray(model.predict_proba(X), dtype=np.float64)
        known = np.searchsorted(self.classes, model.classes_)
        probabilities = np.zeros((len(table), len(self.classes)))
        probabilities[:, known] = table
        return probabilities


class Trained(NamedTuple):
    """A model of part of the attributes."""

    model: Any
    outputs: FloatArray  # at the training rows
    complaints: list[Complaint]


class Learner(Protocol):
    """Trains models on sets of attributes; it and its models can be pickled."""

    @property
    def n_per_task(self) -> int:
        """How many models make a task that is worth sending away."""
        ...

    def train(self, masks: Sequence[int]) -> list[Trained]:
        """Train a model on each set."""
        ...

    def predict(
        self, masks: Sequence[int], models: Sequence[Any], table: Any
    ) -> Iterator[FloatArray]:
        """Yield the outputs of each model at the rows of a table of all columns."""
        ...


@dataclass(frozen=True, eq=False)
class Refits:
    """Fit a clone of the estimator to the columns of each set.

    Parameters
    ----------
    estimator : estimator
    table : ndarray, DataFrame or Items
    y : ndarray of shape (n,)
    players : Players
    outputs : Outputs
    """

    estimator: Any
    table: Any
    y: Any
    players: Players
    outputs: Outputs
    n_per_task: int = 8

    def train(self, masks: Sequence[int]) -> list[Trained]:
        """Train a model on each set."""
        return [trained(partial(self._fit, k), self.players, k) for k in masks]

    def _fit(self, mask: int) -> tuple[Any, FloatArray]:
        columns = self.players.columns_of(mask)
        part = take_columns(self.table, columns)
        model = restrict(self.estimator, self.table, columns)
        if model is None:  # it looks at none of these columns: it knows the base only
            is_class = is_classifier(self.estimator)
            model = DummyClassifier() if is_class else DummyRegressor()
        model.fit(part, self.y)
        return model, self.outputs(model, part)

    def predict(
        self, masks: Sequence[int], models: Sequence[Any], table: Any
    ) -> Iterator[FloatArray]:
        """Yield the outputs of each model at the rows of a table of all columns."""
        for mask, model in zip(masks, models, strict=True):
            columns = self.players.columns_of(mask)
            yield self.outputs(model, take_columns(table, columns))


def trained(
    train: Callable[[], tuple[Any, FloatArray]], players: Players, mask: int
) -> Trained:
    """Train a model on a set; keep its warnings, and say which set an error is about.

    Parameters
    ----------
    train : callable
        Gives the model and its outputs at the training rows.
    players : Players
    mask : int
        The set.
    """
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        try:
            model, outputs = train()
        except DataError:
            raise
        except Exception as error:
            raise _cannot_learn(players, mask, error) from error
    complaints = [(each.category, str(each.message)) for each in caught]
    return Trained(model, outputs, complaints)


def _cannot_learn(players: Players, mask: int, error: Exception) -> DataError:
    names = ", ".join(players.names_of(mask))
    return DataError(
        "The estimator must be able to learn from part of the attributes. With only "
        f"{names} it failed: {type(error).__name__}: {error} Select columns by name or "
        "type in a ColumnTransformer, or let columns that belong together be one "
        "player: players={'name': [columns]}."
    )
