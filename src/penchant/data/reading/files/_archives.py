"""Compressed files: refused before they are unpacked if they would be too much."""

import io
import re
import zipfile
import zlib
from collections.abc import Iterator

from penchant.data.reading.files._limits import Limits
from penchant.exceptions import DataError

_ENTITIES = re.compile(rb"<!(?:DOCTYPE|ENTITY)", re.IGNORECASE)
_LONGEST = 2_000_000


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
    except (zipfile.BadZipFile, NotImplementedError, OSError):
        raise damaged() from None
    return archive


def damaged() -> DataError:
    """Say that a file is no workbook."""
    return DataError(
        "The file is not an XLSX or ODS workbook, or it is damaged or locked by a "
        "password. Save it as XLSX or CSV and try again."
    )


def chunks(archive: zipfile.ZipFile, name: str) -> Iterator[bytes]:
    """Give an XML file of an archive in pieces that end where an element does.

    XML that defines its own entities is refused: spreadsheets never do.
    """
    rest = b""
    try:
        with archive.open(name) as file:
            while piece := file.read(1_000_000):
                whole, mark, rest = (rest + piece).rpartition(b">")
                if len(rest) > _LONGEST:
                    raise DataError(
                        f"A cell has more than {_LONGEST:,} characters. Shorten it."
                    )
                if b"<!" in whole and _ENTITIES.search(whole):
                    raise DataError(
                        f"The workbook defines XML entities ({name}), which no "
                        "spreadsheet needs. Save it as XLSX or CSV again and try once "
                        "more."
                    )
                yield whole + mark
    except (
        zipfile.BadZipFile,
        zlib.error,
        RuntimeError,
        NotImplementedError,
        EOFError,
    ):
        raise damaged() from None
    yield rest
