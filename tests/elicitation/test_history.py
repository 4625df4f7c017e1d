"""What was said, and what may be asked again: counted by hand."""

import numpy as np
import pytest

from penchant.elicitation import Question
from penchant.elicitation._history import (
    DISAGREE,
    UNEXPECTED,
    History,
    Told,
    check_answer,
    pair_evidence,
)
from penchant.exceptions import DataError
from penchant.gp import Answer, Posterior


def duels(*pairs):
    history = History()
    for pair in pairs:
        history = history.plus(pair, [Answer("comparison", pair)])
    return history


def expecting(*mean):
    return Posterior(np.array(mean, dtype=float), np.eye(len(mean)), noise=0.5)


def test_questions_and_answers_as_values():
    question = Question(5, 2, 3, "why")
    assert question.pair == (2, 5)
    expected = {"left": 5, "right": 2, "number": 3, "reason": "why"}
    assert question.to_dict() == expected
    told = Told(5, 2, "right")
    assert (told.pair, told.items, told.skipped) == ((2, 5), (5, 2), False)
    assert told.evidence == (Answer("comparison", (2, 5)),)
    assert Told(5, 2, "skip").skipped
    with pytest.raises(DataError, match=r"must be left or right\. Got 'tie' because"):
        Told(0, 1, "tie", "price")
    assert Told(0, 1, "tie").because is None


def test_every_answer_says_its_own_of_the_items():
    assert pair_evidence((4, 1), "left") == (Answer("comparison", (4, 1)),)
    assert pair_evidence((4, 1), "right") == (Answer("comparison", (1, 4)),)
    assert pair_evidence((4, 1), "tie") == (Answer("tie", (4, 1)),)
    assert pair_evidence((4, 1), "skip") == ()
    below = (Answer("below", (4,)), Answer("below", (1,)))
    assert pair_evidence((4, 1), "neither") == below
    duel, reason = pair_evidence((4, 1), "right", "price")
    assert duel.items == reason.items == (1, 4)
    assert (reason.kind, reason.attribute) == ("reason", "price")


def test_known_answers_are_listed_where_one_is_not():
    assert [check_answer(word) for word in ("left", "neither")] == ["left", "neither"]
    with pytest.raises(DataError) as caught:
        check_answer("up")
    expected = "answer must be one of left, right, tie, skip, neither. Got 'up'."
    assert str(caught.value) == expected


def test_what_compares_nothing_passes_over_or_rejects_all_pairs():
    history = History().plus((2, 0, 1), []).plus((3, 1), [Answer("below", (3,))])
    history = history.plus((1, 0, 2), [Answer("tie", (1, 0)), Answer("below", (2,))])
    assert [tuple(each) for each in history.said] == [
        ((0, 2), "skip", (2, 0)),
        ((1, 2), "skip", (2, 1)),
        ((0, 1), "skip", (0, 1)),
        ((1, 3), "neither", (3, 1)),
        ((0, 1), "tie", (1, 0)),
    ]
    assert dict(history.asked) == {(1, 3): 1, (0, 1): 1}
    belief = expecting(0, 0, 0, 0).update(3, 1).update_below(2)
    read = History.read(belief)
    assert [each.items for each in read.said] == [(3, 1)]
    gone = belief.take(np.array([0, 1, 2]))  # the item of the duel is not there now
    assert History.read(gone).said == ()


def test_losers_and_the_second_of_two_equal_ones_are_defeated():
    history = duels((2, 0), (1, 3)).plus((4, 5), [Answer("tie", (4, 5))])
    history = history.plus((6, 7), [])
    assert history.defeated() == {0, 3, 5}
    assert history.defeated(np.array([1, 4, 6])) == {3, 5}


def test_skipped_pairs_rest_for_ten_questions_and_for_good_when_skipped_twice():
    skipped = History().plus((3, 2), [])
    for n_later, rests in ((9, True), (10, False)):
        later = skipped
        for _ in range(n_later):
            later = later.plus((0, 1), [Answer("comparison", (0, 1))])
        assert ((2, 3) in later.resting) == rests
        twice = History((*skipped.said, *later.said))
        assert (2, 3) in twice.resting


def test_unexpected_answers_may_be_asked_again_unless_they_are_fresh():
    belief = expecting(0.0, 1.0, 2.0, 2.0)
    history = duels((0, 1), (2, 1), (2, 3))  # the first is unexpected, the last equal
    assert history.repeatable(belief) == {(0, 1): UNEXPECTED}
    assert history.repeatable(belief, pause=2) == {(0, 1): UNEXPECTED}
    assert history.repeatable(belief, pause=3) == {}
    assert history.repeatable(belief, pause=9) == {}


def test_circles_disagree_however_long_and_three_times_are_enough():
    belief = expecting(0, 0, 0, 0, 0, 0)
    # of five items; a sixth hangs on the circle and is not in it
    history = duels((0, 1), (1, 2), (2, 3), (3, 4), (4, 0), (4, 5))
    circle = {(0, 1), (1, 2), (2, 3), (3, 4), (0, 4)}
    assert history.repeatable(belief) == dict.fromkeys(circle, DISAGREE)
    assert duels((0, 1), (1, 2), (0, 2)).repeatable(belief) == {}
    both = duels((0, 1), (1, 0))
    assert both.repeatable(belief) == {(0, 1): DISAGREE}
    assert duels((0, 1), (1, 0), (0, 1)).repeatable(belief) == {}
    assert duels((0, 1)).repeatable(belief) == {}


def test_pairs_that_were_answered_or_rest_are_blocked():
    history = duels((3, 1), (0, 2)).plus((5, 4), [])
    assert history.blocked().tolist() == [[0, 2], [1, 3], [4, 5]]
    assert history.blocked({(1, 3), (4, 5)}).tolist() == [[0, 2], [4, 5]]
    assert History().blocked().shape == (0, 2)
