"""The smallest change of an item that reverses a preference (EX-11)."""

from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from itertools import combinations
from typing import Any, TypeAlias

import numpy as np
import pandas as pd

from penchant.data import Items
from penchant.exceptions import NotAnswerableError
from penchant.explanation._attribute_range import AttributeRange, find_ranges
from penchant.explanation._sampling import output_of
from penchant.explanation._tables import as_row, shown_rows, stack_rows
from penchant.typing import BoolArray, FloatArray

_POINTS = 129
"""Values of a numeric attribute that are looked at first."""
_ZOOM = 17
"""Values per round between a value that reverses and its neighbour."""
_ROUNDS = 5
_PAIR_ROWS = 60_000
"""Items that are looked at first for changes of two attributes, about."""
_PAIRS = 4
"""Pairs of attributes that are looked at more closely."""
_PAIR_ZOOM, _PAIR_ROUNDS, _SHRINK = 17, 14, 0.5
"""Values per attribute and round around a pair of values, ever closer.

Along the border sizes hardly change, so that the surroundings must not shrink too fast.
"""

Values: TypeAlias = Any  # a sequence of values of an attribute, often an array
Changes: TypeAlias = dict[int, Values]


@dataclass(frozen=True)
class Change:
    """Another value of an attribute.

    Parameters
    ----------
    attribute : str
    before, after : object
        The two values, in the units of the data.
    shown : object
        A rounder number a little beyond `after`, where that suffices, too.
    before_text, after_text : str
        `before` and `shown` as people read them.
    size : float
        Length of the change as a share of the range: of the domain of a numeric
        attribute, of the steps between first and last level; 1 for a category.
    """

    attribute: str
    before: Any
    after: Any
    shown: Any
    before_text: str
    after_text: str
    size: float

    def __str__(self) -> str:
        return f"{self.attribute} {self.after_text} instead of {self.before_text}"


@dataclass(frozen=True)
class Flip:
    """What would reverse a preference between an item and its rival.

    Parameters
    ----------
    is_better : bool
        Whether the item is the better one as it is.
    one : Change or None
        The smallest change of one attribute of the item that reverses it; None:
        there is none within the domains.
    two : tuple of two Change, or None
        The smallest change of two attributes, by the square root of the sum of the
        squares of their sizes.
    by_attribute : tuple of Change
        For every attribute that can do it alone its smallest change, smallest first.
    """

    is_better: bool
    one: Change | None
    two: tuple[Change, Change] | None
    by_attribute: tuple[Change, ...]

    @property
    def text(self) -> str:
        """The changes as sentences."""
        now = "better" if self.is_better else "worse"
        then = "worse" if self.is_better else "better"
        sentences = [f"The item is {now} than its rival."]
        if self.one is not None:
            sentences.append(f"It would be {then} with {self.one}.")
        else:
            sentences.append(f"No change of one attribute makes it {then}.")
        if self.two is not None:
            first, second = self.two
            sentences.append(f"It would be {then} with {first} and {second}.")
        elif self.one is None:
            sentences.append("Nor does a change of two.")
        return " ".join(sentences)

    def __str__(self) -> str:
        return self.text

    def to_dict(self) -> dict[str, Any]:
        """Give the changes as plain values for JSON."""
        return {**asdict(self), "text": self.text}


def flip(model: Any, item: Any, rival: Any, *, domain: Any = None) -> Flip:
    """Find the smallest change of an item that reverses the preference.

    If the item is better than the rival: which change of one attribute, or of two,
    makes it worse; if it is worse: which makes it better. Changes stay within the
    domains and are measured as shares of the range.

    Parameters
    ----------
    model : fitted model
        With `utility` or `predict`.
    item, rival : Items or DataFrame with one row, Series, mapping or array-like (d,)
        The two items; the first one is changed.
    domain : (low, high) or sequence with one entry per attribute, optional
        The values that attributes can take: two ends, or levels if more than two.
        Default: those of the Items, or those that the model knows.

    Returns
    -------
    Flip

    Notes
    -----
    Every attribute is looked at in 129 values of its domain, and where the preference
    is first reversed exactly, to 1e-7 of the range: what happens only between two of
    these values is missed. Pairs of attributes are looked at on a coarser grid, and the
    best of them closely.

    Examples
    --------
    >>> from penchant.explanation import flip
    >>> from penchant.models import GAIRanker
    >>> pairs = [[[3, 1], [1, 2]], [[2, 0], [1, 1]], [[1, 1], [1, 3]]]
    >>> ranker = GAIRanker().fit(pairs, [1, 1, 0])
    >>> found = flip(ranker, [3, 0], [1, 3])
    >>> found.is_better, found.one.attribute, round(found.one.after, 2)
    (True, 'x0', 2.0)
    """
    search = _Search.begin(model, item, rival, domain)
    alone = search.alone()
    return Flip(
        is_better=bool(search.sign > 0),
        one=alone[0] if alone else None,
        two=search.pairs(),
        by_attribute=tuple(alone),
    )


@dataclass(frozen=True, eq=False)
class _Search:
    """An item, what it must cross, and the values that its attributes can take."""

    row: pd.DataFrame
    ranges: tuple[AttributeRange, ...]
    output: Callable[[pd.DataFrame], FloatArray]
    level: float
    sign: float

    @classmethod
    def begin(cls, model: Any, item: Any, rival: Any, domain: Any) -> "_Search":
        both = stack_rows(as_row(model, item), as_row(model, rival))
        utility = output_of(model, both)
        own, level = (float(value) for value in utility(both))
        if own == level:
            raise NotAnswerableError(
                "flip reverses a preference, and the two items are equally good to the "
                "model."
            )
        row = shown_rows(model, both).iloc[[0]].reset_index(drop=True)
        ranges = find_ranges(model, both, row, domain)
        return cls(row, ranges, _caller(utility, both), level, np.sign(own - level))

    def reversed_at(self, blocks: Sequence[Changes]) -> list[BoolArray]:
        """Tell where the preference is reversed, for all blocks in one table.

        Each block gives some attributes other values, by position; the others keep
        theirs.
        """
        lengths = [len(next(iter(block.values()))) for block in blocks]
        columns = {}
        for k, (name, kind) in enumerate(self.row.dtypes.items()):
            now = self.row.iloc[0, k]
            parts = [
                np.asarray(block.get(k, np.full(n, now, dtype=object)), dtype=object)
                for block, n in zip(blocks, lengths, strict=True)
            ]
            columns[name] = pd.Series(np.concatenate(parts)).astype(kind)
        below = self.sign * (self.output(pd.DataFrame(columns)) - self.level) < 0
        return np.split(below, np.cumsum(lengths)[:-1])

    def _sizes(self, k: int, values: Values) -> FloatArray:
        return self.ranges[k].sizes(self.row.iloc[0, k], values)

    def _changes(self, ways: Sequence[dict[int, Any]]) -> list[tuple[Change, ...]]:
        """Describe ways to reverse the preference: values of some attributes each."""
        if not ways:
            return []
        rounder = [
            {k: self.ranges[k].beyond(self.row.iloc[0, k], v) for k, v in way.items()}
            for way in ways
        ]
        blocks: list[Changes] = [
            {k: [value] for k, value in way.items()} for way in rounder
        ]
        suffices = self.reversed_at(blocks)
        return [
            tuple(self._change(k, way[k], (near if ok[0] else way)[k]) for k in way)
            for way, near, ok in zip(ways, rounder, suffices, strict=True)
        ]

    def _change(self, k: int, value: Any, shown: Any) -> Change:
        span, before = self.ranges[k], self.row.iloc[0, k]
        return Change(
            span.name,
            _plain(before),
            _plain(value),
            _plain(shown),
            span.format(before),
            span.format(shown),
            float(self._sizes(k, [value])[0]),
        )

    def alone(self) -> list[Change]:
        """Give the smallest change of each attribute that suffices."""
        tried: dict[int, Values] = {
            k: span.values(self.row.iloc[0, k], _POINTS)
            for k, span in enumerate(self.ranges)
        }
        best: dict[int, Any] = {}
        for _ in range(_ROUNDS):
            known = self.reversed_at([{k: values} for k, values in tried.items()])
            closer: dict[int, Values] = {}
            for (k, values), good in zip(tried.items(), known, strict=True):
                sizes = np.where(good, self._sizes(k, values), np.inf)
                place = int(np.argmin(sizes))
                if not good.any():
                    continue
                best[k] = values[place]
                if self.ranges[k].is_numeric:
                    closer[k] = self._gap_before(k, values, place)
            tried = closer
            if not tried:
                break
        changes = self._changes([{k: value} for k, value in best.items()])
        return sorted((change for (change,) in changes), key=lambda c: c.size)

    def _gap_before(self, k: int, values: Values, place: int) -> FloatArray:
        """Give numbers from a value that suffices to its neighbour, which does not."""
        step = 1 if values[place] < self.row.iloc[0, k] else -1
        low, high = sorted((float(values[place]), float(values[place + step])))
        return np.linspace(low, high, _ZOOM)

    def pairs(self) -> tuple[Change, Change] | None:
        """Give the smallest change of two attributes that suffices."""
        pairs = list(combinations(range(len(self.ranges)), 2))
        if not pairs:
            return None
        points = int(np.clip(np.sqrt(_PAIR_ROWS / len(pairs)), 5, 33))
        grids = [
            span.values(self.row.iloc[0, k], points)
            for k, span in enumerate(self.ranges)
        ]
        found = self._best_of([_grid(i, grids[i], j, grids[j]) for i, j in pairs])
        best = sorted((f for f in found if f.size < np.inf), key=lambda f: f.size)
        best = best[:_PAIRS]
        reach = 1.0 / (points - 1)
        for _ in range(_PAIR_ROUNDS if best else 0):
            around = [self._around(candidate, reach) for candidate in best]
            closer = self._best_of(around)
            best = [
                min(two, key=lambda f: f.size) for two in zip(best, closer, strict=True)
            ]
            reach *= _SHRINK
        if not best:
            return None
        ((first, second),) = self._changes([min(best, key=lambda f: f.size).values])
        return first, second

    def _around(self, candidate: "_Candidate", reach: float) -> Changes:
        (i, first), (j, second) = candidate.values.items()
        near = [
            self.ranges[k].around(value, reach, _PAIR_ZOOM)
            for k, value in ((i, first), (j, second))
        ]
        return _grid(i, near[0], j, near[1])

    def _best_of(self, blocks: list[Changes]) -> list["_Candidate"]:
        """Give the smallest sufficient change of two attributes in each block."""
        best = []
        for block, good in zip(blocks, self.reversed_at(blocks), strict=True):
            one, two = (self._sizes(k, values) for k, values in block.items())
            fits = good & (one > 0) & (two > 0)
            sizes = np.where(fits, np.hypot(one, two), np.inf)
            place = int(np.argmin(sizes))
            values = {k: column[place] for k, column in block.items()}
            best.append(_Candidate(float(sizes[place]), values))
        return best


@dataclass(frozen=True)
class _Candidate:
    """Values of two attributes, and the size of the change; infinite: not enough."""

    size: float
    values: dict[int, Any]


def _grid(i: int, first: Values, j: int, second: Values) -> Changes:
    """Give all combinations of values of two attributes."""
    one, two = np.asarray(first, dtype=object), np.asarray(second, dtype=object)
    return {i: np.repeat(one, len(two)), j: np.tile(two, len(one))}


def _caller(
    utility: Callable[[Any], FloatArray], both: Any
) -> Callable[[pd.DataFrame], FloatArray]:
    """Let a model judge data frames, in the form in which it takes items."""
    if isinstance(both, Items):
        by_name = {attribute.name: attribute for attribute in both.attributes}

        def judge(frame: pd.DataFrame) -> FloatArray:
            names = tuple(map(str, range(len(frame))))
            kept = tuple(by_name[str(name)] for name in frame.columns)
            return utility(Items(frame, kept, names))

        return judge
    if isinstance(both, np.ndarray):
        return lambda frame: utility(frame.to_numpy())
    return utility


def _plain(value: Any) -> Any:
    return value.item() if isinstance(value, np.generic) else value
