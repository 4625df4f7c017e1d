"""PrefLib files: orders, with ties or without, and categories, of many voters.

A header of lines ``# NAME: value`` is followed by lines ``count: 3,{1,2}``: how many
voters gave this order, best first, braces around what is as good.
"""

import re
from collections import Counter
from collections.abc import Sequence
from typing import Any, Final

import numpy as np

from penchant.data._ratings import Rankings, Ratings
from penchant.data.answers._common import AnswerFile, NameBook, read_rows
from penchant.exceptions import DataError

ENDINGS: Final = ("soc", "soi", "toc", "toi", "cat")
_NAME: Final = re.compile(r"^# ALTERNATIVE NAME (\d+): *(.*)$")
_CLASS: Final = re.compile(r"\{([^{}]*)\}|([^,{}]+)")
_LINE: Final = re.compile(r"^(\d+)\s*:\s*(.*)$")

Order = list[list[int]]


def read_preflib(text: str, book: NameBook) -> AnswerFile:
    """Read .soc, .soi, .toc, .toi and .cat; .cat categories count from the best."""
    lines = [(k, line.strip()) for k, line in enumerate(text.splitlines(), 1)]
    head = [line for _, line in lines if line.startswith("#")]
    names = _names(head)
    ending = _field(head, "DATA TYPE").lower()
    numbers = {number: book.index(name, "name") for number, name in names.items()}
    is_category = ending == "cat" or bool(_field(head, "NUMBER CATEGORIES"))

    def vote(line: str) -> tuple[int, Order]:
        found = _LINE.match(line)
        if not found:
            raise DataError(
                f"{line[:40]!r} is no vote; expected a count, a colon and an order, "
                "such as '3: 2,1,{4,5}'"
            )
        return int(found[1]), _order(found[2], numbers, keep_empty=is_category)

    body = [(k, line) for k, line in lines if line and not line.startswith("#")]
    votes = read_rows(body, vote)
    _check_count(head, votes)
    strict = all(len(group) == 1 for _, order in votes for group in order)
    words = f"PrefLib .{ending}" if ending in ENDINGS else "PrefLib"
    people = [order for count, order in votes for _ in range(count)]
    if strict and not is_category:
        orders = [[group[0] for group in order] for order in people]
        return book.file(words, Rankings(orders))
    return book.file(words, _graded(people), on_scale=is_category)


def _graded(people: Sequence[Order]) -> Ratings:
    """Give each voter's groups as ratings: the last one is 1."""
    items, values, users = [], [], []
    for voter, order in enumerate(people):
        for place, group in enumerate(order):
            for item in group:
                items.append(item)
                values.append(float(len(order) - place))
                users.append(voter)
    return Ratings(items, values, np.array(users))


def _names(head: list[str]) -> dict[int, str]:
    found = [match for match in map(_NAME.match, head) if match]
    names = {int(match[1]): match[2].strip() for match in found}
    wanted = _field(head, "NUMBER ALTERNATIVES")
    if not names or (wanted.isdigit() and int(wanted) != len(names)):
        raise DataError(
            f"The header of a PrefLib file names {wanted or 'its'} alternatives in "
            f"lines '# ALTERNATIVE NAME 1: ...'. Found {len(names)} of them."
        )
    if len(set(names.values())) < len(names):
        twice = Counter(names.values()).most_common(1)[0][0]
        raise DataError(f"Two alternatives are called {twice!r}. Rename one.")
    return names


def _field(head: list[str], name: str) -> str:
    start = f"# {name}:"
    return next(
        (line[len(start) :].strip() for line in head if line.startswith(start)), ""
    )


def _order(text: str, numbers: dict[int, int], *, keep_empty: bool) -> Order:
    order: Order = []
    seen: set[int] = set()
    for group, single in _CLASS.findall(text):
        members = []
        for cell in (single or group).split(","):
            cell = cell.strip()
            if not cell:
                continue
            number = int(cell) if cell.isdigit() else -1
            if number not in numbers:
                raise DataError(
                    f"{cell!r} is no alternative; expected a number of the header"
                )
            if number in seen:
                raise DataError(f"alternative {number} stands twice in one order")
            seen.add(number)
            members.append(numbers[number])
        if members or keep_empty:
            order.append(members)
    if not seen:
        raise DataError("the order is empty; expected numbers of alternatives")
    return order


def _check_count(head: list[str], votes: list[tuple[int, Order]]) -> None:
    wanted, found = _field(head, "NUMBER VOTERS"), sum(count for count, _ in votes)
    if wanted.isdigit() and int(wanted) != found:
        raise DataError(
            f"The header speaks of {wanted} voters, but the counts in front of the "
            f"orders add up to {found}. Correct one of them."
        )


def write_preflib(answers: Any, names: Sequence[str], ending: str, file: str) -> str:
    """Write rankings (.soc, .soi), or ratings as orders with ties (.toc, .toi)."""
    orders = _orders_of(answers)
    bad = [name for name in names if "\n" in name or "\r" in name]
    if bad:
        raise DataError(f"PrefLib names are one line each. Got {bad[0]!r}.")
    complete = all(sum(map(len, order)) == len(names) for order in orders)
    strict = all(len(group) == 1 for order in orders for group in order)
    fits = f"{'s' if strict else 't'}o{'c' if complete else 'i'}"
    allowed = {fits, f"to{fits[2]}", f"{fits[0]}oi", "toi"}
    if ending not in allowed:
        raise DataError(
            f"These orders do not fit into a .{ending} file: "
            f"{'some have ties' if not strict else 'some leave alternatives out'}. "
            f"Use .{fits}."
        )
    counts = Counter(tuple(tuple(sorted(group)) for group in order) for order in orders)
    head = [
        ("FILE NAME", file),
        ("TITLE", "Answers"),
        ("DATA TYPE", ending),
        ("MODIFICATION TYPE", "original"),
        ("NUMBER ALTERNATIVES", len(names)),
        ("NUMBER VOTERS", len(orders)),
        ("NUMBER UNIQUE ORDERS", len(counts)),
        *((f"ALTERNATIVE NAME {k}", name) for k, name in enumerate(names, 1)),
    ]
    lines = [f"# {key}: {value}" for key, value in head]
    for order, count in sorted(counts.items(), key=lambda pair: (-pair[1], pair[0])):
        cells = [",".join(str(item + 1) for item in group) for group in order]
        written = [f"{{{cell}}}" if "," in cell else cell for cell in cells]
        lines.append(f"{count}: {','.join(written)}")
    return "\n".join(lines) + "\n"


def _orders_of(answers: Any) -> list[Order]:
    if isinstance(answers, Rankings):
        return [[[int(item)] for item in order] for order in answers.orders]
    if not isinstance(answers, Ratings):
        raise DataError(
            "PrefLib files hold orders: give Rankings, or Ratings, whose equal values "
            f"become ties. Got {type(answers).__name__}."
        )
    users = np.zeros(len(answers)) if answers.users is None else answers.users
    orders = []
    for user in dict.fromkeys(users.tolist()):
        own = np.flatnonzero(users == user)
        if len(set(answers.items[own].tolist())) < own.size:
            raise DataError(
                f"Person {user!r} rated an item twice; an order lists it once."
            )
        values = answers.values[own]
        orders.append(
            [
                answers.items[own[values == value]].tolist()
                for value in sorted(set(values.tolist()), reverse=True)
            ]
        )
    return orders
