"""Items.from_csv reads 100,000 x 20 in at most 3 times the CPU time of pandas.read_csv.

pandas parses; we also guess types, directions and domains and look for problems.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
import pandas as pd

from benchmarks._measure import Case
from benchmarks.peers import pandas_csv
from penchant.data import Items

N_ROWS = 100_000


@contextmanager
def cases() -> Iterator[list[Case]]:
    """Yield a table of numbers only and one of mixed types."""
    with TemporaryDirectory() as folder:
        rng = np.random.default_rng(0)
        yield [
            _case("20 numeric columns", numeric(rng), Path(folder) / "numeric.csv"),
            _case("20 mixed columns", mixed(rng), Path(folder) / "mixed.csv"),
        ]


def numeric(rng: np.random.Generator) -> pd.DataFrame:
    """Return names and 19 columns of numbers with four decimals."""
    values = rng.uniform(0.0, 1000.0, size=(N_ROWS, 19)).round(4)
    frame = pd.DataFrame(values, columns=[f"x{i}" for i in range(19)])
    frame.insert(0, "name", _names())
    return frame


def mixed(rng: np.random.Generator) -> pd.DataFrame:
    """Return names, numbers, whole numbers, yes/no and categories."""
    columns: dict[str, object] = {"name": _names()}
    for i in range(8):
        columns[f"number{i}"] = rng.uniform(0.0, 1000.0, N_ROWS).round(4)
    for i in range(5):
        columns[f"count{i}"] = rng.integers(0, 50, N_ROWS)
    for i in range(3):
        columns[f"flag{i}"] = rng.choice(["yes", "no"], N_ROWS)
    for i in range(3):
        columns[f"kind{i}"] = rng.choice(["red", "green", "blue"], N_ROWS)
    return pd.DataFrame(columns)


def _names() -> list[str]:
    return [f"item {i}" for i in range(N_ROWS)]


def _case(name: str, frame: pd.DataFrame, path: Path) -> Case:
    frame.to_csv(path, index=False)
    return Case(
        name=f"{N_ROWS:,} rows, {name}",
        ours=lambda: Items.from_csv(path),
        theirs=lambda: pandas_csv.read(path),
        peer=pandas_csv.NAME,
        at_most=3.0,
        agree=lambda items, table: len(items.names) == len(table) == N_ROWS,
    )
