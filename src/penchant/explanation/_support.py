"""Which answers a recommendation rests on: each left out in turn (EX-11)."""

from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from penchant.exceptions import DataError
from penchant.typing import FloatArray, IntArray


@dataclass(frozen=True)
class AnswerSupport:
    """What one answer does for a recommendation.

    Parameters
    ----------
    position : int
        Place of the answer among those of the person, from 0.
    answer : object
        The answer as it was given.
    effect : float
        By how much the lead of the recommended item is larger with the answer than
        without; negative: the answer speaks against the recommendation.
    lead : float
        Its lead without the answer: expected utility minus that of the best other
        item; 0 if there is none.
    item : int
        The item of the largest expected utility without the answer.
    """

    position: int
    answer: Any
    effect: float
    lead: float
    item: int

    def to_dict(self) -> dict[str, Any]:
        """Give the support as plain values for JSON."""
        return asdict(self)


def support(source: Any, recommendation: Any) -> list[AnswerSupport]:
    """Tell which of a person's own answers a recommendation rests on most.

    Every answer is left out in turn, and inference goes on from where it stands: about
    10 ms for 20 answers.

    Parameters
    ----------
    source : Elicitor or Posterior
        A conversation, whose answers are counted as in its `answers` (what it derived
        from known directions does not count, and skipped questions have no effect),
        with `evidence_rows` that say which answers of the belief each one became, and
        `allowed`, the items that can be its rivals; or a belief with `answers` and
        `without(k)`.
    recommendation : Recommendation or int
        The item, or what `recommend` gave for it.

    Returns
    -------
    list of AnswerSupport
        The answer that does most for the recommendation first.

    Notes
    -----
    O(q^4 + q^2 n_items) for q answers.

    Examples
    --------
    >>> import numpy as np
    >>> from penchant.explanation import support
    >>> from penchant.models import Posterior
    >>> told = Posterior(np.zeros(3), np.eye(3), noise=0.5).update(2, 0).update(1, 0)
    >>> told = told.update(2, 1)
    >>> best = support(told, 2)[0]
    >>> best.position, best.answer.items, best.item
    (2, (2, 1), 1)
    """
    posterior = getattr(source, "posterior", source)
    if not (hasattr(posterior, "answers") and hasattr(posterior, "without")):
        raise DataError(
            "support needs a conversation or a posterior that keeps its answers. Got "
            f"{type(source).__name__}; use an Elicitor or a Posterior."
        )
    item = int(getattr(recommendation, "item", recommendation))
    if not 0 <= item < posterior.n_items:
        raise DataError(
            f"Items have the numbers 0 to {posterior.n_items - 1}. Got {item}."
        )
    alone = [[k] for k in range(len(posterior.answers))]
    means = _refitted(posterior, getattr(source, "evidence_rows", alone))
    everyone = np.arange(posterior.n_items)
    allowed = np.asarray(getattr(source, "allowed", everyone))
    rivals = allowed[allowed != item]
    before = _lead(posterior.mean, item, rivals)
    answers = getattr(source, "answers", posterior.answers)
    found = [
        AnswerSupport(
            position=k,
            answer=answers[k],
            effect=before - _lead(mean, item, rivals),
            lead=_lead(mean, item, rivals),
            item=int(allowed[np.argmax(mean[allowed])]),
        )
        for k, mean in enumerate(means)
    ]
    return sorted(found, key=lambda entry: -entry.effect)


def _refitted(posterior: Any, rows: list[list[int]]) -> list[FloatArray]:
    means = []
    for left in rows:
        belief = posterior
        for k in reversed(left):  # later ones first, so that positions stay
            belief = belief.without(k)
        means.append(np.asarray(belief.mean))
    return means


def _lead(mean: FloatArray, item: int, rivals: IntArray) -> float:
    return float(mean[item] - mean[rivals].max()) if rivals.size else 0.0
