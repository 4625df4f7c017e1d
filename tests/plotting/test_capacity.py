import numpy as np
import pytest
from matplotlib.colors import to_hex

from penchant.exceptions import DataError
from penchant.models import Capacity, ChoquetClassifier, KernelCapacity
from penchant.plotting import (
    plot_capacity_importances,
    plot_interactions,
    plot_lattice,
)
from penchant.plotting._style import DARK, LIGHT


def number(text):
    return float(text.get_text().replace("\N{MINUS SIGN}", "-"))


def test_bars_are_the_shapley_values_in_order(capacity):
    ax = plot_capacity_importances(capacity)
    shapley = capacity.shapley()
    order = np.argsort(-shapley)
    assert [bar.get_width() for bar in ax.patches] == shapley[order].tolist()
    labels = [label.get_text() for label in ax.get_yticklabels()]
    assert labels == [capacity.names[i] for i in order]
    np.testing.assert_allclose([number(t) for t in ax.texts], shapley[order], atol=5e-4)
    assert ax.get_title(loc="left").endswith("1.15")


def test_negative_bars_differ_in_side_sign_and_colour():
    ax = plot_capacity_importances(Capacity({(0,): 1.0, (1,): -0.5}, 2))
    good, bad = ax.patches
    assert bad.get_width() < 0 < good.get_width()
    assert to_hex(good.get_facecolor()) == LIGHT.pro
    assert to_hex(bad.get_facecolor()) == LIGHT.con
    assert ax.texts[1].get_text() == "\N{MINUS SIGN}0.50"
    assert ax.texts[1].get_horizontalalignment() == "right"


def test_capacity_without_names_is_numbered():
    ax = plot_capacity_importances(Capacity({(0,): 1.0, (1,): 2.0}, 2))
    assert [label.get_text() for label in ax.get_yticklabels()] == ["x1", "x0"]


def test_fitted_estimators_and_kernel_capacities_are_taken(choquet_model):
    ax = plot_capacity_importances(choquet_model)
    assert {label.get_text() for label in ax.get_yticklabels()} == {"a", "b", "c"}
    kernel = KernelCapacity([[0.5, 0.2, 0.9]], [1.0])
    widths = [bar.get_width() for bar in plot_capacity_importances(kernel).patches]
    assert widths == sorted(kernel.shapley().tolist(), reverse=True)


def test_interactions_are_the_half_matrix(capacity):
    ax = plot_interactions(capacity)
    table = capacity.interaction()
    lower = [table[1, 0], table[2, 0], table[2, 1]]
    np.testing.assert_allclose([number(t) for t in ax.texts], lower, atol=5e-4)
    assert [t.get_text() for t in ax.get_xticklabels()] == ["price", "size"]
    assert [t.get_text() for t in ax.get_yticklabels()] == ["size", "calm"]
    assert ax.get_title(loc="left").startswith("+ complete")


def test_cells_have_four_steps_each_way_and_none_for_zero(capacity):
    ax = plot_interactions(capacity)
    fills = [to_hex(cell.get_facecolor()) for cell in ax.patches]
    assert fills == [LIGHT.plus[3], LIGHT.sunk, LIGHT.minus[3]]
    texts = [to_hex(text.get_color()) for text in ax.texts]
    assert texts == [LIGHT.surface, LIGHT.ink, LIGHT.surface]


def test_long_names_are_turned():
    names = ["a rather long name", "another long name", "third"]
    ax = plot_interactions(Capacity({(0, 1): 1.0, (1, 2): 1.0}, 3, names))
    assert ax.get_xticklabels()[0].get_rotation() == 30


def test_interactions_need_two():
    with pytest.raises(DataError, match="2 criteria or more"):
        plot_interactions(Capacity({(0,): 1.0}, 1))


def test_lattice_has_every_set_with_its_value(capacity):
    ax = plot_lattice(capacity)
    numbers, labels = ax.texts[::2], [t.get_text() for t in ax.texts[1::2]]
    assert labels == ["∅", "1 price", "2 size", "3 calm", "1 2", "1 3", "2 3", "1 2 3"]
    sets = [(), (0,), (1,), (2,), (0, 1), (0, 2), (1, 2), (0, 1, 2)]
    expected = [capacity.value(members) for members in sets]
    np.testing.assert_allclose([number(t) for t in numbers], expected, atol=5e-3)
    heights = [t.get_position()[1] for t in numbers]
    assert heights == [0, 1, 1, 1, 2, 2, 2, 3]
    assert len(ax.lines) == 3 * 2**2


def test_lattice_shows_where_the_capacity_falls():
    falling = Capacity.from_values([0, 0.6, 0.5, 0.4])
    ax = plot_lattice(falling, theme="dark")
    dashed = [line for line in ax.lines if line.get_linestyle() == "--"]
    assert len(dashed) == 2
    assert {line.get_color() for line in dashed} == {DARK.con}
    ordinary = plot_lattice(Capacity.from_values([0, 0.6, 0.5, 1]))
    assert all(line.get_linestyle() == "-" for line in ordinary.lines)


def test_lattice_of_many_is_refused():
    with pytest.raises(DataError, match=r"at most 5 criteria\. Got 6"):
        plot_lattice(Capacity({(5,): 1.0}, 6))
    assert len(plot_lattice(Capacity({(4,): 1.0}, 5)).texts) == 2 * 2**5


def test_one_capacity_per_class_is_refused(choquet_data):
    X, y = choquet_data
    labels = np.digitize(y, np.quantile(y, [0.3, 0.6]))
    model = ChoquetClassifier(ordered=False).fit(X, labels)
    with pytest.raises(DataError, match=r"3 capacities.*capacity_\[0\]"):
        plot_lattice(model)
    assert plot_lattice(model.capacity_[0])


def test_something_else_is_refused():
    with pytest.raises(DataError, match=r"must be a Capacity.*Got str"):
        plot_interactions("capacity")
