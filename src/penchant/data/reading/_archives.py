"""Compressed files: refused before they are unpacked if they would be too much."""

import io
import re
import zipfile

from penchant.data.reading._limits import Limits
from penchant.exceptions import DataError

__all__ = ["open_archive"]

_ENTITIES = re.compile(rb"<!(?:DOCTYPE|ENTITY)", re.IGNORECASE)


def open_archive(content: bytes, limits: Limits) -> zipfile.ZipFile:
    """Open an archive of a spreadsheet that is what it claims to be.

    zipfile never unpacks more of a member than the archive says that it holds, so
    that the sum of what it says is a limit.
    """
    try:
        archive = zipfile.ZipFile(io.BytesIO(content))
        members = archive.infolist()
        unpacked = sum(member.file_size for member in members)
        if len(members) > 10_000 or unpacked > limits.unpacked:
            raise DataError(
                f"The file unpacks to {unpacked / 1e6:.0f} MB; at most "
                f"{limits.unpacked / 1e6:.0f} MB are read. Keep the rows and columns "
                "that matter."
            )
        for member in members:
            if member.filename.endswith((".xml", ".rels")):
                _refuse_entities(archive, member.filename)
    except (zipfile.BadZipFile, NotImplementedError, RuntimeError, OSError, EOFError):
        raise DataError(
            "The file is not an XLSX or ODS workbook, or it is damaged or locked by a "
            "password. Save it as XLSX or CSV and try again."
        ) from None
    return archive


def _refuse_entities(archive: zipfile.ZipFile, name: str) -> None:
    """Refuse XML that defines its own entities: spreadsheets never do."""
    with archive.open(name) as file:
        head = file.read(4096)
    if _ENTITIES.search(head):
        raise DataError(
            f"The workbook defines XML entities ({name}), which no spreadsheet needs. "
            "Save it as XLSX or CSV again and try once more."
        )
