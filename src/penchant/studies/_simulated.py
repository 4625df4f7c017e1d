"""Simulated people: answers to every form of question."""

from typing import Any

import numpy as np

from penchant.typing import FloatArray

__all__ = ["simulated_answer"]

_GRADES = (0.2, 0.4, 0.6, 0.8)
"""Shares of the items that are rated lower than 2, 3, 4 and 5."""


def simulated_answer(
    form: str,
    items: tuple[int, ...],
    utilities: FloatArray,
    rng: np.random.Generator,
    *,
    noise: float = 0.0,
    wrong: float = 0.0,
) -> Any:
    """Answer a question as a person with known utilities would.

    Parameters
    ----------
    form : {"pair", "best-worst", "rating", "ranking"}
        Form of the question.
    items : tuple of int
        Its items.
    utilities : ndarray of shape (n_items,)
        What all items are worth to the person.
    rng : Generator
        Draws the noise.
    noise : float, default=0.0
        Standard deviation of the noise in a difference of utilities.
    wrong : float, default=0.0
        Probability that the answer is that of somebody who likes the opposite.
    """
    felt = utilities[list(items)]
    felt = felt + noise * np.sqrt(0.5) * rng.standard_normal(len(items))
    if rng.random() < wrong:
        felt = -felt + 2.0 * utilities.mean()
    order = [items[k] for k in np.argsort(-felt, kind="stable")]
    if form == "pair":
        return "left" if order[0] == items[0] else "right"
    if form == "best-worst":
        return {"best": order[0], "worst": order[-1]}
    if form == "ranking":
        return order
    return 1 + int((np.quantile(utilities, _GRADES) < felt[0]).sum())
