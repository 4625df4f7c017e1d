from concurrent.futures import ThreadPoolExecutor

import matplotlib.pyplot as plt
import pytest
from matplotlib.axes import Axes

from penchant.plotting import picture, plot_segment_weights


def draw() -> Axes:
    return plot_segment_weights({r"$\frac{1}{0$ 家": {"$x": 0.5, "🏠": 0.5}})


def test_picture_is_a_file_and_leaves_no_figure() -> None:
    before = plt.get_fignums()
    vector = picture(draw, "svg")
    assert b"<svg" in vector
    assert picture(draw, "png").startswith(b"\x89PNG")
    assert picture(lambda: draw().figure, "pdf").startswith(b"%PDF")  # type: ignore[arg-type, return-value]
    assert plt.get_fignums() == before


def test_figure_is_closed_when_drawing_fails() -> None:
    before = plt.get_fignums()
    with pytest.raises(ValueError, match="format"):
        picture(draw, "gift")  # type: ignore[arg-type]
    assert plt.get_fignums() == before


def test_pictures_are_drawn_from_many_threads() -> None:
    with ThreadPoolExecutor(4) as pool:
        files = list(pool.map(lambda _: picture(draw, "png"), range(8)))
    assert len(set(files)) == 1
