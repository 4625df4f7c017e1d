"""How sure to say that one is: what the draws say, put right by simulated people.

The share of draws in which an item is the best, or as good, was compared with the truth
for simulated people of many kinds (``python -m experiments.truth.calibration``). It was
too small above all for people who call some of the items that they like best equal: to
them several are as good as the best. What is said is a logistic regression on both; its
three constants were chosen so that no kind of people is told much more than is true.
"""

from collections.abc import Iterable

import numpy as np
from scipy.special import expit, logit

from penchant.gp import Answer
from penchant.typing import FloatArray

INTERCEPT, SLOPE, TIES = -0.037, 1.006, 0.656

_N_TOP = 8
_MOST_TIES = 4
"""More were seldom seen."""


def ties_at_the_top(answers: Iterable[Answer], mean: FloatArray) -> float:
    """Give log(1 + ties among the best fifth of the items), four ties at most.

    Parameters
    ----------
    answers : iterable of Answer
        What the person said.
    mean : ndarray of shape (n_items,)
        Expected utility of each item; the best fifth are two to eight items.
    """
    n_top = min(_N_TOP, max(2, mean.size // 5))
    top = set(np.argsort(-mean, kind="stable")[:n_top].tolist())
    ties = sum(a.kind == "tie" and top.issuperset(a.items) for a in answers)
    return float(np.log1p(min(ties, _MOST_TIES)))


def calibrated(chance: FloatArray | float, ties: float) -> FloatArray:
    """Give the probability to tell; it grows with that of the draws, from 0 to 1.

    Parameters
    ----------
    chance : float or ndarray
        Share of the draws.
    ties : float
        As `ties_at_the_top` gives it.
    """
    x = logit(np.clip(chance, 0.0, 1.0))
    return np.asarray(expit(INTERCEPT + SLOPE * x + TIES * ties))
