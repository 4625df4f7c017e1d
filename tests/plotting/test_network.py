import matplotlib as mpl
import numpy as np
import pytest

from penchant.exceptions import DataError
from penchant.models import GAIRegressor
from penchant.plotting import plot_network


def test_every_attribute_is_named_and_lines_join_pairs(plain_model):
    model = plain_model.select(min_share=0.02)
    ax = plot_network(model)
    texts = [text.get_text() for text in ax.texts]
    assert {text.split("\n")[0] for text in texts} >= {"x0", "x1", "x2", "x3"}
    (line,) = ax.lines
    places = [tuple(c.get_offsets()[0]) for c in ax.collections]
    assert {tuple(p) for p in np.column_stack(line.get_data())} == {
        places[2],
        places[3],
    }


def test_small_factors_are_counted_not_drawn(plain_model):
    ax = plot_network(plain_model, min_share=0.05)
    hidden = int((plain_model.variance_shares_ < 0.05).sum())
    assert f"without {hidden} factors of less than 5\u202f%" in ax.get_title(loc="left")


def test_size_of_disc_and_width_of_line_follow_the_share(plain_model):
    ax = plot_network(plain_model.select(min_share=0.02))
    sizes = [c.get_sizes()[0] for c in ax.collections]
    assert sizes[0] > sizes[1] > sizes[3]
    thin, thick = (
        plot_network(plain_model, min_share=share).lines[-1].get_linewidth()
        for share in (0.0, 0.02)
    )
    assert thin <= thick


def test_unused_attributes_are_rings():
    rng = np.random.default_rng(0)
    X = rng.random((60, 3))
    model = GAIRegressor(C=1.0, max_order=1).fit(X, X[:, 0])
    ax = plot_network(model)
    fills = [mpl.colors.to_hex(c.get_facecolor()[0]) for c in ax.collections]
    assert fills[0] != fills[1] == fills[2] == "#ffffff"


def test_larger_factors_are_areas():
    rng = np.random.default_rng(0)
    X = rng.random((120, 4))
    y = 8 * (X[:, 0] - 0.5) * (X[:, 1] - 0.5) * (X[:, 2] - 0.5) + 0.1 * X[:, 3]
    model = GAIRegressor(C=10.0, domain=(0, 1), sigma=0.5).fit(X, y)
    assert (0, 1, 2) in model.factors_
    ax = plot_network(model, min_share=0.2)
    (area,) = ax.patches
    corners = {tuple(p) for p in area.get_xy().round(9)}
    places = [tuple(c.get_offsets()[0].round(9)) for c in ax.collections]
    assert corners == set(places[:3])


def test_order_on_the_circle_keeps_partners_together(flats_model):
    ax = plot_network(flats_model)
    # Five on a circle: neighbours are 2 sin(pi / 5) apart.
    lengths = [
        np.hypot(*np.diff(np.array(line.get_data()), axis=1)) for line in ax.lines
    ]
    strongest = int(np.argmax([line.get_linewidth() for line in ax.lines]))
    assert lengths[strongest][0] == pytest.approx(2 * np.sin(np.pi / 5))


def test_share_must_be_a_share(plain_model):
    with pytest.raises(DataError, match="min_share must be between 0 and 1"):
        plot_network(plain_model, min_share=2)
