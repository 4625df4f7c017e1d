import numpy as np
import pandas as pd
import pytest
from matplotlib.colors import to_hex

from penchant.data import Attribute, Items
from penchant.exceptions import DataError
from penchant.explanation import Attribution, contrast
from penchant.models import ChoquetRegressor
from penchant.plotting import plot_contrast, plot_contributions, plot_waterfall
from penchant.plotting._style import DARK, LIGHT

NAMES = ["rent", "size", "noise", "floor"]
COV = np.diag([0.01, 0.04, 0.0, 0.01])[None]


@pytest.fixture
def one():
    return Attribution([[0.4, -0.9, 0.2, 0.0]], 1.0, [0.7], NAMES, "a test", cov=COV)


@pytest.fixture(scope="module")
def pair():
    columns = {"rent": [500, 900, 700], "size": [30, 50, 60]}
    table = pd.DataFrame(columns, index=["attic", "loft", "villa"])
    rent = Attribute("rent", direction="down", unit="EUR")
    flats = Items.from_frame(table, attributes=[rent])
    model = ChoquetRegressor(k=1).fit(flats, [3.0, 1.0, 4.0])
    return contrast(model, flats.take([2]), flats.take([0]))


def bars(ax):
    return [(patch.get_x(), patch.get_width()) for patch in ax.patches]


def labels(ax):
    return [label.get_text() for label in ax.get_yticklabels()]


def test_steps_lead_from_the_base_to_the_prediction(one):
    ax = plot_waterfall(one)
    assert labels(ax) == ["start", "size", "rent", "noise", "prediction"]
    starts, widths = np.array(bars(ax)).T
    np.testing.assert_allclose(widths, [-0.9, 0.4, 0.2])
    np.testing.assert_allclose(starts, [1.0, 0.1, 0.5])
    dots = next(c for c in ax.collections if len(c.get_offsets()) == 2)
    np.testing.assert_allclose(dots.get_offsets(), [[1.0, 0], [0.7, 4]])
    assert ax.get_title(loc="left").endswith("1 attribute adds nothing")


def test_whiskers_are_ranges_of_90_percent(one):
    ax = plot_contributions(one)
    widths = [
        np.ptp(container[2][0].get_segments()[0][:, 0])
        for container in ax.containers
        if container.__class__.__name__ == "ErrorbarContainer"
    ]
    np.testing.assert_allclose(sorted(widths), [2 * 1.645 * s for s in (0.1, 0.2)])
    assert "90" in ax.get_title(loc="left")


def test_bars_go_both_ways_in_two_colours(one):
    ax = plot_contributions(one, theme="dark")
    np.testing.assert_allclose([w for _, w in bars(ax)], [-0.9, 0.4, 0.2])
    fills = [to_hex(patch.get_facecolor()) for patch in ax.patches]
    assert fills == [DARK.con, DARK.pro, DARK.pro]
    assert [text.get_text() for text in ax.texts] == [
        "\N{MINUS SIGN}0.900",
        "+0.400",
        "+0.200",
    ]


def test_small_parts_are_shown_together(one):
    ax = plot_contributions(one, max_attributes=1)
    assert labels(ax) == ["size", "2 others"]
    np.testing.assert_allclose([w for _, w in bars(ax)], [-0.9, 0.6])
    assert labels(plot_contributions(one, max_attributes=2)) == [
        "size",
        "rent",
        "noise",
    ]
    without = Attribution(one.values, one.base, one.predictions, NAMES, "a test")
    together = plot_waterfall(without, max_attributes=1)
    assert labels(together) == ["start", "size", "2 others", "prediction"]
    spread = Attribution(
        one.values, one.base, one.predictions, NAMES, "errors", std=[[0.1] * 4]
    )
    assert len(plot_contributions(spread, max_attributes=1).containers) == 2


def test_several_rows_show_mean_sizes():
    values = np.array([[0.5, -1.0], [-0.5, 2.0]])
    found = Attribution(values, 0.0, values.sum(axis=1), ["a", "b"], "a test")
    ax = plot_contributions(found)
    assert labels(ax) == ["b", "a"]
    np.testing.assert_allclose([w for _, w in bars(ax)], [1.5, 0.5])
    assert ax.get_title(loc="left") == "mean size over 2 rows"


def test_a_stands_on_the_left_and_b_on_the_right(pair):
    ax = plot_contrast(pair)
    assert labels(ax) == ["size", "rent"]
    widths = [w for _, w in bars(ax)]
    np.testing.assert_allclose(widths, [-pair.values[0, 1], -pair.values[0, 0]])
    fills = [to_hex(patch.get_facecolor()) for patch in ax.patches]
    assert fills == [LIGHT.pro, LIGHT.con]
    texts = [text.get_text() for text in ax.texts]
    assert "for villa" in texts
    assert "for attic" in texts
    assert {"60", "30", "700 EUR", "500 EUR"} <= set(texts)
    low, high = ax.get_xlim()
    assert low == pytest.approx(-high)


def test_a_waterfall_of_a_contrast_leads_from_rival_to_item(pair):
    ax = plot_waterfall(pair)
    assert labels(ax) == [
        "attic",
        "size: 30 → 60",
        "rent: 500 EUR → 700 EUR",
        "villa",
    ]


def test_items_without_names_are_letters():
    row = pd.DataFrame([[1.0]], columns=["x"])
    found = Attribution(
        [[0.5]], 0.0, [0.5], ["x"], "a test", data=row, reference=row + 1
    )
    texts = [text.get_text() for text in plot_contrast(found).texts]
    assert "for A" in texts
    assert "for B" in texts


def test_what_cannot_be_drawn_is_refused(one):
    with pytest.raises(DataError, match="plot_waterfall"):
        plot_contrast(one)
    with pytest.raises(DataError, match="at least 1"):
        plot_waterfall(one, max_attributes=0)
    rows = Attribution([[0.2, -0.5], [0.1, 0.3]], 1.0, [0.7, 1.4], NAMES[:2], "two")
    with pytest.raises(DataError, match=r"one row\. Got 2"):
        plot_waterfall(rows)
    with pytest.raises(DataError, match="no rows"):
        plot_contributions(one[:0])
