import numpy as np
import pandas as pd
import pytest

from penchant.exceptions import DataError
from penchant.gp._user_features import UserEncoding

PEOPLE = pd.DataFrame(
    {
        "age": [20.0, 40.0, np.nan, 60.0],
        "town": ["b", "a", "b", "b"],
        "smokes": [0, 1, 1, 0],
        "one": [5.0, 5.0, 5.0, 5.0],
    }
)


def test_numbers_stay_levels_become_columns_and_blanks_are_average():
    made = UserEncoding.from_features(PEOPLE)
    assert made.levels == (None, ("a", "b"), None, None)
    assert made.n_features == 5
    expected = [
        [20.0, 0.0, 1.0, 0.0, 5.0],
        [40.0, 1.0, 0.0, 1.0, 5.0],
        [40.0, 0.0, 1.0, 1.0, 5.0],
        [60.0, 0.0, 1.0, 0.0, 5.0],
    ]
    np.testing.assert_allclose(made.numbers(PEOPLE), expected)
    spread = np.std([20.0, 40.0, 40.0, 60.0])
    np.testing.assert_allclose(made.scale, [spread, 1.0, 1.0, 1.0, 1.0])
    standard = made.standardised(PEOPLE, blank=9.0)
    np.testing.assert_allclose(standard[:2, 0], [-20.0 / spread, 0.0])
    np.testing.assert_allclose(standard[1, 1:4], [0.75, -0.75, 0.5])
    assert standard[2, 0] == 9.0
    np.testing.assert_allclose(standard[:, 4], 0.0)


def test_one_person_can_be_told_by_name_or_in_order():
    made = UserEncoding.from_features(PEOPLE)
    told = {"town": "c", "age": 30.0, "one": 5.0, "smokes": 1, "more": "x"}
    row = [30.0, "c", 1, 5.0]  # nobody came from c
    expected = [[30.0, 0.25, 0.75, 1.0, 5.0]]
    np.testing.assert_allclose(made.numbers(told), expected)
    np.testing.assert_allclose(made.numbers(row), expected)
    assert made.standardised(told)[0, 1:3].tolist() == [0.0, 0.0]
    assert made.standardised(told | {"town": None}, blank=9.0)[0, 1] == 9.0


def test_plain_arrays_have_names():
    made = UserEncoding.from_features(np.array([[1.0, 2.0], [3.0, 2.0]]))
    assert made.names == ("t0", "t1")
    np.testing.assert_allclose(made.standardised([[1.0, 2.0]]), [[-1.0, 0.0]])


def test_what_does_not_describe_people_is_refused():
    made = UserEncoding.from_features(PEOPLE)
    with pytest.raises(DataError, match="described by 4 values"):
        made.numbers([1.0, 2.0])
    with pytest.raises(DataError, match="lacks the columns town, one"):
        made.numbers({"age": 1.0, "smokes": 0})
    with pytest.raises(DataError, match="must be numbers, or missing"):
        made.numbers({"age": "old", "town": "a", "smokes": 0, "one": 1.0})
    with pytest.raises(DataError, match="must be finite"):
        made.numbers({"age": np.inf, "town": "a", "smokes": 0, "one": 1.0})
    with pytest.raises(DataError, match="one row per person"):
        UserEncoding.from_features(np.ones(3))
