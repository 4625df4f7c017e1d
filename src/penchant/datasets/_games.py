"""Games whose positions can be labelled by their rules."""

from itertools import product
from typing import Any, Literal

import numpy as np
import pandas as pd
from sklearn.utils import Bunch

from penchant.datasets._checks import check_at_least, check_generator
from penchant.exceptions import DataError
from penchant.typing import ArrayLike, BoolArray, FloatArray, IntArray, RandomState

_SQUARES = tuple(
    f"{row}_{column}"
    for row in ("top", "middle", "bottom")
    for column in ("left", "middle", "right")
)
_MARKS = ("b", "o", "x")  # blank, nought, cross
_GRID = np.arange(9).reshape(3, 3)
_LINES = np.vstack([_GRID, _GRID.T, _GRID.diagonal(), _GRID[:, ::-1].diagonal()])

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


def make_tic_tac_toe() -> Bunch:
    """Enumerate the final boards of tic-tac-toe and say whether x won.

    A cross moves first. A board is final when one player has three in a row or
    all squares are taken. Whether x won is one rule: the "or" of eight "ands" of
    three squares.

    Returns
    -------
    Bunch
        ``data``, DataFrame of shape (958, 27): one 0/1 column per square and mark,
        such as ``top_left=x``, in the order blank, o, x within a square;
        ``target``, Series of shape (958,): 1 where x won (626 boards) else 0;
        ``feature_names``; ``frame``, DataFrame of shape (958, 10): the nine squares
        with b, o or x, and ``x_wins``.

    Examples
    --------
    >>> from penchant.datasets import make_tic_tac_toe
    >>> boards = make_tic_tac_toe()
    >>> boards.data.shape, int(boards.target.sum())
    ((958, 27), 626)
    """
    boards = np.array(list(product(range(3), repeat=9)))
    noughts, crosses = (boards == 1).sum(axis=1), (boards == 2).sum(axis=1)
    o_wins, x_wins = _has_line(boards, 1), _has_line(boards, 2)
    final = np.select(
        [x_wins, o_wins],
        [~o_wins & (crosses == noughts + 1), crosses == noughts],
        (crosses == 5) & (noughts == 4),
    )
    boards, x_wins = boards[final], x_wins[final]
    names = [f"{square}={mark}" for square in _SQUARES for mark in _MARKS]
    one_hot = np.eye(3)[boards].reshape(len(boards), -1)
    frame = pd.DataFrame(np.array(_MARKS)[boards], columns=list(_SQUARES))
    target = pd.Series(x_wins.astype(np.int64), name="x_wins")
    return Bunch(
        data=pd.DataFrame(one_hot, columns=names),
        target=target,
        feature_names=names,
        frame=frame.assign(x_wins=target),
    )


def _has_line(boards: IntArray, mark: int) -> BoolArray:
    return (boards[:, _LINES] == mark).all(axis=2).any(axis=1)


def make_poker(
    n_hands: int = 25010,
    *,
    level: Literal[1, 2, 3] = 1,
    random_state: RandomState = None,
) -> Bunch:
    """Deal hands of five cards and say what they are worth.

    Every hand comes from a full deck, so rare hands are as rare as in the game.

    Parameters
    ----------
    n_hands : int
        Number of hands; by default as many as in the UCI training file.
    level : {1, 2, 3}
        Which features: see `encode_poker`.
    random_state : int, RandomState, Generator or None
        Seed or source of randomness.

    Returns
    -------
    Bunch
        As `encode_poker` gives.

    Examples
    --------
    >>> from penchant.datasets import make_poker
    >>> hands = make_poker(1000, level=3, random_state=0)
    >>> hands.data.shape, int((hands.target == 1).sum())
    ((1000, 74), 415)
    """
    check_at_least("n_hands", n_hands, 1)
    rng = check_generator(random_state)
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
    >>> from penchant.datasets import encode_poker
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
