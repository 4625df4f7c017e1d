"""How good a utility, a ranking or a recommendation is."""

from penchant.metrics._measures import (
    false_discovery_rate,
    kendall_tau,
    pairwise_accuracy,
    regret,
)

__all__ = ["false_discovery_rate", "kendall_tau", "pairwise_accuracy", "regret"]
