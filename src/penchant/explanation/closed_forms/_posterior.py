"""Gaussian processes, and beliefs about the items of a table (EX-10).

A belief gives every item a utility, whatever its attributes are. It is read as
``constant + g(attributes) + rest``, where g has the zero-mean ANOVA kernel that is most
likely to have made the prior of the belief, and the rest is the item's own. Given
the utilities, the contributions of the attributes to g are linear in them plus what
the items leave open; both parts are jointly Gaussian (EX-10).
"""

from dataclasses import dataclass
from typing import Any
from weakref import WeakKeyDictionary

import numpy as np
import pandas as pd
from scipy.linalg import cho_factor, cho_solve, solve_triangular
from sklearn.gaussian_process import GaussianProcessRegressor, kernels

from penchant.data import Items
from penchant.encoding import check_items, make_encoding
from penchant.exceptions import DataError
from penchant.explanation._attribution import Attribution
from penchant.explanation._players import as_table
from penchant.explanation._tables import shown_rows
from penchant.explanation.closed_forms._closed_form import (
    CONTRAST,
    DOMAIN,
    ClosedForm,
    averaged_over,
    closed_form,
)
from penchant.explanation.closed_forms._product_kernel import (
    KernelMachine,
    ProductKernel,
    Reference,
    centred_factors,
    exponential_factors,
    linear_factors,
)
from penchant.gp import (
    AnovaFamily,
    AnovaItemKernel,
    ArdItemKernel,
    GaussianProcessRanker,
    ItemKernel,
    ItemPrior,
    Posterior,
    contrasts,
)
from penchant.typing import FloatArray


@closed_form.register(GaussianProcessRanker)
def _of_ranker(model: GaussianProcessRanker) -> ClosedForm:
    process = model.process_
    is_centred = isinstance(process.kernel, AnovaItemKernel)
    return KernelMachine(
        process.items,
        process.coef,
        (item_kernel(process.kernel),),
        lambda rows: model.encoding_.transform(check_items(model, rows, reset=False)),
        model.utility,
        sample=None if is_centred else process.items,
        whiten=lambda values: process.root @ values,
        scale=process.noise,
        game=DOMAIN if is_centred else averaged_over("items of the answers"),
    )


def item_kernel(kernel: ItemKernel) -> ProductKernel:
    """Read a kernel of our Gaussian processes as a product kernel."""
    if isinstance(kernel, AnovaItemKernel):
        return ProductKernel(
            centred_factors(kernel.attributes, kernel.kernels),
            np.array(kernel.order_weights),
        )
    assert isinstance(kernel, ArdItemKernel)  # there are these two
    rates, is_category = 0.5 / kernel.scales**2, kernel.is_category

    def factors(X: FloatArray, Y: FloatArray) -> FloatArray:
        away = X[:, None, :] - Y[None, :, :]
        squares = np.where(is_category, away != 0.0, away**2)
        return np.exp(-rates * squares)

    return ProductKernel(factors, amplitude=kernel.variance)


@closed_form.register(GaussianProcessRegressor)
def _of_regressor(model: GaussianProcessRegressor) -> ClosedForm | None:
    if not hasattr(model, "X_train_"):  # never fitted: predictions from the prior
        return None
    items = np.asarray(model.X_train_, dtype=np.float64)
    found = _read_kernel(model.kernel_, items.shape[1])
    if not found or np.ndim(model.alpha_) > 1:
        return None
    return KernelMachine(
        items,
        model.alpha_,
        tuple(found),
        lambda rows: np.asarray(rows, dtype=np.float64),
        model.predict,
        intercept=float(np.ravel(model._y_train_mean)[0]),
        sample=items,
        whiten=lambda values: solve_triangular(model.L_, values, lower=True),
        scale=float(np.ravel(model._y_train_std)[0]),
        game=averaged_over("training rows"),
    )


def _read_kernel(kernel: Any, d: int) -> list[ProductKernel] | None:
    """Read a kernel of scikit-learn as a sum of product kernels; None: it is none.

    White noise has no part in predictions, nor in the uncertainty of the function.
    """
    if type(kernel) is kernels.RBF:  # Matern is a subclass, and no product
        scales = np.broadcast_to(np.asarray(kernel.length_scale, np.float64), (d,))
        return [ProductKernel(exponential_factors(0.5 / scales**2))]
    if isinstance(kernel, kernels.ConstantKernel):
        return [_constant(kernel.constant_value, d)]
    if isinstance(kernel, kernels.WhiteKernel):
        return []
    if isinstance(kernel, kernels.DotProduct):
        own = ProductKernel(linear_factors, np.ones(1))
        return [_constant(kernel.sigma_0**2, d), own]
    if isinstance(kernel, kernels.Sum | kernels.Product):
        return _read_pair(kernel, d)
    return None


def _read_pair(kernel: Any, d: int) -> list[ProductKernel] | None:
    left, right = _read_kernel(kernel.k1, d), _read_kernel(kernel.k2, d)
    if left is None or right is None:
        return None
    if isinstance(kernel, kernels.Sum):
        return [*left, *right]
    if any(part.orders.size for part in (*left, *right)):
        return None
    return [one.times(other) for one in left for other in right]


def _constant(value: float, d: int) -> ProductKernel:
    return ProductKernel(exponential_factors(np.zeros(d)), amplitude=float(value))


REST = "beyond the attributes"
"""The player for what an item is worth beyond its attributes."""

_MAX_ITEMS = 500
_MAX_ORDER = 2

_LEARNED: WeakKeyDictionary[Any, tuple[FloatArray, ItemPrior]] = WeakKeyDictionary()
"""What was learned of a prior covariance, which a belief keeps over all answers."""


def contrast_posterior(posterior: Posterior, a: Any, b: Any, items: Any) -> Attribution:
    """Share the difference of two items of a belief out, see `contrast`."""
    if items is None:
        raise DataError(
            "A posterior does not know the attributes of its items. Give them: "
            "contrast(posterior, a, b, items=items)."
        )
    table = _Table.from_items(posterior, items)
    i, j = (table.position(item) for item in (a, b))
    U, frame = table.U, table.frame
    gains, prior = table.between(U[i], U[j])
    row = np.zeros(len(U))
    row[i], row[j] = 1.0, -1.0
    values, cov = table.shares(posterior, gains, prior, row)
    return Attribution(
        values[None],
        posterior.mean[[j]],
        posterior.mean[[i]],
        frame.columns,
        CONTRAST,
        cov=cov[None],
        data=frame.iloc[[i]],
        reference=frame.iloc[[j]],
    )


def explain_posterior(posterior: Posterior, items: Any) -> Attribution:
    """Share the expected utility of every item of a belief out, see `explain`."""
    table = _Table.from_items(posterior, items)
    found = []
    for k, item in enumerate(table.U):
        gains, prior = table.between(item, None)
        row = -table.constant
        row[k] += 1.0
        found.append(table.shares(posterior, gains, prior, row))
    values, cov = (np.array(part) for part in zip(*found, strict=True))
    base = np.full(len(values), table.constant @ posterior.mean)
    return Attribution(
        values,
        base,
        posterior.mean,
        table.frame.columns,
        DOMAIN,
        cov=cov,
        data=table.frame,
    )


@dataclass(frozen=True, eq=False)
class _Table:
    """The items of a belief, and the prior that their attributes stand for.

    Parameters
    ----------
    frame : DataFrame
        As people read them, with a column for the rest.
    U : ndarray of shape (n_items, d)
        Encoded.
    kernel : ProductKernel
        Of g.
    scale : float
        Variance of its unit.
    solver : ndarray of shape (n_items, n_items)
        P with g at the items = K P f: kriging with an unknown constant.
    constant : ndarray of shape (n_items,)
        The constant is ``constant @ f``.
    """

    frame: pd.DataFrame
    U: FloatArray
    kernel: ProductKernel
    scale: float
    solver: FloatArray
    constant: FloatArray

    @classmethod
    def from_items(cls, posterior: Posterior, items: Any) -> "_Table":
        table = as_table(items)
        frame = shown_rows(None, table)
        if len(frame) != posterior.n_items:
            raise DataError(
                f"items must be the {posterior.n_items} items of the posterior, in its "
                f"order. Got {len(frame)}."
            )
        if len(frame) > _MAX_ITEMS:
            raise DataError(
                f"Beliefs about up to {_MAX_ITEMS} items can be explained. Got "
                f"{len(frame)}; take a shortlist of both: posterior.take(rows)."
            )
        numbers = table.encode() if isinstance(table, Items) else np.asarray(table)
        numbers = np.asarray(numbers, dtype=np.float64)
        encoding = make_encoding(table, numbers, "data", None, list(frame.columns))
        U = encoding.transform(numbers)
        family = AnovaFamily(U, encoding, _MAX_ORDER)
        size, prior = _learned_prior(posterior, family, U)
        shown = frame.assign(**{REST: ""})
        shown.attrs.update(frame.attrs)
        return cls(shown, U, item_kernel(prior.kernel), size, *_kriging(prior, size))

    def position(self, item: Any) -> int:
        if isinstance(item, str) and item in self.frame.index:
            return int(self.frame.index.get_loc(item))
        if isinstance(item, int | np.integer) and 0 <= item < len(self.U):
            return int(item)
        raise DataError(
            f"An item is a number from 0 to {len(self.U) - 1}, or a name. Got {item!r}."
        )

    def between(
        self, item: FloatArray, rival: FloatArray | None
    ) -> tuple[FloatArray, FloatArray]:
        """Give the values at every item, and their prior covariance.

        Without a rival, attributes that are not known are averaged out: zero-mean
        kernels then are 0.
        """
        if rival is not None:
            return self.kernel.between(item, rival, self.U, twice=True)
        nothing = Reference.from_rows(self.kernel, self.U, None, len(item))
        return nothing.values(item, twice=True)

    def shares(
        self,
        posterior: Posterior,
        gains: FloatArray,
        prior: FloatArray,
        row: FloatArray,
    ) -> tuple[FloatArray, FloatArray]:
        """Give the values of all players and their covariance.

        Parameters
        ----------
        posterior : Posterior
        gains : ndarray of shape (n_items, d)
        prior : ndarray of shape (d, d)
        row : ndarray of shape (n_items,)
            What is shared out is ``row @ f``.
        """
        by_attribute = self.scale * (gains.T @ self.solver)
        linear = np.vstack([by_attribute, row - by_attribute.sum(axis=0)])
        # What the utilities of all items, known exactly, would not tell of the values.
        left_open = self.scale * (prior - by_attribute @ gains)
        spread = np.vstack([np.eye(len(left_open)), -np.ones(len(left_open))])
        cov = spread @ left_open @ spread.T + linear @ posterior.cov @ linear.T
        return linear @ posterior.mean, cov


def _learned_prior(
    posterior: Posterior, family: AnovaFamily, U: FloatArray
) -> tuple[float, ItemPrior]:
    """Learn the kernel, and give the mean variance between items."""
    prior_cov, basis = posterior.prior_cov, contrasts(len(U))
    differences = basis.T @ prior_cov.dense() @ basis
    size = float(np.diagonal(differences).mean()) if len(U) > 1 else 1.0
    known = _LEARNED.get(prior_cov)
    if known is None or not np.array_equal(known[0], U):
        start = ItemPrior.from_family(family, U)
        known = (U, start.fitted(family, differences / size, float(len(U))))
        _LEARNED[prior_cov] = known
    return size, known[1]


def _kriging(prior: ItemPrior, size: float) -> tuple[FloatArray, FloatArray]:
    """Give what takes utilities to weights of the kernel, and to the constant."""
    factor = cho_factor(size / prior.scale * prior.covariance(), lower=True)
    inverse = cho_solve(factor, np.eye(len(prior.items)))
    pulled = inverse.sum(axis=0)
    constant = pulled / pulled.sum()
    return inverse - np.outer(constant, pulled), constant
