"""Where studies are kept when nobody says, and what a person may say instead."""

import os
import stat
from pathlib import Path

from penchant.exceptions import MissingExtraError, StoreError

_FILE = "penchant.sqlite"
_ENDINGS = (".sqlite", ".sqlite3", ".db")


def store_url(data: str | Path | None = None) -> str:
    """Turn what a person says about the place of the data into a database address.

    Parameters
    ----------
    data : str or Path, optional
        An SQLAlchemy address (it contains "://") is used as it is. A path that
        ends in .sqlite, .sqlite3 or .db, or that is a file already, is the SQLite
        file. Any other path is a folder, in which the file is ``penchant.sqlite``.
        None: the folder for user data of this system.

    Returns
    -------
    str
        Folders that are missing are made, readable by their owner only; a folder
        that is there for the database alone becomes so.

    Examples
    --------
    >>> store_url("postgresql+psycopg://localhost/studies")
    'postgresql+psycopg://localhost/studies'
    """
    if isinstance(data, str) and "://" in data:
        return data
    path = _user_folder() if data is None else Path(data).expanduser()
    is_folder = not (path.is_file() or path.suffix.lower() in _ENDINGS)
    if is_folder:
        path = path / _FILE
    try:
        path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        if is_folder:
            _make_private(path.parent)
    except OSError as error:
        raise StoreError(
            f"The data folder {str(path.parent)!r} cannot be made: {error.strerror}. "
            "Name another one with --data."
        ) from None
    return f"sqlite:///{path.resolve()}"


def _make_private(folder: Path) -> None:
    """Let nobody but its owner into a folder that has only our files in it."""
    if not hasattr(os, "getuid") or folder.stat().st_uid != os.getuid():
        return
    ours = all(each.name.startswith(_FILE) for each in folder.iterdir())
    # One with the sticky bit, such as /tmp, is meant for everybody.
    if ours and not folder.stat().st_mode & stat.S_ISVTX:
        folder.chmod(0o700)


def _user_folder() -> Path:
    try:
        import platformdirs
    except ImportError:
        raise MissingExtraError("platformdirs", "app") from None
    return platformdirs.user_data_path("penchant", appauthor=False)
