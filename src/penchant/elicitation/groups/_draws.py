"""Joint draws of what all people of a group want, in points."""

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np
from scipy.linalg import solve_triangular

from penchant.elicitation.groups._kinds import Kinds
from penchant.elicitation.groups._mixture import Data, Mixture
from penchant.elicitation.groups._people import Newcomer
from penchant.elicitation.groups._votes import deviation, quantiles
from penchant.typing import BoolArray, FloatArray, IntArray

N_DRAWS = 200
TOP = 3
"""So many items of a person are their first ones."""
_MOST_PAIRS = 300
"""Pairs of items in which the orders of people are compared."""
_QUANTILES = (0.0, 0.1, 0.9)
_MOST_NUMBERS = 4_000_000
"""Numbers that are held at once while drawing."""


class GroupDraws(NamedTuple):
    """What draws of everybody's tastes say, in points from 0 to 100.

    Parameters
    ----------
    points : ndarray of shape (n_people, n_items)
        Expected points of each person.
    means : ndarray of shape (n_sets, n_draws, n_items)
        Mean points of some sets of people, in each draw; all means, ranges and
        numbers of people count everybody as often as their votes say.
    people : ndarray of shape (n_sets, 3, n_items)
        Expected points from whoever of a set likes an item least, and those between
        which eight of ten of its people lie.
    deviations : ndarray of shape (n_draws, n_items)
        Standard deviation of the points between all people, in each draw.
    in_top : ndarray of shape (n_items,)
        Expected number of people who have an item among their first three.
    agreement : float
        How often two people put two items in the same order, expected; NaN for one
        person or one item.
    """

    points: FloatArray
    means: FloatArray
    people: FloatArray
    deviations: FloatArray
    in_top: FloatArray
    agreement: float


def draw_group(
    data: Data,
    newcomer: Newcomer,
    kinds: Kinds,
    sets: BoolArray,
    votes: FloatArray,
    rng: np.random.Generator,
    among: IntArray | None = None,
) -> GroupDraws:
    """Draw what everybody thinks of every item, together (GR-5).

    Number of kinds and spread are drawn by evidence, then centres, who belongs
    where, and utilities given the answers; a person who is drawn as careless thinks
    like one of the group whose answers are not known. Each draw of a person becomes
    points from 0 to 100.

    Parameters
    ----------
    data : Data
        The answers.
    newcomer : Newcomer
        What is believed of somebody new.
    kinds : Kinds
        The fits.
    sets : ndarray of bool of shape (n_sets, n_people)
        Whose means to give.
    votes : ndarray of shape (n_people,)
        How often each person counts.
    rng : Generator
        Draws.
    among : ndarray of int, optional
        The items that are looked at; default: all.
    """
    weights = np.exp(kinds.log_evidence - kinds.log_evidence.max())
    counts = rng.multinomial(N_DRAWS, weights / weights.sum())
    n_items = newcomer.n_items if among is None else among.size
    total = np.zeros((data.n_people, n_items))
    people = np.zeros((len(sets), len(_QUANTILES), n_items))
    means, deviations, agreed = [], [], 0.0
    in_top = np.zeros(n_items)
    pairs = _pairs(n_items)
    counted = sets * votes
    shares = counted / counted.sum(axis=1, keepdims=True)
    for fit, count in zip(kinds.fits, counts, strict=True):
        for x in _drawn(data, fit, int(count), newcomer.n_items, rng):
            points = _points(newcomer.mean + x @ newcomer.factor.T)
            points = points if among is None else points[..., among]
            total += points.sum(axis=0)
            means.append(np.tensordot(shares, points, axes=(1, 1)))
            deviations.append(deviation(points, votes))
            agreed += _agreement(points, votes, pairs)
            third = np.sort(points, axis=-1)[..., -min(TOP, points.shape[-1]), None]
            in_top += votes @ (points >= third).sum(axis=0)
            for inside, found in zip(sets, people, strict=True):
                own = quantiles(points[:, inside], votes[inside], _QUANTILES)
                found += own.sum(axis=1)
    return GroupDraws(
        total / N_DRAWS,
        np.concatenate(means, axis=1),
        people / N_DRAWS,
        np.concatenate(deviations),
        in_top / N_DRAWS,
        agreed / N_DRAWS,
    )


def _pairs(n_items: int) -> IntArray:
    """Give pairs of items, of many a spread of them, shape (2, n_pairs)."""
    pairs = np.stack(np.triu_indices(n_items, 1))
    step = max(1, pairs.shape[1] // _MOST_PAIRS)
    return np.asarray(pairs[:, ::step])


def _agreement(points: FloatArray, votes: FloatArray, pairs: IntArray) -> float:
    """Sum over draws how often two people put two items in the same order.

    Nobody is compared with themselves, however many votes they have.
    """
    if points.shape[1] < 2 or not pairs.size:
        return float("nan")
    first = np.einsum("p,npk->nk", votes, points[..., pairs[0]] > points[..., pairs[1]])
    alone = float(votes @ votes)
    same = first**2 + (votes.sum() - first) ** 2 - alone
    return float(same.mean(axis=1).sum() / (votes.sum() ** 2 - alone))


def _points(utilities: FloatArray) -> FloatArray:
    low = utilities.min(axis=-1, keepdims=True)
    width = utilities.max(axis=-1, keepdims=True) - low
    points: FloatArray = 100.0 * (utilities - low) / np.where(width > 0, width, 1.0)
    return np.where(width > 0, points, 50.0)


def _drawn(
    data: Data, fit: Mixture, n_draws: int, n_items: int, rng: np.random.Generator
) -> Iterator[FloatArray]:
    """Yield coordinates of everybody, (n, n_people, n_columns), in portions."""
    n_people, n_rows = data.rows.mean.shape
    size = n_people * max(n_items, n_rows**2)
    portion = max(1, _MOST_NUMBERS // size)
    member = fit.membership(data).cumsum(axis=0)
    if not n_draws:
        return
    roots: FloatArray = np.linalg.cholesky(fit.precision(data)).astype(np.float64)
    for first in range(0, n_draws, portion):
        n = min(portion, n_draws - first)
        kind = (rng.random((n, 1, n_people)) > member[:-1]).sum(axis=1)
        yield _conditioned(data, fit, kind, _centres(fit, roots, n, rng), rng)


def _centres(
    fit: Mixture, roots: FloatArray, n: int, rng: np.random.Generator
) -> FloatArray:
    """Draw centres, (n, n_kinds, n_columns)."""
    noise = rng.standard_normal((fit.n_kinds, roots.shape[-1], n))
    moved = [
        solve_triangular(root, each, lower=True, trans=1)
        for root, each in zip(roots, noise, strict=True)
    ]
    centres: FloatArray = fit.centres + np.moveaxis(np.stack(moved), -1, 0)
    return centres


def _conditioned(
    data: Data,
    fit: Mixture,
    kind: IntArray,
    centres: FloatArray,
    rng: np.random.Generator,
) -> FloatArray:
    """Draw coordinates of people of given kinds; the last kind is carelessness."""
    n, n_people = kind.shape
    careful = kind < fit.n_kinds
    guessed = rng.choice(fit.n_kinds, size=kind.shape, p=fit.shares / fit.shares.sum())
    kind = np.where(careful, kind, guessed)
    x = centres[np.arange(n)[:, None], kind]
    x = x + np.sqrt(fit.spread) * rng.standard_normal(x.shape)
    rows, everybody = data.rows, np.arange(n_people)
    sites = fit.state.sites
    precision = np.where(rows.used, sites.precision, 1.0)
    seen = (sites.shift / precision)[kind, everybody]
    # x | answers = x + b H' M (what was seen - what x would show - noise)
    shown = rows.mean + np.einsum("pid,npd->npi", rows.H, x)
    noise = rng.standard_normal(shown.shape) / np.sqrt(precision)[kind, everybody]
    gap = np.where(rows.used & careful[..., None], seen - shown - noise, 0.0)
    pull = (fit.state.curvature[kind, everybody] @ gap[..., None])[..., 0]
    drawn: FloatArray = x + fit.spread * np.einsum("pid,npi->npd", rows.H, pull)
    return drawn
