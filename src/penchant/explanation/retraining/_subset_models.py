"""Train an estimator on part of the attributes, in any order and any process."""

import warnings
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, NamedTuple, Protocol

import numpy as np
from sklearn.base import is_classifier
from sklearn.dummy import DummyClassifier, DummyRegressor

from penchant.exceptions import DataError
from penchant.explanation._players import Players, take_columns
from penchant.explanation.retraining._restriction import restrict
from penchant.typing import FloatArray

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
