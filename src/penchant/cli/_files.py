"""Files that commands write: complete or not there."""

import os
import tempfile
from pathlib import Path

import typer

from penchant.exceptions import StoreError


def is_stdout(path: Path) -> bool:
    """Tell whether a path means standard output."""
    return str(path) == "-"


def check_target(path: Path, *, force: bool) -> None:
    """Refuse a file that is there already, before any work is done."""
    if not is_stdout(path) and path.exists() and not force:
        raise StoreError(
            f"{str(path)!r} exists already. Name another file, or say --force to "
            "overwrite it."
        )


def write_file(path: Path, content: bytes) -> None:
    """Write a file that takes its place when it is complete.

    Only its owner may read it: it may hold personal data.
    """
    if is_stdout(path):
        typer.echo(content, nl=False)
        return
    try:
        _replace(path, content)
    except OSError as error:
        raise StoreError(
            f"{str(path)!r} cannot be written: {error.strerror or error}."
        ) from None


def _replace(path: Path, content: bytes) -> None:
    handle, name = tempfile.mkstemp(prefix=".penchant-", dir=path.parent)
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
        Path(name).replace(path)
    except BaseException:
        Path(name).unlink(missing_ok=True)
        raise
