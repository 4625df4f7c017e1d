"""Kernel machines whose kernel is made of kernels on single attributes (EX-10)."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property, partial
from typing import Any, ClassVar, TypeAlias

import numpy as np
from sklearn.kernel_ridge import KernelRidge
from sklearn.model_selection._search import BaseSearchCV
from sklearn.pipeline import Pipeline
from sklearn.preprocessing import (
    MaxAbsScaler,
    MinMaxScaler,
    PowerTransformer,
    QuantileTransformer,
    RobustScaler,
    StandardScaler,
)
from sklearn.svm import SVR

from penchant.exceptions import DataError
from penchant.explanation._players import Players
from penchant.explanation.closed_forms._closed_form import (
    ClosedForm,
    Shares,
    averaged_over,
    closed_form,
)
from penchant.explanation.closed_forms._paths import (
    combine,
    path_covariance,
    path_values,
)
from penchant.kernels import RBF, UnivariateKernel, anova_kernel
from penchant.typing import FloatArray

Factors: TypeAlias = Callable[[FloatArray, FloatArray], FloatArray]
_NONE = np.empty(0)
_COLUMN_BY_COLUMN = (
    MaxAbsScaler,
    MinMaxScaler,
    PowerTransformer,
    QuantileTransformer,
    RobustScaler,
    StandardScaler,
)
"""Transformers that leave attributes apart, so that they stay the players."""


@dataclass(frozen=True, eq=False)
class ProductKernel:
    """A kernel on items that is made of one kernel per attribute.

    Parameters
    ----------
    factors : callable
        Takes items of shapes (r, d) and (n, d) and gives the kernel of each
        attribute between them, shape (r, n, d).
    orders : ndarray of shape (max_order,), default=empty
        Weights of the sums over the products of 1, 2, ... attributes (GAI-9);
        empty: the product of all attributes.
    amplitude : float, default=1.0
        Multiplies the kernel.
    offset : float, default=0.0
        Added before that.
    """

    factors: Factors
    orders: FloatArray = field(default_factory=lambda: _NONE)
    amplitude: float = 1.0
    offset: float = 0.0

    def combine(self, factors: FloatArray) -> FloatArray:
        """Give the kernel from its factors of shape (n, d), shape (n,)."""
        return self.amplitude * (combine(factors, self.orders) + self.offset)

    def between(
        self, item: FloatArray, rival: FloatArray, items: FloatArray, *, twice: bool
    ) -> tuple[FloatArray, FloatArray]:
        """Give what leads from a rival to an item, shape (n_items, d).

        `twice`: with the prior covariance of a process; without, that is 0.
        """
        ends = np.stack([item, rival])
        at = self.factors(ends, np.concatenate([ends, items]))
        gains = path_values(at[0, 2:], at[1, 2:], self.orders)
        prior = np.zeros(())
        if twice:
            prior = path_covariance(at[0, 0], at[0, 1], at[1, 1], self.orders)
        return self.amplitude * gains, self.amplitude * prior

    def merged(self, players: Players) -> "ProductKernel":
        """Give the same with blocks of columns as players."""
        if self.orders.size > 1:
            raise DataError(
                "players need a kernel that is a product or a sum over all columns. "
                "This one is a sum of products of some; leave players out."
            )
        join = np.add if self.orders.size else np.multiply
        blocks = [list(columns) for columns in players.columns]

        def factors(X: FloatArray, Y: FloatArray) -> FloatArray:
            alone = self.factors(X, Y)
            joined = [join.reduce(alone[:, :, block], axis=2) for block in blocks]
            return np.stack(joined, axis=2)

        return replace(self, factors=factors)

    def times(self, other: "ProductKernel") -> "ProductKernel":
        """Give the product with another one; both are products of all attributes."""
        return ProductKernel(
            lambda X, Y: self.factors(X, Y) * other.factors(X, Y),
            amplitude=self.amplitude * other.amplitude,
        )


def exponential_factors(rates: FloatArray, *, power: int = 2) -> Factors:
    """Give the factors exp(-rate_k ``|x_k - y_k|``^power), rates of shape (d,)."""

    def factors(X: FloatArray, Y: FloatArray) -> FloatArray:
        away = np.abs(X[:, None, :] - Y[None, :, :])
        return np.exp(-rates * away**power)

    return factors


def linear_factors(X: FloatArray, Y: FloatArray) -> FloatArray:
    """Give the factors x_k y_k."""
    return X[:, None, :] * Y[None, :, :]


def centred_factors(
    attributes: Sequence[int], kernels: Sequence[UnivariateKernel]
) -> Factors:
    """Give zero-mean kernels of some attributes (GAI-1); 0 for the others."""

    def factors(X: FloatArray, Y: FloatArray) -> FloatArray:
        values = np.zeros((len(X), len(Y), X.shape[1]))
        for i, kernel in zip(attributes, kernels, strict=True):
            values[:, :, i] = kernel.k0(X[:, i], Y[:, i])
        return values

    return factors


@dataclass(frozen=True, eq=False)
class KernelMachine(ClosedForm):
    """A function f(x) = sum_j coef_j k(x, item_j) + constant, and how sure it is.

    Shapley values cost O(n_items d^2), for any d.

    Parameters
    ----------
    items : ndarray of shape (n_items, d)
    coef : ndarray of shape (n_items,)
    kernels : tuple of ProductKernel
        Their sum is the kernel.
    encoder, predictor : callable
        Take items as users have them; give numbers (n, d), and the predictions.
    intercept : float, default=0.0
    sample : ndarray of shape (m, d) or None, default=None
        What `explain` explains against if it is given no other rows: all
        combinations of their values. None: the measure on which the kernels are
        centred.
    whiten : callable or None, default=None
        For a Gaussian process: takes values of shape (n_items, k) at the items to
        ``root @ values``, where root'root is what the data take off the prior.
    scale : float, default=1.0
        Unit of f; of its variance, squared.
    game : str
        What happens in `explain` to attributes that are not known, in words.
    n_players : int or None, default=None
        Their number, where columns were merged.
    """

    items: FloatArray
    coef: FloatArray
    kernels: tuple[ProductKernel, ...]
    encoder: Callable[[Any], FloatArray]
    predictor: Callable[[Any], FloatArray]
    intercept: float = 0.0
    sample: FloatArray | None = None
    whiten: Callable[[FloatArray], FloatArray] | None = None
    scale: float = 1.0
    game: str = ""
    n_players: int | None = None
    takes_background: ClassVar[bool] = True

    @property
    def _shape(self) -> tuple[int, int]:
        """Number of items and of players."""
        n_items, d = self.items.shape
        return n_items, d if self.n_players is None else self.n_players

    def encode(self, rows: Any) -> FloatArray:
        return self.encoder(rows)

    def predict(self, rows: Any) -> FloatArray:
        return self.predictor(rows)

    def merged(self, players: Players) -> "KernelMachine":
        kernels = tuple(kernel.merged(players) for kernel in self.kernels)
        return replace(self, kernels=kernels, n_players=len(players))

    def contrast(self, item: FloatArray, rival: FloatArray) -> Shares:
        twice = self.whiten is not None
        parts = [k.between(item, rival, self.items, twice=twice) for k in self.kernels]
        gains = sum((gain for gain, _ in parts), np.zeros(self._shape))
        prior = sum((prior for _, prior in parts), np.zeros(()))
        return self._shares([gains], [prior])

    def explain(self, items: FloatArray, reference: FloatArray | None) -> Shares:
        rows = self.sample if reference is None else reference
        is_process = self.whiten is not None
        gains = [np.zeros(self._shape) for _ in items]
        priors = [np.zeros(()) for _ in items]
        at_none = np.zeros(len(self.items))
        for kernel in self.kernels:
            against = Reference.from_rows(kernel, self.items, rows, self._shape[1])
            at_none += kernel.combine(against.at_items)
            for k, item in enumerate(items):
                gain, prior = against.values(item, twice=is_process)
                gains[k] = gains[k] + gain
                priors[k] = priors[k] + prior
        base = self.intercept + self.scale * float(at_none @ self.coef)
        shares = self._shares(gains, priors)
        return replace(shares, base=np.full(len(items), base))

    def _shares(self, gains: list[FloatArray], priors: list[FloatArray]) -> Shares:
        d = self._shape[1]
        values = self.scale * np.array([gain.T @ self.coef for gain in gains])
        values = values.reshape(len(gains), d)
        if self.whiten is None:
            return Shares(values)
        cov = np.empty((len(gains), d, d))
        for k, (gain, prior) in enumerate(zip(gains, priors, strict=True)):
            seen = self.whiten(gain)
            cov[k] = self.scale**2 * (prior - seen.T @ seen)
        return Shares(values, cov=cov)


@dataclass(frozen=True, eq=False)
class Reference:
    """One kernel against a measure: its means over rows, attribute by attribute."""

    kernel: ProductKernel
    items: FloatArray
    rows: FloatArray | None
    at_items: FloatArray

    @classmethod
    def from_rows(
        cls, kernel: ProductKernel, items: FloatArray, rows: FloatArray | None, d: int
    ) -> "Reference":
        """Take means over rows; None: kernels have zero means already."""
        if rows is None:
            return cls(kernel, items, rows, np.zeros((len(items), d)))
        means = _mean_factors(kernel.factors, rows, items)
        return cls(kernel, items, rows, means)

    @cached_property
    def with_itself(self) -> FloatArray:
        """The mean factors between two rows that are drawn apart, shape (d,)."""
        if self.rows is None:
            return np.zeros(self.at_items.shape[1])
        means = _mean_factors(self.kernel.factors, self.rows, self.rows)
        return np.asarray(means.mean(axis=0))

    def values(self, item: FloatArray, *, twice: bool) -> tuple[FloatArray, FloatArray]:
        """Give what leads to an item, as `ProductKernel.between` does."""
        row = item[None]
        kernel, amplitude = self.kernel, self.kernel.amplitude
        at_item = kernel.factors(row, self.items)[0]
        gains = amplitude * path_values(at_item, self.at_items, kernel.orders)
        if not twice:
            return gains, np.zeros(())
        own = kernel.factors(row, row)[0, 0]
        cross = np.zeros(len(own))
        if self.rows is not None:
            cross = kernel.factors(row, self.rows)[0].mean(axis=0)
        prior = path_covariance(own, cross, self.with_itself, kernel.orders)
        return gains, amplitude * prior


def _mean_factors(factors: Factors, rows: FloatArray, items: FloatArray) -> FloatArray:
    """Give the mean over rows of the factors at each item, block by block."""
    blocks = range(0, len(rows), 32)
    sums = (factors(rows[low : low + 32], items).sum(axis=0) for low in blocks)
    return np.asarray(sum(sums)) / len(rows)


def _numbers(rows: Any) -> FloatArray:
    return np.asarray(rows, dtype=np.float64)


@closed_form.register(KernelRidge)
def _of_kernel_ridge(model: KernelRidge) -> ClosedForm | None:
    items = np.asarray(model.X_fit_, dtype=np.float64)
    gamma = 1.0 / items.shape[1] if model.gamma is None else model.gamma
    kernels = _named_kernel(model.kernel, gamma, items.shape[1])
    if kernels is None or model.dual_coef_.ndim > 1:
        return None
    return KernelMachine(
        items,
        model.dual_coef_,
        kernels,
        _numbers,
        model.predict,
        sample=items,
        game=averaged_over("training rows"),
    )


@closed_form.register(SVR)
def _of_svr(model: SVR) -> ClosedForm | None:
    if callable(model.kernel):
        # scikit-learn keeps no support vectors where the kernel is a function.
        items = _numbers(model._BaseLibSVM__Xfit)[model.support_]
        kernels = _anova_callable(model.kernel, items.shape[1])
    else:
        items = _numbers(model.support_vectors_)
        kernels = _named_kernel(model.kernel, model._gamma, items.shape[1])
    if kernels is None:
        return None
    return KernelMachine(
        items,
        model.dual_coef_[0],
        kernels,
        _numbers,
        model.predict,
        float(model.intercept_[0]),
        items,
        game=averaged_over("support vectors"),
    )


def _named_kernel(name: Any, gamma: float, d: int) -> tuple[ProductKernel, ...] | None:
    """Read the kernels of scikit-learn that are products or sums over attributes."""
    rates = np.full(d, gamma)
    found = {
        "rbf": ProductKernel(exponential_factors(rates)),
        "laplacian": ProductKernel(exponential_factors(rates, power=1)),
        "linear": ProductKernel(linear_factors, np.ones(1)),
    }.get(name if isinstance(name, str) else "")
    return None if found is None else (found,)


def _anova_callable(kernel: Any, d: int) -> tuple[ProductKernel, ...] | None:
    """Read `anova_kernel`, as it is or with some parameters fixed."""
    options: dict[str, Any] = {}
    if isinstance(kernel, partial) and not kernel.args:
        kernel, options = kernel.func, dict(kernel.keywords)
    if kernel is not anova_kernel:
        return None
    sigmas = np.broadcast_to(np.asarray(options.get("sigma", 1.0), np.float64), (d,))
    factors = exponential_factors(0.5 / sigmas**2)
    if options.get("zero_mean", True):
        factors = centred_factors(range(d), [RBF(float(sigma)) for sigma in sigmas])
    max_order = options.get("max_order")
    if max_order is not None:
        return (ProductKernel(factors, np.ones(min(max_order, d))),)
    # The sum over all subsets is prod(1 + k) - 1.
    return (ProductKernel(lambda X, Y: 1.0 + factors(X, Y), offset=-1.0),)


@closed_form.register(Pipeline)
def _of_pipeline(model: Pipeline) -> ClosedForm | None:
    *before, (_, last) = model.steps
    steps = [step for _, step in before if step not in (None, "passthrough")]
    if not all(isinstance(step, _COLUMN_BY_COLUMN) for step in steps):
        return None
    form = closed_form(last)
    if not isinstance(form, KernelMachine):
        return None
    inner = form.encoder

    def encoder(rows: Any) -> FloatArray:
        for step in steps:
            rows = step.transform(rows)
        return inner(rows)

    return replace(form, encoder=encoder, predictor=model.predict)


@closed_form.register(BaseSearchCV)
def _of_search(model: BaseSearchCV) -> ClosedForm | None:
    return closed_form(getattr(model, "best_estimator_", None))
