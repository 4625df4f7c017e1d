from typing import Any

import numpy as np
import pytest
from matplotlib.collections import LineCollection, PathCollection

from penchant.exceptions import DataError
from penchant.plotting import plot_group_ranking, plot_segment_weights

MEANS = [60.0, 47.0, 40.0]
PEOPLE = [
    [(90.0, 80.0, 100.0), (25.0, 0.0, 50.0), (10.0, 0.0, 20.0)],
    [(0.0, 0.0, 5.0), (90.0, 85.0, 95.0), (100.0, 90.0, 100.0)],
]


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_every_segment_has_a_lane_with_a_mark_and_a_bar(theme: str) -> None:
    ax = plot_group_ranking(
        MEANS,
        PEOPLE,
        names=["a", "c", "b"],
        labels=["near", "far"],
        theme=theme,  # type: ignore[arg-type]
    )
    shown = [label.get_text() for label in ax.get_yticklabels()]
    assert shown == ["a", "c", "b"]
    drawn = [c for c in ax.collections if isinstance(c, PathCollection)]
    marks = np.concatenate([np.asarray(c.get_offsets()) for c in drawn])
    first = marks[np.abs(marks[:, 1]) < 0.3]
    assert sorted(first[:, 0]) == [0.0, 90.0]
    assert len(np.unique(first[:, 1])) == 2
    bars = [c for c in ax.collections if isinstance(c, LineCollection)]
    ends = {tuple(path.vertices[:, 0]) for c in bars for path in c.get_paths()}
    assert {(80.0, 100.0), (0.0, 5.0), (85.0, 95.0)} <= ends
    legend = ax.get_legend()
    assert legend is not None
    assert [text.get_text() for text in legend.get_texts()] == ["near", "far"]
    assert [text.get_text() for text in ax.texts] == ["60", "47", "40"]


def test_only_the_first_items_are_drawn_and_one_segment_needs_no_legend() -> None:
    ax = plot_group_ranking(MEANS, PEOPLE[:1], names=["a", "c", "b"], n_items=1)
    assert [label.get_text() for label in ax.get_yticklabels()] == ["a"]
    assert ax.get_legend() is None


@pytest.mark.parametrize(
    ("means", "people"),
    [(MEANS[:2], PEOPLE), (MEANS, PEOPLE[0]), (MEANS, []), (MEANS, PEOPLE * 2)],
)
def test_ranking_that_does_not_fit_is_refused(means: Any, people: Any) -> None:
    with pytest.raises(DataError, match="a mean per name"):
        plot_group_ranking(means, people, names=["a", "b", "c"])


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
