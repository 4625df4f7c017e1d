"""Conjunctions of conditions as sets of rows, each set once.

A condition covers a set of rows; a conjunction covers the rows that all its conditions
cover. Conjunctions that cover the same rows are the same column of a margin program,
so each set of rows is kept once, for the shortest conjunction that covers it.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
from numba import njit

from penchant.rules._features import Feature, ListedFeatures
from penchant.typing import BoolArray, FloatArray, IntArray

__all__ = ["CoverageFeatures", "Coverages", "distinct_conjunctions"]

_WORD = 64
_Words = npt.NDArray[np.uint64]
_Indices = npt.NDArray[np.int32]


@dataclass(frozen=True, eq=False)
class Coverages:
    """Distinct sets of rows, and a conjunction for each.

    Parameters
    ----------
    n_rows : int
    start : ndarray of shape (n_sets + 1,)
        Set k consists of ``rows[start[k]:start[k + 1]]``.
    rows : ndarray of int32
    parent : ndarray of shape (n_sets,)
        The conjunction that set k extends by one condition; -1: none.
    condition : ndarray of shape (n_sets,)
        The condition that it adds.
    """

    n_rows: int
    start: IntArray
    rows: _Indices
    parent: IntArray
    condition: IntArray

    @property
    def n_sets(self) -> int:
        """Number of distinct sets."""
        return self.parent.size

    def conditions(self, k: int) -> tuple[int, ...]:
        """Give the conditions of the conjunction that stands for set k."""
        found = []
        while k >= 0:
            found.append(int(self.condition[k]))
            k = int(self.parent[k])
        return tuple(sorted(found))

    def sums(self, weights: FloatArray) -> FloatArray:
        """Add up weights of shape (n_rows, c) over every set: shape (n_sets, c)."""
        table = np.ascontiguousarray(weights, dtype=np.float64)
        if table.shape[1] == 1:
            return _sum_vector(self.start, self.rows, table[:, 0])[:, np.newaxis]
        return _sum_table(self.start, self.rows, table)

    def indicators(self, sets: IntArray) -> FloatArray:
        """Give sets as 0/1 columns, shape (n_rows, n), in Fortran order."""
        columns = np.zeros((self.n_rows, len(sets)), order="F")
        for j, k in enumerate(sets):
            columns[self.rows[self.start[k] : self.start[k + 1]], j] = 1.0
        return columns


class CoverageFeatures(ListedFeatures):
    """Features that hold or do not hold, as the sets of items where they do.

    Parameters
    ----------
    coverages : Coverages
    make : callable
        Makes a feature of the numbers of its conditions.
    """

    def __init__(
        self, coverages: Coverages, make: Callable[[tuple[int, ...]], Feature]
    ) -> None:
        self.coverages = coverages
        self.n_items = coverages.n_rows
        self.n_features = coverages.n_sets
        self._make = make

    def sums(self, channels: FloatArray) -> FloatArray:
        """Add up over the items of each set."""
        return self.coverages.sums(channels)

    def values(self, keys: Sequence[Any]) -> FloatArray:
        """Give the sets as 0/1 columns."""
        return self.coverages.indicators(np.asarray(keys, dtype=np.int64))

    def feature(self, key: Any) -> Feature:
        """Make the conjunction that stands for a set."""
        return self._make(self.coverages.conditions(key))


def distinct_conjunctions(
    covers: BoolArray, degree: int, *, max_sets: int
) -> Coverages | None:
    """List every set of rows that a conjunction of few conditions covers.

    Sets without rows and the set of all rows are left out. Of the conjunctions that
    cover a set the first of lowest degree is kept, in the order of the conditions.
    Time and memory are linear in the number of sets of the last degree but one times
    that of conditions, and in the number of sets.

    Parameters
    ----------
    covers : ndarray of bool of shape (n_conditions, n_rows)
    degree : int
        Largest number of conditions.
    max_sets : int
        Give up if there are more sets than this.

    Returns
    -------
    Coverages or None
        None: there are more than `max_sets`.
    """
    n_conditions, n_rows = covers.shape
    if n_conditions == 0 or n_rows == 0:
        nothing = np.zeros(0, np.int64)
        rows = np.zeros(0, np.int32)
        return Coverages(n_rows, np.zeros(1, np.int64), rows, nothing, nothing)
    found = _Found(_pack(covers), n_rows)
    found.extend(degree, max_sets)
    if found.count - 1 > max_sets:
        return None
    kept = slice(1, found.count)
    start, rows = _unpack(found.words[kept])
    return Coverages(
        n_rows, start, rows, found.parent[kept].copy(), found.condition[kept].copy()
    )


def _pack(covers: BoolArray) -> _Words:
    """Pack rows into words; row r is bit r % 64 of word r // 64."""
    n_conditions, n_rows = covers.shape
    padded = np.zeros((n_conditions, -(-n_rows // _WORD) * _WORD), dtype=np.bool_)
    padded[:, :n_rows] = covers
    packed = np.packbits(padded, axis=1, bitorder="little")
    return np.ascontiguousarray(packed).view("<u8").astype(np.uint64)


@njit(cache=True)
def _hash(words: _Words) -> np.uint64:
    value = np.uint64(0x9E3779B97F4A7C15)
    for word in words:
        value = (value ^ word) * np.uint64(0xFF51AFD7ED558CCD)
        value ^= value >> np.uint64(32)
    return value


@njit(cache=True)
def _same(a: _Words, b: _Words) -> bool:
    for i in range(a.size):  # noqa: SIM110 - numba compiles loops, not generators
        if a[i] != b[i]:
            return False
    return True


@njit(cache=True)
def _place(table: IntArray, words: _Words, new: _Words) -> np.int64:
    """Find where a set stands in the table of hashes, or the free place for it."""
    mask = np.uint64(table.size - 1)
    at = _hash(new) & mask
    while table[at] >= 0 and not _same(words[table[at]], new):
        at = (at + np.uint64(1)) & mask
    return np.int64(at)


class _Found:
    """Distinct sets of rows in the order in which they were found.

    Entry 0 is the set of all rows, so that no conjunction is kept for it.
    """

    def __init__(self, bits: _Words, n_rows: int) -> None:
        self.bits = bits
        self.words = _pack(np.ones((1, n_rows), dtype=np.bool_))
        self.parent = np.array([-1])
        self.condition = np.array([-1])
        self.count = 1
        self.reserve()

    def reserve(self) -> None:
        """Make room for the extensions of at least one more set."""
        size = 2 * self.count + 4 * len(self.bits)
        self.words = _lengthen(self.words, self.count, size)
        self.parent = _lengthen(self.parent, self.count, size)
        self.condition = _lengthen(self.condition, self.count, size)
        self.table = _index(self.words, self.count, 4 << size.bit_length())

    def extend(self, degree: int, max_sets: int) -> None:
        """Intersect the sets of each degree with all conditions for the next."""
        first = 0
        for level in range(degree):
            last = self.count
            while first < last and self.count <= max_sets + 1:
                first, self.count = _intersect(
                    self.bits,
                    self.words,
                    self.parent,
                    self.condition,
                    self.table,
                    (first, last, self.count),
                    level == 1,
                )
                self.reserve()


def _lengthen(values: npt.NDArray[Any], count: int, size: int) -> npt.NDArray[Any]:
    longer = np.zeros((size, *values.shape[1:]), dtype=values.dtype)
    longer[:count] = values[:count]
    return longer


@njit(cache=True)
def _index(words: _Words, count: int, size: int) -> IntArray:
    """Make a table of hashes, with the number of a set or -1 in each place."""
    table = np.full(size, -1)
    for k in range(count):
        table[_place(table, words, words[k])] = k
    return table


@njit(cache=True)
def _intersect(
    bits: _Words,
    words: _Words,
    parent: IntArray,
    condition: IntArray,
    table: IntArray,
    span: tuple[int, int, int],
    of_pairs: bool,
) -> tuple[int, int]:
    """Intersect sets with all conditions while there is room for the results."""
    first, last, count = span
    n_conditions, n_words = bits.shape
    new = np.zeros(n_words, np.uint64)
    while first < last and count + n_conditions <= parent.size:
        for c in range(condition[first] + 1 if of_pairs else 0, n_conditions):
            some = np.uint64(0)
            for i in range(n_words):
                new[i] = words[first, i] & bits[c, i]
                some |= new[i]
            at = _place(table, words, new) if some else np.int64(0)
            if some and table[at] < 0:
                table[at] = count
                words[count] = new
                parent[count] = first - 1
                condition[count] = c
                count += 1
        first += 1
    return first, count


@njit(cache=True)
def _unpack(words: _Words) -> tuple[IntArray, _Indices]:
    n_sets, n_words = words.shape
    start = np.zeros(n_sets + 1, np.int64)
    for k in range(n_sets):
        total = 0
        for i in range(n_words):
            word = words[k, i]
            while word:
                word &= word - np.uint64(1)
                total += 1
        start[k + 1] = start[k] + total
    rows = np.empty(start[n_sets], np.int32)
    at = 0
    for k in range(n_sets):
        for i in range(n_words):
            word = words[k, i]
            row = 64 * i
            while word:
                if word & np.uint64(1):
                    rows[at] = row
                    at += 1
                word >>= np.uint64(1)
                row += 1
    return start, rows


@njit(cache=True)
def _sum_vector(start: IntArray, rows: _Indices, weights: FloatArray) -> FloatArray:
    sums = np.empty(start.size - 1)
    for k in range(sums.size):
        total = 0.0
        for at in range(start[k], start[k + 1]):
            total += weights[rows[at]]
        sums[k] = total
    return sums


@njit(cache=True)
def _sum_table(start: IntArray, rows: _Indices, weights: FloatArray) -> FloatArray:
    sums = np.zeros((start.size - 1, weights.shape[1]))
    for k in range(sums.shape[0]):
        for at in range(start[k], start[k + 1]):
            row = rows[at]
            for channel in range(weights.shape[1]):
                sums[k, channel] += weights[row, channel]
    return sums
