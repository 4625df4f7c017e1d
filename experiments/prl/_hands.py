"""Hands of poker: their features at three levels, and what they are worth."""

from typing import Any, Literal

import numpy as np
import pandas as pd
from sklearn.utils import Bunch

from penchant.exceptions import DataError
from penchant.typing import ArrayLike, FloatArray, IntArray

__all__ = ["encode_poker", "make_poker"]

_SUITS = ("hearts", "spades", "diamonds", "clubs")
_RANKS = (
    "ace", "2", "3", "4", "5", "6", "7", "8", "9", "10", "jack", "queen", "king"
)  # fmt: skip
_CARDS = tuple(f"{rank} of {suit}" for suit in _SUITS for rank in _RANKS)
_COUNTS = (
    *(f"number of {suit}" for suit in _SUITS),
    *(f"number of {rank}s" for rank in _RANKS),
)
_AGGREGATES = (
    "number of different ranks",
    "number of different suits",
    "cards of the commonest suit",
    "cards of the commonest rank",
    "largest difference of ranks",
)
_HANDS = (
    "nothing",
    "one pair",
    "two pairs",
    "three of a kind",
    "straight",
    "flush",
    "full house",
    "four of a kind",
    "straight flush",
    "royal flush",
)
_ACE_HIGH = np.array([0, 9, 10, 11, 12])  # ranks from 0: ace, 10, jack, queen, king
_HAND_COLUMNS = tuple(f"{kind}{card}" for card in range(1, 6) for kind in ("s", "c"))


def make_poker(
    n_hands: int = 25010,
    *,
    level: Literal[1, 2, 3] = 1,
    random_state: int | None = None,
) -> Bunch:
    """Deal hands of five cards and say what they are worth.

    Every hand comes from a full deck, so rare hands are as rare as in the game.

    Parameters
    ----------
    n_hands : int
        Number of hands; by default as many as in the UCI training file.
    level : {1, 2, 3}
        Which features: see `encode_poker`.
    random_state : int or None, default=None
        Seed or source of randomness.

    Returns
    -------
    Bunch
        As `encode_poker` gives.

    Examples
    --------
    >>> from experiments.prl._hands import make_poker
    >>> hands = make_poker(1000, level=3, random_state=0)
    >>> hands.data.shape, int((hands.target == 1).sum())
    ((1000, 74), 415)
    """
    rng = np.random.default_rng(random_state)
    deck = np.tile(np.arange(52), (n_hands, 1))
    cards = rng.permuted(deck, axis=1)[:, :5]
    hands = np.empty((n_hands, 10), dtype=np.int64)
    hands[:, 0::2], hands[:, 1::2] = cards // 13 + 1, cards % 13 + 1
    return encode_poker(hands, level=level)


def encode_poker(hands: ArrayLike, *, level: Literal[1, 2, 3] = 1) -> Bunch:
    """Describe hands of five cards by features, and say what they are worth.

    Parameters
    ----------
    hands : array-like of int of shape (n_hands, 10)
        Suit (1 hearts, 2 spades, 3 diamonds, 4 clubs) and rank (1 ace, 2 to 10,
        11 jack, 12 queen, 13 king) of five cards in turn, as in the UCI data set
        "Poker Hand".
    level : {1, 2, 3}
        Features of Polato and Aiolli (2019); each level keeps those before.
        1: for each of the 52 cards, whether it is in the hand. 2: how many cards
        of each suit and of each rank (69 features). 3: the number of different
        ranks and suits, the size of the largest group of one suit and of one
        rank, and the largest difference of ranks with the ace as 1 (74).

    Returns
    -------
    Bunch
        ``data``, DataFrame of shape (n_hands, 52, 69 or 74); ``target``, Series of
        shape (n_hands,): 0 to 9 as in ``target_names``, the best name that fits;
        ``feature_names``; ``target_names``; ``frame``: the cards and ``hand``.

    References
    ----------
    Polato and Aiolli, "Interpretable preference learning: a game theoretic
    framework for large margin on-line feature and rule learning", AAAI 2019.

    Examples
    --------
    >>> from experiments.prl._hands import encode_poker
    >>> ace_high = [[1, 10, 1, 11, 2, 12, 3, 13, 4, 1]]
    >>> hand = encode_poker(ace_high, level=3)
    >>> hand.target_names[hand.target[0]]
    'straight'
    >>> int(hand.data["largest difference of ranks"][0])
    12
    """
    if level not in (1, 2, 3):
        raise DataError(f"level must be 1, 2 or 3. Got {level!r}.")
    table = _check_hands(hands)
    suits, ranks = table[:, 0::2] - 1, table[:, 1::2] - 1
    suit_counts, rank_counts = _count(suits, 4), _count(ranks, 13)
    blocks: list[Any] = [_count(13 * suits + ranks, 52)]
    names = [*_CARDS]
    if level >= 2:
        blocks += [suit_counts, rank_counts]
        names += _COUNTS
    if level == 3:
        blocks.append(_aggregate(ranks, suit_counts, rank_counts))
        names += _AGGREGATES
    target = pd.Series(_worth(ranks, suit_counts, rank_counts), name="hand")
    return Bunch(
        data=pd.DataFrame(np.hstack(blocks), columns=names, dtype=np.float64),
        target=target,
        feature_names=names,
        target_names=list(_HANDS),
        frame=pd.DataFrame(table, columns=list(_HAND_COLUMNS)).assign(hand=target),
    )


def _check_hands(hands: ArrayLike) -> IntArray:
    table = np.asarray(hands)
    if table.ndim != 2 or table.shape[1] != 10 or table.dtype.kind not in "iu":
        raise DataError(
            "hands must hold whole numbers in 10 columns: suit and rank of five "
            f"cards. Got {table.dtype} of shape {table.shape}."
        )
    table = table.astype(np.int64)
    suits, ranks = table[:, 0::2], table[:, 1::2]
    cards = np.sort(13 * suits + ranks, axis=1)
    wrong = (suits < 1) | (suits > 4) | (ranks < 1) | (ranks > 13)
    bad = wrong.any(axis=1) | (np.diff(cards, axis=1) == 0).any(axis=1)
    if bad.any():
        row = int(np.argmax(bad))
        raise DataError(
            "A hand must be five different cards with suits 1 to 4 and ranks 1 to "
            f"13. Row {row} is {table[row].tolist()}."
        )
    return table


def _count(values: IntArray, n_values: int) -> IntArray:
    """How often each of the values 0, 1, ... occurs in each row."""
    counts = np.zeros((len(values), n_values), dtype=np.int64)
    np.add.at(counts, (np.arange(len(values))[:, None], values), 1)
    return counts


def _aggregate(
    ranks: IntArray, suit_counts: IntArray, rank_counts: IntArray
) -> FloatArray:
    columns = [
        (rank_counts > 0).sum(axis=1),
        (suit_counts > 0).sum(axis=1),
        suit_counts.max(axis=1),
        rank_counts.max(axis=1),
        np.ptp(ranks, axis=1),
    ]
    return np.column_stack(columns)


def _worth(ranks: IntArray, suit_counts: IntArray, rank_counts: IntArray) -> IntArray:
    """Index in _HANDS of the best name that fits each hand."""
    groups = np.sort(rank_counts, axis=1)
    first, second = groups[:, -1], groups[:, -2]
    flush = suit_counts.max(axis=1) == 5
    ace_high = (np.sort(ranks, axis=1) == _ACE_HIGH).all(axis=1)
    straight = (first == 1) & ((np.ptp(ranks, axis=1) == 4) | ace_high)
    fits = [
        flush & ace_high,
        flush & straight,
        first == 4,
        (first == 3) & (second == 2),
        flush,
        straight,
        first == 3,
        (first == 2) & (second == 2),
        first == 2,
    ]
    return np.select(fits, np.arange(9, 0, -1), 0)
