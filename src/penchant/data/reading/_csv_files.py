"""Tables in CSV files: reading them with clear errors, writing them safely."""

import csv
import io
import json
import re
import warnings
from pathlib import Path
from typing import Any, TypeAlias

import pandas as pd

from penchant.exceptions import DataError

__all__ = [
    "MAX_BYTES",
    "MISSING_MARKS",
    "Source",
    "check_header",
    "read_csv_table",
    "read_evidence",
    "read_sidecar",
    "sidecar_path",
    "source_bytes",
    "write_csv_table",
    "write_evidence",
]

Source: TypeAlias = str | Path | bytes

MISSING_MARKS = ("", "NA", "N/A", "n/a", "NaN", "nan", "NULL", "null", "None", "?")
"""Cells that stand for a missing value."""

MAX_BYTES = 100_000_000
"""Largest file that is read unless the caller allows more."""

_EXACT: dict[str, Any] = (
    {"float_precision": "round_trip"} if pd.__version__.startswith("2.") else {}
)
"""Later versions of pandas read every float as it was written."""

_FORMULA = re.compile(r"^'*[=+\-@\t\r]")
_QUOTED_FORMULA = re.compile(r"^'+[=+\-@\t\r]")


def source_bytes(source: Source, max_bytes: int) -> bytes:
    """Read a whole file, or refuse it before reading when it is too large."""
    if not isinstance(source, bytes):
        path = Path(source)
        if not path.is_file():
            raise DataError(f"There is no file {str(path)!r}.")
        _check_size(path.stat().st_size, max_bytes)
        source = path.read_bytes()
    _check_size(len(source), max_bytes)
    if not source.strip():
        raise DataError("The file is empty. A table needs a header and rows.")
    return source


def _check_size(size: int, max_bytes: int) -> None:
    if size > max_bytes:
        raise DataError(
            f"The file has {size / 1e6:.0f} MB; at most {max_bytes / 1e6:.0f} MB "
            "are read. Keep the rows and columns that matter and try again."
        )


def read_csv_table(
    source: Source,
    *,
    encoding: str | None = None,
    text_columns: tuple[str, ...] = (),
    name_column: str | None = None,
    max_bytes: int = MAX_BYTES,
) -> pd.DataFrame:
    """Read a CSV file whose rows are indexed as a spreadsheet counts them.

    Parameters
    ----------
    source : path or bytes
        The file, or its content.
    encoding : str, optional
        Default: UTF-8 (with or without byte order mark), or UTF-16 with one.
    text_columns : tuple of str
        Columns that are text even if they look like numbers.
    name_column : str, optional
        Text column without missing values: an item may be called "None".
    max_bytes : int
        Larger files are refused before they are read.

    Returns
    -------
    DataFrame
        Its index holds row numbers: the header is row 1.
    """
    content = source_bytes(source, max_bytes)
    encoding = encoding or _guess_encoding(content)
    _check_text(content, encoding)
    first_line = _first_line(content, encoding)
    separator = _guess_separator(first_line)
    header = _read_header(content, encoding, separator)
    with warnings.catch_warnings():
        # pandas only warns when a row has more cells than the header.
        warnings.simplefilter("error", pd.errors.ParserWarning)
        try:
            frame = pd.read_csv(
                io.BytesIO(content),
                sep=separator,
                decimal=_guess_decimal(content, encoding, separator),
                encoding=encoding,
                header=0,
                names=header,
                index_col=False,
                dtype=dict.fromkeys([*text_columns, name_column], str),
                keep_default_na=False,
                na_values={n: MISSING_MARKS for n in header if n != name_column},
                skip_blank_lines=False,
                skipinitialspace=f"{separator} " in first_line,
                low_memory=False,
                **_EXACT,
            )
        except (pd.errors.ParserError, pd.errors.ParserWarning) as error:
            raise DataError(_explain_parser_error(error, header, separator)) from None
    frame.index = pd.RangeIndex(2, len(frame) + 2)
    frame = frame.dropna(how="all")
    return _unquote_formulas(frame) if b"'" in content else frame


def _guess_encoding(content: bytes) -> str:
    utf16 = content.startswith((b"\xff\xfe", b"\xfe\xff"))
    return "utf-16" if utf16 else "utf-8-sig"


def _check_text(content: bytes, encoding: str) -> None:
    """Refuse content that is not text in this encoding, naming the row."""
    if b"\0" in content and encoding != "utf-16":
        row = content[: content.index(b"\0")].count(b"\n") + 1
        raise DataError(
            f"Row {row}: the file holds a zero byte, so it is not text. "
            "Save the table as CSV or XLSX and try again."
        )
    try:
        content.decode(encoding)
    except UnicodeDecodeError as error:
        row = content[: error.start].count(b"\n") + 1
        raise DataError(
            f"Row {row}: byte {error.start} is not valid {encoding.upper()}. "
            "Save the file as UTF-8, or name its encoding, such as "
            "encoding='latin-1'."
        ) from None


def _first_line(content: bytes, encoding: str) -> str:
    with io.TextIOWrapper(io.BytesIO(content), encoding=encoding) as lines:
        return lines.readline()


def _guess_separator(line: str) -> str:
    """Take the most frequent of comma, semicolon and tab."""
    return max(",;\t", key=line.count)


def _guess_decimal(content: bytes, encoding: str, separator: str) -> str:
    """Take the decimal comma where semicolons separate and numbers show it."""
    if separator != ";":
        return "."
    sample = content[:20_000].decode(encoding, errors="ignore")
    return "," if re.search(r'(^|[;"\n])-?\d+,\d+($|[;"\r\n])', sample) else "."


def _read_header(content: bytes, encoding: str, separator: str) -> list[str]:
    with io.TextIOWrapper(io.BytesIO(content), encoding=encoding, newline="") as lines:
        cells = next(csv.reader(lines, delimiter=separator))
    return check_header(cells)


def check_header(cells: list[Any]) -> list[str]:
    """Return column names, each once and none empty."""
    header = [_unquote(str(cell or "").strip()) for cell in cells]
    for position, name in enumerate(header, start=1):
        if not name:
            raise DataError(
                f"Row 1, column {position}: the header is empty. "
                "Every column needs a name."
            )
        if name in header[: position - 1]:
            raise DataError(
                f"Row 1, columns {header.index(name) + 1} and {position}: two columns "
                f"are called {name!r}. Rename one."
            )
    return header


def _explain_parser_error(error: Exception, header: list[str], separator: str) -> str:
    found = re.search(r"line (\d+), saw (\d+)", str(error))
    if found:
        return (
            f"Row {found[1]}: there are {found[2]} cells, but the header has "
            f"{len(header)} columns (separated by {separator!r})."
        )
    if isinstance(error, pd.errors.ParserWarning):
        return (
            "Row 2: there are more cells than the header has columns "
            f"({len(header)}, separated by {separator!r})."
        )
    return f"The file cannot be read as a table: {error}."


def neutralise(text: str) -> str:
    """Keep a spreadsheet from running a cell as a formula.

    A quote is put in front of text that begins with = + - @ tab or CR; reading
    takes it away again.
    """
    return f"'{text}" if _FORMULA.match(text) else text


def _unquote(text: str) -> str:
    return text[1:] if _QUOTED_FORMULA.match(text) else text


def _unquote_formulas(frame: pd.DataFrame) -> pd.DataFrame:
    """Undo `neutralise` in every text column; few distinct texts, few calls."""
    for name in frame.columns:
        if pd.api.types.is_numeric_dtype(frame[name]):
            continue
        texts = [text for text in frame[name].dropna() if isinstance(text, str)]
        quoted = {text: _unquote(text) for text in texts if text[:1] == "'"}
        if quoted:
            frame[name] = frame[name].replace(quoted)
    return frame


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
    """Read names and attributes from beside a CSV file; empty if not there."""
    beside = sidecar_path(path)
    if not beside.is_file():
        return {}
    try:
        values = json.loads(beside.read_text(encoding="utf-8"))
        return {"names": values["names"], "attributes": values["attributes"]}
    except (ValueError, KeyError, TypeError):
        raise DataError(
            f"{beside.name} does not describe attributes. Correct or remove it."
        ) from None


def read_evidence(source: Source, required: tuple[str, ...]) -> pd.DataFrame:
    """Read a CSV of answers and check that the named columns are there."""
    frame = read_csv_table(source).reset_index(drop=True)
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
