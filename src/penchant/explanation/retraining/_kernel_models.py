"""Kernel machines on part of the attributes, from cached one-attribute terms (EX-9).

The RBF kernel of a set of attributes is the product of one-attribute kernels: the
exponential of a sum of one-attribute terms. The sums of many sets are one matrix
product, and no model looks at the table again.
"""

from collections.abc import Iterator, Sequence
from copy import copy
from dataclasses import dataclass
from functools import cached_property, partial
from typing import Any, Protocol

import numpy as np
import pandas as pd
from scipy.linalg import LinAlgError
from scipy.linalg.lapack import dpotrf, dpotrs
from sklearn import config_context
from sklearn.base import clone
from sklearn.gaussian_process import GaussianProcessRegressor
from sklearn.gaussian_process import kernels as gp
from sklearn.gaussian_process.kernels import RBF
from sklearn.kernel_ridge import KernelRidge
from sklearn.pipeline import Pipeline
from sklearn.preprocessing import (
    MaxAbsScaler,
    MinMaxScaler,
    RobustScaler,
    StandardScaler,
)
from sklearn.svm import SVC, SVR

from penchant.explanation._players import Players, frame_of
from penchant.explanation._shapley import membership
from penchant.explanation.retraining._subset_models import Outputs, Trained, trained
from penchant.typing import FloatArray


@dataclass(frozen=True)
class KernelForm:
    """A kernel h(sum_c t(x_c, y_c)) with terms t of single columns.

    Parameters
    ----------
    term : {"squared", "absolute", "product"}
        (x - y)^2, ``|x - y|`` or x y. The first two make
        amplitude exp(-gamma sum), the last one (gamma sum + offset)^degree.
    gamma : float or {"scale", "auto"}
        As in scikit-learn's support vector machines: it depends on the columns.
    length_scale : float or ndarray of shape (n_columns,)
        Divides the columns.
    amplitude, offset, degree : float
    """

    term: str
    gamma: float | str = 1.0
    length_scale: Any = 1.0
    amplitude: float = 1.0
    offset: float = 0.0
    degree: float = 1.0

    def terms(self, left: FloatArray, right: FloatArray) -> FloatArray:
        """Give the sum of the terms of some columns, shape (n_left, n_right)."""
        total = np.zeros((len(left), len(right)))
        for x, y in zip(left.T, right.T, strict=True):
            if self.term == "product":
                total += np.multiply.outer(x, y)
            else:
                step = np.subtract.outer(x, y)
                total += step**2 if self.term == "squared" else np.abs(step)
        return total

    def gram(self, sums: FloatArray, columns: FloatArray) -> FloatArray:
        """Give the kernel of some columns.

        Parameters
        ----------
        sums : ndarray of shape (n_left, n_right)
            Of the terms of these columns; overwritten.
        columns : ndarray of shape (n, n_columns)
            Their training values, for `gamma`.
        """
        gamma = self._gamma(columns)
        if self.term == "product":
            sums *= gamma
            sums += self.offset
            if self.degree != 1.0:
                sums **= self.degree
            return sums
        sums *= -gamma
        np.exp(sums, out=sums)
        if self.amplitude != 1.0:
            sums *= self.amplitude
        return sums

    def _gamma(self, columns: FloatArray) -> float:
        n_columns = int(columns.shape[1])
        if self.gamma == "auto":
            return 1.0 / n_columns
        if self.gamma == "scale":
            variance = float(columns.var())
            return 1.0 / (n_columns * variance) if variance != 0 else 1.0
        return float(self.gamma)


def form_of_name(estimator: Any) -> KernelForm | None:
    """Give the kernel that a machine names in its parameters, if it has this form."""
    kernel = estimator.kernel
    if not isinstance(kernel, str):
        return None
    gamma = "auto" if estimator.gamma is None else estimator.gamma
    if kernel in ("rbf", "laplacian"):
        term = "squared" if kernel == "rbf" else "absolute"
        return KernelForm(term, gamma)
    if kernel == "linear":
        return KernelForm("product")
    if kernel in ("poly", "polynomial"):
        offset, degree = float(estimator.coef0), float(estimator.degree)
        return KernelForm("product", gamma, offset=offset, degree=degree)
    return None


def form_of_process(kernel: Any) -> tuple[KernelForm, float] | None:
    """Give the kernel and the white noise of a Gaussian process, if it is an RBF.

    An RBF, times constants, plus white noise.
    """
    noise = 0.0
    if type(kernel) is gp.Sum:
        first, second = kernel.k1, kernel.k2
        if type(first) is gp.WhiteKernel:
            first, second = second, first
        if type(second) is not gp.WhiteKernel:
            return None
        kernel, noise = first, float(second.noise_level)
    factors = _factors(kernel)
    smooth = [factor for factor in factors if type(factor) is gp.RBF]
    constants = [factor for factor in factors if type(factor) is gp.ConstantKernel]
    if len(smooth) != 1 or len(smooth) + len(constants) != len(factors):
        return None
    amplitude = float(np.prod([factor.constant_value for factor in constants]))
    scale = smooth[0].length_scale
    return KernelForm("squared", 0.5, scale, amplitude), noise


def _factors(kernel: Any) -> list[Any]:
    if type(kernel) is gp.Product:
        return [*_factors(kernel.k1), *_factors(kernel.k2)]
    return [kernel]


_SCALERS = (MaxAbsScaler, MinMaxScaler, RobustScaler, StandardScaler)
_MAX_CACHE = 1 << 25  # numbers in the cache of terms; beyond, training dominates
_BATCH = 1 << 20  # numbers in the sums of one matrix product: what a cache holds


class _Machine(Protocol):
    """Learns from a Gram matrix."""

    def train(self, gram: FloatArray) -> tuple[Any, FloatArray]:
        """Give the model and its outputs at the training rows."""
        ...

    def predict(self, model: Any, gram: FloatArray) -> FloatArray:
        """Give the outputs at rows whose kernel with the training rows is given."""
        ...


@dataclass(frozen=True, eq=False)
class _Ridge:
    """Kernel ridge regression and the mean of a Gaussian process."""

    y: FloatArray
    noise: float
    centre: float = 0.0
    scale: float = 1.0

    def train(self, gram: FloatArray) -> tuple[FloatArray, FloatArray]:
        # A copy: the Gram matrix is needed again for the fitted values.
        system = np.array(gram, order="F")
        system.flat[:: len(system) + 1] += self.noise
        factor, info = dpotrf(system, lower=1, overwrite_a=1, clean=0)
        if info != 0:
            raise LinAlgError(
                "The kernel matrix is singular. Raise alpha, or drop repeated rows."
            )
        target = (self.y - self.centre) / self.scale
        coefficients, _ = dpotrs(factor, target, lower=1)
        return coefficients, self.predict(coefficients, gram)

    def predict(self, model: FloatArray, gram: FloatArray) -> FloatArray:
        values: FloatArray = (gram @ model) * self.scale + self.centre
        return values[:, None]


@dataclass(frozen=True, eq=False)
class SupportMachine:
    """SVC or SVR of scikit-learn with ``kernel="precomputed"``.

    Learns what refitting the estimator would, up to the last digit of the kernel:
    libsvm rounds it to single precision.
    """

    estimator: SVC | SVR
    y: Any
    outputs: Outputs

    def train(self, gram: FloatArray) -> tuple[Any, FloatArray]:
        model = copy(self.estimator)
        with _checked_before():
            model.fit(gram, self.y)
        return model, self.predict(model, gram)

    def predict(self, model: Any, gram: FloatArray) -> FloatArray:
        with _checked_before():
            return self.outputs(model, gram)


def _checked_before() -> Any:
    """Spare scikit-learn its checks: parameters and numbers are those of fit."""
    return config_context(assume_finite=True, skip_parameter_validation=True)


@dataclass(frozen=True, eq=False)
class KernelRefits:
    """Train a kernel machine on sets of attributes; see `Learner`.

    Parameters
    ----------
    X : ndarray of shape (n, n_columns)
        The training rows, scaled.
    players : Players
    form : KernelForm
    machine : _Machine
    scaling : Pipeline or None
        Fitted column by column; what scaled X.
    """

    X: FloatArray
    players: Players
    form: KernelForm
    machine: _Machine
    scaling: Any
    n_per_task: int = 64

    def train(self, masks: Sequence[int]) -> list[Trained]:
        """Train a model on each set."""
        grams = self._grams(masks, self._own_terms, len(self.X))
        train = self.machine.train
        return [trained(partial(train, gram), self.players, k) for k, gram in grams]

    def predict(
        self, masks: Sequence[int], models: Sequence[Any], table: Any
    ) -> Iterator[FloatArray]:
        """Yield the outputs of each model at the rows of a table of all columns."""
        rows = _scaled(numbers_of(table), self.scaling, self.form)
        size = max(1, _MAX_CACHE // (len(self.X) * len(self.players)))
        blocks = [rows[start : start + size] for start in range(0, len(rows), size)]
        parts = [self._predict_block(masks, models, block) for block in blocks]
        return (np.concatenate(column) for column in zip(*parts, strict=True))

    def _predict_block(
        self, masks: Sequence[int], models: Sequence[Any], rows: FloatArray
    ) -> Iterator[FloatArray]:
        grams = self._grams(masks, self._terms(rows), len(rows))
        for model, (_, gram) in zip(models, grams, strict=True):
            yield self.machine.predict(model, gram)

    @cached_property
    def _own_terms(self) -> FloatArray:
        return self._terms(self.X)

    def _terms(self, rows: FloatArray) -> FloatArray:
        """Give the terms of each player, shape (n_players, n_rows * n)."""
        terms = np.empty((len(self.players), len(rows) * len(self.X)))
        for player, columns in enumerate(self.players.columns):
            chosen = list(columns)
            block = self.form.terms(rows[:, chosen], self.X[:, chosen])
            terms[player] = block.ravel()
        return terms

    def _grams(
        self, masks: Sequence[int], terms: FloatArray, n_rows: int
    ) -> Iterator[tuple[int, FloatArray]]:
        """Yield the kernel matrix of each set."""
        size = max(1, _BATCH // terms.shape[1])
        for start in range(0, len(masks), size):
            batch = masks[start : start + size]
            is_in = membership(batch, len(self.players)).astype(np.float64)
            for mask, sums in zip(batch, is_in @ terms, strict=True):
                columns = self.X[:, self.players.columns_of(mask)]
                yield mask, self.form.gram(sums.reshape(n_rows, -1), columns)


def kernel_refits(
    estimator: Any, table: Any, y: Any, players: Players, outputs: Outputs
) -> KernelRefits | None:
    """Give the fast way to train a kernel machine, if the estimator is one.

    SVC, SVR, KernelRidge and Gaussian processes with fixed kernels, alone or after
    scalers that treat each column by itself. None: refit the estimator instead.
    """
    X = numbers_of(table)
    split = _split(estimator)
    if X is None or split is None or len(X) ** 2 * len(players) > _MAX_CACHE:
        return None
    steps, last = split
    found = _machine_of(last, y, outputs)
    if found is None:
        return None
    form, machine = found
    scaling = clone(Pipeline(steps)).fit(X) if steps else None
    return KernelRefits(_scaled(X, scaling, form), players, form, machine, scaling)


def numbers_of(table: Any) -> FloatArray | None:
    """Give a table of finite numbers as an array; None if it is anything else."""
    if not isinstance(table, pd.DataFrame | np.ndarray):
        return None
    kinds = frame_of(table).dtypes
    if not all(pd.api.types.is_numeric_dtype(kind) for kind in kinds):
        return None
    numbers = np.asarray(table, dtype=np.float64)
    return numbers if np.isfinite(numbers).all() else None


def _scaled(X: Any, scaling: Any, form: KernelForm) -> FloatArray:
    scaled = X if scaling is None else np.asarray(scaling.transform(X))
    return scaled / form.length_scale


def _split(estimator: Any) -> tuple[list[Any], Any] | None:
    """Split a pipeline into scalers of single columns and the last step."""
    if type(estimator) is not Pipeline:
        return [], estimator
    *steps, (_, last) = estimator.steps
    scalers = [
        (name, step) for name, step in steps if step not in (None, "passthrough")
    ]
    simple = all(type(step) in _SCALERS for _, step in scalers)
    return (scalers, last) if simple and estimator.memory is None else None


def _machine_of(
    estimator: Any, y: Any, outputs: Outputs
) -> tuple[KernelForm, _Machine] | None:
    if type(estimator) is GaussianProcessRegressor:
        return _process(estimator, y)
    if type(estimator) not in (KernelRidge, SVC, SVR):
        return None
    form = form_of_name(estimator)
    if form is None or np.ndim(getattr(estimator, "alpha", 0.0)) > 0:
        return None
    if type(estimator) is KernelRidge:
        return form, _Ridge(np.asarray(y, dtype=np.float64), float(estimator.alpha))
    precomputed = clone(estimator).set_params(kernel="precomputed")
    return form, SupportMachine(precomputed, y, outputs)


def _process(
    estimator: GaussianProcessRegressor, y: Any
) -> tuple[KernelForm, _Machine] | None:
    kernel = RBF() if estimator.kernel is None else estimator.kernel
    found = form_of_process(kernel)
    learns = estimator.optimizer is not None and kernel.theta.size > 0
    if found is None or learns or np.ndim(estimator.alpha) > 0:
        return None
    form, noise = found
    target = np.asarray(y, dtype=np.float64)
    noise += float(estimator.alpha)
    if not estimator.normalize_y:
        return form, _Ridge(target, noise)
    spread = float(target.std())
    centre = float(target.mean())
    return form, _Ridge(target, noise, centre, spread if spread > 0 else 1.0)
