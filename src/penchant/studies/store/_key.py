"""The key with which the logs of a store are sealed."""

import os
from contextlib import suppress
from pathlib import Path
from typing import Final

import sqlalchemy as sa

KEY_VARIABLE: Final = "PENCHANT_KEY"
"""The environment variable that holds the key, where there is no file."""


def find_key(url: sa.URL) -> bytes:
    """Find the key of a store, which is never in its database.

    It is what the environment variable PENCHANT_KEY says; else that in a file beside
    a SQLite database, which is made, readable by its owner only, if it is not there;
    else empty. With an empty key seals show damage, but not what somebody forged.
    """
    if said := os.environ.get(KEY_VARIABLE):
        return said.encode()
    path = url.database or ""
    if url.get_backend_name() != "sqlite" or path.startswith("file:"):
        return b""
    file = Path(f"{path}.key")
    with suppress(OSError):  # such as a folder that cannot be written
        if not file.exists():
            _make(file)
        return file.read_bytes().strip()
    return b""


def _make(file: Path) -> None:
    """Make a key that is there as a whole or not at all, for all processes."""
    unfinished = file.with_name(f"{file.name}-{os.urandom(8).hex()}")
    descriptor = os.open(unfinished, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    with os.fdopen(descriptor, "w", encoding="ascii") as opened:
        opened.write(os.urandom(32).hex())
        opened.flush()
        os.fsync(opened.fileno())
    try:
        with suppress(FileExistsError):  # another process was faster
            os.link(unfinished, file)
    finally:
        unfinished.unlink()
