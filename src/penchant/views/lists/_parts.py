"""Long lists in parts: found by name, page by page, without a script."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Final, NamedTuple, TypeVar
from urllib.parse import urlencode

from penchant.exceptions import DataError
from penchant.texts import Texts

PER_PAGE: Final = 100

_Row = TypeVar("_Row")


class Wanted(NamedTuple):
    """Which part of a list somebody wants to see.

    Parameters
    ----------
    find : str
        Only what has this in its name; empty: all.
    page : int
        From 1; 0: nobody said which, the first.
    """

    find: str = ""
    page: int = 0


@dataclass(frozen=True)
class Part:
    """A part of a list.

    Parameters
    ----------
    find : str
        What was looked for.
    kept : dict of str to str
        What else the address says, as the fields of a form.
    searchable : bool
        Whether the list is so long that a search helps.
    shown, previous, following, everything : str
        Which part it is, and links to others.
    nothing : str
        That nothing was found; empty: something was.
    chosen : bool
        Whether somebody asked for this part.
    """

    find: str
    kept: dict[str, str]
    searchable: bool
    shown: str
    previous: str
    following: str
    everything: str
    nothing: str
    chosen: bool


def part_of(
    rows: Sequence[_Row],
    name: Callable[[_Row], str],
    wanted: Wanted,
    texts: Texts,
    *,
    anchor: str,
    kept: dict[str, str] | None = None,
) -> tuple[Sequence[_Row], Part]:
    """Take the part of a list that somebody wants to see.

    Parameters
    ----------
    rows : sequence
        All of it.
    name : callable
        Gives the name of a row.
    wanted : Wanted
        Which part.
    texts : Texts
        In the language of the reader.
    anchor : str
        Where the list is on its page.
    kept : dict of str to str, optional
        What links say beside the part, such as how the list is sorted.

    Examples
    --------
    >>> from penchant.texts import load_texts
    >>> names, said = ["Mill Lane", "Mill Road", "High Street"], load_texts("en")
    >>> rows, part = part_of(names, str, Wanted("mill"), said, anchor="all")
    >>> rows, part.everything
    (['Mill Lane', 'Mill Road'], '?page=1#all')
    """
    looked_for, others = wanted.find.strip(), kept or {}
    found = rows
    if looked_for:
        word = looked_for.casefold()
        found = [row for row in rows if word in name(row).casefold()]
    n_pages = max(1, -(-len(found) // PER_PAGE))
    page = wanted.page or 1
    if page > n_pages:
        raise DataError("The list has no such page.")
    first = (page - 1) * PER_PAGE
    shown = found[first : first + PER_PAGE]

    def link(page: int, find: str = looked_for) -> str:
        said: dict[str, Any] = {**others}
        if find:
            said["find"] = find
        return f"?{urlencode({**said, 'page': page})}#{anchor}"

    said = texts(
        "owner.study.shown", first=first + 1, last=first + len(shown), n=len(found)
    )
    return shown, Part(
        looked_for,
        others,
        bool(looked_for) or len(rows) > PER_PAGE,
        said if n_pages > 1 else "",
        link(page - 1) if page > 1 else "",
        link(page + 1) if page < n_pages else "",
        link(1, ""),
        "" if shown else texts("parts.nothing"),
        wanted != Wanted(),
    )
