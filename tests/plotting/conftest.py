"""Models to draw, fitted once, and a clean desk for every test."""

import matplotlib as mpl
import numpy as np
import pandas as pd
import pytest

from penchant.data import Attribute, Items
from penchant.datasets import make_gai
from penchant.models import Capacity, ChoquetRegressor, GAIRegressor

mpl.use("agg")


@pytest.fixture(autouse=True)
def desk():
    before = dict(mpl.rcParams)
    yield
    assert dict(mpl.rcParams) == before, "a picture changed the settings of the user"


@pytest.fixture(scope="session")
def rated_flats():
    """Items of all kinds, and ratings with one pair of each kind."""
    rng = np.random.default_rng(0)
    n = 120
    attributes = (
        Attribute("price", "numeric", "down", (400, 1500), "EUR"),
        Attribute("size", "numeric", "up", (20, 120), "m²"),
        Attribute("noise", "ordinal", "down", ("quiet", "some traffic", "busy street")),
        Attribute("balcony", "categorical", "unknown", ("none", "roof terrace")),
        Attribute("floor", "numeric", "unknown", (0, 9)),
    )
    columns = {
        a.name: rng.choice(a.levels, n) if a.levels else rng.uniform(*a.domain, n)
        for a in attributes
    }
    items = Items.from_frame(pd.DataFrame(columns), attributes)
    price, size, noise, balcony, _ = items.encode().T
    ratings = 3 * price + 2 * size**2 + noise + balcony * (noise + size)
    return items, ratings + 4 * (price - 0.5) * (size - 0.5)


@pytest.fixture(scope="session")
def flats_model(rated_flats):
    return GAIRegressor(C=1.0, epsilon=0.02, max_order=2).fit(*rated_flats)


@pytest.fixture(scope="session")
def sample():
    return make_gai(150, 4, n_factors=3, noise=0.01, random_state=0)


@pytest.fixture(scope="session")
def plain_model(sample):
    return GAIRegressor(C=10.0, domain=(0, 1)).fit(sample.X, sample.y)


@pytest.fixture
def capacity():
    """A capacity on three criteria with a pair of each sign."""
    mobius = {(0,): 0.2, (1,): 0.3, (2,): 0.6, (0, 1): 0.3, (1, 2): -0.25}
    return Capacity(mobius, 3, ["price", "size", "calm"])


@pytest.fixture(scope="session")
def choquet_data():
    rng = np.random.default_rng(1)
    X = pd.DataFrame(rng.uniform(0, 10, (60, 3)), columns=["a", "b", "c"])
    return X, X["a"] + 2 * X[["b", "c"]].min(axis=1)


@pytest.fixture(scope="session")
def choquet_model(choquet_data):
    return ChoquetRegressor().fit(*choquet_data)
