"""Lines through the points of a group, against least squares by hand."""

import numpy as np
import pandas as pd
import pytest

from penchant.data import Attribute, Items
from penchant.elicitation import PersonSpace
from penchant.elicitation.groups import GroupLines


def table(n=20):
    rng = np.random.default_rng(0)
    frame = pd.DataFrame(
        {
            "rent": rng.uniform(400, 1200, n).round(),
            "view": rng.permutation(np.resize(["sea", "park", "yard"], n)),
            "size": rng.uniform(20, 90, n).round(),
        }
    )
    attributes = [
        Attribute("rent", "numeric", "down", (400, 1200)),
        Attribute("view", "categorical", "unknown", ("sea", "park", "yard")),
        Attribute("size", "numeric", "up", (20, 90)),
    ]
    return Items.from_frame(frame, attributes)


def linear(items):
    worth = {"sea": 6.0, "park": 3.0, "yard": 0.0}
    view = items.frame["view"].map(worth).astype(float)
    points = 50 - 0.05 * items.frame["rent"] + view + 0.4 * items.frame["size"]
    return points.to_numpy(dtype=float)


def test_exact_lines_say_what_each_other_value_gains():
    items = table()
    space = PersonSpace.from_items(items)
    shifts = np.array([0.0, 5.0, -3.0])
    draws = linear(items) * np.array([[1.0], [2.0], [0.5]]) + shifts[:, None]
    among = np.arange(3, 20)  # the lines are the same through some of the items
    every = GroupLines.through(draws, space)
    some = GroupLines.through(draws[:, among], space, among=among)
    values = {"rent": [400, 1000], "view": ["sea", "park", "yard"], "size": [21, 90]}
    worth = {
        "rent": lambda x: -0.05 * x,
        "view": {"sea": 6.0, "park": 3.0, "yard": 0.0}.get,
        "size": lambda x: 0.4 * x,
    }
    for item in (0, 7):
        own = items.values(item)
        for name, tried in values.items():
            gain = np.array([worth[name](v) - worth[name](own[name]) for v in tried])
            expected = np.outer([1.0, 2.0, 0.5], gain)
            for lines in (every, some):
                found = lines.change(item, name, tried)
                np.testing.assert_allclose(found, expected, atol=1e-8)


def test_doubt_about_a_line_is_that_of_least_squares():
    items = table()
    space = PersonSpace.from_items(items)
    off = 4.0 * np.random.default_rng(1).standard_normal(20)
    points = linear(items) + off
    lines = GroupLines.through(np.tile(points, (40_000, 1)), space, random_state=3)
    found = lines.change(0, "rent", [items.values(0)["rent"] + 100])[:, 0]
    frame = items.frame
    X = np.column_stack(
        [
            np.ones(20),
            frame["rent"] / 100,
            frame["size"],
            *(frame["view"] == level for level in ("sea", "park")),
        ]
    ).astype(float)
    best, rest, rank, _ = np.linalg.lstsq(X, points)
    variance = rest[0] / (20 - rank) * np.linalg.inv(X.T @ X)
    assert found.mean() == pytest.approx(best[1], abs=0.02)
    assert found.std() == pytest.approx(np.sqrt(variance[1, 1]), rel=0.02)
    again = GroupLines.through(np.tile(points, (40_000, 1)), space, random_state=3)
    np.testing.assert_array_equal(again.coefficients, lines.coefficients)


def test_five_items_more_than_coefficients_are_needed():
    # a constant, two numbers, and three levels that add up to the constant
    for n, known in ((9, False), (10, True)):
        items = table(n)
        space = PersonSpace.from_items(items)
        assert (GroupLines.through(linear(items)[None], space) is not None) == known


def test_there_is_no_line_where_nothing_varies():
    frame = pd.DataFrame({"note": ["none"] * 9})
    note = Attribute("note", "categorical", "unknown", ("none",))
    space = PersonSpace.from_items(Items.from_frame(frame, [note]))
    assert GroupLines.through(np.zeros((2, 9)), space) is None
