"""What changed in a table, in words."""

from collections.abc import Sequence
from itertools import groupby

from penchant.studies import TableChange
from penchant.texts import Texts
from penchant.views._display import show_name

_MOST_NAMED = 3
"""Alternatives of one kind of change that are named one by one."""

_SHOWN_ROLES = ("shown", "picture", "link", "text", "identifier")


def change_words(changes: Sequence[TableChange], texts: Texts) -> list[str]:
    """Say what changed, one sentence for each thing or for alternatives alike."""
    said: list[str] = []
    for kind, group in groupby(changes, lambda change: change.kind):
        same = list(group)
        if kind in ("added", "withdrawn", "restored"):
            names = [show_name(change.item, 40) for change in same[:_MOST_NAMED]]
            listed = texts.listed(names)
            if len(same) > _MOST_NAMED:
                more = texts.number(len(same) - _MOST_NAMED)
                listed = texts("table.and_more", names=", ".join(names), n=more)
            said.append(texts.count(f"table.{kind}", len(same), names=listed))
        else:
            said += [_one(change, texts) for change in same]
    return said


def some_changes(
    changes: Sequence[TableChange], texts: Texts, most: int
) -> tuple[list[str], int]:
    """Say the first of what changed, and how many sentences are left out."""
    said = change_words(changes, texts)
    return said[:most], max(len(said) - most, 0)


def _one(change: TableChange, texts: Texts) -> str:
    key = change.kind.replace(" ", "_")
    if change.kind == "value" and not change.before:
        key = "value_known"
    elif change.kind == "value" and not change.after:
        key = "value_unknown"
    before, after = (
        _word(change.kind, value, texts) for value in (change.before, change.after)
    )
    return texts(
        f"table.{key}",
        item=show_name(change.item, 40),
        column=show_name(change.column, 40),
        before=before,
        after=after,
    )


def _word(kind: str, value: str, texts: Texts) -> str:
    """Give a value as people read it."""
    if kind == "direction":
        return texts(f"owner.columns.direction_{value}").lower()
    if kind == "kind":
        return texts(f"owner.columns.kind_{value}").lower()
    if kind == "role":
        shown = value in _SHOWN_ROLES
        return texts(f"owner.columns.role_{'show' if shown else 'attribute'}").lower()
    return show_name(value, 60) or texts("table.nothing")
