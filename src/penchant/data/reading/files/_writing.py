"""Tables to CSV, safely, with the meaning of their columns beside them."""

import json
import re
from pathlib import Path
from typing import Any

import pandas as pd

from penchant.exceptions import DataError

_FORMULA = re.compile(r"^'*[=+\-@\t\r]")
_QUOTED_FORMULA = re.compile(r"^'+[=+\-@\t\r]")


def neutralise(text: str) -> str:
    """Keep a spreadsheet from running a cell as a formula.

    A quote is put in front of text that begins with = + - @ tab or CR; reading
    takes it away again.
    """
    return f"'{text}" if _FORMULA.match(text) else text


def unquote(text: str) -> str:
    """Undo `neutralise`."""
    return text[1:] if _QUOTED_FORMULA.match(text) else text


def write_csv_table(frame: pd.DataFrame, path: str | Path | None) -> str | None:
    """Write a table as CSV with formulas neutralised; None gives the text."""
    safe = frame.rename(columns=neutralise)
    for name in safe.columns:
        if not pd.api.types.is_numeric_dtype(safe[name]):
            safe[name] = safe[name].astype(object).map(neutralise, na_action="ignore")
    text: str = safe.to_csv(index=False, lineterminator="\n")
    if path is None:
        return text
    Path(path).write_text(text, encoding="utf-8", newline="")
    return None


def sidecar_path(path: Path) -> Path:
    """Name the file that tells the meaning of the columns of a CSV file."""
    return path.with_suffix(".attributes.json")


def read_sidecar(path: Path) -> dict[str, Any]:
    """Read what `Items.to_csv` wrote beside a CSV file; empty if not there."""
    beside = sidecar_path(path)
    if not beside.is_file():
        return {}
    try:
        values = json.loads(beside.read_text(encoding="utf-8"))
        return {
            "names": values["names"],
            "attributes": values["attributes"],
            "roles": dict(values.get("roles", {})),
        }
    except (ValueError, KeyError, TypeError):
        raise DataError(
            f"{beside.name} does not describe attributes. Correct or remove it."
        ) from None
