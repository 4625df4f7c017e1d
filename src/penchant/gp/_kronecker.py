"""The multi-user Gaussian process of Bonilla, Guo and Sanner (GP-1 to GP-6)."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import NamedTuple

import numpy as np
from scipy.optimize import minimize

from penchant.gp._kernels import ArdItemKernel, distance_slopes
from penchant.gp.inference._evidence_gradient import evidence_gradient
from penchant.gp.inference._expectation_propagation import (
    EPResult,
    expectation_propagation,
)
from penchant.gp.inference._grouped_sites import GroupedSites
from penchant.gp.inference._laplace import LaplaceResult, laplace
from penchant.gp.inference._sites import Rows, Sites
from penchant.typing import FloatArray, IntArray

_REACH = 5.0
"""How far the logarithm of a hyper-parameter may move from its start."""
_TOL = 1e-9


@dataclass(frozen=True, eq=False)
class Scales:
    """Hyper-parameters of k_t(t, t') k_x(x, x') (GP-2).

    Parameters
    ----------
    variance : float
        Of the utility. That of k_t is 1: the product knows one variance only.
    items, users : ndarray of shape (n_features,)
        Length scales.
    """

    variance: float
    items: FloatArray
    users: FloatArray

    def to_logs(self) -> FloatArray:
        """Give the logarithms of all, in one vector."""
        every = np.concatenate([[self.variance], self.items, self.users])
        return np.asarray(np.log(every))

    def from_logs(self, logs: FloatArray) -> "Scales":
        """Give scales of the same sizes from their logarithms."""
        values = np.exp(logs)
        cut = 1 + len(self.items)
        return Scales(float(values[0]), values[1:cut], values[cut:])

    def between_items(self, X: FloatArray, Y: FloatArray) -> FloatArray:
        """Give the covariances k_x of items."""
        return self.variance * _alike(X, Y, self.items)

    def between_users(self, X: FloatArray, Y: FloatArray) -> FloatArray:
        """Give the covariances k_t of people."""
        return _alike(X, Y, self.users)


@dataclass(frozen=True, eq=False)
class KroneckerData:
    """Answers about nodes, the pairs (person, item) that occur in them.

    Parameters
    ----------
    items : ndarray of shape (n_items, n_item_features)
    users : ndarray of shape (n_users, n_user_features)
    node_users, node_items : ndarray of int of shape (n_nodes,)
    raised, lowered : ndarray of int of shape (n_sites,)
        The nodes of each answer; -1 in `lowered` where there is one only.
    lower, upper, weights : ndarray of shape (n_sites,)
        The interval of the noisy difference, and how often it was answered.
    """

    items: FloatArray
    users: FloatArray
    node_users: IntArray
    node_items: IntArray
    raised: IntArray
    lowered: IntArray
    lower: FloatArray
    upper: FloatArray
    weights: FloatArray

    @classmethod
    def from_answers(
        cls, items: FloatArray, users: FloatArray, sites: GroupedSites
    ) -> "KroneckerData":
        """Give the nodes of all people numbers in one row."""
        owners = np.repeat(np.arange(sites.n_users), np.diff(sites.site_start))
        start = sites.node_start[owners]
        return cls(
            items=items,
            users=users,
            node_users=sites.node_users,
            node_items=sites.nodes,
            raised=start + sites.first,
            lowered=start + sites.second,
            lower=sites.lower,
            upper=sites.upper,
            weights=sites.weights,
        )

    @property
    def rows(self) -> Rows:
        """Which nodes each answer is about."""
        return Rows(self.raised, self.lowered)

    def covariance(self, scales: Scales) -> FloatArray:
        """Give the prior covariance of the nodes, shape (n_nodes, n_nodes)."""
        between_users = scales.between_users(self.users, self.users)
        between_items = scales.between_items(self.items, self.items)
        users = between_users[np.ix_(self.node_users, self.node_users)]
        items = between_items[np.ix_(self.node_items, self.node_items)]
        return np.asarray(users * items)

    def infer(
        self,
        scales: Scales,
        noise: float,
        inference: str,
        start: tuple[FloatArray, FloatArray] | None = None,
    ) -> tuple[LaplaceResult | EPResult, Sites, FloatArray]:
        """Find the posterior of the nodes (GP-4, GP-10); give sites and prior, too."""
        sites = Sites(self.lower, self.upper, noise, self.weights)
        solve = laplace if inference == "laplace" else expectation_propagation
        zero = np.zeros(len(self.node_items))
        # Only pairs (person, item) that occur: the whole product would be far larger.
        K = self.covariance(scales)
        found = solve(zero, K, sites, rows=self.rows, start=start, tol=_TOL)
        return found, sites, K

    def slopes(
        self,
        scales: Scales,
        result: LaplaceResult | EPResult,
        sites: Sites,
        K: FloatArray,
    ) -> FloatArray:
        """Differentiate the log evidence by the logarithms of all scales (GP-5)."""
        # K is a product: the slope by a scale of one factor sums Q * K, weighted by
        # that factor's distances, over all nodes of the same two items, or people.
        QK = evidence_gradient(result, sites, self.rows).cov * K
        by_item = _add_up(QK, self.node_items, len(self.items))
        by_user = _add_up(QK, self.node_users, len(self.users))
        return np.concatenate(
            [
                [QK.sum()],
                _scale_slopes(self.items, by_item, scales.items),
                _scale_slopes(self.users, by_user, scales.users),
            ]
        )


@dataclass(frozen=True, eq=False)
class KroneckerModel:
    """A posterior over the utilities of training people, ready for a new one.

    Parameters
    ----------
    data : KroneckerData
    scales : Scales
    noise : float
    inference : str
    pull : ndarray of shape (n_nodes,)
        g: the prior covariance with the nodes times g is a posterior mean.
    information : ndarray of shape (n_nodes, n_nodes)
        R = (K + W^-1)^-1.
    tau, nu : ndarray of shape (n_sites,)
        The Gaussian that replaces each answer.
    log_evidence : float
    highest : float
        Largest posterior mean of a node, over all people.
    """

    data: KroneckerData
    scales: Scales
    noise: float
    inference: str
    pull: FloatArray
    information: FloatArray
    tau: FloatArray
    nu: FloatArray
    log_evidence: float
    highest: float

    def prior(
        self, user: FloatArray, items: FloatArray | None = None
    ) -> tuple[FloatArray, FloatArray]:
        """Give mean and covariance of a person's utilities (GP-6).

        Parameters
        ----------
        user : ndarray of shape (n_user_features,)
        items : ndarray of shape (n, n_item_features) or None
            None: the items of training.
        """
        data, scales = self.data, self.scales
        wanted = data.items if items is None else items
        # eq. (GP-6): a new person is a new row of the product, through people who are
        # alike.
        alike = scales.between_users(data.users, user[None, :])[data.node_users]
        cross = alike * scales.between_items(data.items, wanted)[data.node_items]
        own = scales.between_items(wanted, wanted)
        cov = own - cross.T @ self.information @ cross
        return cross.T @ self.pull, 0.5 * (cov + cov.T)


class Search(NamedTuple):
    """How the search for scales ended: its steps, and the largest slope left."""

    is_optimal: bool
    n_iter: int
    gap: float


def fit_kronecker(
    data: KroneckerData,
    scales: Scales,
    noise: float,
    *,
    inference: str,
    max_iter: int,
    go_on: Callable[[float], bool],
) -> tuple[KroneckerModel, Search]:
    """Find the posterior at the scales of largest evidence (GP-5).

    The noise stays: it only sets the unit in which the variance is measured.
    O(n_nodes^3) per step. With 0 steps the scales stay; `go_on` is told the largest
    slope after each step, and stops the search by False.
    """
    search = Search(True, 0, 0.0)
    if max_iter and len(data.raised):
        solve = partial(data.infer, noise=noise, inference=inference)
        scales, search = _maximise_evidence(data, scales, solve, max_iter, go_on)
    result, _, _ = data.infer(scales, noise, inference)
    model = KroneckerModel(
        data=data,
        scales=scales,
        noise=noise,
        inference=inference,
        pull=data.rows.pull(result.pull, len(result.mean)),
        information=result.information(data.rows),
        tau=result.tau,
        nu=result.nu,
        log_evidence=result.log_evidence,
        highest=float(result.mean.max(initial=0.0)),
    )
    return model, search


def _maximise_evidence(
    data: KroneckerData,
    start: Scales,
    solve: Callable[..., tuple[LaplaceResult | EPResult, Sites, FloatArray]],
    max_iter: int,
    go_on: Callable[[float], bool],
) -> tuple[Scales, Search]:
    warm: tuple[FloatArray, FloatArray] | None = None
    logs, slopes = start.to_logs(), np.zeros(0)

    def loss(at: FloatArray) -> tuple[float, FloatArray]:
        nonlocal warm, slopes
        scales = start.from_logs(at)
        result, sites, K = solve(scales, start=warm)
        warm = (result.tau, result.nu)
        slopes = -data.slopes(scales, result, sites, K)
        return -result.log_evidence, slopes

    def report_step(at: FloatArray) -> None:
        if not go_on(float(np.abs(slopes).max())):
            raise StopIteration

    best = minimize(
        loss,
        logs,
        jac=True,
        method="L-BFGS-B",
        bounds=[(x - _REACH, x + _REACH) for x in logs],
        callback=report_step,
        options={"maxiter": max_iter},
    )
    # At a bound a slope may point outwards.
    low, high = logs - _REACH, logs + _REACH
    # The projected gradient: it vanishes at a bound that holds the optimum back.
    left = best.x - np.clip(best.x - best.jac, low, high)
    search = Search(bool(best.success), int(best.nit), float(np.abs(left).max()))
    return start.from_logs(best.x), search


def _alike(X: FloatArray, Y: FloatArray, scales: FloatArray) -> FloatArray:
    """Give the squared-exponential kernel of variance 1."""
    return ArdItemKernel(1.0, scales, np.zeros(len(scales), bool)).gram(X, Y)


def _add_up(values: FloatArray, groups: IntArray, n_groups: int) -> FloatArray:
    """Add up rows and columns of the same group, shape (n_groups, n_groups)."""
    rows = np.zeros((n_groups, len(values)))
    np.add.at(rows, groups, values)
    total = np.zeros((n_groups, n_groups))
    np.add.at(total, groups, rows.T)
    return total


def _scale_slopes(X: FloatArray, weights: FloatArray, scales: FloatArray) -> FloatArray:
    """Give the sum of weights * (x_j - y_j)^2 / scale_j^2 over all pairs of rows."""
    return distance_slopes(X, weights, np.zeros(len(scales), bool))[:-1] / scales**2
