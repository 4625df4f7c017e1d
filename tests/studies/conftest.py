"""Stores in a folder of their own, and a small table."""

from collections.abc import Iterator

import pandas as pd
import pytest

from penchant.data import Attribute, Items
from penchant.studies import SqlStore


@pytest.fixture
def store(new_url: str) -> Iterator[SqlStore]:
    with SqlStore(new_url) as opened:
        yield opened


@pytest.fixture
def any_store(any_url: str, request: pytest.FixtureRequest) -> Iterator[SqlStore]:
    if any_url.startswith("sqlite"):
        request.getfixturevalue("new_url")  # the same place, with the tables
    with SqlStore(any_url) as opened:
        yield opened


@pytest.fixture
def items() -> Items:
    table = pd.DataFrame(
        {"rent": [500.0, None, 900.0], "view": ["sea", "yard", None]},
        index=["A & B", "<b>c</b>", "Ünï 名"],
    )
    rent = Attribute("rent", direction="down", domain=(400, 1000), unit="EUR")
    view = Attribute("view", "categorical", domain=("sea", "yard"))
    return Items.from_frame(table, [rent, view])
