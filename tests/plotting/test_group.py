import numpy as np
import pytest
from matplotlib.collections import PathCollection

from penchant.exceptions import DataError
from penchant.plotting import plot_group_ranking, plot_segment_weights

POINTS = np.array([[100.0, 0.0, 50.0], [80.0, 20.0, 0.0], [0.0, 100.0, 90.0]])


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_every_person_has_a_mark_in_the_lane_of_the_segment(theme: str) -> None:
    ax = plot_group_ranking(
        POINTS,
        names=["a", "b", "c"],
        segments=[0, 0, 1],
        labels=["near", "far"],
        theme=theme,  # type: ignore[arg-type]
    )
    shown = [label.get_text() for label in ax.get_yticklabels()]
    assert shown == ["a", "c", "b"]
    drawn = [c for c in ax.collections if isinstance(c, PathCollection)]
    marks = [np.asarray(c.get_offsets()) for c in drawn]
    first = np.concatenate([m for m in marks if len(m) and abs(m[0, 1]) < 0.3])
    assert sorted(first[:, 0]) == [0.0, 80.0, 100.0]
    assert len(np.unique(first[:, 1])) == 2
    legend = ax.get_legend()
    assert legend is not None
    assert [text.get_text() for text in legend.get_texts()] == ["near", "far"]
    assert [text.get_text() for text in ax.texts] == ["60", "47", "40"]


def test_only_the_best_items_are_drawn_and_one_segment_needs_no_legend() -> None:
    ax = plot_group_ranking(POINTS, names=["a", "b", "c"], n_items=1)
    assert [label.get_text() for label in ax.get_yticklabels()] == ["a"]
    assert ax.get_legend() is None


@pytest.mark.parametrize(
    ("points", "segments"),
    [
        (POINTS[:, :2], None),
        (POINTS[:0], None),
        (POINTS[0], None),
        (POINTS, [0, 1]),
        (POINTS, [0, 1, 3]),
    ],
)
def test_ranking_that_does_not_fit_is_refused(
    points: np.ndarray, segments: list[int] | None
) -> None:
    with pytest.raises(DataError):
        plot_group_ranking(points, names=["a", "b", "c"], segments=segments)


def test_widest_gap_comes_first() -> None:
    ax = plot_segment_weights(
        {"one": {"rent": 0.5, "size": 0.5}, "two": {"size": 0.4, "view": 0.6}}
    )
    shown = [label.get_text() for label in ax.get_yticklabels()]
    assert shown == ["view", "rent", "size"]
    marks = [np.asarray(c.get_offsets()) for c in ax.collections]
    scatters = [m for m in marks if len(m) == 3]
    assert scatters[0][:, 0].tolist() == pytest.approx([0.0, 50.0, 50.0])
    assert scatters[1][:, 0].tolist() == pytest.approx([60.0, 0.0, 40.0])


def test_long_legend_is_written_in_lines() -> None:
    weights = {f"{'long ' * 10}{k}": {"rent": 1.0} for k in range(3)}
    legend = plot_segment_weights(weights).get_legend()
    assert legend is not None
    assert legend._ncols == 1


def test_more_segments_than_marks_are_refused() -> None:
    with pytest.raises(DataError, match="1 to 3 segments"):
        plot_segment_weights({str(k): {"rent": 1.0} for k in range(4)})
