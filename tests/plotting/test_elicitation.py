import numpy as np
import pytest
from matplotlib.collections import LineCollection, PathCollection
from matplotlib.colors import to_hex
from scipy.stats import binomtest

from penchant.elicitation import Elicitor, simulate
from penchant.exceptions import DataError
from penchant.models import Posterior
from penchant.plotting import plot_ranking, plot_reliability, plot_simulation
from penchant.plotting._style import DARK


@pytest.fixture(scope="module")
def posterior():
    return Posterior(np.array([0.0, 1.0, 0.5, -1.0]), np.eye(4), noise=0.2)


@pytest.fixture(scope="module")
def results(posterior):
    likes = np.random.default_rng(0).standard_normal((15, 4))
    return {
        name: simulate(posterior, likes, policy, 3, random_state=0)
        for name, policy in (("ours", "eubo-kg"), ("by chance", "random-pair"))
    }


@pytest.mark.parametrize("measure", ["loss", "top_found"])
def test_lines_are_the_means_with_standard_errors(results, measure):
    ax = plot_simulation(results, measure=measure)
    labels = [text.get_text() for text in ax.get_legend().get_texts()]
    assert labels == ["ours", "by chance"]
    for container, result in zip(ax.containers, results.values(), strict=True):
        line, _, (bars,) = container
        summary = result.summary()
        np.testing.assert_allclose(line.get_ydata().astype(float), summary[measure])
        np.testing.assert_allclose(line.get_xdata().astype(float), range(4), atol=0.2)
        heights = [np.ptp(segment[:, 1]) for segment in bars.get_segments()]
        np.testing.assert_allclose(heights, 2 * summary[f"{measure}_error"])
    assert ax.get_ylim()[0] == 0
    assert ax.get_title(loc="left") == "15 people; bars: one standard error"


def test_one_result_is_named_by_its_policy(results):
    ax = plot_simulation(results["ours"], theme="dark")
    assert [t.get_text() for t in ax.get_legend().get_texts()] == ["eubo-kg"]
    assert to_hex(ax.lines[0].get_color()) == DARK.accent
    both = plot_simulation(list(results.values()))
    assert [t.get_text() for t in both.get_legend().get_texts()] == [
        "eubo-kg",
        "random-pair",
    ]


def test_lines_differ_by_more_than_colour(results):
    ax = plot_simulation({str(k): results["ours"] for k in range(7)})
    markers = [container[0].get_marker() for container in ax.containers]
    colours = [to_hex(container[0].get_color()) for container in ax.containers]
    assert len(set(markers)) == len(set(colours)) == 7


def test_results_that_cannot_be_drawn_are_refused(results):
    with pytest.raises(DataError, match=r"same policy\. Name them"):
        plot_simulation([results["ours"], results["ours"]])
    with pytest.raises(DataError, match=r"1 to 7 lines\. Got 0"):
        plot_simulation({})
    with pytest.raises(DataError, match="'loss' or 'top_found'"):
        plot_simulation(results, measure="regret")


def test_reliability_shows_shares_with_wilson_intervals():
    stated = np.repeat([0.12, 0.58, 1.0], [10, 20, 5])
    happened = np.concatenate([np.arange(10) < 2, np.arange(20) < 13, np.ones(5)])
    ax = plot_reliability(stated, happened)
    (dots,) = [c for c in ax.collections if isinstance(c, PathCollection)]
    np.testing.assert_allclose(dots.get_offsets().data[:, 0], [0.12, 0.58, 1.0])
    np.testing.assert_allclose(dots.get_offsets().data[:, 1], [0.2, 0.65, 1.0])
    (bars,) = [c for c in ax.collections if isinstance(c, LineCollection)]
    for segment, (k, n) in zip(
        bars.get_segments(), [(2, 10), (13, 20), (5, 5)], strict=True
    ):
        interval = binomtest(k, n).proportion_ci(0.95, method="wilson")
        np.testing.assert_allclose(segment[:, 1], interval, atol=1e-4)
    assert dots.get_sizes()[1] == max(dots.get_sizes())
    brier = np.mean((stated - happened) ** 2)
    assert ax.get_title(loc="left") == f"Brier score {brier:.3f} over 35 forecasts"


@pytest.mark.parametrize(
    ("stated", "happened", "message"),
    [
        ([0.1, 0.2], [True], "same shape"),
        ([], [], "not be empty"),
        ([1.2], [True], "between 0 and 1"),
        ([0.2], [0.5], "true or false"),
    ],
    ids=["shape", "empty", "range", "outcome"],
)
def test_what_is_no_forecast_is_refused(stated, happened, message):
    with pytest.raises(DataError, match=message):
        plot_reliability(stated, happened)


def test_no_bins_are_refused():
    with pytest.raises(DataError, match="n_bins must be at least 1"):
        plot_reliability([0.5], [True], n_bins=0)


def test_ranking_shows_means_intervals_and_probabilities(posterior):
    best = Elicitor(posterior, random_state=0).recommend(3)
    ax = plot_ranking(best, names=["a", "b", "c", "d"])
    assert [label.get_text() for label in ax.get_yticklabels()] == ["b", "c", "a"]
    (bars,) = [c for c in ax.collections if isinstance(c, LineCollection)]
    ends = np.array([segment[:, 0] for segment in bars.get_segments()])
    means = np.array([r.mean for r in best])
    np.testing.assert_allclose(ends.mean(axis=1), means)
    np.testing.assert_allclose(np.ptp(ends, axis=1), 2 * 1.96)
    shares = [text.get_text().rstrip("%").strip() for text in ax.texts[:3]]
    np.testing.assert_allclose(
        [float(s) / 100 for s in shares], [r.probability_best for r in best], atol=0.006
    )
    top, bottom = ax.get_ylim()
    assert top > bottom, "the best one stands on top"


def test_items_without_names_are_numbered(posterior):
    best = Elicitor(posterior, random_state=0).recommend(2)
    labels = [label.get_text() for label in plot_ranking(best).get_yticklabels()]
    assert labels == ["item 1", "item 2"]
    with pytest.raises(DataError, match="There is none for item 1"):
        plot_ranking(best, names=["a"])
    with pytest.raises(DataError, match="at least one"):
        plot_ranking([])
