"""Which encoding a text file has."""

import re

from penchant.exceptions import DataError

_NAMES = {"cp1252": "Windows-1252", "mac_roman": "Mac Roman"}
# Letters inside words, and signs beside numbers and spaces, are what people write.
_SMALL = "ßàáâãäåæçèéêëìíîïðñòóôõöøùúûüýþÿœšž"
_LARGE = "ÀÁÂÃÄÅÆÇÈÉÊËÌÍÎÏÐÑÒÓÔÕÖØÙÚÛÜÝÞŒŠŽ"
_INSIDE = re.compile(
    rf"(?<=[A-Za-z{_SMALL}])[{_SMALL}]|(?<![a-z])[{_SMALL}](?=[a-z])|"
    rf"(?<![a-z{_SMALL}])[{_LARGE}](?=[A-Za-z{_SMALL}])"
)
_SIGNS = "€£°²³½§–—’‘“”„«»…·•™®©µ±×"  # noqa: RUF001
_BESIDE = re.compile(rf"(?<![^\W\d_])[{_SIGNS}](?![^\W\d_])|(?<=\w)[’²³”»]|[“„«](?=\w)")  # noqa: RUF001
_STRANGE = re.compile(r"[^\x00-\x7f]")


def decode(content: bytes, encoding: str | None) -> tuple[str, str]:
    """Give the text of a file, and the encoding in which it was read.

    UTF-8 and UTF-16 prove themselves; between Windows-1252 and Mac Roman the one
    wins in which the letters beyond ASCII stand where letters do.
    """
    if encoding is not None:
        return _strictly(content, encoding), encoding
    marked = content.startswith((b"\xff\xfe", b"\xfe\xff"))
    if marked or b"\0" in content[:4096]:
        wide = "utf-16" if marked else _wide(content)
        return _strictly(content, wide), "UTF-16"
    _refuse_zero_bytes(content)
    try:
        return content.decode("utf-8-sig"), "UTF-8"
    except UnicodeDecodeError:
        pass
    found = {name: content.decode(name, "replace") for name in _NAMES}
    best = max(found, key=lambda name: _credible(found[name][:1_000_000]))
    return found[best], _NAMES[best]


def _credible(text: str) -> int:
    return (
        len(_INSIDE.findall(text))
        + len(_BESIDE.findall(text))
        - len(_STRANGE.findall(text))
        - 2 * text.count("\ufffd")
    )


def _wide(content: bytes) -> str:
    """Tell UTF-16 without a mark by where its zero bytes stand."""
    head = content[:4096]
    even, odd = head[::2].count(0), head[1::2].count(0)
    if odd > len(head) / 4 > even:
        return "utf-16-le"
    if even > len(head) / 4 > odd:
        return "utf-16-be"
    _refuse_zero_bytes(content)
    return "utf-8"


def _refuse_zero_bytes(content: bytes) -> None:
    if b"\0" in content:
        row = content[: content.index(b"\0")].count(b"\n") + 1
        raise DataError(
            f"Row {row}: the file holds a zero byte, so it is not text. "
            "Save the table as CSV or XLSX and try again.",
            "errors.file_binary",
            row=row,
        )


def _strictly(content: bytes, encoding: str) -> str:
    try:
        return content.decode(encoding).removeprefix("\ufeff")
    except LookupError:
        raise DataError(f"There is no encoding called {encoding!r}.") from None
    except UnicodeDecodeError as error:
        row = content[: error.start].count(b"\n") + 1
        raise DataError(
            f"Row {row}: byte {error.start} is not valid {encoding.upper()}. "
            "Leave the encoding away to have it found, or name another, such as "
            "encoding='cp1252'."
        ) from None
