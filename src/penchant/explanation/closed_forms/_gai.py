"""GAI utilities: each factor's part is shared out among its attributes (EX-10)."""

from dataclasses import dataclass
from functools import singledispatch
from itertools import product
from typing import Any

import numpy as np

from penchant.encoding import check_items
from penchant.explanation._shapley import shapley_of_table
from penchant.explanation.closed_forms._closed_form import (
    DOMAIN,
    ClosedForm,
    Shares,
    closed_form,
)
from penchant.explanation.closed_forms._paths import path_values
from penchant.explanation.closed_forms._product_kernel import centred_factors
from penchant.gai import BaseGAI, GAIClassifier, MixedGAI
from penchant.typing import FloatArray
from penchant.utility import CompactGAI, DualGAI, GAIUtility, TensorGAI


@dataclass(frozen=True, eq=False)
class GAIForm(ClosedForm):
    """A fitted GAI model.

    Parameters
    ----------
    model : GAIRegressor, GAIRanker or another fitted GAI model
    """

    model: Any
    game = DOMAIN

    def encode(self, rows: Any) -> FloatArray:
        return self.model.encoding_.transform(
            check_items(self.model, rows, reset=False)
        )

    def predict(self, rows: Any) -> FloatArray:
        return self.model.utility(rows)

    def contrast(self, item: FloatArray, rival: FloatArray) -> Shares:
        return Shares(shares_between(self.model.utility_, item, rival)[None])

    def explain(self, items: FloatArray, reference: FloatArray | None) -> Shares:
        utility = self.model.utility_
        base = np.full(len(items), float(utility.intercept))
        return Shares(shared_parts(utility, items), base)


@closed_form.register(BaseGAI)
@closed_form.register(GAIClassifier)
def _of_gai(model: BaseGAI | GAIClassifier) -> ClosedForm:
    return GAIForm(model)


@singledispatch
def shared_parts(utility: GAIUtility, U: FloatArray) -> FloatArray:
    """Give the sum of u_S(x)/``|S|`` over the factors S of each attribute, (n, d).

    Factors have zero means, so that these are the Shapley values of the game in which
    attributes that are not known are averaged out.
    """
    values = np.zeros(U.shape)
    for factor, part in utility.decompose(U).items():
        values[:, list(factor)] += part[:, None] / len(factor)
    return values


@shared_parts.register
def _of_compact(utility: CompactGAI, U: FloatArray) -> FloatArray:
    return shared_parts(utility.full, U)


@shared_parts.register
def _of_mixture(utility: MixedGAI, U: FloatArray) -> FloatArray:
    if utility.kept is not None:
        return _by_factors(utility, U)
    return sum((shared_parts(part, U) for part in utility.parts), np.zeros(U.shape))


@shared_parts.register
def _of_machine(utility: DualGAI, U: FloatArray) -> FloatArray:
    nothing = np.zeros((len(utility.items), U.shape[1]))
    values = np.empty(U.shape)
    for k, at_item in enumerate(_factors_at(utility, U)):
        gains = path_values(at_item, nothing, np.array(utility.order_weights))
        values[k] = utility.coef @ gains
    return values


_by_factors = shared_parts.dispatch(GAIUtility)


@singledispatch
def shares_between(
    utility: GAIUtility, item: FloatArray, rival: FloatArray
) -> FloatArray:
    """Give the Shapley values of the contrast of two encoded items, shape (d,).

    Each factor is a game of its own attributes: 2^|S| evaluations.
    """
    values = np.zeros(item.size)
    for factor in utility.factors:
        members = list(factor)
        corners = product(*zip(rival[members], item[members], strict=True))
        table = utility.factor(factor, np.array(list(corners)))
        values[members] += shapley_of_table(table.reshape([2] * len(members)))
    return values


@shares_between.register
def _between_compact(
    utility: CompactGAI, item: FloatArray, rival: FloatArray
) -> FloatArray:
    return shares_between(utility.full, item, rival)


@shares_between.register
def _between_mixed(
    utility: MixedGAI, item: FloatArray, rival: FloatArray
) -> FloatArray:
    if utility.kept is not None:
        return _factor_by_factor(utility, item, rival)
    parts = (shares_between(part, item, rival) for part in utility.parts)
    return sum(parts, np.zeros(item.size))


@shares_between.register
def _between_machine(
    utility: DualGAI, item: FloatArray, rival: FloatArray
) -> FloatArray:
    at_item, at_rival = _factors_at(utility, np.stack([item, rival]))
    gains = path_values(at_item, at_rival, np.array(utility.order_weights))
    return utility.coef @ gains


@shares_between.register
def _between_tensors(
    utility: TensorGAI, item: FloatArray, rival: FloatArray
) -> FloatArray:
    used = {i for subset in utility.subsets for i in subset}
    ends = {i: utility.maps[i](np.array([rival[i], item[i]])) for i in used}
    values = np.zeros(item.size)
    for subset, tensor in zip(utility.subsets, utility.tensors, strict=True):
        table = tensor
        for i in subset:  # each step moves the first axis to the end
            table = np.tensordot(table, ends[i], axes=(0, 1))
        values[list(subset)] += shapley_of_table(table)
    return values


_factor_by_factor = shares_between.dispatch(GAIUtility)


def _factors_at(utility: DualGAI, U: FloatArray) -> FloatArray:
    """Give the kernels of single attributes between rows and items, (n, m, d)."""
    items = np.zeros((len(utility.items), U.shape[1]))
    items[:, list(utility.attributes)] = utility.items
    return centred_factors(utility.attributes, utility.kernels)(U, items)
