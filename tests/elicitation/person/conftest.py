"""Tables to ask about."""

import numpy as np
import pandas as pd
import pytest

from penchant.data import Attribute, Items
from penchant.elicitation import PersonBelief, PersonSpace


def make_table(n_items, seed=0, *, blanks=False):
    """Draw flats: two directed numbers, one without direction, one of three kinds."""
    rng = np.random.default_rng(seed)
    frame = pd.DataFrame(
        {
            "rent": rng.uniform(400, 1200, n_items).round(),
            "size": rng.uniform(20, 90, n_items).round(),
            "floor": rng.integers(0, 9, n_items).astype(float),
            "heating": rng.choice(["gas", "heat pump", "oil"], n_items),
        }
    )
    if blanks:
        frame.loc[1, "rent"] = np.nan
        frame.loc[2, "heating"] = None
    attributes = [
        Attribute("rent", "numeric", "down"),
        Attribute("size", "numeric", "up"),
        Attribute("floor", "numeric", "unknown"),
        Attribute("heating", "categorical", "unknown"),
    ]
    return Items.from_frame(
        frame, attributes, names=[f"flat {k}" for k in range(n_items)]
    )


def make_list(n_items):
    """Give items of which nothing is known."""
    attribute = Attribute("note", "categorical", "unknown", ("none",))
    frame = pd.DataFrame({"note": ["none"] * n_items})
    return Items.from_frame(
        frame, [attribute], names=[f"item {k}" for k in range(n_items)]
    )


@pytest.fixture(scope="session")
def table():
    return make_table


@pytest.fixture(scope="session")
def plain_list():
    return make_list


@pytest.fixture(scope="session")
def belief():
    """What is believed after ten answers of somebody who wants cheap flats."""
    space = PersonSpace.from_items(make_table(25))
    price, found = space.encoded[:, 0], PersonBelief.begin(space, 1)
    rng = np.random.default_rng(0)
    for _ in range(10):
        i, j = rng.choice(25, 2, replace=False).tolist()
        found = found.update(*((i, j) if price[i] > price[j] else (j, i)))
    return found
