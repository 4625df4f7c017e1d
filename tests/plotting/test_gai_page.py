import matplotlib.pyplot as plt
import numpy as np
import pytest
from matplotlib.colors import to_hex

from penchant.models import GAIRegressor
from penchant.plotting import plot_gai
from penchant.plotting._style import DARK

TIMES = " \N{MULTIPLICATION SIGN} "


def titles(figure):
    return [ax.get_title(loc="left") for ax in figure.axes]


def test_page_shows_head_factors_network_curves_and_pairs(flats_model, rated_flats):
    items, _ = rated_flats
    figure = plot_gai(flats_model, X=items)
    shares = dict(zip(flats_model.factors_, flats_model.variance_shares_, strict=True))
    shown = sorted(
        (f for f, s in shares.items() if s >= 0.01), key=lambda f: -shares[f]
    )
    names = flats_model.encoding_.names
    expected = [names[f[0]] for f in shown if len(f) == 1][:6]
    expected += [TIMES.join(names[i] for i in f) for f in shown if len(f) == 2][:3]
    drawn = [title.rsplit("  ", 1)[0] for title in titles(figure)[3:]]
    assert drawn == expected
    captions = [band.get_suptitle() for band in figure.subfigs]
    assert any(text.startswith("Curves") for text in captions)
    assert any(text.startswith("Pairs") for text in captions)


def test_head_tells_the_facts(plain_model):
    head = plot_gai(plain_model).axes[0]
    title, facts = (text.get_text() for text in head.texts)
    assert title.endswith("GAIRegressor")
    assert f"4 of 4 attributes  ·  {len(plain_model.factors_)} factors" in facts
    assert "certified gap" in facts
    assert "·10⁻" in facts
    assert "monotone" not in facts


@pytest.mark.parametrize(("C", "has_gap"), [(10.0, False), ("auto", True)])
def test_head_tells_no_gap_of_another_model(sample, C, has_gap):
    model = GAIRegressor(C=C, max_order=1, monotone={0: 1}).fit(sample.X, sample.y)
    facts = plot_gai(model).axes[0].texts[1].get_text()
    assert ("certified gap" in facts) is has_gap


def test_curves_share_one_scale_and_name_units_below(flats_model):
    figure = plot_gai(flats_model)
    curves = [ax for ax in figure.axes[3:] if TIMES not in ax.get_title(loc="left")]
    assert len(curves) >= 3
    assert len({ax.get_ylim() for ax in curves}) == 1
    units = {ax.get_title(loc="left").split("  ")[0]: ax.get_xlabel() for ax in curves}
    assert units["price"] == "EUR"
    assert units["noise"] == ""


def test_numbers_of_pictures_can_be_limited(flats_model):
    figure = plot_gai(flats_model, max_curves=1, max_surfaces=0)
    assert len(figure.axes) == 4


def test_no_text_is_cut_off(flats_model, rated_flats):
    items, _ = rated_flats
    figure = plot_gai(flats_model, X=items)
    figure.canvas.draw()
    for ax in figure.axes:
        box = ax.get_tightbbox()
        assert box.x0 >= -1
        assert box.y0 >= -1
        assert box.x1 <= figure.bbox.x1 + 1
        assert box.y1 <= figure.bbox.y1 + 1


def test_same_model_gives_the_same_page(plain_model):
    pages = [plot_gai(plain_model) for _ in range(2)]
    first, second = (
        np.asarray(page.canvas.buffer_rgba())
        for page in pages
        if not page.canvas.draw()
    )
    np.testing.assert_array_equal(first, second)


def test_dark_page(plain_model):
    figure = plot_gai(plain_model, theme="dark")
    assert to_hex(figure.get_facecolor()) == DARK.surface


def test_constant_ratings_give_a_page_without_curves():
    X = np.random.default_rng(0).random((20, 2))
    model = GAIRegressor(C=10.0).fit(X, np.full(20, 3.0))
    figure = plot_gai(model, X=X)
    assert len(figure.axes) == 3
    assert "0 factors (0 curves, 0 pairs)" in figure.axes[0].texts[1].get_text()
    figure.canvas.draw()


@pytest.mark.parametrize("n", [4, 5])
def test_rows_are_even(n):
    rng = np.random.default_rng(0)
    X = rng.random((80, n))
    model = GAIRegressor(C=10.0, max_order=1, domain=(0, 1)).fit(X, X.sum(axis=1))
    figure = plot_gai(model)
    per_row = [len(band.axes) for band in figure.subfigs[2:]]
    assert per_row == [n - n // 2, n // 2]
    plt.close(figure)
