"""Pictures of results, with matplotlib."""

import penchant.plotting._matplotlib  # noqa: F401 - first: it says what to install
from penchant.plotting._capacity import (
    plot_capacity_importances,
    plot_interactions,
    plot_lattice,
)
from penchant.plotting._decision_map import plot_decision_map
from penchant.plotting._elicitation import (
    plot_ranking,
    plot_reliability,
    plot_simulation,
)
from penchant.plotting._gai import plot_curve, plot_importances, plot_surface
from penchant.plotting._gai_page import plot_gai
from penchant.plotting._network import plot_network

__all__ = [
    "plot_capacity_importances",
    "plot_curve",
    "plot_decision_map",
    "plot_gai",
    "plot_importances",
    "plot_interactions",
    "plot_lattice",
    "plot_network",
    "plot_ranking",
    "plot_reliability",
    "plot_simulation",
    "plot_surface",
]
