"""Gaussian processes: contributions that are jointly Gaussian (EX-10)."""

from typing import Any

import numpy as np
from scipy.linalg import solve_triangular
from sklearn.gaussian_process import GaussianProcessRegressor, kernels

from penchant.encoding import check_items
from penchant.explanation.closed_forms._closed_form import (
    DOMAIN,
    ClosedForm,
    averaged_over,
    closed_form,
)
from penchant.explanation.closed_forms._product_kernel import (
    KernelMachine,
    ProductKernel,
    centred_factors,
    exponential_factors,
    linear_factors,
)
from penchant.gp import (
    AnovaItemKernel,
    ArdItemKernel,
    GaussianProcessRanker,
    ItemKernel,
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
