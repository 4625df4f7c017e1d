"""Support vector machines that learn from one kernel matrix after the other."""

import warnings
from copy import copy
from dataclasses import dataclass
from itertools import combinations
from typing import Any, NamedTuple

import numpy as np
from sklearn import config_context
from sklearn.base import clone
from sklearn.svm import SVC, SVR
from sklearn.utils.class_weight import compute_class_weight
from sklearn.utils.multiclass import type_of_target

from penchant.exceptions import ConvergenceWarning
from penchant.explanation.retraining._subset_models import Outputs
from penchant.explanation.retraining._support_vectors import (
    SupportVectorProblem,
    SupportVectors,
)
from penchant.typing import FloatArray, IntArray

__all__ = ["RefittedMachine", "SupportMachine", "support_machine"]

_TIGHT = 1e-6  # violation to reach if it takes no more than
_FEW_STEPS = 10  # per row


class Separators(NamedTuple):
    """Functions of a row: its kernels @ coefficients + intercepts."""

    coefficients: FloatArray  # of shape (n, n_functions)
    intercepts: FloatArray


class Part(NamedTuple):
    """What one function learns, and from which of the training rows."""

    rows: IntArray
    problem: SupportVectorProblem
    classes: tuple[int, int] = (0, 0)  # get its vote: where it is positive, and not


@dataclass(frozen=True, eq=False)
class SupportMachine:
    """Support vector regression, or a vote of functions between two classes each.

    Learns what scikit-learn's SVR or SVC state, to a violation of 1e-6 if ten steps
    per row suffice, for models of different attributes may differ by little; otherwise
    to `tol`, with a warning if `max_iter` steps or rounding forbid it. Kernels keep
    double precision, which libsvm's do not.

    Parameters
    ----------
    parts : list of Part
    n_classes : int
        0 for regression.
    tol : float
    max_iter : int or None
    """

    parts: list[Part]
    n_classes: int
    tol: float
    max_iter: int | None

    def train(self, gram: FloatArray) -> tuple[Separators, FloatArray]:
        """Give the functions and their outputs at the training rows."""
        coefficients = np.zeros((len(gram), len(self.parts)))
        intercepts = np.empty(len(self.parts))
        for k, (rows, problem, _) in enumerate(self.parts):
            is_whole = len(rows) == len(gram)
            part = gram if is_whole else gram.take(rows, 0).take(rows, 1)
            found = self._solve(problem, part)
            coefficients[rows, k] = found.coefficients
            intercepts[k] = found.intercept
        model = Separators(coefficients, intercepts)
        return model, self.predict(model, gram)

    def _solve(self, problem: SupportVectorProblem, gram: FloatArray) -> SupportVectors:
        limit = np.inf if self.max_iter is None else self.max_iter
        few = int(min(limit, _FEW_STEPS * len(gram)))
        found = problem.solve(gram, tol=min(self.tol, _TIGHT), max_iter=few)
        if found.violation > self.tol:
            rest = None if self.max_iter is None else self.max_iter - found.n_iter
            found = problem.solve(
                gram, tol=self.tol, max_iter=rest, start=found.coefficients
            )
        if found.violation > self.tol:
            warnings.warn(
                f"The support vector machine did not reach tol={self.tol:g}. Scale "
                "the columns, raise max_iter or tol, or lower C.",
                ConvergenceWarning,
                stacklevel=3,
            )
        return found

    def predict(self, model: Separators, gram: FloatArray) -> FloatArray:
        """Give the outputs at rows whose kernel with the training rows is given."""
        values: FloatArray = gram @ model.coefficients
        values += model.intercepts
        if self.n_classes == 0:
            return values
        votes = np.zeros((self.n_classes, len(gram)), dtype=np.int64)
        for part, value in zip(self.parts, values.T, strict=True):
            first, second = part.classes
            votes[first] += value > 0
            votes[second] += value <= 0
        hard: FloatArray = np.eye(self.n_classes)[votes.argmax(axis=0)]
        return hard


@dataclass(frozen=True, eq=False)
class RefittedMachine:
    """A machine of scikit-learn's whose kernel matrix is computed before.

    Parameters
    ----------
    estimator : estimator
    y : ndarray of shape (n,)
    outputs : Outputs
    """

    estimator: Any
    y: Any
    outputs: Outputs

    def train(self, gram: FloatArray) -> tuple[Any, FloatArray]:
        """Give the model and its outputs at the training rows."""
        model = copy(self.estimator)
        with _checked_before():
            model.fit(gram, self.y)
        return model, self.predict(model, gram)

    def predict(self, model: Any, gram: FloatArray) -> FloatArray:
        """Give the outputs at rows whose kernel with the training rows is given."""
        with _checked_before():
            return self.outputs(model, gram)


def _checked_before() -> Any:
    """Spare scikit-learn its checks: parameters and numbers are those of fit."""
    return config_context(assume_finite=True, skip_parameter_validation=True)


def support_machine(
    estimator: SVC | SVR, y: Any, outputs: Outputs
) -> SupportMachine | RefittedMachine:
    """Give what trains an estimator on kernel matrices.

    scikit-learn itself where our solver would not do the same: probabilities, ties
    that distances break, no limit to coefficients, targets that are no classes.
    """
    parts = _parts(estimator, y, outputs)
    if parts is None:
        precomputed = clone(estimator).set_params(kernel="precomputed")
        return RefittedMachine(precomputed, y, outputs)
    return SupportMachine(
        parts,
        n_classes=0 if outputs.classes is None else len(outputs.classes),
        tol=float(estimator.tol),
        max_iter=None if estimator.max_iter == -1 else int(estimator.max_iter),
    )


def _parts(estimator: SVC | SVR, y: Any, outputs: Outputs) -> list[Part] | None:
    if not np.isfinite(estimator.C):
        return None
    if type(estimator) is SVR:
        problem = SupportVectorProblem.regression(y, estimator.C, estimator.epsilon)
        return [Part(np.arange(len(y)), problem)]
    present = np.unique(y)
    plain = estimator.probability in (False, "deprecated") and not estimator.break_ties
    known = type_of_target(y) in ("binary", "multiclass") and len(present) > 1
    if not plain or not known:
        return None
    weights = compute_class_weight(estimator.class_weight, classes=present, y=y)
    codes = np.searchsorted(present, y)
    limits = estimator.C * weights[codes]
    if not (weights > 0).all():
        return None
    numbers = np.searchsorted(outputs.classes, present).tolist()
    return [
        _part(codes, pair, limits, (numbers[pair[0]], numbers[pair[1]]))
        for pair in combinations(range(len(present)), 2)
    ]


def _part(
    codes: IntArray, pair: tuple[int, int], limits: FloatArray, classes: tuple[int, int]
) -> Part:
    """Tell two classes from each other."""
    rows = np.flatnonzero(np.isin(codes, pair))
    is_first = codes[rows] == pair[0]
    problem = SupportVectorProblem.classification(is_first, limits[rows])
    return Part(rows, problem, classes)
