"""The form in which owners and participants say what an alternative must have."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from types import SimpleNamespace as View
from typing import Any, NamedTuple

from penchant.data import DATE, Attribute, Items, Limit, Limits, Relaxation, read_number
from penchant.exceptions import DataError
from penchant.studies import WhatFits
from penchant.texts import Texts
from penchant.views._display import show_name

_BOUNDS = ("at_least", "at_most")
_OURS = re.compile(r"(at_least|at_most|level|known)-\d+")
_LONGEST_LABEL = 40
_LONGEST_TYPED = 40
_MOST_OFFERED = 2
"""Ways of one kind to relax that are offered at once."""


class Bound(NamedTuple):
    """A field for one end of a number."""

    field: str
    label: str
    value: str


class Offer(NamedTuple):
    """A way to relax: a button that does it, and what it says."""

    value: str
    words: str


@dataclass(frozen=True)
class LimitsForm:
    """What an alternative must have, as typed, and what that leaves.

    Parameters
    ----------
    fields : tuple of LimitField
        One per attribute.
    sentence : str
        How many alternatives fit; empty: there are no limits.
    offers : tuple of Offer
        Ways to relax.
    typed : tuple of (str, str)
        What the fields hold, for the buttons that relax it.
    owner : str
        What the study itself demands; empty: nothing.
    error : str
        What to correct.
    """

    fields: tuple[View, ...]
    sentence: str = ""
    offers: tuple[Offer, ...] = ()
    typed: tuple[tuple[str, str], ...] = ()
    owner: str = ""
    error: str = ""

    @property
    def is_set(self) -> bool:
        """Whether anything is demanded."""
        return bool(self.sentence)


def limits_form(
    items: Items, found: WhatFits, texts: Texts, owner: Limits | None = None
) -> LimitsForm:
    """Fill in the form with limits that hold.

    Parameters
    ----------
    items : Items
        The alternatives.
    found : WhatFits
        What fits the limits.
    texts : Texts
        In the language of whoever reads it.
    owner : Limits, optional
        What the study itself demands.
    """
    typed = _typed(items, found.limits, texts)
    form = LimitsForm(
        _fields(items, typed, texts),
        typed=tuple(typed.items()),
        owner=limits_words(items, owner, texts) if owner else "",
    )
    if not found.limits:
        return form
    key = "limits.aside" if found.set_aside else "limits.fit"
    told = texts.count(key, found.n_fit, total=texts.number(found.n_items))
    return replace(form, sentence=told, offers=_offers(items, found, texts))


def owner_limits_form(items: Items, limits: Limits, texts: Texts) -> LimitsForm:
    """Fill in the form with what the owner of a study demands."""
    found = WhatFits.among(items, Limits(), limits)
    form = limits_form(items, found, texts)
    total = texts.number(found.n_items)
    told = texts.count("limits.fit_all", found.n_fit, total=total) if limits else ""
    return replace(form, sentence=told)


def check_owner_limits(
    items: Items, fields: Mapping[str, Any], texts: Texts
) -> tuple[Limits | None, LimitsForm]:
    """Read what an owner demands, or say in the form why that is not possible."""
    try:
        limits = read_limits(items, fields, texts)
    except DataError as error:
        return None, refused_form(items, fields, texts, error=str(error))
    found = WhatFits.among(items, Limits(), limits)
    if found.set_aside:
        return None, refused_form(items, fields, texts, found=found)
    return limits, owner_limits_form(items, limits, texts)


def limits_words(items: Items, limits: Limits, texts: Texts) -> str:
    """Say limits in words, in one line."""
    attributes = {each.name: each for each in items.attributes}
    parts = [
        _bound_words(attributes[limit.attribute], limit, bound, texts)
        for limit in limits.about(items)
        for bound in limit.bounds
    ]
    return texts.listed(parts)


def _bound_words(attribute: Attribute, limit: Limit, bound: str, texts: Texts) -> str:
    name = show_name(attribute.name, _LONGEST_LABEL)
    value = ""
    if bound == "one_of":
        value = texts.listed(
            [show_name(level, _LONGEST_LABEL) for level in limit.one_of]
        )
    elif bound != "known":
        value = _value(attribute, getattr(limit, bound), texts)
    return texts(f"limits.words_{bound}", attribute=name, value=value)


def _value(attribute: Attribute, value: float | str, texts: Texts) -> str:
    return show_name(texts.value(attribute, value), _LONGEST_LABEL)


def _offers(items: Items, found: WhatFits, texts: Texts) -> tuple[Offer, ...]:
    """Offer the smallest steps; where nothing fits, also to drop a limit."""
    offers = [_offer(items, each, texts) for each in found.relaxations]
    if not found.set_aside:
        return tuple(offers[:_MOST_OFFERED])
    drops = [_drop(items, limit, n, texts) for limit, n in found.drops if n]
    return tuple(drops[:_MOST_OFFERED] + offers[:_MOST_OFFERED])


def _offer(items: Items, each: Relaxation, texts: Texts) -> Offer:
    place, attribute = _find(items, each.attribute)
    said = texts.count(
        f"limits.more_{each.bound}",
        each.n_more,
        attribute=show_name(attribute.name, _LONGEST_LABEL),
        value="" if each.value is None else _value(attribute, each.value, texts),
    )
    return Offer(f"{place}-{each.bound}", said)


def _drop(items: Items, limit: Limit, n_more: int, texts: Texts) -> Offer:
    place, attribute = _find(items, limit.attribute)
    name = show_name(attribute.name, _LONGEST_LABEL)
    words = texts.count("limits.more_without", n_more, attribute=name)
    return Offer(f"{place}-drop", words)


def _find(items: Items, name: str) -> tuple[int, Attribute]:
    found = enumerate(items.attributes)
    return next((k, each) for k, each in found if each.name == name)


def read_limits(items: Items, fields: Mapping[str, Any], texts: Texts) -> Limits:
    """Read what was sent, or raise a DataError in the language of the reader."""
    limits = []
    for place, attribute in enumerate(items.attributes):
        said: dict[str, Any] = {
            bound: _read_bound(attribute, f"{bound}-{place}", fields, texts)
            for bound in _BOUNDS
        }
        levels = attribute.levels
        ticked = [e for k, e in enumerate(levels) if f"level-{place}-{k}" in fields]
        said["one_of"] = tuple(ticked) if len(ticked) < len(levels) else ()
        said["known"] = f"known-{place}" in fields
        low, high = said["at_least"], said["at_most"]
        if low is not None and high is not None and low > high:
            name = show_name(attribute.name, _LONGEST_LABEL)
            raise DataError(texts("limits.wrong_order", attribute=name))
        if any(value not in (None, (), False) for value in said.values()):
            limits.append(Limit(attribute.name, **said))
    return Limits(tuple(limits))


def _read_bound(
    attribute: Attribute, field: str, fields: Mapping[str, Any], texts: Texts
) -> float | None:
    text = fields.get(field, "")
    text = text.strip()[:_LONGEST_TYPED] if isinstance(text, str) else ""
    if not text or attribute.kind != "numeric":
        return None
    try:
        return read_number(attribute, text)
    except DataError:
        key = "limits.wrong_date" if attribute.unit == DATE else "limits.wrong_number"
        told = texts(key, attribute=_label(attribute), text=show_name(text))
        raise DataError(told) from None


def relaxed(items: Items, found: WhatFits, wanted: str) -> Limits:
    """Give the limits that the pressed button asks for, or those there are."""
    place, _, bound = wanted.partition("-")
    for each in found.relaxations:
        if (f"{_find(items, each.attribute)[0]}", each.bound) == (place, bound):
            return each.limits
    for limit, _ in found.drops:
        if bound == "drop" and f"{_find(items, limit.attribute)[0]}" == place:
            return found.limits.replaced(limit.attribute, None)
    return found.limits


def refused_form(
    items: Items,
    fields: Mapping[str, Any],
    texts: Texts,
    *,
    error: str = "",
    found: WhatFits | None = None,
) -> LimitsForm:
    """Show what was typed again, with what is wrong or the ways out."""
    sent = {k: v for k, v in fields.items() if isinstance(v, str) and _OURS.match(k)}
    form = LimitsForm(
        _fields(items, sent, texts), typed=tuple(sent.items()), error=error
    )
    if found is None:
        return form
    key = (
        "limits.nothing" if any(n for _, n in found.drops) else "limits.nothing_single"
    )
    return replace(form, error=texts(key), offers=_offers(items, found, texts))


def _typed(items: Items, limits: Limits, texts: Texts) -> dict[str, str]:
    """Give limits as the fields of the form hold them."""
    typed = {}
    for limit in limits:
        place, attribute = _find(items, limit.attribute)
        for bound in _BOUNDS:
            value = getattr(limit, bound)
            if value is not None:
                typed[f"{bound}-{place}"] = _shown(attribute, value, texts)
        for k, level in enumerate(attribute.levels):
            if level in limit.one_of:
                typed[f"level-{place}-{k}"] = "yes"
        if limit.known:
            typed[f"known-{place}"] = "yes"
    return typed


def _shown(attribute: Attribute, value: float, texts: Texts) -> str:
    """Write a bound so that it is read back as the same."""
    if attribute.unit == DATE:
        return attribute.format(value)
    text = texts.number(value)
    try:
        same = read_number(attribute, text) == value
    except DataError:
        same = False
    return text if same else f"{value:.12g}"


def _fields(items: Items, typed: Mapping[str, Any], texts: Texts) -> tuple[View, ...]:
    return tuple(
        _field(items, place, attribute, typed, texts)
        for place, attribute in enumerate(items.attributes)
    )


def _field(
    items: Items,
    place: int,
    attribute: Attribute,
    typed: Mapping[str, Any],
    texts: Texts,
) -> View:
    known = f"known-{place}"
    blanks = bool(items.frame[attribute.name].isna().any()) or known in typed
    return View(
        label=_label(attribute),
        bounds=tuple(
            Bound(
                f"{b}-{place}", texts(f"limits.{b}"), str(typed.get(f"{b}-{place}", ""))
            )
            for b in _open_ends(attribute, place, typed)
        ),
        levels=tuple(
            View(
                field=field,
                label=show_name(level, _LONGEST_LABEL),
                ticked=field in typed,
            )
            for k, level in enumerate(attribute.levels)
            if (field := f"level-{place}-{k}")
        ),
        known=View(field=known, label=texts("limits.known"), ticked=known in typed)
        if blanks
        else None,
    )


def _label(attribute: Attribute) -> str:
    """Give the name of an attribute with its unit."""
    name = show_name(attribute.name, _LONGEST_LABEL)
    beside = show_name(attribute.unit_beside, _LONGEST_LABEL)
    return f"{name} ({beside})" if beside else name


def _open_ends(
    attribute: Attribute, place: int, typed: Mapping[str, Any]
) -> Sequence[str]:
    """Give the ends of a number that somebody may want to limit."""
    if attribute.kind != "numeric":
        return ()
    usual = {"up": "at_least", "down": "at_most"}.get(attribute.direction)
    return [b for b in _BOUNDS if usual in (None, b) or typed.get(f"{b}-{place}")]
