"""Answers as CSV files, one row each."""

import io
from pathlib import Path

import pandas as pd

from penchant.data.reading.files._encodings import decode
from penchant.data.reading.files._limits import MAX_BYTES, Source, source_bytes
from penchant.data.reading.files._text_files import EXACT, guess_separator
from penchant.data.reading.files._writing import unquote, write_csv_table
from penchant.exceptions import DataError


def read_evidence(source: Source, required: tuple[str, ...]) -> pd.DataFrame:
    """Read a CSV of answers and check that the named columns are there."""
    text, _ = decode(source_bytes(source, MAX_BYTES), None)
    separator = guess_separator(text)
    try:
        frame = pd.read_csv(io.StringIO(text), sep=separator, **EXACT)
    except pd.errors.ParserError as error:
        raise DataError(f"The file cannot be read as a table: {error}.") from None
    for name in frame.columns:
        if frame[name].dtype.kind not in "biuf":
            frame[name] = frame[name].map(unquote, na_action="ignore")
    missing = [name for name in required if name not in frame]
    if missing:
        raise DataError(
            f"The file needs the columns {', '.join(required)}. "
            f"Missing: {', '.join(missing)}; found: {', '.join(frame.columns)}."
        )
    return frame


def write_evidence(frame: pd.DataFrame, path: str | Path) -> None:
    """Write a table of answers as CSV."""
    write_csv_table(frame, path)
