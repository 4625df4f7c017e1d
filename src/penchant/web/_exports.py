"""Files to take away: tables as CSV, and how they are sent."""

import json
import re
import unicodedata
from typing import Any
from urllib.parse import quote

from starlette.responses import Response

XLSX = "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet"
_LONGEST_NAME = 80


def csv_response(table: str, name: str) -> Response:
    """Send a table; the mark in front tells spreadsheets that it is UTF-8."""
    return file_response(f"\ufeff{table}".encode(), name, "text/csv; charset=utf-8")


def json_response(values: Any, name: str) -> Response:
    """Send plain values."""
    text = json.dumps(values, ensure_ascii=False, allow_nan=False)
    return file_response(text.encode(), name, "application/json")


def xlsx_response(content: bytes, name: str) -> Response:
    """Send a workbook."""
    return file_response(content, name, XLSX)


def file_response(content: bytes, name: str, kind: str) -> Response:
    """Send a file that is saved, not opened, under a harmless name.

    Parameters
    ----------
    content : bytes
        The file.
    name : str
        As people know it; whatever a path or a header could misread is left out.
    kind : str
        Its media type.
    """
    safe = file_name(name)
    plain = unicodedata.normalize("NFKD", safe).encode("ascii", "ignore").decode()
    fallback = re.sub(r"[^\w. -]", "", plain).strip(". ") or "penchant"
    given = f"attachment; filename=\"{fallback}\"; filename*=UTF-8''{quote(safe)}"
    return Response(content, 200, {"Content-Disposition": given}, kind)


def file_name(name: str) -> str:
    """Give a name that a file can have on any machine."""
    stem, _, ending = name.rpartition(".")
    words = re.sub(r"[^\w -]+", " ", stem)
    short = re.sub(r"\s+", " ", words).strip()[:_LONGEST_NAME].strip()
    return f"{short or 'study'}.{ending}"
