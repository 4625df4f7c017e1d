"""What known directions of attributes tell between the items that were asked about."""

from dataclasses import dataclass, replace

import numpy as np

from penchant.encoding import Encoding
from penchant.gp._answers import Answer
from penchant.gp._covariance import DenseCovariance
from penchant.gp._item_prior import ItemPrior
from penchant.gp._posterior import Posterior
from penchant.typing import FloatArray

_N_BASES = 3
"""Imagined items vary one attribute of so many real ones, from good to bad."""
_N_STEPS = 4
"""Values of an attribute that are compared with each other."""
_NOISE = 0.1
"""Comparisons of imagined items are as good as exact."""
_MOST = 120
"""Largest number of imagined items; of very many attributes fewer bases are used."""


@dataclass(frozen=True, eq=False)
class Known:
    """What is believed about the utilities of some items.

    Parameters
    ----------
    prior : ItemPrior
        The items, and what their attributes tell.
    mean : ndarray of shape (n_items,)
    cov : ndarray of shape (n_items, n_items)
    """

    prior: ItemPrior
    mean: FloatArray
    cov: FloatArray


def add_directions(known: Known, encoding: Encoding) -> Known:
    """Add imagined items, between which the better one is known.

    Where dear flats are large, answers alone cannot tell the worth of a low rent from
    that of a large room. That less rent is better can: of two imagined flats that
    differ only in it, the cheaper one wins. This bears on what the utilities of the
    real items mean for others, and leaves those utilities as they are: given them,
    imagined items follow from the item prior and from these comparisons by
    expectation propagation.

    Parameters
    ----------
    known : Known
        Real items.
    encoding : Encoding
        With the directions of Items; in encoded items, 1 is the better end.

    Returns
    -------
    Known
        The real items first.
    """
    rows, pairs = _imagine(known, encoding)
    if not pairs:
        return known
    weights, rest = known.prior.regression(rows)
    given = Posterior(weights @ known.mean, DenseCovariance(rest), noise=_NOISE)
    told = given.with_answers([Answer("comparison", pair) for pair in pairs])
    cross = known.cov @ weights.T
    return Known(
        replace(known.prior, items=np.vstack([known.prior.items, rows])),
        np.append(known.mean, told.mean),
        np.block([[known.cov, cross], [cross.T, weights @ cross + told.cov]]),
    )


def _imagine(
    known: Known, encoding: Encoding
) -> tuple[FloatArray, list[tuple[int, int]]]:
    """Give imagined items, and which of two neighbours is the better one."""
    items = known.prior.items
    ladders = {i: _ladder(i, encoding) for i in _directed(encoding)}
    size = sum(len(ladder) for ladder in ladders.values())
    n_bases = min(_N_BASES, _MOST // max(size, 1), len(items))
    order = np.argsort(-known.mean, kind="stable")
    places = np.linspace(0, len(items) - 1, n_bases).round().astype(int)
    rows: list[FloatArray] = []
    pairs: list[tuple[int, int]] = []
    for base in items[order[places]]:
        for i, ladder in ladders.items():
            first = len(rows)
            rows += [_with(base, i, value) for value in ladder]
            pairs += [(k + 1, k) for k in range(first, len(rows) - 1)]
    return np.array(rows).reshape(-1, items.shape[1]), pairs


def _directed(encoding: Encoding) -> list[int]:
    """Give the attributes that vary and of which the better end is known."""
    attributes = encoding.attributes or ()
    return [
        i
        for i in encoding.active
        if attributes and attributes[i].direction != "unknown"
    ]


def _ladder(i: int, encoding: Encoding) -> FloatArray:
    """Give encoded values of an attribute, the worst first."""
    levels = encoding.ordinal_levels(i)
    if levels is None:
        return np.linspace(0.0, 1.0, _N_STEPS)
    steps = np.linspace(0, len(levels) - 1, min(_N_STEPS, len(levels)))
    ladder: FloatArray = np.sort(levels)[steps.round().astype(int)]
    return ladder


def _with(base: FloatArray, i: int, value: float) -> FloatArray:
    row = base.copy()
    row[i] = value
    return row
