"""Limits: what an item must have to come into question, and how to relax that."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Literal, Self

import numpy as np

from penchant._validation import set_fields
from penchant.data._attribute import Attribute
from penchant.data._items import Items
from penchant.data._read_number import read_number
from penchant.exceptions import DataError
from penchant.typing import BoolArray, FloatArray, IntArray

Bound = Literal["at_least", "at_most", "one_of", "known"]

_EQUAL = 1e-9
"""Share of a bound by which a value may miss it: units were converted."""


@dataclass(frozen=True)
class Limit:
    """What the value of one attribute must be.

    Parameters
    ----------
    attribute : str
        Its name.
    at_least, at_most : float, optional
        Bounds of a number, in the unit of the column; a date in days since 1970.
    one_of : tuple of str
        The levels that will do; empty: all.
    known : bool, default=False
        Whether an item without a value fails. It does not, unless this is said.

    Examples
    --------
    >>> from penchant.data import Limit
    >>> Limit("rent", at_most=900)
    Limit(attribute='rent', at_least=None, at_most=900.0, one_of=(), known=False)
    """

    attribute: str
    at_least: float | None = None
    at_most: float | None = None
    one_of: tuple[str, ...] = ()
    known: bool = False

    def __post_init__(self) -> None:
        if not isinstance(self.attribute, str) or not self.attribute:
            raise DataError(f"A limit names an attribute. Got {self.attribute!r}.")
        for name in ("at_least", "at_most"):
            set_fields(self, **{name: self._number(name)})
        low, high = self.at_least, self.at_most
        if low is not None and high is not None and low > high:
            raise self._wrong(f"at least {low:g} and at most {high:g} fits nothing")
        levels: Any = self.one_of
        if isinstance(levels, str) or not all(isinstance(e, str) for e in levels):
            raise self._wrong(f"one_of must be a list of levels. Got {levels!r}")
        set_fields(self, one_of=tuple(dict.fromkeys(levels)))
        if not isinstance(self.known, bool):
            raise self._wrong(f"known must be true or false. Got {self.known!r}")
        if not self.bounds:
            raise self._wrong("say at_least, at_most, one_of or known")
        if self.one_of and not {"at_least", "at_most"}.isdisjoint(self.bounds):
            raise self._wrong("numbers have bounds and levels one_of, not both")

    def _number(self, name: str) -> float | None:
        value = getattr(self, name)
        if value is None:
            return None
        if isinstance(value, bool) or not isinstance(value, int | float | np.number):
            raise self._wrong(f"{name} must be a number. Got {value!r}")
        if not np.isfinite(value):
            raise self._wrong(f"{name} must be finite. Got {value!r}")
        return float(value)

    def _wrong(self, what: str) -> DataError:
        return DataError(f"The limit of {self.attribute!r}: {what}.")

    @property
    def bounds(self) -> tuple[Bound, ...]:
        """What is said: names of the parameters that set a limit."""
        said: dict[Bound, bool] = {
            "at_least": self.at_least is not None,
            "at_most": self.at_most is not None,
            "one_of": bool(self.one_of),
            "known": self.known,
        }
        return tuple(name for name, is_said in said.items() if is_said)

    def check(self, items: Items) -> Attribute:
        """Give the attribute, or say why the limit cannot be applied to items."""
        attribute = find_attribute(items, self.attribute)
        numeric = attribute.kind == "numeric"
        if numeric and self.one_of:
            raise self._wrong("it holds numbers. Say at_least or at_most")
        if not numeric and not {"at_least", "at_most"}.isdisjoint(self.bounds):
            levels = ", ".join(attribute.levels)
            raise self._wrong(f"it holds levels. Say one_of: {levels}")
        strange = [level for level in self.one_of if level not in attribute.levels]
        if strange:
            raise self._wrong(
                f"there is no level {strange[0]!r}. There are: "
                f"{', '.join(attribute.levels)}"
            )
        return attribute

    def fits(self, items: Items) -> BoolArray:
        """Tell which items meet the limit, shape (n_items,)."""
        column = items.frame[self.check(items).name]
        blank = column.isna().to_numpy()
        if self.one_of:
            inside = column.isin(self.one_of).to_numpy()
        elif self.bounds == ("known",):
            inside = ~blank
        else:
            values = column.to_numpy(dtype=np.float64)
            low = -np.inf if self.at_least is None else _slack(self.at_least, -1)
            high = np.inf if self.at_most is None else _slack(self.at_most, 1)
            inside = (values >= low) & (values <= high)
        return np.asarray(inside | (blank & (not self.known)), dtype=bool)

    def to_dict(self) -> dict[str, Any]:
        """Give what is said about the attribute as plain values for JSON."""
        said = {name: getattr(self, name) for name in self.bounds}
        return {k: list(v) if k == "one_of" else v for k, v in said.items()}


def _slack(bound: float, sign: int) -> float:
    return bound + sign * _EQUAL * abs(bound)


@dataclass(frozen=True)
class Relaxation:
    """One limit made wider, as little as brings anything.

    Parameters
    ----------
    bound : {"at_least", "at_most", "one_of", "known"}
        What is changed.
    value : float, str or None
        The new bound, or the level that will do, too; None: blanks will do.
    n_more : int
        So many more items fit.
    attribute : str
        Of which attribute.
    limits : Limits
        What then holds.
    """

    bound: Bound
    value: float | str | None
    n_more: int
    attribute: str
    limits: "Limits" = field(repr=False)


@dataclass(frozen=True)
class Limits:
    """What items must have: at most one limit per attribute, all of which must hold.

    Parameters
    ----------
    limits : iterable of Limit

    Examples
    --------
    >>> from penchant.data import Limits
    >>> from penchant.datasets import load_flats
    >>> flats = load_flats()
    >>> limits = Limits.from_words(flats, at_most={"price": "900 EUR"})
    >>> int(limits.fits(flats).sum())
    28
    >>> limits.relaxations(flats)[0].value, limits.relaxations(flats)[0].n_more
    (910.0, 1)
    """

    limits: tuple[Limit, ...] = ()

    def __post_init__(self) -> None:
        limits = tuple(self.limits)
        named = [limit.attribute for limit in limits]
        twice = [name for name in named if named.count(name) > 1]
        if twice:
            raise DataError(f"There are two limits of {twice[0]!r}. Give one.")
        set_fields(self, limits=limits)

    def __iter__(self) -> Iterator[Limit]:
        return iter(self.limits)

    def __bool__(self) -> bool:
        return bool(self.limits)

    @classmethod
    def from_words(
        cls,
        items: Items,
        *,
        at_least: Mapping[str, str] | None = None,
        at_most: Mapping[str, str] | None = None,
        one_of: Mapping[str, Iterable[str]] | None = None,
        known: Iterable[str] = (),
    ) -> Self:
        """Read limits as people type them; numbers may have units.

        Parameters
        ----------
        items : Items
            Whose attributes are meant.
        at_least, at_most : mapping from attribute to text, optional
            Such as ``{"rent": "1,200 EUR"}``.
        one_of : mapping from attribute to texts, optional
            The levels that will do.
        known : iterable of str
            Attributes of which a missing value does not do.
        """
        said: dict[str, dict[str, Any]] = {}

        def say(name: str, bound: str, value: Any) -> None:
            said.setdefault(find_attribute(items, name).name, {})[bound] = value

        for bound, texts in (("at_least", at_least), ("at_most", at_most)):
            for name, text in (texts or {}).items():
                say(name, bound, read_number(find_attribute(items, name), text))
        for name, levels in (one_of or {}).items():
            attribute = find_attribute(items, name)
            say(name, "one_of", tuple(_read_level(attribute, e) for e in levels))
        for name in known:
            say(name, "known", True)
        limits = cls(tuple(Limit(name, **each) for name, each in said.items()))
        return limits.check(items)

    def check(self, items: Items) -> Self:
        """Return these limits if they can be applied to items, or say why not."""
        for limit in self:
            limit.check(items)
        return self

    def about(self, items: Items) -> "Limits":
        """Leave out what cannot be applied to items: their columns have changed."""
        return Limits(tuple(limit for limit in self if _applies(limit, items)))

    def fits(self, items: Items) -> BoolArray:
        """Tell which items meet all limits, shape (n_items,)."""
        met = np.ones(len(items), dtype=bool)
        for limit in self:
            met &= limit.fits(items)
        return met

    def allowed(self, items: Items) -> IntArray:
        """Give the positions of the items that meet all limits."""
        return np.flatnonzero(self.fits(items))

    def replaced(self, attribute: str, limit: Limit | None) -> "Limits":
        """Give the limits with that of an attribute replaced; None: it goes."""
        kept = (limit if each.attribute == attribute else each for each in self)
        return Limits(tuple(each for each in kept if each is not None))

    def relaxations(
        self, items: Items, among: BoolArray | None = None
    ) -> list[Relaxation]:
        """Give the smallest change of each bound alone that lets more items fit.

        Parameters
        ----------
        items : Items
        among : ndarray of bool of shape (n_items,), optional
            The items that can come into question at all; default: all.

        Returns
        -------
        list of Relaxation
            Those that bring most first; none where no single change brings anything.
        """
        found = []
        for limit in self:
            out = self._fail_only(limit, items, among)
            for bound in limit.bounds if out.any() else ():
                relaxed = _relax(limit, bound, items, out)
                if relaxed is not None:
                    value, wider = relaxed
                    limits = self.replaced(limit.attribute, wider)
                    more = out if wider is None else out & wider.fits(items)
                    n = int(more.sum())
                    if n:
                        found.append(
                            Relaxation(bound, value, n, limit.attribute, limits)
                        )
        return sorted(found, key=lambda each: -each.n_more)

    def drops(
        self, items: Items, among: BoolArray | None = None
    ) -> list[tuple[Limit, int]]:
        """Give how many more items fit without each limit, the most first."""
        counts = [
            (limit, int(self._fail_only(limit, items, among).sum())) for limit in self
        ]
        return sorted(counts, key=lambda each: -each[1])

    def _fail_only(
        self, limit: Limit, items: Items, among: BoolArray | None
    ) -> BoolArray:
        """Tell which items meet all limits but this one."""
        others = self.replaced(limit.attribute, None).fits(items)
        possible = np.ones(len(items), bool) if among is None else among
        return others & possible & ~limit.fits(items)

    def to_dict(self) -> dict[str, Any]:
        """Give the limits as plain values for JSON, by attribute."""
        return {limit.attribute: limit.to_dict() for limit in self}

    @classmethod
    def from_dict(cls, values: Any) -> Self:
        """Make limits of what `to_dict` gave."""
        if not isinstance(values, Mapping):
            raise DataError(
                "Limits map attributes to what must hold, such as "
                f"{{'rent': {{'at_most': 900}}}}. Got {values!r}."
            )
        return cls(tuple(_plain_limit(name, said) for name, said in values.items()))


def _plain_limit(name: Any, said: Any) -> Limit:
    known = {"at_least", "at_most", "one_of", "known"}
    if not isinstance(said, Mapping) or not known.issuperset(said):
        raise DataError(
            f"The limit of {name!r} must map some of {', '.join(sorted(known))} to "
            f"values. Got {said!r}."
        )
    levels = said.get("one_of", ())
    if not isinstance(levels, list | tuple):
        raise DataError(
            f"The limit of {name!r}: one_of must be a list of levels. Got {levels!r}."
        )
    return Limit(name, **{**said, "one_of": tuple(levels)})


def _applies(limit: Limit, items: Items) -> bool:
    try:
        limit.check(items)
    except DataError:
        return False
    return True


def _relax(
    limit: Limit, bound: Bound, items: Items, out: BoolArray
) -> tuple[float | str | None, Limit | None] | None:
    """Widen one bound until it lets the first of the items in that are out."""
    column = items.frame[limit.attribute]
    blank = column.isna().to_numpy()
    if bound == "known":
        if not (out & blank).any():
            return None
        alone = limit.bounds == ("known",)
        return None, None if alone else replace(limit, known=False)
    if not (out & ~blank).any():
        return None
    if bound == "one_of":
        counts = column[out & ~blank].value_counts(sort=False)
        level = str(counts.idxmax())  # of equals the first level
        return level, replace(limit, one_of=(*limit.one_of, level))
    values: FloatArray = column[out & ~blank].to_numpy(dtype=np.float64)
    if bound == "at_most":
        beyond = values[values > _slack(float(limit.at_most or 0.0), 1)]
        nearest = float(beyond.min(initial=np.inf))
        wider = replace(limit, at_most=nearest) if beyond.size else limit
    else:
        beyond = values[values < _slack(float(limit.at_least or 0.0), -1)]
        nearest = float(beyond.max(initial=-np.inf))
        wider = replace(limit, at_least=nearest) if beyond.size else limit
    return (nearest, wider) if beyond.size else None


def find_attribute(items: Items, name: str) -> Attribute:
    """Give the attribute of a name, whatever its case, or say which there are."""
    wanted = str(name).strip()
    by_name = {attribute.name.casefold(): attribute for attribute in items.attributes}
    by_name |= {attribute.name: attribute for attribute in items.attributes}
    found = by_name.get(wanted) or by_name.get(wanted.casefold())
    if found is not None:
        return found
    raise DataError(
        f"There is no attribute {name!r} to set a limit of. There are: "
        f"{', '.join(a.name for a in items.attributes) or 'none'}."
    )


def _read_level(attribute: Attribute, text: str) -> str:
    """Find a level whatever its case; an unknown one is refused later."""
    wanted = str(text).strip()
    folded = {level.casefold(): level for level in attribute.levels}
    return (
        wanted if wanted in attribute.levels else folded.get(wanted.casefold(), wanted)
    )
