"""The retraining game: what models learn from part of the attributes (EX-1)."""

import warnings
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

import joblib
import numpy as np
from joblib import Memory, Parallel, delayed
from sklearn.base import clone, is_classifier
from sklearn.exceptions import NotFittedError
from sklearn.pipeline import Pipeline
from sklearn.utils import get_tags
from sklearn.utils.validation import check_is_fitted

from penchant._parallel import parallel, track
from penchant.exceptions import DataError
from penchant.explanation._players import as_table, check_players, frame_of
from penchant.explanation.retraining._kernel_models import kernel_refits
from penchant.explanation.retraining._subset_models import (
    Complaint,
    Learner,
    Outputs,
    Refits,
    Trained,
)
from penchant.typing import FloatArray, IntArray


class RetrainingGame:
    """The worth of sets of attributes: how much a model of theirs knows.

    The worth of a set S at a row is Delta_S = f_S(x) - f_empty, where f_S is the
    estimator refitted on the attributes of S, and f_empty the frequency of the class
    or the mean of y (EX-1). Each model is trained once and kept.

    Parameters
    ----------
    estimator : estimator
        The model of all attributes; a clone is fitted if it is not.
    X : ndarray, DataFrame or Items of n rows
        What it was trained on.
    y : array-like of shape (n,)
    players : mapping or None, default=None
        Blocks of columns, as for `check_players`.
    seed : int or None, default=None
        For estimators whose random_state is None.
    """

    def __init__(
        self,
        estimator: Any,
        X: Any,
        y: Any,
        players: Mapping[str, Sequence[Any]] | None = None,
        *,
        seed: int | None = None,
    ) -> None:
        self.table = as_table(X)
        self.y = _check_target(y, len(self.table))
        self.players = check_players(players, self.table)
        seeded = _with_seed(estimator, seed)
        self.model = _fitted(estimator, seeded, self.table, self.y)
        self.classes = _all_classes(self.model, self.y)
        self._outputs = Outputs(self.classes)
        self.full = (1 << len(self.players)) - 1
        self._own_target = self.target_of(self.table)
        self._learner = self._choose_learner(seeded)
        self._models: dict[int, Any] = {}
        self._worths: dict[int, FloatArray] = {}

    def _choose_learner(self, estimator: Any) -> Learner:
        arguments = (estimator, self.table, self.y, self.players, self._outputs)
        return kernel_refits(*arguments) or Refits(*arguments)

    def target_of(self, table: Any, look_at: Any = None) -> IntArray:
        """Give the number of the class that is explained at each row.

        That of `predict`, which for some classifiers is not the most probable one,
        or the one that is named; 0 for regression.
        """
        n_rows = len(frame_of(table))
        if self.classes is None:
            if look_at is not None:
                raise DataError("look_at names a class, and the model is a regressor.")
            return np.zeros(n_rows, dtype=np.int64)
        if look_at is None:
            predicted = self.model.predict(table)
            return np.searchsorted(self.classes, predicted)
        same = np.flatnonzero(self.classes == look_at)
        if same.size == 0:
            known = ", ".join(map(repr, self.classes.tolist()))
            raise DataError(f"look_at must be one of {known}. Got {look_at!r}.")
        return np.full(n_rows, same[0], dtype=np.int64)

    def base(self, target: IntArray) -> FloatArray:
        """Give f_empty at each row."""
        if self.classes is None:
            return np.full(len(target), np.mean(self.y, dtype=np.float64))
        frequencies = np.array([np.mean(self.y == label) for label in self.classes])
        return frequencies[target]

    def train(
        self,
        masks: Iterable[int],
        *,
        memory: str | Path | Memory | None = None,
        n_jobs: int | None = None,
        cluster: str | None = None,
        verbose: bool = False,
    ) -> None:
        """Train the models of some sets that are not there yet.

        Parameters
        ----------
        masks : iterable of int
        memory : path, joblib.Memory or None
            Where models are kept between sessions.
        n_jobs, cluster : as for `penchant._parallel.parallel`
        verbose : bool
            Whether to show a progress bar.
        """
        done = {*self._models, self.full}
        missing = [mask for mask in dict.fromkeys(masks) if mask not in done]
        size = self._learner.n_per_task
        chunks = [missing[k : k + size] for k in range(0, len(missing), size)]
        key, cache = self._key(memory)
        tasks = (delayed(_train)(self._learner, chunk, cache, key) for chunk in chunks)
        complaints: Counter[Complaint] = Counter()
        with parallel(n_jobs, cluster):
            results = Parallel(return_as="generator")(tasks)
            bar = track(results, "Training", total=len(chunks), enabled=verbose)
            for chunk, trained in zip(chunks, bar, strict=True):
                for mask, each in zip(chunk, trained, strict=True):
                    self._models[mask] = each.model
                    self._worths[mask] = self._worth(each.outputs, self._own_target)
                    complaints.update(set(each.complaints))
        _warn(complaints, len(missing))

    def _key(self, memory: Any) -> tuple[str, Memory | None]:
        if memory is None:
            return "", None
        cache = Memory(memory, verbose=0) if isinstance(memory, str | Path) else memory
        return joblib.hash(self._learner), cache

    def _worth(self, outputs: FloatArray, target: IntArray) -> FloatArray:
        picked: FloatArray = outputs[np.arange(len(target)), target]
        return picked - self.base(target)

    def worths(
        self,
        masks: Sequence[int],
        table: Any,
        target: IntArray,
        *,
        n_jobs: int | None = None,
    ) -> FloatArray:
        """Give Delta_S at each row for each set, shape (n_rows, n_masks).

        Models of sets of attributes must have been trained before; only the model of
        all attributes is always there.
        """
        worths = np.empty((len(target), len(masks)))
        others = [k for k, mask in enumerate(masks) if mask != self.full]
        for k, mask in enumerate(masks):
            if mask == self.full:
                worths[:, k] = self._worth(self._outputs(self.model, table), target)
        if table is self.table and np.array_equal(target, self._own_target):
            for k in others:
                worths[:, k] = self._worths[masks[k]]
            return worths
        size = self._learner.n_per_task
        chunks = [others[k : k + size] for k in range(0, len(others), size)]
        # Threads: predicting is short, and sending models away would cost more.
        found = Parallel(n_jobs=n_jobs, prefer="threads")(
            delayed(self._predict)([masks[k] for k in chunk], table, target)
            for chunk in chunks
        )
        for chunk, part in zip(chunks, found, strict=True):
            worths[:, chunk] = part
        return worths

    def _predict(self, masks: list[int], table: Any, target: IntArray) -> FloatArray:
        models = [self._models[mask] for mask in masks]
        outputs = self._learner.predict(masks, models, table)
        return np.stack([self._worth(each, target) for each in outputs], axis=1)


def _train(
    learner: Learner, masks: list[int], cache: Memory | None, key: str
) -> list[Trained]:
    """Train the models of a task; with a cache one by one, so that others find them."""
    if cache is None:
        return learner.train(masks)
    train = cache.cache(_train_one, ignore=["learner"])
    return [train(key, mask, learner) for mask in masks]


def _train_one(key: str, mask: int, learner: Learner) -> Trained:
    """Train one model; `key` stands for everything that the learner knows."""
    (trained,) = learner.train([mask])
    return trained


def _warn(complaints: Counter[Complaint], n_models: int) -> None:
    """Say once what some of many models warned of."""
    for (category, text), count in complaints.most_common():
        warnings.warn(
            f"{count} of {n_models} models of part of the attributes warned: {text}",
            category,
            stacklevel=4,
        )


def _check_target(y: Any, n_rows: int) -> Any:
    target = np.asarray(y)
    if target.ndim == 2 and target.shape[1] == 1:
        target = target[:, 0]
    if target.shape != (n_rows,):
        raise DataError(
            f"y must have one entry per row of X ({n_rows}). Got shape {target.shape}."
        )
    return target


def _with_seed(estimator: Any, seed: int | None) -> Any:
    """Clone an estimator and give a seed to every random_state that is None."""
    copy = clone(estimator)
    if seed is not None:
        unset = {
            name: seed
            for name, value in copy.get_params(deep=True).items()
            if name.rpartition("__")[2] == "random_state" and value is None
        }
        copy.set_params(**unset)
    return copy


def _fitted(estimator: Any, seeded: Any, table: Any, y: Any) -> Any:
    """Give the user's own model, or fit one if it is not fitted."""
    if not hasattr(estimator, "predict"):
        raise DataError(
            "The estimator must have a method predict, as scikit-learn's classifiers "
            f"and regressors do. Got {type(estimator).__name__}."
        )
    if not is_classifier(estimator) and y.dtype.kind not in "biuf":
        raise DataError(
            "y must hold numbers when the model is a regressor. "
            f"Got values of type {y.dtype}."
        )
    return estimator if _is_fitted(estimator) else clone(seeded).fit(table, y)


def _is_fitted(estimator: Any) -> bool:
    """Tell whether it has learned; some predict before, such as Gaussian processes."""
    if isinstance(estimator, Pipeline):
        return _is_fitted(estimator.steps[-1][1])
    try:
        check_is_fitted(estimator)
    except NotFittedError:
        return False
    learned = any(name.endswith("_") for name in vars(estimator))
    return learned or bool(get_tags(estimator).requires_fit)


def _all_classes(model: Any, y: Any) -> Any:
    if not is_classifier(model):
        return None
    return np.unique(np.concatenate([np.asarray(model.classes_), y]))
