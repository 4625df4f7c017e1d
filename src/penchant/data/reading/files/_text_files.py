"""Tables in text: CSV, TSV, pasted from a spreadsheet, and plain lists of names."""

import csv
import io
import warnings
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import islice
from typing import Any

import numpy as np
import pandas as pd

from penchant.data.reading._candidate import Cell
from penchant.data.reading._numbers import is_plain
from penchant.data.reading._report import FileReading, LeftOut
from penchant.data.reading.files._encodings import decode
from penchant.data.reading.files._grid import (
    Grid,
    Wishes,
    column_names,
    find_header,
    grid_cells,
    tidy,
)
from penchant.data.reading.files._limits import Limits
from penchant.data.reading.files._writing import unquote
from penchant.exceptions import DataError

_NONE = "\x1f"
_SAMPLE_ROWS = 200
_SAMPLE_CHARACTERS = 400_000
_LARGEST_EXACT = 2.0**53

EXACT: dict[str, Any] = (
    {"float_precision": "round_trip"} if pd.__version__.startswith("2.") else {}
)
"""Later versions of pandas read every float as it was written."""


@dataclass(frozen=True)
class _Layout:
    """Where a text has its table: separator, header, and a sample of its rows."""

    separator: str
    sample: list[list[str]]
    header_row: int
    skipped_lines: int


def read_text_table(
    content: bytes, wishes: Wishes, limits: Limits
) -> tuple[pd.DataFrame, FileReading]:
    """Take a text file apart.

    Columns of bare numbers are parsed by pandas; all others stay text, which
    `read_column` looks at as a whole.
    """
    text, encoding = decode(content, wishes.encoding)
    if encoding != "UTF-8":
        content = text.encode()
    separator = wishes.separator or guess_separator(text)
    sample = list(islice(_records(text[:_SAMPLE_CHARACTERS], separator), _SAMPLE_ROWS))
    widest = max((len(cells) for cells, _ in sample), default=0)
    limits.check(_n_rows(content, limits.rows), widest)
    rows = [(n, cells) for n, (cells, _) in enumerate(sample, 1) if any(cells)]
    header_row = find_header(rows, wishes)
    if widest <= 1 and not header_row:
        names = {n: str(c[0]).strip(" -*•\t") for n, c in _all_rows(text, _NONE)}
        frame = pd.DataFrame({"name": names.values()}, index=list(names))
        return tidy(frame, wishes, FileReading("names", encoding, header_row=0))
    file = FileReading("csv", encoding, "" if separator == _NONE else separator)
    if header_row and header_row <= len(sample):
        parts = _Layout(
            separator, [c for c, _ in sample], header_row, sample[header_row - 1][1]
        )
        frame = _parse_fast(content.removeprefix(b"\xef\xbb\xbf"), parts)
        if frame is not None:
            return _with_report(frame, parts, wishes, file)
    grid = Grid(dict(_all_rows(text, separator)))
    return grid_cells(grid, wishes, file)


def guess_separator(text: str) -> str:
    """Find the sign that gives most rows the same number of cells, two or more.

    A list of names has none: then it is one that stands in no text.
    """
    best, separator = (0.0, 0), _NONE
    for mark in ",;\t|":
        if mark not in text[:_SAMPLE_CHARACTERS]:
            continue
        rows = islice(_records(text[:_SAMPLE_CHARACTERS], mark), _SAMPLE_ROWS)
        widths = Counter(len(cells) for cells, _ in rows if any(cells))
        wide = {n: count for n, count in widths.items() if n > 1}
        if wide:
            width = max(wide, key=lambda n: (wide[n], n))
            share = wide[width] / widths.total()
            if share >= 0.5 and (round(share, 1), width) > best:
                best, separator = (round(share, 1), width), mark
    return separator


def _records(text: str, separator: str) -> Iterator[tuple[list[str], int]]:
    """Give rows of cells, and the number of the line on which each ends."""
    reader = csv.reader(
        io.StringIO(text, newline=""), delimiter=separator, skipinitialspace=True
    )
    try:
        for cells in reader:
            yield [unquote(cell.strip()) for cell in cells], reader.line_num
    except csv.Error as error:
        raise DataError(
            f"Row {reader.line_num}: {error}. Is a quote missing? Save the table "
            "again, or as XLSX.",
            "errors.file_quote",
            row=reader.line_num,
        ) from None


def _all_rows(text: str, separator: str) -> Iterator[tuple[int, list[Cell]]]:
    for number, (texts, _) in enumerate(_records(text, separator), start=1):
        while texts and not texts[-1]:
            texts.pop()
        if texts:
            yield number, list(texts)


def _n_rows(content: bytes, most: int) -> int:
    """Count rows: line ends outside quotes, which are looked at only if need be."""
    lines = content.count(b"\n") or content.count(b"\r")
    if lines <= most or b'"' not in content:
        return lines
    outside, quoted = 0, False
    for start in range(0, len(content), 1_000_000):
        codes = np.frombuffer(content[start : start + 1_000_000], dtype=np.uint8)
        inside = np.logical_xor.accumulate(codes == ord('"')) ^ quoted
        outside += int(((codes == ord("\n")) & ~inside).sum())
        quoted = bool(inside[-1])
        if outside > most:
            break
    return outside


def _with_report(
    frame: pd.DataFrame, parts: _Layout, wishes: Wishes, file: FileReading
) -> tuple[pd.DataFrame, FileReading]:
    """Add to the report what stands above the header."""
    header, renamed = column_names(parts.sample[parts.header_row - 1])
    above = tuple(n for n in range(1, parts.header_row) if any(parts.sample[n - 1]))
    told = list(renamed)
    if above:
        text = next(cell for cell in parts.sample[above[0] - 1] if cell)
        told.insert(0, LeftOut("title", above, text, {"header_row": above[0]}))
    frame = frame.set_axis(header, axis="columns")
    file = replace(file, header_row=parts.header_row, left_out=tuple(told))
    return tidy(frame, wishes, file)


def _parse_fast(content: bytes, parts: _Layout) -> pd.DataFrame | None:
    """Let pandas parse; None if a row does not have as many cells as the header."""
    width = len(parts.sample[parts.header_row - 1])
    body = parts.sample[parts.header_row :]
    known = [[row[i] for row in body if i < len(row) and row[i]] for i in range(width)]
    plain = {i for i, cells in enumerate(known) if is_plain(cells)}
    frame = _pandas(content, parts, width, set(range(width)) - plain)
    if frame is None:
        return None
    doubtful = {i for i in plain if not _is_sure(frame[i], known[i])}
    doubtful |= plain & _padded_columns(content, parts.separator, width)
    if doubtful:
        again = _pandas(content, parts, width, doubtful, only=sorted(doubtful))
        if again is None:
            return None
        for i in doubtful:
            frame[i] = again[i]
    for i in range(width) if b"'" in content else ():
        if not pd.api.types.is_numeric_dtype(frame[i]):
            frame[i] = _unquoted(frame[i])
    return frame


def _pandas(
    content: bytes,
    parts: _Layout,
    width: int,
    as_text: set[int],
    only: list[int] | None = None,
    *,
    in_pieces: bool = True,
) -> pd.DataFrame | None:
    with warnings.catch_warnings():
        # pandas only warns when a row has more cells than the header, and when the
        # pieces of a column, which are parsed faster, have different types.
        warnings.simplefilter("error", pd.errors.ParserWarning)
        warnings.simplefilter("error", pd.errors.DtypeWarning)
        try:
            frame = pd.read_csv(
                io.BytesIO(content),
                sep=parts.separator,
                header=None,
                names=range(width),
                usecols=only,
                index_col=False,
                skiprows=parts.skipped_lines,
                dtype=dict.fromkeys(as_text, str),
                keep_default_na=False,
                na_values={i: [""] for i in range(width) if i not in as_text},
                skip_blank_lines=False,
                skipinitialspace=True,
                low_memory=in_pieces,
                **EXACT,
            )
        except pd.errors.DtypeWarning:
            return _pandas(content, parts, width, as_text, only, in_pieces=False)
        except (pd.errors.ParserError, pd.errors.ParserWarning):
            return None
        except pd.errors.EmptyDataError:
            frame = pd.DataFrame(columns=range(width), dtype=object)
    first = parts.header_row + 1
    return frame.set_axis(pd.RangeIndex(first, first + len(frame)), axis="index")


def _is_sure(values: pd.Series, sample: Sequence[str]) -> bool:
    """Tell whether pandas and we would read all cells of a column alike.

    In a column of floats, one cell of the sample must show that the point is a
    decimal one: 1.299 alone may be a thousand and more.
    """
    if not pd.api.types.is_numeric_dtype(values):
        return True  # text again, so that nothing was lost
    numbers = values.to_numpy()
    if numbers.dtype.kind in "iu":
        return bool(np.abs(numbers.astype(float)).max(initial=0) < _LARGEST_EXACT)
    if numbers.dtype.kind != "f" or np.isinf(numbers).any():
        return False
    return any("." in cell for cell in sample)


def _padded_columns(content: bytes, separator: str, width: int) -> set[int]:
    """Find columns with a zero before another digit: post codes are no numbers."""
    codes = np.frombuffer(content, dtype=np.uint8)
    before = codes[:-2]
    is_padded = (codes[1:-1] == ord("0")) & (codes[2:] - ord("0") < 10)
    is_padded &= (before == ord(separator)) | (before < ord("-"))
    padded = np.flatnonzero(is_padded)
    if not padded.size:
        return set()
    if b'"' in content:  # separators within quotes would have to be told apart
        return set(range(width))
    marks = np.flatnonzero(codes == ord(separator))
    ends = np.flatnonzero(codes == ord("\n"))
    line = np.searchsorted(ends, padded, side="right")
    begins = np.concatenate([[-1], ends])[line]
    columns = np.searchsorted(marks, padded, side="right") - np.searchsorted(
        marks, begins, side="right"
    )
    return set(columns.tolist())


def _unquoted(values: pd.Series) -> pd.Series:
    """Take away the quotes that keep a spreadsheet from running a formula."""
    texts = values.dropna().unique()
    changed = {text: unquote(text) for text in texts if text[:1] == "'"}
    return values.replace(changed) if changed else values
