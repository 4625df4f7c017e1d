"""Long lists in parts: found by name, page by page, without a script."""

from collections.abc import Callable, Sequence
from types import SimpleNamespace as View
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


def part_of(
    rows: Sequence[_Row],
    name: Callable[[_Row], str],
    wanted: Wanted | None,
    texts: Texts,
    *,
    anchor: str,
    kept: dict[str, str] | None = None,
) -> tuple[Sequence[_Row], View]:
    """Take the part of a list that somebody wants to see.

    Parameters
    ----------
    rows : sequence
        All of it.
    name : callable
        Gives the name of a row.
    wanted : Wanted or None
        Which part; None: the first.
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
    wanted = wanted or Wanted()
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
    return shown, View(
        find=looked_for,
        kept=others,
        searchable=bool(looked_for) or len(rows) > PER_PAGE,
        shown=said if n_pages > 1 else "",
        previous=link(page - 1) if page > 1 else "",
        following=link(page + 1) if page < n_pages else "",
        everything=link(1, ""),
        nothing="" if shown else texts("parts.nothing"),
        chosen=wanted != Wanted(),
    )
