"""Sets of players as whole numbers: bit i says whether player i is in."""

from collections.abc import Iterator, Sequence
from itertools import combinations

import numpy as np

from penchant.typing import BoolArray


def mask_of(players: Sequence[int]) -> int:
    """Give the set of some players."""
    return sum(1 << player for player in players)


def members(mask: int) -> tuple[int, ...]:
    """List the players of a set."""
    return tuple(i for i in range(mask.bit_length()) if mask >> i & 1)


def submasks(mask: int) -> Iterator[int]:
    """Yield all non-empty subsets of a set."""
    part = mask
    while part:
        yield part
        part = (part - 1) & mask


def masks_up_to(n_players: int, size: int) -> list[int]:
    """List the non-empty sets of at most so many players."""
    return [
        mask_of(players)
        for order in range(1, size + 1)
        for players in combinations(range(n_players), order)
    ]


def membership(masks: Sequence[int], n_players: int) -> BoolArray:
    """Tell who is in which set, shape (n_masks, n_players)."""
    n_bytes = (n_players + 7) // 8
    text = b"".join(mask.to_bytes(n_bytes, "little") for mask in masks)
    rows = np.frombuffer(text, dtype=np.uint8).reshape(len(masks), n_bytes)
    bits = np.unpackbits(rows, axis=1, count=n_players, bitorder="little")
    return bits.astype(np.bool_)
