"""The result type: arithmetic, rows and tables."""

import json

import numpy as np
import pandas as pd
import pytest

from penchant.exceptions import DataError
from penchant.explanation import Attribution


@pytest.fixture
def two() -> Attribution:
    data = pd.DataFrame({"rent": [500.0, 900.0], "energy": ["B", "A"]}, ["a", "b<"])
    return Attribution(
        values=[[0.5, -0.25], [1.0, 2.0]],
        base=[1.0, 2.0],
        predictions=[1.25, 5.5],
        names=["rent", "energy"],
        game="an example",
        std=[[0.1, 0.2], [0.3, 0.4]],
        n_models=3,
        complexity=1.0,
        data=data,
        classes=["yes", "no"],
    )


def test_gap_is_what_is_missing(two: Attribution) -> None:
    np.testing.assert_array_equal(two.gap, [0.0, 0.5])


def test_one_base_serves_all_rows() -> None:
    found = Attribution([[1.0], [2.0]], 3.0, [4.0, 5.0], ["x"], "g")
    np.testing.assert_array_equal(found.base, [3.0, 3.0])
    np.testing.assert_array_equal(found.gap, [0.0, 0.0])


def test_rows_are_taken_with_all_that_belongs_to_them(two: Attribution) -> None:
    last = two[-1]
    assert len(last) == 1
    assert last.rows == ("b<",)
    np.testing.assert_array_equal(last.values, [[1.0, 2.0]])
    np.testing.assert_array_equal(last.std, [[0.3, 0.4]])
    assert last.classes.tolist() == ["no"]
    assert last.n_models == 3
    assert [row.rows[0] for row in two] == ["a", "b<"]
    assert two[1:].rows == two[[1]].rows == ("b<",)
    with pytest.raises(IndexError, match="2 rows"):
        two[2]


def test_nothing_can_be_written_to(two: Attribution) -> None:
    with pytest.raises(ValueError, match="read-only"):
        two.values[0, 0] = 1.0


def test_standard_errors_come_from_the_covariance() -> None:
    cov = [[[4.0, 1.0], [1.0, 9.0]]]
    found = Attribution([[1.0, 2.0]], 0.0, [3.0], ["x", "y"], "g", cov=cov)
    np.testing.assert_array_equal(found.std, [[2.0, 3.0]])
    assert found[0].cov.shape == (1, 2, 2)


def test_frame_has_a_line_per_row_and_attribute(two: Attribution) -> None:
    frame = two.to_frame()
    assert frame["row"].tolist() == ["a", "a", "b<", "b<"]
    assert frame["attribute"].tolist() == ["rent", "energy"] * 2
    assert frame["value"].tolist() == [500.0, "B", 900.0, "A"]
    assert frame["class"].tolist() == ["yes", "yes", "no", "no"]
    assert frame["contribution"].tolist() == [0.5, -0.25, 1.0, 2.0]
    assert frame["std"].tolist() == [0.1, 0.2, 0.3, 0.4]
    assert "reference" not in frame


def test_plain_values_survive_json(two: Attribution) -> None:
    plain = json.loads(json.dumps(two.to_dict()))
    assert plain["values"] == [[0.5, -0.25], [1.0, 2.0]]
    assert plain["gap"] == [0.0, 0.5]
    assert plain["data"][0] == ["500.0", "B"]
    assert plain["cov"] is None


def test_html_escapes_names_and_tells_the_game(two: Attribution) -> None:
    html = two._repr_html_()
    assert "b&lt;" in html
    assert "an example, 3 models, 1 of all, largest gap 0.5" in html
    assert html.count("<tr>") == 3
    single = two[0]._repr_html_()
    assert "<td>rent</td>" in single
    assert "<td>500</td>" in single


def test_html_of_many_rows_is_cut() -> None:
    found = Attribution(np.zeros((50, 1)), 0.0, np.zeros(50), ["x"], "g")
    assert found._repr_html_().count("<tr>") == 21
    assert "50 rows in all" in found._repr_html_()


def test_repr_is_one_line(two: Attribution) -> None:
    assert repr(two) == "Attribution(2 rows: rent, energy; an example)"
    assert repr(two[0]).startswith("Attribution(1 row:")


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"values": [[1.0]]}, "one column per name"),
        ({"predictions": [1.0]}, "predictions must have shape"),
        ({"std": [[1.0]]}, "std must have shape"),
        ({"data": pd.DataFrame({"x": [1.0]})}, "data must be a data frame"),
    ],
)
def test_shapes_must_agree(change: dict[str, object], words: str) -> None:
    arguments = {
        "values": np.zeros((2, 2)),
        "base": 0.0,
        "predictions": np.zeros(2),
        "names": ["x", "y"],
        "game": "g",
    }
    with pytest.raises(DataError, match=words):
        Attribution(**{**arguments, **change})
