import numpy as np
import pytest

from penchant.exceptions import DataError
from penchant.models import Capacity
from penchant.plotting import plot_interaction_network


def test_pairs_are_lines_full_or_dashed():
    mobius = {(0,): 0.4, (1,): 0.3, (2,): 0.2, (0, 1): 0.5, (1, 2): -0.2, (0, 2): 0.01}
    ax = plot_interaction_network(Capacity(mobius, 3, ["rent", "size", "noise"]))
    styles = {line.get_linestyle() for line in ax.lines}
    assert len(ax.lines) == 2  # the weak pair is left out
    assert styles == {"-", "--"}
    texts = [text.get_text() for text in ax.texts]
    assert {"+0.50", "\N{MINUS SIGN}0.20", "rent", "size", "noise"} == set(texts)
    assert "1 weak pair not shown" in ax.get_title(loc="left")
    widths = {line.get_linestyle(): line.get_linewidth() for line in ax.lines}
    assert widths["-"] > widths["--"]


def test_networks_of_tables():
    table = np.array([[0.0, 1.0], [1.0, 0.0]])
    ax = plot_interaction_network(table, importances=[1.0, 0.2], theme="dark")
    sizes = [disc.get_sizes()[0] for disc in ax.collections]
    assert sizes[0] > sizes[1]
    assert {"x0", "x1", "+1.0"} == {text.get_text() for text in ax.texts}
    assert not plot_interaction_network(np.zeros((2, 2))).lines
    with pytest.raises(DataError, match="square"):
        plot_interaction_network([1.0, 2.0])
    with pytest.raises(DataError, match="one entry per attribute"):
        plot_interaction_network(table, ["a"])
