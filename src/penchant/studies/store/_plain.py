"""Plain values: which texts, bodies and moments a database can keep, and how."""

import json
import math
import re
from collections.abc import Mapping
from dataclasses import replace
from datetime import UTC, datetime
from typing import Any, Final

import numpy as np

from penchant.data import Items
from penchant.exceptions import DataError, MissingExtraError

try:
    import sqlalchemy as sa
except ImportError:
    raise MissingExtraError("sqlalchemy", "app") from None

_LARGEST: Final = 1e20
"""Size of a number in a table, and one over it the smallest: pages show all digits."""

_IMPOSSIBLE = re.compile("[\0\ud800-\udfff]")


def is_text(text: str) -> bool:
    """Tell whether every database can keep a text: no NUL, no half characters."""
    return _IMPOSSIBLE.search(text) is None


def check_text(what: str, text: object, *, longest: int | None = None) -> None:
    """Refuse what is not a text, is too long, or cannot be kept."""
    if not isinstance(text, str):
        raise DataError(f"{what} must be a text. Got {text!r}.")
    if longest is not None and len(text) > longest:
        raise DataError(
            f"{what} may have {longest:,} characters. Got {len(text):,}; shorten it.",
            "errors.too_long",
            most=longest,
        )
    if _IMPOSSIBLE.search(text):
        raise DataError(
            f"{what} contains a character that cannot be stored (NUL or half of a "
            "pair). Remove it."
        )


def check_numbers(items: Items) -> None:
    """Refuse numbers that are too small or too large to show and to reckon with.

    Raises
    ------
    DataError
        Which names the row, the column and what was found.
    """
    for attribute in items.attributes:
        if attribute.kind != "numeric":
            continue
        column = items.frame[attribute.name].to_numpy(dtype=np.float64, na_value=np.nan)
        low, high = attribute.domain or (0.0, 0.0)
        found = np.abs([*column, float(low), float(high)])
        bad = np.flatnonzero(
            (found > _LARGEST) | ((found < 1 / _LARGEST) & (found > 0))
        )
        if bad.size:
            name = items.names[bad[0]] if bad[0] < len(items) else "the domain"
            raise DataError(
                f"The number {found[bad[0]]:g} of {attribute.name!r} in {name!r} is "
                "too large or too small. Numbers must be 0 or between "
                f"{1 / _LARGEST:g} and {_LARGEST:g} in size; choose another unit."
            )


def bound_numbers(items: Items) -> Items:
    """Move numbers that `check_numbers` refuses to the nearest that it takes.

    Tables that were kept before it refused any may hold them.
    """
    frame, attributes = items.frame.copy(), list(items.attributes)
    for number, attribute in enumerate(attributes):
        if attribute.kind == "numeric":
            frame[attribute.name] = _bounded(frame[attribute.name])
            if attribute.domain is not None:
                ends = _bounded(np.asarray(attribute.domain, dtype=np.float64))
                attributes[number] = replace(attribute, domain=tuple(ends.tolist()))
    return replace(items, frame=frame, attributes=tuple(attributes))


def _bounded(numbers: Any) -> Any:
    kept = numbers.clip(-_LARGEST, _LARGEST)
    return kept * (abs(kept) >= 1 / _LARGEST)


def pack(body: Mapping[str, Any], *, sort_keys: bool = True) -> str:
    """Write the body of an event as JSON in its one canonical form.

    The keys are sorted, there are no spaces, and all is ASCII, which every database
    keeps. What was written before that was so keeps the order of its keys.
    """
    if not isinstance(body, Mapping):
        raise DataError(f"The body of an event must be a mapping. Got {body!r}.")
    try:
        return json.dumps(
            dict(body), allow_nan=False, separators=(",", ":"), sort_keys=sort_keys
        )
    except (TypeError, ValueError, RecursionError) as error:
        raise DataError(
            f"The body of an event must be plain values for JSON: {error}."
        ) from None


def unpack(text: str) -> dict[str, Any]:
    """Read a body; a text that is none comes back under the key "unreadable"."""
    try:
        body = json.loads(text, parse_constant=_refuse, parse_float=_finite)
    except (ValueError, RecursionError):
        return {"unreadable": text}
    return body if isinstance(body, dict) else {"unreadable": text}


def _refuse(constant: str) -> float:
    raise ValueError(f"{constant} is not a number in JSON")


def _finite(text: str) -> float:
    number = float(text)
    return number if math.isfinite(number) else _refuse(text)


class Moment(sa.types.TypeDecorator[datetime]):
    """A moment in UTC; SQLite has no time zones, so they are set on the way."""

    impl = sa.DateTime
    cache_ok = True

    def process_bind_param(self, value: datetime | None, dialect: Any) -> Any:
        """Drop the zone after moving to UTC."""
        return None if value is None else value.astimezone(UTC).replace(tzinfo=None)

    def process_result_value(self, value: Any, dialect: Any) -> datetime | None:
        """Put the zone back."""
        return None if value is None else value.replace(tzinfo=UTC)


class Key(sa.types.TypeDecorator[str]):
    """An identifier or a digest in hexadecimal digits.

    People edit addresses. What cannot be a key finds nothing, where a database
    might refuse the whole statement because of a character.
    """

    impl = sa.String
    cache_ok = True

    def process_bind_param(self, value: str | None, dialect: Any) -> Any:
        """Let only plain letters and digits through."""
        if value is None or (value.isascii() and value.isalnum()):
            return value
        return ""


def as_json(value: Mapping[str, Any]) -> str:
    """Write a mapping as it is kept."""
    return json.dumps(value, separators=(",", ":"))


class Body(sa.types.TypeDecorator[dict[str, Any]]):
    """A mapping as JSON in ASCII; reading it never fails."""

    impl = sa.Text
    cache_ok = True

    def process_bind_param(
        self, value: dict[str, Any] | str | None, dialect: Any
    ) -> Any:
        """Write it, unless it is written already; it was checked that it can be."""
        return as_json(value) if isinstance(value, dict) else value

    def process_result_value(self, value: Any, dialect: Any) -> dict[str, Any] | None:
        """Read it."""
        return None if value is None else unpack(value)
