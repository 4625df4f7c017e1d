"""Answers of several kinds in one form: merged, sorted and turned into intervals."""

import numpy as np
import pytest

from penchant.data import Choices, Comparisons, Rankings, Ratings
from penchant.exceptions import DataError
from penchant.gp import GaussianProcessRanker
from penchant.gp._ranker_answers import PersonalAnswers, check_answers

X = np.array([[0.0], [2.0], [1.0], [3.0]])


def checked(y, rows=X, **options):
    return check_answers(GaussianProcessRanker(), rows, y, **options)


def told(answers: PersonalAnswers):
    """List kind, values of the items, level and weight of each answer."""
    values = answers.items[:, 0].tolist()
    lowered = [None if k < 0 else values[k] for k in answers.rows.lowered]
    raised = [values[k] for k in answers.rows.raised]
    rest = (answers.kinds.tolist(), answers.levels.tolist(), answers.weights.tolist())
    return [
        (kind, up, down, level, weight)
        for up, down, kind, level, weight in zip(raised, lowered, *rest, strict=True)
    ]


def test_equal_comparisons_are_added_up_and_ties_have_no_order():
    pairs = Comparisons(
        [0, 0, 1, 2, 3],
        [1, 1, 0, 3, 2],
        ties=[False, False, False, True, True],
        weights=[1.0, 2.0, 0.5, 1.0, 2.0],
    )
    items, answers = checked(pairs)
    assert items.shape == (4, 1)
    # with a tie among them all others were clear
    expected = [(1, 1.0, 3.0, 0, 3.0), (3, 0.0, 2.0, 0, 3.0), (3, 2.0, 0.0, 0, 0.5)]
    assert sorted(told(answers)) == expected
    assert answers.has_ties
    assert answers.n_thresholds == 0
    plain = checked(Comparisons([0, 2], [1, 1], weights=[1.0, 0.0]))[1]
    assert told(plain) == [(0, 0.0, 2.0, 0, 1.0)]  # what weighs nothing is left out
    assert not plain.has_ties
    assert plain.items.tolist() == [[0.0], [2.0]]


def test_all_kinds_of_evidence_come_together():
    repeated = np.vstack([X, X[:1]])  # the last item equals the first
    evidence = [
        Ratings([0, 1, 4], [3.0, 7.0, 3.0], weights=[1.0, 2.0, 4.0]),
        Rankings([[3, 1, 0]]),
        Choices([[2, 1]], [2]),
        Comparisons([1], [2], ties=[True]),
    ]
    items, answers = checked(evidence, repeated)
    assert items[:, 0].tolist() == [0, 1, 2, 3]  # distinct, in order
    assert sorted(told(answers), key=str) == sorted(
        [
            (0, 1.0, 2.0, 0, 1.0),
            (0, 2.0, 0.0, 0, 1.0),
            (0, 3.0, 2.0, 0, 1.0),
            (1, 1.0, 2.0, 0, 1.0),
            (2, 0.0, None, 0, 5.0),
            (2, 2.0, None, 1, 2.0),
        ],
        key=str,
    )
    assert answers.scale.tolist() == [3.0, 7.0]
    assert (answers.n_thresholds, answers.has_ties) == (1, True)
    np.testing.assert_allclose(answers.level_shares(), [5 / 7])


def test_intervals_and_where_their_derivatives_go():
    evidence = [
        Ratings([0, 1, 2], [1.0, 2.0, 3.0]),
        Comparisons([0, 1, 2], [1, 2, 3], ties=[False, True, False]),
    ]
    _, answers = checked(evidence)
    width, walls = 0.3, np.array([-0.5, 1.5])
    lower, upper = answers.ends(width, walls)
    ends = {
        (3, 0): (width, np.inf),
        (1, 0): (-width, width),
        (2, 0): (-np.inf, -0.5),
        (2, 1): (-0.5, 1.5),
        (2, 2): (1.5, np.inf),
    }
    for k, key in enumerate(zip(answers.kinds, answers.levels, strict=True)):
        assert (lower[k], upper[k]) == ends[tuple(int(part) for part in key)]
    sites = answers.sites(width, walls)
    np.testing.assert_array_equal(sites.lower, lower)
    np.testing.assert_array_equal(sites.weights, answers.weights)
    # derivatives of a sum of the finite ends, by differences
    rng = np.random.default_rng(0)
    by_low, by_high = rng.normal(size=(2, len(lower)))
    by_low[~np.isfinite(lower)] = by_high[~np.isfinite(upper)] = 0.0

    def total(width, walls):
        low, high = answers.ends(width, walls)
        low, high = (np.where(np.isfinite(e), e, 0.0) for e in (low, high))
        return by_low @ low + by_high @ high

    by_width, by_walls = answers.pull_ends(by_low, by_high)
    assert by_width == pytest.approx(total(width + 1, walls) - total(width, walls))
    for k in range(2):
        moved = walls + np.eye(2)[k]
        assert by_walls[k] == pytest.approx(total(width, moved) - total(width, walls))


def test_taking_some_answers_keeps_the_items_they_speak_of():
    _, answers = checked(Comparisons([0, 1, 2], [1, 2, 3], weights=[1.0, 2.0, 3.0]))
    kept, used = answers.take(np.array([2]))
    assert told(kept) == [told(answers)[2]]
    assert answers.items[used].tolist() == kept.items.tolist()
    assert len(kept.items) == 2


def test_twenty_levels_are_a_scale_and_more_are_not():
    rows = np.arange(21.0)[:, None]
    _, answers = checked(Ratings(np.arange(20), np.arange(20.0)), rows)
    assert answers.n_thresholds == 19
    with pytest.raises(DataError, match=r"at most 20 levels\. Got 21 different values"):
        checked(Ratings(np.arange(21), np.arange(21.0)), rows)


@pytest.mark.parametrize(
    ("y", "said"),
    [
        ([Comparisons([0, 4], [4, 0])], r"Got none among 2\."),
        (Ratings([0, 1], [2.0, 2.0]), r"Got none among 2\."),
        ([Ratings([0, 1], [1, 2], users=[0, 1])], r"by 2 people, and this model is of"),
        ([Ratings([0, 9], [1.0, 2.0])], "9"),
        ([Rankings([[0, 5]])], "5"),
    ],
)
def test_answers_that_cannot_be_used_are_refused(y, said):
    with pytest.raises(DataError, match=said):
        checked(y, np.vstack([X, X[:1]]))  # the last item equals the first


def test_weights_are_for_pairs_alone_and_one_user_is_one_person():
    with pytest.raises(DataError, match="sample_weight is for pairs and Comparisons"):
        checked([Ratings([0, 1], [1.0, 2.0])], sample_weight=[1.0, 1.0])
    pairs = X[[[0, 1], [2, 3]]]
    _, answers = checked(np.array([1, 0]), pairs, sample_weight=[2.0, 3.0])
    assert told(answers) == [(0, 0.0, 2.0, 0, 2.0), (0, 3.0, 1.0, 0, 3.0)]
    _, alone = checked([Ratings([0, 1], [1.0, 2.0], users=[7, 7])])
    assert len(alone.kinds) == 2
    _, one = checked([Comparisons([0], [1])])
    assert told(one) == [(0, 0.0, 2.0, 0, 1.0)]
