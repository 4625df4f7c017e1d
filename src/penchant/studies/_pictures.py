"""Pictures of alternatives: from files or an archive, made small, plain and safe."""

import hashlib
import io
import re
import struct
import unicodedata
import zipfile
import zlib
from collections.abc import Iterable, Iterator
from pathlib import PurePosixPath
from typing import Final

from penchant.data import Items
from penchant.exceptions import DataError, MissingExtraError
from penchant.studies.store._records import PictureRecord

try:
    from PIL import Image, ImageOps
except ImportError:
    raise MissingExtraError("pillow", "app") from None

PICTURE_TYPE: Final = "image/webp"

_SIDE = 1200
"""Longest side of what is kept, in pixels: a card on a sharp screen needs less."""

_SMALL_SIDE = 96
_MOST_PIXELS = 50_000_000
_MOST_FILES = 2_000
_MOST_UNPACKED = 200_000_000
_FORMATS: Final = ("JPEG", "PNG", "WEBP", "GIF")
_ENDINGS: Final = (".jpg", ".jpeg", ".png", ".webp", ".gif")
_MARKDOWN: Final = re.compile(r"!\[(?P<words>[^\]]*)\]\((?P<file>[^)]+)\)\Z")

_UNREADABLE: Final = (
    Image.DecompressionBombError,
    Image.DecompressionBombWarning,
    ArithmeticError,
    LookupError,
    MemoryError,
    OSError,
    SyntaxError,
    TypeError,
    ValueError,
    struct.error,
    zlib.error,
)
"""What Pillow raises about files that are no pictures, or damaged ones."""


def picture_cell(cell: str) -> tuple[str, str]:
    """Give the picture that a cell names, and the words that describe it, if any.

    Folders, the ending and the case do not matter. Words may be given as in
    Markdown: ``![Open, from the side](img/laptop7.jpg)``.

    Examples
    --------
    >>> picture_cell("img/Laptop7.JPG")
    ('laptop7', '')
    >>> picture_cell("![Open, from the side](laptop7.webp)")
    ('laptop7', 'Open, from the side')
    """
    found = _MARKDOWN.match(cell.strip())
    words, file = (found["words"].strip(), found["file"]) if found else ("", cell)
    name = PurePosixPath(file.strip().replace("\\", "/")).name
    plain = unicodedata.normalize("NFC", name).casefold()
    ending = next((end for end in _ENDINGS if plain.endswith(end)), "")
    return plain.removesuffix(ending), words


def picture_names(items: Items) -> set[str]:
    """Give the names of all pictures that a table names."""
    return {
        picture_cell(value)[0]
        for extra in items.extras
        if extra.role == "picture"
        for value in extra.values
        if value
    }


def read_pictures(files: Iterable[tuple[str, bytes]]) -> list[PictureRecord]:
    """Make pictures of uploaded files; an archive (ZIP) stands for those in it.

    Every picture is decoded and written anew, with at most 1200 pixels a side and
    nothing but what is seen: no place, no time, no camera.

    Parameters
    ----------
    files : iterable of (str, bytes)
        Name and content of each file.

    Raises
    ------
    DataError
        If a file is no picture, two have one name, or they are too many or too large.
    """
    found: dict[str, tuple[str, PictureRecord]] = {}
    for filename, content in _unpacked(files):
        name, _ = picture_cell(filename)
        if name in found:
            raise DataError(
                f"Two pictures are called {found[name][0]!r} and {filename!r}. "
                "Folders and endings do not count; rename one."
            )
        found[name] = filename, _read_picture(name, filename, content)
    return [picture for _, picture in found.values()]


def check_picture(picture: PictureRecord) -> str:
    """Say what is wrong with a kept picture; empty: nothing."""
    if hashlib.sha256(picture.body).hexdigest() != picture.digest:
        return "its bytes have changed"
    try:
        with Image.open(io.BytesIO(picture.body), formats=("WEBP",)) as image:
            image.verify()
            same = image.size == (picture.width, picture.height)
    except _UNREADABLE as error:
        return f"it cannot be read: {error}"
    return "" if same and max(image.size) <= _SIDE else "its size is wrong"


def small_picture(picture: PictureRecord) -> bytes:
    """Give a kept picture with at most 96 pixels a side, to stand beside a name."""
    with Image.open(io.BytesIO(picture.body), formats=("WEBP",)) as image:
        image.thumbnail((_SMALL_SIDE, _SMALL_SIDE))
        body = io.BytesIO()
        image.save(body, "WEBP", quality=80)
    return body.getvalue()


def _unpacked(files: Iterable[tuple[str, bytes]]) -> Iterator[tuple[str, bytes]]:
    for filename, content in files:
        if content.startswith(b"PK\x03\x04"):
            yield from _members(filename, content)
        else:
            yield filename, content


def _members(filename: str, content: bytes) -> Iterator[tuple[str, bytes]]:
    try:
        with zipfile.ZipFile(io.BytesIO(content)) as archive:
            wanted = [each for each in archive.infolist() if _is_wanted(each.filename)]
            _check_archive(filename, wanted)
            for member in wanted:
                with archive.open(member) as file:
                    # No more than was announced, whatever the file unpacks to.
                    yield member.filename, file.read(member.file_size)
    except (zipfile.BadZipFile, NotImplementedError, RuntimeError, zlib.error) as error:
        raise DataError(f"{filename!r} cannot be unpacked: {error}.") from None


def _is_wanted(name: str) -> bool:
    parts = PurePosixPath(name).parts
    hidden = any(part.startswith((".", "__MACOSX")) for part in parts)
    return name.lower().endswith(_ENDINGS) and not hidden


def _check_archive(filename: str, wanted: list[zipfile.ZipInfo]) -> None:
    size = sum(member.file_size for member in wanted)
    if not wanted:
        raise DataError(
            f"{filename!r} holds no pictures. Put files that end in "
            f"{', '.join(_ENDINGS)} into it."
        )
    if len(wanted) > _MOST_FILES or size > _MOST_UNPACKED:
        raise DataError(
            f"{filename!r} holds {len(wanted):,} pictures of {size / 1e6:,.0f} MB; "
            f"{_MOST_FILES:,} and {_MOST_UNPACKED / 1e6:,.0f} MB are taken at once. "
            "Send them in parts."
        )


def _read_picture(name: str, filename: str, content: bytes) -> PictureRecord:
    try:
        with Image.open(io.BytesIO(content), formats=_FORMATS) as image:
            if image.width * image.height > _MOST_PIXELS:
                raise DataError(
                    f"The picture {filename!r} has {image.width} x {image.height} "
                    f"pixels; at most {_MOST_PIXELS:,} are taken. Make it smaller."
                )
            plain = _plain(image)
            body = io.BytesIO()
            plain.save(body, "WEBP", quality=80)
    except DataError:
        raise
    except _UNREADABLE:
        raise DataError(
            f"{filename!r} is no picture that can be read. Use JPEG, PNG, WebP or GIF."
        ) from None
    written = body.getvalue()
    digest = hashlib.sha256(written).hexdigest()
    return PictureRecord(name, digest, plain.width, plain.height, written)


def _plain(image: Image.Image) -> Image.Image:
    """Give what is seen and nothing else: upright, small, without metadata."""
    image.draft("RGB", (_SIDE, _SIDE))  # a large JPEG is decoded at a lower size
    seen = ImageOps.exif_transpose(image)
    clear = seen.has_transparency_data
    seen = seen.convert("RGBA" if clear else "RGB")
    seen.thumbnail((_SIDE, _SIDE))
    plain = Image.new(seen.mode, seen.size)
    plain.paste(seen)
    return plain
