import numpy as np
import pandas as pd
import pytest

from penchant.data import DATE, Attribute
from penchant.encoding._domain import encode_frame, find_attributes, find_text
from penchant.exceptions import DataError


@pytest.fixture
def frame():
    return pd.DataFrame(
        {
            "rent": [500, 900, 700],
            "view": ["sea", "yard", "sea"],
            "energy": pd.Categorical(["B", "A", "C"], ["A", "B", "C"], ordered=True),
            "since": pd.to_datetime(["1970-01-02", "1970-01-04", "1970-01-03"]),
        }
    )


def test_types_of_columns_tell_what_they_are(frame):
    rent, view, energy, since = find_attributes(frame)

    assert (rent.kind, rent.direction, rent.domain) == (
        "numeric",
        "unknown",
        (500, 900),
    )
    assert (view.kind, view.levels) == ("categorical", ("sea", "yard"))
    assert (energy.kind, energy.levels) == ("ordinal", ("A", "B", "C"))
    assert (since.kind, since.domain, since.unit) == ("numeric", (1, 3), DATE)


def test_cells_are_encoded_by_the_attributes_of_another_table(frame):
    known = find_attributes(frame)
    later = frame.assign(rent=[100, None, "700"], view=["yard", "moor", None])
    encoded = encode_frame(later[["view", "since", "energy", "rent"]], known)

    np.testing.assert_allclose(encoded[:, 0], [0, np.nan, 0.5])  # clamped, blank, text
    np.testing.assert_allclose(encoded[:, 1], [1, np.nan, np.nan])  # unseen is blank
    np.testing.assert_allclose(encoded[:, 2], [0.5, 0, 1])
    np.testing.assert_allclose(encoded[:, 3], [0, 1, 0.5])


@pytest.mark.parametrize(
    "table",
    [
        pd.DataFrame({"a": [1, 2], "b": [0.5, None], "c": [True, False]}),
        pd.DataFrame({"a": ["1", "2.5"]}),
        np.array([[1, 2.5], [3, 4]], dtype=object),
        np.array([["1", "2"]]),
        [[1, 2], [3, 4]],
        np.zeros((2, 2)),
        "text",
    ],
)
def test_numbers_are_left_alone(table):
    assert find_text(table) is None


@pytest.mark.parametrize(
    "table",
    [
        [["sea", 1], ["yard", 2]],
        np.array([["sea", 1], ["yard", 2]], dtype=object),
        np.array([["sea", "1"], ["yard", "2"]]),
    ],
)
def test_text_in_arrays_is_found(table):
    view, rooms = find_attributes(find_text(table))

    assert (view.name, view.kind) == ("x0", "categorical")
    assert (rooms.name, rooms.kind, rooms.domain) == ("x1", "numeric", (1, 2))


def test_what_does_not_fit_the_attributes_is_refused(frame):
    known = find_attributes(frame)

    with pytest.raises(DataError, match="must have the attributes rent, view"):
        encode_frame(frame[["rent"]], known)
    with pytest.raises(DataError, match="'cheap' is not a finite number"):
        encode_frame(frame.assign(rent="cheap"), known)
    with pytest.raises(DataError, match="needs a domain"):
        find_attributes(frame.assign(rent=np.nan))


def test_a_direction_that_was_declared_is_kept(frame):
    rent = Attribute("rent", direction="down", domain=(0, 1000))

    np.testing.assert_allclose(
        encode_frame(frame[["rent"]], [rent])[:, 0], [0.5, 0.1, 0.3]
    )
