import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import pytest
from matplotlib.collections import LineCollection
from matplotlib.colors import to_hex

from penchant.exceptions import DataError
from penchant.models import GAIRegressor
from penchant.plotting import plot_curve, plot_importances, plot_surface
from penchant.plotting._style import DARK


def tick_texts(axis):
    axis.axes.figure.canvas.draw()
    return [label.get_text() for label in axis.get_ticklabels()]


def test_curve_is_the_factor_in_the_units_of_the_table(flats_model):
    ax = plot_curve(flats_model, "price")
    line = ax.lines[-1]
    x, y = line.get_data()
    assert (x[0], x[-1]) == (400, 1500)
    np.testing.assert_array_equal(y, flats_model.factor_function("price")(x))
    assert y[0] > 0 > y[-1], "cheaper is better in these ratings"
    assert ax.get_xlabel() == "price (EUR)"
    assert ax.get_ylabel() == "added utility"


def test_curve_of_a_plain_array_has_numbered_names(plain_model):
    ax = plot_curve(plain_model, 1)
    assert ax.get_xlabel() == "x1"
    x, y = ax.lines[-1].get_data()
    np.testing.assert_array_equal(y, plain_model.factor_function(1)(x))


@pytest.mark.parametrize("name", ["price", "noise"])
def test_at_most_five_ticks_with_a_true_minus(flats_model, name):
    texts = tick_texts(plot_curve(flats_model, name).yaxis)
    assert 2 <= len(texts) <= 5
    assert any(text.startswith("\N{MINUS SIGN}") for text in texts)
    assert not any("-" in text for text in texts)


def test_ordered_levels_are_bars_joined_by_a_line(flats_model):
    ax = plot_curve(flats_model, "noise")
    levels = ["quiet", "some traffic", "busy street"]
    expected = flats_model.factor_function("noise")(levels)
    assert [t.replace("\n", " ") for t in tick_texts(ax.xaxis)] == levels
    assert [bar.get_height() for bar in ax.patches] == expected.tolist()
    assert ax.lines[-1].get_ydata().tolist() == expected.tolist()
    assert ax.lines[-1].get_linestyle() == ":"


def test_categories_are_not_joined(flats_model):
    ax = plot_curve(flats_model, "balcony")
    assert ax.lines[-1].get_linestyle() == "None"
    assert len(ax.patches) == 2


def test_rug_marks_the_data_once_per_value(flats_model, rated_flats):
    items, _ = rated_flats
    ax = plot_curve(flats_model, "price", X=items)
    (rug,) = [c for c in ax.collections if isinstance(c, LineCollection)]
    marked = [segment[0][0] for segment in rug.get_segments()]
    assert marked == sorted(set(items.frame["price"]))


def test_rug_of_levels_tells_how_often_they_occur(flats_model, rated_flats):
    items, _ = rated_flats
    ax = plot_curve(flats_model, "balcony", X=items)
    heights = np.array([bar.get_height() for bar in ax.patches[2:]])
    counts = items.frame["balcony"].value_counts(sort=False)
    np.testing.assert_allclose(heights**2 / (heights**2).sum(), counts / counts.sum())


def test_rug_stays_clear_of_the_curve(flats_model, rated_flats):
    items, _ = rated_flats
    ax = plot_curve(flats_model, "price", X=items)
    (rug,) = [c for c in ax.collections if isinstance(c, LineCollection)]
    top = max(segment[1][1] for segment in rug.get_segments())
    low, high = ax.get_ylim()
    assert low + top * (high - low) < ax.lines[-1].get_ydata().min()


def test_given_axes_are_used_and_no_figure_is_made(flats_model):
    figure, (left, right) = plt.subplots(1, 2)
    assert plot_curve(flats_model, "size", ax=right) is right
    assert plt.get_fignums() == [figure.number]
    assert not left.has_data()


def test_axes_of_the_user_get_one_font_throughout(flats_model):
    _, ax = plt.subplots()
    plot_importances(flats_model, ax=ax)
    ax.set_xlabel("share")
    ax.figure.canvas.draw()
    texts = [ax.xaxis.label, *ax.texts, *ax.get_yticklabels()]
    assert len({tuple(text.get_fontfamily()) for text in texts}) == 1


def test_dark_theme_reaches_ticks_that_are_made_late(flats_model):
    ax = plot_curve(flats_model, "size", theme="dark")
    ax.set_xlim(0, 200)
    ax.figure.canvas.draw()
    colours = {to_hex(label.get_color()) for label in ax.get_xticklabels()}
    assert colours == {DARK.ink_2}
    assert to_hex(ax.figure.get_facecolor()) == DARK.surface


def test_unknown_theme_is_refused(flats_model):
    with pytest.raises(DataError, match=r"'light' or 'dark'.*'sepia'"):
        plot_curve(flats_model, "size", theme="sepia")


def test_what_is_no_factor_is_refused_with_the_factors(plain_model):
    model = plain_model.select(min_share=0.02)
    with pytest.raises(DataError, match=r"not a factor.*factors are"):
        plot_curve(model, 3)


def test_data_must_fit_the_model(flats_model, plain_model, rated_flats):
    items, _ = rated_flats
    with pytest.raises(
        DataError, match="X must be Items or a data frame with a column 'price'"
    ):
        plot_curve(flats_model, "price", X=items.encode())
    with pytest.raises(DataError, match=r"one column per attribute \(4\)"):
        plot_curve(plain_model, 0, X=np.ones((5, 3)))


def test_surface_of_numbers_has_contours_of_the_factor(plain_model, sample):
    ax = plot_surface(plain_model, (2, 3), X=sample.X)
    assert (ax.get_xlabel(), ax.get_ylabel()) == ("x2", "x3")
    assert ax.get_xlim() == ax.get_ylim() == (0, 1)
    texts = {text.get_text() for text in ax.texts}
    assert texts
    assert all(text == "0" or text[0] in "+\N{MINUS SIGN}" for text in texts)
    points = ax.collections[-1].get_offsets()
    assert {tuple(p) for p in points} == {tuple(row[2:]) for row in sample.X}


def test_contours_lie_where_the_factor_has_their_value(plain_model):
    ax = plot_surface(plain_model, (2, 3))
    lines = ax.collections[1]
    function = plain_model.factor_function((2, 3))
    # Contours are straight between the points of the grid, so they are near only.
    step = lines.levels[1] - lines.levels[0]
    checked = 0
    for level, path in zip(lines.levels, lines.get_paths(), strict=True):
        if len(path.vertices):
            x, y = path.vertices.T
            np.testing.assert_allclose(function(x, y), level, atol=0.02 * step)
            checked += 1
    assert checked >= 3


def test_surface_can_be_turned(plain_model):
    ax = plot_surface(plain_model, (3, 2))
    assert (ax.get_xlabel(), ax.get_ylabel()) == ("x3", "x2")
    across = plot_surface(plain_model, (2, 3))
    lines, turned = across.collections[1], ax.collections[1]
    function = plain_model.factor_function((2, 3))
    assert lines.levels.tolist() == turned.levels.tolist()
    y, x = turned.get_paths()[4].vertices.T
    np.testing.assert_allclose(function(x, y), turned.levels[4], atol=1e-3)


def test_surface_of_levels_has_the_number_in_each_cell(flats_model):
    ax = plot_surface(flats_model, ("balcony", "noise"))
    function = flats_model.factor_function(("noise", "balcony"))
    levels = ["quiet", "some traffic", "busy street"]
    table = function(np.array(levels)[:, None], np.array(["none", "roof terrace"]))
    shown = [float(t.get_text().replace("\N{MINUS SIGN}", "-")) for t in ax.texts]
    np.testing.assert_allclose(shown, table.ravel(), atol=0.005)
    assert [t.replace("\n", " ") for t in tick_texts(ax.yaxis)] == levels


def test_surface_of_number_and_level_has_three_numbers_per_level(flats_model):
    ax = plot_surface(flats_model, ("size", "balcony"))
    assert len(ax.texts) == 6
    assert ax.get_xlim() == (20, 120)
    assert ax.get_ylim() == (-0.5, 1.5)


@pytest.mark.parametrize("pair", ["ab", (0,), (0, 1, 2)])
def test_a_pair_is_two_attributes(plain_model, pair):
    with pytest.raises(DataError, match="pair must be two attributes"):
        plot_surface(plain_model, pair)


def test_importances_are_the_shares_in_order(plain_model):
    ax = plot_importances(plain_model)
    shares = np.sort(plain_model.variance_shares_)[::-1]
    widths = [bar.get_width() for bar in ax.patches]
    np.testing.assert_allclose(
        widths, [*shares[:10], *([shares[10:].sum()] * (shares.size > 10))]
    )
    assert tick_texts(ax.yaxis)[0] == "x0"
    assert ax.texts[0].get_text() == f"{shares[0]:.0%}".replace("%", "\u202f%")


def test_importances_of_many_factors_end_in_a_rest(plain_model):
    ax = plot_importances(plain_model, max_factors=2)
    n = len(plain_model.factors_)
    assert tick_texts(ax.yaxis)[-1] == f"{n - 2} more"
    assert sum(bar.get_width() for bar in ax.patches) == pytest.approx(
        plain_model.variance_shares_.sum()
    )
    with pytest.raises(DataError, match="max_factors must be at least 1"):
        plot_importances(plain_model, max_factors=0)


def test_numbers_of_bars_are_inside_the_figure(flats_model):
    ax = plot_importances(flats_model)
    ax.figure.canvas.draw()
    frame = ax.figure.bbox
    for text in [*ax.texts, *ax.get_yticklabels()]:
        box = text.get_window_extent()
        assert box.x0 >= frame.x0
        assert box.x1 <= frame.x1


def test_numeric_levels_of_arrays_are_drawn_as_levels():
    rng = np.random.default_rng(3)
    X = np.column_stack([rng.choice([1.0, 2.0, 5.0], 60), rng.choice([0.0, 7.0], 60)])
    model = GAIRegressor(
        C=1.0, domain=[[1, 2, 5], (0, 7)], categorical_features=[1]
    ).fit(X, X[:, 0] + X[:, 1])
    ordinal, categorical = plot_curve(model, 0, X=X), plot_curve(model, 1)
    assert tick_texts(ordinal.xaxis) == ["1", "2", "5"]
    assert tick_texts(categorical.xaxis) == ["0", "7"]
    assert categorical.lines[-1].get_linestyle() == "None"


def test_dates_are_told_as_dates():
    days = pd.date_range("2019-11-01", "2022-02-01", periods=60)
    size = np.linspace(0.0, 1.0, 60)[::-1] ** 2
    X = pd.DataFrame({"built": days, "size": size})
    model = GAIRegressor(C=10.0).fit(X, np.arange(60.0) - 9 * size)
    ax = plot_curve(model, "built")
    assert ax.get_xlabel() == "built"
    assert {"2020", "2021", "2022"} <= set(tick_texts(ax.xaxis))
