"""Hands of poker against the rules of the game and the labels of the UCI file."""

from collections import Counter
from itertools import combinations
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from experiments.prl._hands import encode_poker, make_poker
from penchant.exceptions import DataError


def _hand(text: str) -> list[int]:
    """Read cards such as "H10 SK"; suits H S D C."""
    ranks = ["A", *map(str, range(2, 11)), "J", "Q", "K"]
    cards = [("HSDC".index(c[0]) + 1, ranks.index(c[1:]) + 1) for c in text.split()]
    return [number for card in cards for number in card]


@pytest.mark.parametrize(
    ("cards", "name"),
    [
        ("H2 S4 D6 C8 H10", "nothing"),
        ("H2 S2 D6 C8 H10", "one pair"),
        ("H2 S2 D6 C6 H10", "two pairs"),
        ("H2 S2 D2 C6 H10", "three of a kind"),
        ("H2 S3 D4 C5 H6", "straight"),
        ("HA S2 D3 C4 H5", "straight"),
        ("H10 SJ DQ CK HA", "straight"),
        ("HJ SQ DK CA H2", "nothing"),
        ("H2 H4 H6 H8 H10", "flush"),
        ("H2 S2 D2 C6 H6", "full house"),
        ("H2 S2 D2 C2 H6", "four of a kind"),
        ("DA D2 D3 D4 D5", "straight flush"),
        ("D9 D10 DJ DQ DK", "straight flush"),
        ("D10 DJ DQ DK DA", "royal flush"),
        ("HJ HQ HK HA H2", "flush"),
    ],
)
def test_hands_have_their_names_in_any_order(cards: str, name: str) -> None:
    turned = " ".join(reversed(cards.split()))
    hands = encode_poker([_hand(cards), _hand(turned)])
    assert [hands.target_names[code] for code in hands.target] == [name, name]


def test_all_hands_of_a_short_deck_are_counted_right() -> None:
    # ranks 10 to ace: combinatorics gives every count in closed form
    deck = [(suit, rank) for suit in range(1, 5) for rank in (10, 11, 12, 13, 1)]
    hands = [[n for card in hand for n in card] for hand in combinations(deck, 5)]
    counts = Counter(encode_poker(hands).target.tolist())
    assert counts == {
        1: 5 * 6 * 4 * 4**3,
        2: 10 * 6 * 6 * 3 * 4,
        3: 5 * 4 * 6 * 4**2,
        4: 4**5 - 4,
        6: 5 * 4 * 4 * 6,
        7: 5 * 16,
        9: 4,
    }


def test_levels_of_features_count_cards() -> None:
    hand = _hand("HA SA DA C7 HK")
    by_level = {level: encode_poker([hand], level=level).data for level in (1, 2, 3)}
    assert [frame.shape[1] for frame in by_level.values()] == [52, 69, 74]
    row = by_level[3].iloc[0]
    assert by_level[1].iloc[0].sum() == 5
    assert row["ace of hearts"] == row["7 of clubs"] == row["king of hearts"] == 1
    assert row["number of hearts"] == 2
    assert row["number of aces"] == 3
    assert row["number of different ranks"] == 3
    assert row["number of different suits"] == 4
    assert row["cards of the commonest suit"] == 2
    assert row["cards of the commonest rank"] == 3
    assert row["largest difference of ranks"] == 12
    for low, high in ((1, 2), (2, 3)):
        pd.testing.assert_frame_equal(
            by_level[low], by_level[high][by_level[low].columns]
        )


def test_dealt_hands_are_as_rare_as_in_the_game() -> None:
    hands = make_poker(20_000, random_state=1)
    expected = np.array([1_302_540, 1_098_240, 123_552, 54_912, 10_200]) / 2_598_960
    shares = np.bincount(hands.target, minlength=10)[:5] / 20_000
    errors = np.sqrt(expected * (1 - expected) / 20_000)
    assert (np.abs(shares - expected) < 4 * errors).all()
    assert (hands.data.sum(axis=1) == 5).all()


def test_same_seed_deals_the_same_hands() -> None:
    first, second = (make_poker(20, random_state=4).frame for _ in range(2))
    pd.testing.assert_frame_equal(first, second)


def test_every_hand_of_the_uci_file_gets_its_label(shared_data: Path) -> None:
    stored = pd.read_csv(shared_data / "rules" / "poker_hand_train.csv.gz")
    hands = encode_poker(stored.iloc[:, :10], level=3)
    assert len(stored) == 25_010
    np.testing.assert_array_equal(hands.target, stored["hand"])


def test_rules_of_the_paper_define_three_classes(shared_data: Path) -> None:
    stored = pd.read_csv(shared_data / "rules" / "poker_hand_train.csv.gz")
    hands = encode_poker(stored.iloc[:, :10], level=3)
    ranks, suits = (
        hands.data["number of different ranks"],
        hands.data["number of different suits"],
    )
    spread = hands.data["largest difference of ranks"]
    three = (ranks == 3) & (hands.data["cards of the commonest rank"] == 3)
    np.testing.assert_array_equal(three, hands.target == 3)
    # the rule for straights leaves out those with the ace as highest card
    straight = (ranks == 5) & (spread == 4) & (suits != 1)
    missed = (hands.target == 4) & ~straight
    assert (straight <= (hands.target == 4)).all()
    assert (spread[missed] == 12).all()
    assert missed.any()


@pytest.mark.parametrize(
    ("hands", "message"),
    [
        (np.ones((1, 9), int), "10 columns"),
        (np.ones((1, 10)), "Got float64"),
        ([[1, 1, 1, 1, 1, 2, 1, 3, 1, 4]], "five different cards.*Row 0"),
        ([_hand("HA H2 H3 H4 H5"), [5, 1, 1, 2, 1, 3, 1, 4, 1, 5]], "Row 1"),
        ([[1, 14, 1, 2, 1, 3, 1, 4, 1, 5]], "ranks 1 to 13"),
    ],
)
def test_hands_that_no_deck_has_are_refused(hands: object, message: str) -> None:
    with pytest.raises(DataError, match=message):
        encode_poker(hands)  # type: ignore[arg-type]


def test_unknown_levels_are_refused() -> None:
    with pytest.raises(DataError, match="level must be 1, 2 or 3"):
        make_poker(5, level=4)  # type: ignore[arg-type]
