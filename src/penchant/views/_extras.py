"""What is shown of an alternative beside its attributes, and never learned from."""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Final
from urllib.parse import urlsplit

from penchant.data import Extra, Items
from penchant.studies import PictureHead, Store, picture_cell
from penchant.views._display import show_name

_WORDS = 25
"""So much of a long text is seen at once: about three lines of a card."""

_LONGEST_VALUE = 200
_NO_ADDRESS: Final = re.compile(r"[\s\x00-\x1f\x7f\\<>\"]")


@dataclass(frozen=True)
class Photo:
    """A picture of ours: where it is, what it shows in words, its size in pixels."""

    path: str
    words: str
    width: int
    height: int


@dataclass(frozen=True)
class Address:
    """A link that leads away: its words, where to, and at whose place that is."""

    label: str
    path: str
    host: str


@dataclass(frozen=True)
class Passage:
    """A long text: its beginning, and the rest for those who want to read on."""

    label: str
    beginning: str
    rest: str

    @property
    def whole(self) -> str:
        """The text in one piece."""
        return f"{self.beginning} {self.rest}".strip()


@dataclass(frozen=True)
class Shown:
    """A value that is told and not compared."""

    label: str
    value: str


@dataclass(frozen=True)
class ExtrasView:
    """All that is shown of an alternative beside its attributes.

    Parameters
    ----------
    photo : Photo or None
        The first picture that is there.
    passages, links, values : tuple
        In the order of the table; what is blank is left out.
    """

    photo: Photo | None = None
    passages: tuple[Passage, ...] = ()
    links: tuple[Address, ...] = ()
    values: tuple[Shown, ...] = ()

    def __bool__(self) -> bool:
        return bool(self.photo or self.passages or self.links or self.values)


@dataclass(frozen=True)
class Shelf:
    """The pictures of a study, and where its reader finds them.

    Parameters
    ----------
    heads : mapping of str to PictureHead
        By the name that stands in the table.
    path : str
        Under which they are served to this reader.
    """

    heads: Mapping[str, PictureHead] = field(default_factory=dict)
    path: str = ""

    def photo(self, cell: str, name: str) -> Photo | None:
        """Give the picture that a cell names; None: it is not there."""
        key, words = picture_cell(cell)
        head = self.heads.get(key)
        if head is None:
            return None
        path = f"{self.path}/{head.digest}"
        return Photo(path, words or name, head.width, head.height)

    def digest(self, cell: str) -> str:
        """Give the digest of the picture that a cell names; empty: it is not there."""
        head = self.heads.get(picture_cell(cell)[0])
        return head.digest if head else ""

    def photos(self, items: Items) -> dict[int, Photo]:
        """Give the picture of every alternative that has one."""
        cells = [extra.values for extra in items.extras if extra.role == "picture"]
        found = {
            item: self.photo(column[item], show_name(name))
            for column in reversed(cells)
            for item, name in enumerate(items.names)
            if column[item]
        }
        return {item: photo for item, photo in found.items() if photo}


def shelf_of(store: Store, holder: str, items: Items, path: str = "") -> Shelf:
    """Give the pictures of a study or a draft; asks only if the table names some."""
    named = any(extra.role == "picture" for extra in items.extras)
    return Shelf(store.list_pictures(holder) if named else {}, path)


def extras_view(items: Items, item: int, shelf: Shelf | None = None) -> ExtrasView:
    """Show what is beside the attributes of an alternative.

    Parameters
    ----------
    items : Items
        The alternatives.
    item : int
        Which one.
    shelf : Shelf, optional
        Its pictures; None: there are none to be seen, as in a terminal.
    """
    name = show_name(items.names[item])
    photo = None
    passages, links, values = [], [], []
    for extra in items.extras:
        cell = extra.values[item].strip()
        if not cell:
            continue
        if extra.role == "picture" and shelf and photo is None:
            photo = shelf.photo(cell, name)
        address = _address(extra, cell)
        if address:
            links.append(address)
        elif extra.role == "text":
            passages.append(_passage(extra, cell))
        elif extra.role != "picture":
            value = show_name(cell, _LONGEST_VALUE)
            values.append(Shown(show_name(extra.name), value))
    return ExtrasView(photo, tuple(passages), tuple(links), tuple(values))


def _address(extra: Extra, cell: str) -> Address | None:
    """Make a link of a cell that is one; the address of a picture is one too."""
    if extra.role not in ("link", "picture") or _NO_ADDRESS.search(cell):
        return None
    try:
        parts = urlsplit(cell)
        host = parts.hostname
    except ValueError:
        return None
    if parts.scheme.lower() not in ("http", "https") or not host:
        return None
    return Address(show_name(extra.name), cell, show_name(host))


def _passage(extra: Extra, cell: str) -> Passage:
    words = cell.split()
    beginning, rest = words[:_WORDS], words[_WORDS:]
    end = "…" if rest else ""
    return Passage(show_name(extra.name), " ".join(beginning) + end, " ".join(rest))
