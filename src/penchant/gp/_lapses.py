"""Beliefs about people who now and then give an answer that means nothing.

With probability 2 * lapse an answer is a coin toss, so that a clear preference is
reported wrongly with probability `lapse` however far the two items are apart. The
probit of GP-1 alone has no place for that: one slip would move the belief for good.
"""

from dataclasses import dataclass
from typing import ClassVar

from penchant.gp._posterior import Posterior


@dataclass(frozen=True, eq=False, repr=False)
class LapsePosterior(Posterior):
    """A Gaussian belief about one person whose answers may be slips.

    Parameters
    ----------
    lapse : float, default=0.05
        Probability that a clear preference is reported wrongly; the other
        parameters are those of `Posterior`. Inference is expectation propagation
        with the likelihood ``lapse + (1 - 2 lapse) p``, p that of GP-1 or GP-10.

    Examples
    --------
    Five answers put four items in order, and the last one is a slip.

    >>> import numpy as np
    >>> answers = [(3, 2), (2, 1), (1, 0), (3, 1), (2, 0), (0, 3)]
    >>> plain = Posterior(np.zeros(4), 4 * np.eye(4), noise=0.1)
    >>> careful = LapsePosterior(np.zeros(4), 4 * np.eye(4), noise=0.1)
    >>> for winner, loser in answers:
    ...     plain, careful = plain.update(winner, loser), careful.update(winner, loser)
    >>> round(plain.probability(3, 0), 2), round(careful.probability(3, 0), 2)
    (0.72, 0.97)
    """

    lapse: float = 0.05  # type: ignore[misc]  # here it can be chosen

    # Fewer draws of fewer items, since people wait for them after every answer.
    negligible: ClassVar[float] = 0.01
    _n_draws: ClassVar[int] = 1024
    _fewest_draws: ClassVar[float] = 50.0
