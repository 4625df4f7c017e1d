import numpy as np
import pandas as pd
import pytest
from matplotlib.colors import to_hex

from penchant.exceptions import DataError
from penchant.explanation import Attribution
from penchant.plotting import plot_attribution_groups, plot_beeswarm
from penchant.plotting._style import LIGHT


@pytest.fixture(scope="module")
def many():
    rng = np.random.default_rng(0)
    data = pd.DataFrame(
        {
            "rent": rng.random(60),
            "heat": pd.Categorical.from_codes(
                rng.integers(0, 3, 60), list("ABC"), ordered=True
            ),
            "colour": rng.choice(["red", "blue"], 60),
        }
    )
    values = np.column_stack(
        [data["rent"] - 0.5, 0.1 * data["heat"].cat.codes, 2 * rng.random(60) - 1]
    )
    return Attribution(values, 0.0, values.sum(axis=1), list(data), "a test", data=data)


def test_a_dot_per_row_and_attribute(many):
    ax = plot_beeswarm(many)
    names = [label.get_text() for label in ax.get_yticklabels()]
    assert names == ["colour", "rent", "heat"]
    for row, (name, dots) in enumerate(zip(names, ax.collections, strict=True)):
        x, y = np.asarray(dots.get_offsets()).T
        np.testing.assert_allclose(x, many.values[:, many.names.index(name)])
        assert np.abs(y - row).max() < 0.5
    assert ax.get_title(loc="left") == "60 rows"


def test_high_values_are_darker_and_words_are_hollow(many):
    colour, rent, heat = plot_beeswarm(many).collections
    assert {to_hex(c) for c in colour.get_facecolors()} == {LIGHT.surface}
    shades = np.array([to_hex(c) for c in rent.get_facecolors()])
    value = many.data["rent"].to_numpy()
    assert value[shades == LIGHT.accent].min() > value[shades == LIGHT.plus[1]].max()
    assert len({to_hex(c) for c in heat.get_facecolors()}) > 1
    plain = Attribution(many.values, 0.0, many.predictions, many.names, "no data")
    ax = plot_beeswarm(plain, theme="dark")
    assert ax.get_legend() is None


def test_one_row_can_be_marked(many):
    ax = plot_beeswarm(many, max_attributes=2, highlight=7)
    marks = [c for c in ax.collections if len(c.get_offsets()) == 1]
    np.testing.assert_allclose(
        [mark.get_offsets()[0, 0] for mark in marks], many.values[7, [2, 0]]
    )
    assert ax.get_title(loc="left") == "60 rows; 1 attribute not shown"
    assert "row 7" in [text.get_text() for text in ax.get_legend().get_texts()]
    with pytest.raises(DataError, match="plot_waterfall"):
        plot_beeswarm(many[3])


def test_groups_are_sums_with_ranges_of_sums():
    cov = np.array([[[1.0, -0.9, 0.0], [-0.9, 1.0, 0.0], [0.0, 0.0, 0.5]]])
    found = Attribution([[3.0, -2.0, 0.4]], 0.0, [1.4], list("abc"), "a test", cov=cov)
    ax = plot_attribution_groups(found, {"both": ["a", "b"]})
    labels = [label.get_text().strip() for label in ax.get_yticklabels()]
    assert labels == ["both", "a", "b", "c"]
    np.testing.assert_allclose(
        [patch.get_width() for patch in ax.patches], [1.0, 3.0, -2.0, 0.4]
    )
    thin = [patch.get_height() for patch in ax.patches]
    assert thin[1] < thin[0]
    ranges = [
        np.ptp(container[2][0].get_segments()[0][:, 0]) / 2 / 1.645
        for container in ax.containers[1:]
    ]
    # Errors of the two cancel in the sum.
    np.testing.assert_allclose(ranges, np.sqrt([0.2, 1.0, 1.0, 0.5]))


def test_groups_without_covariance():
    found = Attribution(
        [[3.0, -2.0]], 0.0, [1.0], ["a", "b"], "a test", std=[[0.1, 0.2]]
    )
    ax = plot_attribution_groups(found, {"both": ["a", "b"]})
    assert len(ax.containers) == 3  # bars, and ranges of the members only
    bare = Attribution([[3.0, -2.0]], 0.0, [1.0], ["a", "b"], "a test")
    assert len(plot_attribution_groups(bare, {}).containers) == 1
    for groups in ({"g": ["z"]}, {"g": ["a"], "h": ["a"]}):
        with pytest.raises(DataError, match="each at most once"):
            plot_attribution_groups(found, groups)
    with pytest.raises(DataError, match="one row"):
        plot_attribution_groups(bare[:0], {})
