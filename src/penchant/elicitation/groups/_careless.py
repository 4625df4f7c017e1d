"""People who click without reading: what their sides look like, and check questions."""

from collections.abc import Iterable, Sequence
from itertools import pairwise

import numpy as np
from scipy.special import betaln

from penchant.typing import FloatArray

FEWEST_CLICKS = 8
"""Of people who chose a side less often, nothing is said."""

_SHARES = {"random": 0.5, "one-sided": 0.4, "alternating": 0.1}
_LOPSIDED = 0.15
"""Parameter of the beta distribution of the share of lefts, nearly all or none."""

_CHANGES = (1.0, 0.1)
"""Parameters of the beta distribution of the share of changes of side, nearly all."""

_MOST_CANDIDATES = 30
"""Items at each end of a ranking among which check questions are looked for."""


def _log_kinds(clicks: Sequence[bool]) -> dict[str, float]:
    """Give log share + log probability of the sides for each kind of clicking."""
    n, n_left = len(clicks), sum(clicks)
    n_changes = sum(a != b for a, b in pairwise(clicks))
    a, (more, less) = _LOPSIDED, _CHANGES
    same = max(n - 1, 0) - n_changes
    found = {
        "random": n * np.log(0.5),
        "one-sided": betaln(n_left + a, n - n_left + a) - betaln(a, a),
        "alternating": np.log(0.5)
        + betaln(n_changes + more, same + less)
        - betaln(more, less),
    }
    return {kind: float(np.log(_SHARES[kind]) + found[kind]) for kind in found}


def log_careless(clicks: Sequence[bool]) -> float:
    """Give the log probability of sides chosen without looking at items (GR-4).

    A mixture, with weights .5, .4 and .1, of a coin, ``2^-q``; of keeping to a side,
    ``B(L + a, q - L + a) / B(a, a)`` with L lefts and a = .15; and of alternating,
    ``B(c + 1, q - 1 - c + .1) / (2 B(1, .1))`` with c changes of side.

    Parameters
    ----------
    clicks : sequence of bool
        Whether the left side was chosen, in order; answers without sides are left
        out.

    Examples
    --------
    >>> always, mixed = [True] * 12, [True, True, False] * 4
    >>> round(log_careless(always), 1), round(log_careless(mixed), 1)
    (-2.0, -8.8)
    """
    return float(np.logaddexp.reduce(list(_log_kinds(clicks).values())))


def careless_kind(clicks: Sequence[bool]) -> str:
    """Say what the sides look like: "left", "right", "alternating" or "random"."""
    if len(clicks) < FEWEST_CLICKS:
        return "random"
    kinds = _log_kinds(clicks)
    kind = max(kinds, key=lambda each: kinds[each])
    if kind == "one-sided":
        return "left" if 2 * sum(clicks) > len(clicks) else "right"
    return kind


def own_checks(
    utilities: FloatArray,
    weights: FloatArray | None = None,
    asked: Iterable[tuple[int, int]] = (),
    n: int = 2,
) -> list[tuple[int, int]]:
    """Choose check questions: the surest pairs of a person's own belief.

    Honest people answer them as predicted in .96 of cases; asked after the other
    questions they cost the person nothing but time.

    Parameters
    ----------
    utilities : ndarray of shape (n_draws, n_items)
        Draws of the belief about the person.
    weights : ndarray of shape (n_draws,), optional
        Of the draws; default: all the same.
    asked : iterable of (int, int)
        Pairs that were asked; they are not chosen.
    n : int, default=2
        How many.

    Returns
    -------
    list of (int, int)
        The item that is predicted to win first; no item comes twice. Fewer than n if
        there are not enough.

    Examples
    --------
    >>> draws = np.array([[0.0, 1.0, 2.0, 3.1], [0.1, 1.0, 2.1, 3.0]])
    >>> own_checks(draws, asked=[(3, 0)])
    [(2, 0), (3, 1)]
    """
    share = np.full(len(utilities), 1.0 / len(utilities))
    if weights is not None:
        share = weights / weights.sum()
    order = np.argsort(-(share @ utilities), kind="stable")
    ends = np.concatenate([order[:_MOST_CANDIDATES], order[-_MOST_CANDIDATES:]])
    items = np.unique(ends)
    centred = utilities[:, items] - share @ utilities[:, items]
    mean, cov = share @ utilities[:, items], (centred.T * share) @ centred
    variance = np.diagonal(cov)
    spread = np.maximum(variance[:, None] + variance - 2 * cov, 0.0)
    gap = mean[:, None] - mean
    sureness = gap / np.sqrt(spread + 1e-3 * float(np.var(mean)) + 1e-12)
    sureness[gap <= 0] = -np.inf
    place = {int(item): k for k, item in enumerate(items)}
    for a, b in asked:
        if a in place and b in place:
            sureness[place[a], place[b]] = sureness[place[b], place[a]] = -np.inf
    chosen: list[tuple[int, int]] = []
    while len(chosen) < n and np.isfinite(sureness).any():
        best, worst = np.unravel_index(int(np.argmax(sureness)), sureness.shape)
        chosen.append((int(items[best]), int(items[worst])))
        sureness[[best, worst]] = sureness[:, [best, worst]] = -np.inf
    return chosen
