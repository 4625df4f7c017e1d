"""Sites: the one form of all evidence about a latent utility (GP-10)."""

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from scipy.sparse import csr_array

from penchant._cached import cached_property
from penchant._validation import check_weights, frozen_array, set_fields
from penchant.exceptions import DataError
from penchant.gp.inference._truncated_normal import truncated_normals
from penchant.typing import ArrayLike, FloatArray, IntArray


class SiteDerivatives(NamedTuple):
    """A site's log-likelihood and its first three derivatives; each of shape (q,)."""

    value: FloatArray
    first: FloatArray
    second: FloatArray
    third: FloatArray


@dataclass(frozen=True, eq=False)
class Rows:
    """The sparse rows a of sites about a'f: f[raised] - f[lowered].

    Parameters
    ----------
    raised, lowered : array-like of int of shape (n_sites,)
        Indices of entries of f; -1 where that side is missing.
    """

    raised: IntArray
    lowered: IntArray

    def __post_init__(self) -> None:
        raised = frozen_array(self.raised, np.int64)
        lowered = frozen_array(self.lowered, np.int64)
        if raised.ndim != 1 or raised.shape != lowered.shape:
            raise DataError(
                "raised and lowered must be 1-D and equally long. "
                f"Got shapes {raised.shape} and {lowered.shape}."
            )
        if min(raised.min(initial=0), lowered.min(initial=0)) < -1:
            raise DataError("Indices of a row must be -1 or more. Got a smaller one.")
        set_fields(self, raised=raised, lowered=lowered)

    @classmethod
    def identity(cls, size: int) -> "Rows":
        """Give the rows of sites about f[0], f[1], ..., f[size - 1]."""
        return cls(np.arange(size), np.full(size, -1))

    def __len__(self) -> int:
        return int(self.raised.size)

    @property
    def n_nodes(self) -> int:
        """One more than the largest index."""
        return int(max(self.raised.max(initial=-1), self.lowered.max(initial=-1))) + 1

    def apply(self, f: FloatArray) -> FloatArray:
        """Give A f, over the first axis of f of shape (n_nodes, ...)."""
        # Index -1 is the last entry, this 0: a missing side needs no case of its own.
        nothing = np.zeros((1, *f.shape[1:]))
        padded = np.concatenate([f, nothing])
        return padded[self.raised] - padded[self.lowered]

    def pull(self, values: FloatArray, n_nodes: int) -> FloatArray:
        """Give A'values of shape (n_nodes,)."""
        size = n_nodes + 1  # one bin for the missing sides
        up = np.bincount(self.raised % size, values, size)
        down = np.bincount(self.lowered % size, values, size)
        return np.asarray((up - down)[:n_nodes], dtype=np.float64)

    def gram(self, values: FloatArray, n_nodes: int) -> FloatArray:
        """Give A'diag(values)A of shape (n_nodes, n_nodes)."""
        size = n_nodes + 1  # the last row and column are for the missing sides
        i, j = self.raised % size, self.lowered % size
        between = np.bincount(i * size + j, values, size * size).reshape(size, size)
        # A row e_i - e_j adds its value at (i, i) and (j, j), and takes it off between.
        total = -(between + between.T)
        total.ravel()[:: size + 1] = np.bincount(i, values, size)
        total.ravel()[:: size + 1] += np.bincount(j, values, size)
        return np.ascontiguousarray(total[:n_nodes, :n_nodes])

    def variances(self, cov: FloatArray) -> FloatArray:
        """Give the diagonal of A cov A', shape (n_sites,)."""
        i, j = self.raised, self.lowered
        # As cov_ii - cov_ij, then cov_ij - cov_jj: items that are alike keep their
        # digits.
        both = np.where((i >= 0) & (j >= 0), cov[i, j], 0.0)
        first = np.where(i >= 0, cov[i, i] - both, 0.0)
        second = np.where(j >= 0, both - cov[j, j], 0.0)
        return np.asarray(np.maximum(first - second, 0.0), dtype=np.float64)

    def project(self, cov: FloatArray) -> FloatArray:
        """Give A cov A' of a symmetric cov, shape (n_sites, n_sites)."""
        return self.apply(self.apply(cov).T)

    def spread(self, values: FloatArray) -> FloatArray:
        """Give A'values of shape (n_nodes, m), of values with one row per site."""
        return np.asarray(self._matrix.T @ values)

    @cached_property
    def _matrix(self) -> csr_array:
        """A, of shape (n_sites, n_nodes)."""
        sites = np.tile(np.arange(len(self)), 2)
        nodes = np.concatenate([self.raised, self.lowered])
        signs, there = np.repeat([1.0, -1.0], len(self)), nodes >= 0
        shape = (len(self), self.n_nodes)
        places = (sites[there], nodes[there])
        return csr_array((signs[there], places), shape=shape)

    def take(self, some: IntArray) -> tuple["Rows", IntArray]:
        """Keep some rows, about nodes that are numbered anew; give these nodes, too."""
        raised, lowered = self.raised[some], self.lowered[some]
        used = np.unique(np.concatenate([raised, lowered]))
        used = used[used >= 0]
        new = np.full(self.n_nodes + 1, -1)  # the last entry is for a missing side
        new[used] = np.arange(len(used))
        return Rows(new[raised], new[lowered]), used


@dataclass(frozen=True, eq=False, init=False)
class Sites:
    """Answers, each of which says that lower < s + noise e <= upper, e ~ N(0, 1).

    Here s = a'f is a linear function of the latent utilities f. A comparison of i
    with j has s = f_i - f_j and the interval (0, inf); a tie (-delta, delta); a
    rating of i has s = f_i and lies between two thresholds; "not acceptable" is
    (-inf, threshold). All methods work in log space: far tails, narrow intervals
    and zero variances are exact.

    Parameters
    ----------
    lower, upper : array-like of shape (n_sites,)
        Ends of the intervals, lower < upper; may be infinite.
    noise : float or array-like of shape (n_sites,), default=1.0
        Positive standard deviation.
    weights : array-like of shape (n_sites,) or None, default=None
        A site of weight w counts as w copies of it; None: 1.

    Examples
    --------
    >>> from penchant.solvers import Sites
    >>> wins = Sites([0.0, 0.0], [float("inf"), float("inf")])
    >>> wins.log_likelihood([0.0, -40.0]).round(2).tolist()
    [-0.69, -804.61]
    """

    lower: FloatArray
    upper: FloatArray
    noise: FloatArray
    weights: FloatArray

    def __init__(
        self,
        lower: ArrayLike,
        upper: ArrayLike,
        noise: ArrayLike = 1.0,
        weights: ArrayLike | None = None,
    ) -> None:
        low, high = np.asarray(lower, np.float64), np.asarray(upper, np.float64)
        if low.ndim != 1 or low.shape != high.shape:
            raise DataError(
                "lower and upper must be 1-D and equally long. "
                f"Got shapes {low.shape} and {high.shape}."
            )
        bad = np.flatnonzero(~(low < high))
        if bad.size:
            k = bad[0]
            raise DataError(
                "Each interval must have lower < upper. "
                f"Got ({low[k]}, {high[k]}) at position {k}."
            )
        spread = np.broadcast_to(np.asarray(noise, np.float64), low.shape)
        if not (np.isfinite(spread) & (spread > 0)).all():
            raise DataError(f"noise must be positive and finite. Got {noise!r}.")
        set_fields(
            self,
            lower=frozen_array(low),
            upper=frozen_array(high),
            noise=frozen_array(spread),
            weights=check_weights(weights, low.size, "weights"),
        )

    def __len__(self) -> int:
        return int(self.lower.size)

    def log_likelihood(self, s: ArrayLike) -> FloatArray:
        """Give the logarithm of the likelihood of one copy of each site.

        Parameters
        ----------
        s : array-like of shape (n_sites,)

        Returns
        -------
        ndarray of shape (n_sites,)
        """
        return self._describe(s)[0]

    def derivatives(self, s: ArrayLike) -> SiteDerivatives:
        """Give the log-likelihood of one copy and its derivatives in s (GP-3).

        Parameters
        ----------
        s : array-like of shape (n_sites,)

        Returns
        -------
        SiteDerivatives
            value, first, second, third; each of shape (n_sites,). The second is
            between -1/noise^2 and 0.
        """
        # Derivatives in s are cumulants of e given the answer, by powers of the noise
        # (GP-3); the shrinkage is 1 - variance.
        log_mass, mean, _, third, shrinkage, _, _ = self._describe(s)
        noise = self.noise
        return SiteDerivatives(
            log_mass, mean / noise, -shrinkage / noise**2, third / noise**3
        )

    def end_derivatives(self, s: ArrayLike) -> tuple[FloatArray, FloatArray]:
        """Differentiate value, first and second derivative in the two ends.

        Parameters
        ----------
        s : array-like of shape (n_sites,)

        Returns
        -------
        in_lower, in_upper : ndarray of shape (3, n_sites)
        """
        # Moving one end: dE h(e) = density at the end times (h(end) - E h(e)).
        _, mean, variance, _, _, *densities = self._describe(s)
        at, noise, slopes = np.asarray(s, np.float64), self.noise, []
        for end, density in zip((self.lower, self.upper), densities, strict=True):
            away = np.where(density > 0.0, (end - at) / noise - mean, 0.0)
            parts = [np.ones_like(away), away / noise, (away**2 - variance) / noise**2]
            slopes.append(density / noise * np.array(parts))
        return -slopes[0], slopes[1]

    def _describe(self, s: ArrayLike) -> FloatArray:
        at = np.asarray(s, dtype=np.float64)
        return truncated_normals(self.lower, self.upper, self.noise, at)


@dataclass(frozen=True, eq=False)
class GaussianResult:
    """A Gaussian that stands for the posterior of nodes given sites.

    Parameters
    ----------
    status : {"optimal", "stalled"}
        Whether the gap is at most the tolerance.
    n_iter : int
    gap : float
    tau, nu : ndarray of shape (n_sites,)
        One copy of site k acts on s as exp(nu s - tau s^2/2); tau >= 0. A site of
        weight w enters w times.
    mean : ndarray of shape (n_nodes,)
    cov : ndarray of shape (n_nodes, n_nodes)
        The posterior of the nodes; in row space these are the sites' functionals.
    log_evidence : float
        Logarithm of the probability of all answers.
    precision : ndarray of shape (n_sites,)
        weights * tau.
    pull : ndarray of shape (n_sites,)
        A'pull is what moves the prior: mean = prior mean + prior cov A' pull, for
        nodes and for all that is jointly Gaussian with them.
    """

    status: str
    n_iter: int
    gap: float
    tau: FloatArray
    nu: FloatArray
    mean: FloatArray
    cov: FloatArray
    log_evidence: float
    precision: FloatArray
    pull: FloatArray

    def information(self, rows: Rows) -> FloatArray:
        """Give R = (K + W^-1)^-1 = W - W cov W, W = A'diag(precision)A."""
        W = rows.gram(self.precision, len(self.mean))
        return W - W @ self.cov @ W


def check_problem(
    mean: ArrayLike, cov: ArrayLike, sites: Sites, rows: Rows | None
) -> tuple[FloatArray, FloatArray]:
    """Require a prior, sites and rows that fit together; no rows: site k, node k."""
    prior_mean = np.ascontiguousarray(mean, dtype=np.float64)
    prior_cov = np.ascontiguousarray(cov, dtype=np.float64)
    size = len(prior_mean)
    if prior_mean.ndim != 1 or prior_cov.shape != (size, size):
        raise DataError(
            "cov must be square, with one row per entry of mean. "
            f"Got shapes {prior_cov.shape} and {prior_mean.shape}."
        )
    n_rows = len(sites) if rows is None else len(rows)
    n_nodes = len(sites) if rows is None else rows.n_nodes
    if n_rows != len(sites) or n_nodes > size:
        raise DataError(
            f"There must be one row per site, about {size} nodes. Got {n_rows} "
            f"rows about {n_nodes} nodes and {len(sites)} sites."
        )
    return prior_mean, prior_cov


def earlier_sites(
    start: tuple[FloatArray, FloatArray] | None, n_sites: int
) -> tuple[FloatArray, FloatArray]:
    """Give tau and nu to start from; sites that were not there before are 0."""
    # Answers are appended at the end, so that the known ones come first.
    tau, nu = np.zeros((2, n_sites))
    if start is not None:
        known = min(len(start[0]), n_sites)
        tau[:known], nu[:known] = start[0][:known], start[1][:known]
    return tau, nu
