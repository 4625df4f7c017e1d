"""Support vector machines that learn from one kernel matrix after the other."""

from copy import copy
from dataclasses import dataclass
from itertools import combinations, pairwise
from typing import Any

import numpy as np
from sklearn import config_context
from sklearn.base import clone
from sklearn.svm import SVC, SVR

from penchant.explanation.retraining._subset_models import Outputs
from penchant.typing import FloatArray


@dataclass(frozen=True, eq=False)
class SupportMachine:
    """SVC or SVR of scikit-learn whose kernel matrix is computed before.

    Learns what refitting the estimator would, up to the last digit of the kernel:
    libsvm rounds it to single precision.

    Parameters
    ----------
    estimator : SVC or SVR
        With ``kernel="precomputed"``.
    y : ndarray of shape (n,)
    outputs : Outputs
    """

    estimator: SVC | SVR
    y: Any
    outputs: Outputs

    @classmethod
    def like(cls, estimator: SVC | SVR, y: Any, outputs: Outputs) -> "SupportMachine":
        """Give what trains an estimator on kernel matrices, not on a table."""
        return cls(clone(estimator).set_params(kernel="precomputed"), y, outputs)

    def train(self, gram: FloatArray) -> tuple[Any, FloatArray]:
        """Give the model and its outputs at the training rows."""
        model = copy(self.estimator)
        with _checked_before():
            model.fit(gram, self.y)
        return model, self.predict(model, gram)

    def predict(self, model: Any, gram: FloatArray) -> FloatArray:
        """Give the outputs at rows whose kernel with the training rows is given.

        From the coefficients where that is all: the checks before a prediction of
        scikit-learn's take longer than the prediction.
        """
        if self.outputs.classes is None:
            return _decisions(model, gram)
        if model.break_ties or hasattr(model, "predict_proba"):
            with _checked_before():
                return self.outputs(model, gram)
        labels = model.classes_[_votes(model, gram).argmax(axis=1)]
        hard: FloatArray = np.equal.outer(labels, self.outputs.classes) * 1.0
        return hard


def _checked_before() -> Any:
    """Spare scikit-learn its checks: parameters and numbers are those of fit."""
    return config_context(assume_finite=True, skip_parameter_validation=True)


def _decisions(model: Any, gram: FloatArray) -> FloatArray:
    """Give the values of a single function, shape (n_rows, 1)."""
    values: FloatArray = gram[:, model.support_] @ model.dual_coef_.T
    values += model.intercept_
    return values


def _votes(model: SVC, gram: FloatArray) -> Any:
    """Count how many duels each class wins, as libsvm does: one function per pair.

    ``dual_coef_`` has the support vectors class by class, and one line less than there
    are classes: those of class i meet class j > i in line j - 1 and j < i in line j.
    """
    if len(model.classes_) == 2:
        wins = _decisions(model, gram) >= 0
        return np.hstack([~wins, wins])
    kernels, coef = gram[:, model.support_], model.dual_coef_
    ends = np.append(0, np.cumsum(model.n_support_))
    of_class = [slice(*limits) for limits in pairwise(ends)]
    votes = np.zeros((len(gram), len(of_class)), dtype=np.int64)
    for k, (i, j) in enumerate(combinations(range(len(of_class)), 2)):
        ours, theirs = of_class[i], of_class[j]
        value = kernels[:, ours] @ coef[j - 1, ours]
        value += kernels[:, theirs] @ coef[i, theirs] + model.intercept_[k]
        votes[:, i] += value > 0
        votes[:, j] += value <= 0
    return votes
