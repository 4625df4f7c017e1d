"""Pictures of results, with matplotlib."""

import penchant.plotting._matplotlib  # noqa: F401 - first: it says what to install
from penchant.plotting._attribution import (
    plot_contrast,
    plot_contributions,
    plot_waterfall,
)
from penchant.plotting._attribution_sets import plot_attribution_groups, plot_beeswarm
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
from penchant.plotting._files import picture
from penchant.plotting._gai import plot_curve, plot_importances, plot_surface
from penchant.plotting._gai_page import plot_gai
from penchant.plotting._group import (
    plot_group_ranking,
    plot_segment_curves,
    plot_segment_weights,
)
from penchant.plotting._network import plot_interaction_network, plot_network
from penchant.plotting._rules import plot_rule_accuracy, plot_rules

__all__ = [
    "picture",
    "plot_attribution_groups",
    "plot_beeswarm",
    "plot_capacity_importances",
    "plot_contrast",
    "plot_contributions",
    "plot_curve",
    "plot_decision_map",
    "plot_gai",
    "plot_group_ranking",
    "plot_importances",
    "plot_interaction_network",
    "plot_interactions",
    "plot_lattice",
    "plot_network",
    "plot_ranking",
    "plot_reliability",
    "plot_rule_accuracy",
    "plot_rules",
    "plot_segment_curves",
    "plot_segment_weights",
    "plot_simulation",
    "plot_surface",
    "plot_waterfall",
]
