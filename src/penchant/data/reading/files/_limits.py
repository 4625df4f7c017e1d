"""What is read at all: sizes are looked at before any work is done."""

from dataclasses import dataclass
from pathlib import Path
from typing import TypeAlias

from penchant.exceptions import DataError

Source: TypeAlias = str | Path | bytes

MAX_BYTES = 100_000_000
"""Largest file that is read unless the caller allows more."""


@dataclass(frozen=True)
class Limits:
    """The largest table that is read.

    Parameters
    ----------
    rows, columns, cells : int
        Of the table.
    bytes : int
        Of the file.
    """

    rows: int = 1_000_000
    columns: int = 1_000
    cells: int = 20_000_000
    bytes: int = MAX_BYTES

    @property
    def unpacked(self) -> int:
        """Bytes to which a compressed file may unpack: what its cells can need."""
        return min(4 * self.bytes, 60 * self.cells)

    def check(self, n_rows: int, n_columns: int, n_cells: int = 0) -> None:
        """Refuse a table that is too long, too wide or too large."""
        cure = "Keep the rows and columns that matter and try again."
        for found, most, what in (
            (n_columns, self.columns, "columns"),
            (n_rows, self.rows, "rows"),
            (n_cells or n_rows * n_columns, self.cells, "cells"),
        ):
            if found > most:
                raise DataError(
                    f"The table has {found:,} {what} or more; at most {most:,} are "
                    f"read. {cure}",
                    f"errors.file_many_{what}",
                    found=found,
                    most=most,
                )


UPLOADS = Limits(rows=20_000, columns=200, cells=1_500_000)
"""For tables of strangers: people compare few alternatives by few attributes."""


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
        raise DataError(
            "The file is empty. A table needs a header and rows.", "errors.file_empty"
        )
    return source


def _check_size(size: int, max_bytes: int) -> None:
    if size > max_bytes:
        raise DataError(
            f"The file has {size / 1e6:.0f} MB; at most {max_bytes / 1e6:.0f} MB "
            "are read. Keep the rows and columns that matter and try again.",
            "errors.file_large",
            size=size // 1_000_000,
            most=max_bytes // 1_000_000,
        )
