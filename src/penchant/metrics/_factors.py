"""Whether a learned decomposition found the true factors."""

from collections.abc import Iterable


def false_discovery_rate(
    found: Iterable[Iterable[int]], true: Iterable[Iterable[int]]
) -> float:
    """Give the share of found factors that are included in no true factor.

    A part of a true factor is no false discovery: the ANOVA decomposition of a
    utility of attributes 0 and 1 may have the terms {0}, {1} and {0, 1}.

    Parameters
    ----------
    found, true : iterable of iterables of int
        Factors: sets of attribute indices.

    Returns
    -------
    float
        Between 0 and 1; 0 when nothing was found.

    References
    ----------
    Herin, Perny and Sokolovska (2024), "Learning GAI-decomposable utility models
    for multiattribute decision making", Table 3.

    Examples
    --------
    >>> from penchant.metrics import false_discovery_rate
    >>> false_discovery_rate(found=[(0,), (0, 1), (1, 2), (3,)], true=[(0, 1), (2,)])
    0.5
    """
    discoveries = {frozenset(factor) for factor in found}
    truths = [frozenset(factor) for factor in true]
    false = sum(not any(factor <= truth for truth in truths) for factor in discoveries)
    return false / len(discoveries) if discoveries else 0.0
