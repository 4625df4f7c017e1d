"""Shapley values by random orders of the attributes, each with its reverse.

Not a method of the paper nor of ours: a reference that is right on average whatever the
game, and that knows its own noise.
"""

from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np

__all__ = ["ByOrders", "by_orders", "draw_orders", "masks_of"]

Order = tuple[int, ...]


class ByOrders(NamedTuple):
    """Influences and their standard errors, both of shape (n, d)."""

    values: np.ndarray
    errors: np.ndarray


def masks_of(order: Sequence[int]) -> list[int]:
    """Give the sets that arise when attributes come in one after the other."""
    masks = []
    mask = 0
    for attribute in order:
        mask |= 1 << int(attribute)
        masks.append(mask)
    return masks


def draw_orders(n_attributes: int, budget: int, seed: int) -> list[Order]:
    """Draw orders until their sets and those of their reverses are too many.

    At least one order is drawn. A larger budget continues the draw of a smaller one.
    """
    rng = np.random.default_rng(seed)
    known: set[int] = set()
    orders: list[Order] = []
    while True:
        order = tuple(rng.permutation(n_attributes).tolist())
        known |= {*masks_of(order), *masks_of(order[::-1])}
        if orders and len(known) > budget:
            return orders
        orders.append(order)


def by_orders(orders: Sequence[Order], worths: Mapping[int, np.ndarray]) -> ByOrders:
    """Average what each attribute adds, over orders and their reverses.

    Parameters
    ----------
    orders : sequence of tuple of int
    worths : mapping from int to ndarray of shape (n,)
        Of all sets that the orders pass.
    """
    pairs = np.stack(
        [(_gains(order, worths) + _gains(order[::-1], worths)) / 2 for order in orders]
    )
    n_pairs = len(pairs)
    spread = (
        pairs.std(axis=0, ddof=1) if n_pairs > 1 else np.full(pairs[0].shape, np.nan)
    )
    return ByOrders(pairs.mean(axis=0), spread / np.sqrt(n_pairs))


def _gains(order: Order, worths: Mapping[int, np.ndarray]) -> np.ndarray:
    table = np.stack([worths[mask] for mask in masks_of(order)], axis=1)
    gains = np.empty_like(table)
    gains[:, list(order)] = np.diff(table, axis=1, prepend=0.0)
    return gains
