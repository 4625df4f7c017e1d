"""How good a utility, a ranking or a recommendation is."""

from penchant.metrics._comparisons import kendall_tau, pairwise_accuracy
from penchant.metrics._factors import false_discovery_rate
from penchant.metrics._regret import regret

__all__ = ["false_discovery_rate", "kendall_tau", "pairwise_accuracy", "regret"]
