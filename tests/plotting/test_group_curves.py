import numpy as np
import pytest

from penchant.exceptions import DataError
from penchant.plotting import picture, plot_segment_curves

RENT = ([500.0, 700.0, 900.0], [[20.0, 0.0, -20.0], [5.0, 0.0, -5.0]])
NOISE = (["quiet", "busy street at night"], [[30.0, -30.0], [1.0, -1.0]])


def test_curves_are_drawn_on_one_axis_of_points() -> None:
    figure = plot_segment_curves({"rent": RENT, "noise": NOISE}, labels=["a", "b"])
    rent, noise = figure.axes
    assert [ax.get_title(loc="left") for ax in (rent, noise)] == ["rent", "noise"]
    assert rent.get_ylim() == noise.get_ylim()
    drawn = [np.asarray(line.get_ydata()).tolist() for line in noise.lines[1:]]
    assert drawn == NOISE[1]
    assert noise.lines[1].get_linestyle() == ":"
    assert [tick.get_text() for tick in noise.get_xticklabels()] == [
        "quiet",
        "busy street ",
    ]
    (legend,) = figure.legends
    assert [text.get_text() for text in legend.get_texts()] == ["a", "b"]


def test_one_segment_needs_no_legend_and_rows_are_filled() -> None:
    curves = {f"x{k}": ([0.0, 1.0], [[0.0, float(k)]]) for k in range(4)}
    figure = plot_segment_curves(curves, labels=["all"])
    assert figure.legends == []
    assert [ax.get_visible() for ax in figure.axes] == [True] * 4 + [False] * 2
    assert b"<svg" in picture(lambda: plot_segment_curves(curves, labels=["a"]), "svg")


@pytest.mark.parametrize(("n_curves", "n_labels"), [(0, 1), (1, 0), (1, 4)])
def test_what_cannot_be_drawn_is_refused(n_curves: int, n_labels: int) -> None:
    curves = {str(k): RENT for k in range(n_curves)}
    with pytest.raises(DataError, match="1 to 3 segments"):
        plot_segment_curves(curves, labels=["a"] * n_labels)


def test_dates_are_told_as_dates():
    days = np.array(["2020-01-01", "2021-01-01", "2022-01-01"], dtype="M8[D]")
    figure = plot_segment_curves({"built": (days, [[1.0, 2.0, 3.0]])}, labels=["all"])
    figure.canvas.draw()
    texts = [label.get_text() for label in figure.axes[0].get_xticklabels()]
    assert {"2020", "2021", "2022"} <= set(texts)
