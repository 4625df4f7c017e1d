"""pandas reads a table and knows nothing of attributes."""

from pathlib import Path

import pandas as pd

NAME = "pandas.read_csv"


def read(path: Path) -> pd.DataFrame:
    """Read a CSV file with all defaults."""
    return pd.read_csv(path)
