import pytest

from penchant.elicitation import StopRule
from penchant.exceptions import DataError, FormatError


@pytest.mark.parametrize(
    ("rule", "words"),
    [
        (StopRule(max_regret=0.2), "expected regret is 0.2, at most the 0.2"),
        (StopRule(min_probability=0.9), "with probability 0.90, at least the 0.9"),
        (StopRule(max_questions=5), "5 questions were asked"),
    ],
)
def test_what_is_just_reached_is_enough(rule, words):
    assert words in rule.reason(0.2, 0.9, 5)
    assert rule.reason(0.21, 0.89, 4) == ""
    assert rule.reason(0.19, 0.91, 6) != ""
    assert rule.is_set


def test_one_condition_is_enough_and_none_never():
    both = StopRule(max_regret=0.1, max_questions=3)
    assert "regret" in both.reason(0.05, 0.0, 0)
    assert "questions" in both.reason(0.5, 0.0, 3)
    assert StopRule(max_questions=0).reason(1.0, 0.0, 0) != ""
    nothing = StopRule()
    assert not nothing.is_set
    assert nothing.reason(0.0, 1.0, 10**9) == ""


@pytest.mark.parametrize(
    "wrong",
    [
        {"max_regret": -0.1},
        {"max_regret": float("inf")},
        {"min_probability": 0.0},
        {"min_probability": 1.01},
        {"max_questions": -1},
        {"max_questions": 2.5},
    ],
)
def test_what_makes_no_sense_is_refused(wrong):
    (name,) = wrong
    with pytest.raises(DataError, match=name):
        StopRule(**wrong)
    with pytest.raises(FormatError, match="damaged"):
        StopRule.from_dict(wrong)


def test_ends_of_what_makes_sense_survive_json():
    rule = StopRule(max_regret=0.0, min_probability=1.0, max_questions=0)
    assert StopRule.from_dict(rule.to_dict()) == rule
