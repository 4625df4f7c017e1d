"""Stores in a folder of their own, and a small table."""

from collections.abc import Iterator
from pathlib import Path

import pandas as pd
import pytest

from penchant.data import Attribute, Items
from penchant.studies import SqlStore, store_url


@pytest.fixture
def store(tmp_path: Path) -> Iterator[SqlStore]:
    with SqlStore(store_url(tmp_path)) as opened:
        yield opened


@pytest.fixture
def any_store(any_url: str) -> Iterator[SqlStore]:
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
