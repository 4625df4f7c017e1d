"""A mixture of clouds of tastes with a common spread, fitted to all answers."""

from dataclasses import dataclass
from math import lgamma
from typing import NamedTuple, Self

import numpy as np
from scipy.linalg import cho_factor, cho_solve

from penchant.elicitation.groups._people import Rows
from penchant.elicitation.groups._propagation import Sites, State, propagate
from penchant.typing import FloatArray

_CARELESS = 0.05
"""Share of careless people at the start."""

_SWEEPS = 2
"""Sweeps of expectation propagation per step; sites are carried on."""

_SETTLE = 12
"""Sweeps from flat sites until they hardly change."""

_TOL = 0.02
_MOST_STEPS = 20


class Data(NamedTuple):
    """Answers of all people, and what they would be without reading.

    Parameters
    ----------
    rows : Rows
        The answers.
    log_careless : ndarray of shape (n_people,)
        Log probability of each person's answers if careless; minus infinity where
        nothing is said of it.
    weights : ndarray of shape (n_people,)
        How many people each one stands for.
    """

    rows: Rows
    log_careless: FloatArray
    weights: FloatArray

    @property
    def n_people(self) -> int:
        """Number of people."""
        return len(self.log_careless)

    @property
    def size(self) -> float:
        """Number of people that they stand for."""
        return float(self.weights.sum())


@dataclass(frozen=True, eq=False)
class Mixture:
    """K clouds of tastes, x | k ~ N(centre_k, spread I), fitted by EM (GR-1).

    Parameters
    ----------
    spread : float
        b: how much people of a kind differ, as a share of what is believed of
        somebody new.
    centres : ndarray of shape (n_kinds, n_columns)
        In standard normal coordinates.
    shares : ndarray of shape (n_kinds,)
        Of the kinds.
    careless : float
        Share of careless people.
    state : State
        Of each kind and person.
    """

    spread: float
    centres: FloatArray
    shares: FloatArray
    careless: float
    state: State

    @classmethod
    def begin(cls, data: Data, spread: float, centres: FloatArray) -> Self:
        """Begin from centres, with equal shares."""
        n_kinds = len(centres)
        flat = np.zeros((n_kinds, *data.rows.mean.shape))
        state = _settled(data.rows, spread, centres, Sites(flat, flat), _SETTLE)
        shares = np.full(n_kinds, 1.0 / n_kinds)
        return cls(spread, centres, shares, _CARELESS, state)

    @property
    def n_kinds(self) -> int:
        """Number of clouds."""
        return len(self.centres)

    def log_joint(self, data: Data) -> FloatArray:
        """Give log (share Z) of the kinds and of carelessness, last; (K + 1, n)."""
        honest = np.log(self.shares)[:, None] + np.log1p(-self.careless)
        return np.vstack(
            [honest + self.state.log_z, np.log(self.careless) + data.log_careless]
        )

    def log_likelihood(self, data: Data) -> float:
        """Give the log probability of all answers, for these centres."""
        each = np.logaddexp.reduce(self.log_joint(data), axis=0)
        return float((data.weights * each).sum())

    def membership(self, data: Data) -> FloatArray:
        """Give the probability of each kind, and of carelessness, for each person."""
        joint = self.log_joint(data)
        found: FloatArray = np.exp(joint - np.logaddexp.reduce(joint, axis=0))
        return found

    def log_odds_careless(self, data: Data) -> FloatArray:
        """Give the log odds of carelessness against honesty, for equal priors."""
        honest = np.log(self.shares)[:, None] + self.state.log_z
        odds: FloatArray = data.log_careless - np.logaddexp.reduce(honest, axis=0)
        return odds

    def precision(self, data: Data) -> FloatArray:
        """Give ``I + G_k``, the precision of each centre, (K, d, d)."""
        member = data.weights * self.membership(data)[:-1]
        H, M = data.rows.H, self.state.curvature * member[..., None, None]
        d = H.shape[-1]
        flat = H.reshape(-1, d)
        return np.stack([np.eye(d) + flat.T @ (each @ H).reshape(-1, d) for each in M])

    def log_evidence(self, data: Data) -> float:
        """Give the log probability of the answers over all centres and shares (GR-2).

        Laplace's approximation, with a uniform prior on the shares; kinds may be
        numbered in K! ways.
        """
        log_det = np.linalg.slogdet(self.precision(data))[1].sum()
        size = self.n_kinds
        sharing = (size - 1) * np.log(2.0 * np.pi / data.size)
        return float(
            self._penalised(data)
            - 0.5 * log_det
            + 0.5 * (sharing + np.log(self.shares).sum())
            + lgamma(size)
            + lgamma(size + 1)
        )

    def _penalised(self, data: Data) -> float:
        return self.log_likelihood(data) - 0.5 * float((self.centres**2).sum())

    def step(self, data: Data, member: FloatArray | None = None) -> "Mixture":
        """Take one step of EM; `member` overrides who belongs where."""
        known = data.weights * (self.membership(data) if member is None else member)
        rows = data.rows
        flat = rows.H.reshape(-1, rows.H.shape[-1])
        centres = self.centres.copy()
        for k, weight in enumerate(known[:-1]):
            M = self.state.curvature[k] * weight[:, None, None]
            G = flat.T @ (M @ rows.H).reshape(flat.shape)
            pull = flat.T @ (self.state.weights[k] * weight[:, None]).ravel()
            G[np.diag_indices_from(G)] += 1.0
            centres[k] += cho_solve(
                cho_factor(G, check_finite=False), pull - centres[k]
            )
        shares = (known[:-1].sum(axis=1) + 1.0) / (known[:-1].sum() + self.n_kinds)
        careless = float((known[-1].sum() + 1.0) / (data.size + 20.0))
        state = _settled(rows, self.spread, centres, self.state.sites, _SWEEPS)
        return Mixture(self.spread, centres, shares, careless, state)

    def with_spread(self, data: Data, spread: float) -> "Mixture":
        """Keep everything but the spread."""
        state = _settled(data.rows, spread, self.centres, self.state.sites, _SETTLE)
        return Mixture(spread, self.centres, self.shares, self.careless, state)

    def climb(self, data: Data, n_steps: int = _MOST_STEPS) -> "Mixture":
        """Go on with EM until the probability rises by less than .02."""
        now, value = self, self._penalised(data)
        for _ in range(n_steps):
            now = now.step(data)
            before, value = value, now._penalised(data)
            if abs(value - before) < _TOL:
                break
        return now


def _settled(
    rows: Rows, spread: float, centres: FloatArray, sites: Sites, n_sweeps: int
) -> State:
    mean = rows.mean + np.moveaxis(rows.H @ centres.T, -1, 0)
    return propagate(rows, mean, np.sqrt(spread) * rows.H, sites, n_sweeps)


def fit_mixture(data: Data, spread: float, centres: FloatArray) -> Mixture:
    """Fit a mixture by EM from given centres, shape (n_kinds, n_columns)."""
    return Mixture.begin(data, spread, centres).climb(data)


def matched_log_likelihood(data: Data, mixture: Mixture) -> float:
    """Give the log likelihood of one cloud with the mixture's moments (GR-3).

    It has the same free directions as the mixture, so that what the mixture gains
    over it is what *separateness* adds to spread.
    """
    middle = mixture.shares @ mixture.centres
    apart = np.sqrt(mixture.shares)[:, None] * (mixture.centres - middle)
    rows, reach = data.rows, data.rows.H @ apart.T
    root = np.concatenate([np.sqrt(mixture.spread) * rows.H, reach], axis=-1)
    flat = np.zeros((1, *rows.mean.shape))
    mean = (rows.mean + rows.H @ middle)[None]
    state = propagate(rows, mean, root, Sites(flat, flat), _SETTLE)
    one = Mixture(mixture.spread, middle[None], np.ones(1), mixture.careless, state)
    return one.log_likelihood(data)
