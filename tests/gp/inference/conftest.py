"""Small problems with sites of every kind, for the tests of inference."""

import numpy as np
import pytest

from penchant.solvers import Rows, Sites

INF = np.inf


def _example(n_nodes, n_sites, seed, *, noise=0.5):
    """Random nodes with answers of every kind."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n_nodes, 2))
    K = np.exp(-0.5 * ((X[:, None] - X) ** 2).sum(-1))
    raised = rng.integers(0, n_nodes, n_sites)
    lowered = (raised + rng.integers(1, n_nodes, n_sites)) % n_nodes
    rated = rng.random(n_sites) < 0.3
    lowered[rated] = -1
    tied = ~rated & (rng.random(n_sites) < 0.3)
    lower = np.select([rated, tied], [-0.5, -0.3], 0.0)
    upper = np.select([rated, tied], [0.8, 0.3], INF)
    return (
        rng.normal(size=n_nodes),
        K,
        Sites(lower, upper, noise),
        Rows(raised, lowered),
    )


def _fuzzed_problem(rng):
    """A small problem with equal items, all kinds of sites and extreme scales."""
    n, q = int(rng.integers(1, 7)), int(rng.integers(0, 12))
    X = rng.normal(size=(n, 2))
    if rng.random() < 0.3:
        X[-1] = X[0]
    distance = ((X[:, None] - X) ** 2).sum(-1)
    K = 10 ** rng.uniform(-4, 4) * np.exp(-distance / 10 ** rng.uniform(-2, 2))
    raised = rng.integers(0, n, q)
    lowered = np.where(rng.random(q) < 0.3, -1, rng.integers(0, n, q))
    width = 10 ** rng.uniform(-6, 2, q)
    kind, place = rng.integers(0, 4, q), rng.normal(size=q)
    masks = [kind == 0, kind == 1, kind == 2]
    lower = np.select(masks, [0.0 * width, -width, np.full(q, -INF)], place)
    upper = np.select(masks, [np.full(q, INF), width, width], place + width)
    noise = 10 ** rng.uniform(-6, 6, q if rng.random() < 0.5 else None)
    weights = 10 ** rng.uniform(-3, 3, q) if rng.random() < 0.3 else None
    sites = Sites(lower, upper, noise, weights)
    return rng.normal(size=n), K, sites, Rows(raised, lowered)


@pytest.fixture(scope="session")
def example():
    """A function: (n_nodes, n_sites, seed) to prior mean, covariance, sites, rows."""
    return _example


@pytest.fixture(scope="session")
def fuzzed_problem():
    """A function: random generator to prior mean, covariance, sites, rows."""
    return _fuzzed_problem


def _take(sites, chosen):
    """Some of the sites, in the given order."""
    parts = (sites.lower, sites.upper, sites.noise, sites.weights)
    return Sites(*(part[list(chosen)] for part in parts))


def _matrix(rows, n_nodes):
    """The rows as a dense matrix."""
    return rows.apply(np.eye(n_nodes))


@pytest.fixture(scope="session")
def take():
    """A function: sites and places to these sites."""
    return _take


@pytest.fixture(scope="session")
def matrix():
    """A function: rows and number of nodes to a dense matrix."""
    return _matrix
