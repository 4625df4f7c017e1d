"""Which answers a recommendation rests on, for questions of every form (EX-11)."""

import numpy as np

from penchant.explanation import AnswerSupport
from penchant.studies._beliefs import Conversation
from penchant.studies._participation import AnsweredQuestion
from penchant.typing import FloatArray

__all__ = ["support"]


def support(talk: Conversation, item: int) -> list[AnswerSupport]:
    """Leave each answer out in turn and see what the lead of an item becomes.

    Parameters
    ----------
    talk : Conversation
        What was said.
    item : int
        Whose lead.

    Returns
    -------
    list of AnswerSupport
        The answer that does most for the item first; effects and leads in points,
        answers as `AnsweredQuestion`.
    """
    before = _lead(talk, talk.posterior.mean, item)
    found = []
    for k, told in enumerate(talk.answered):
        belief = talk.posterior
        for row in reversed(_rows(talk, k, told)):  # later ones first
            belief = belief.without(row)
        lead = _lead(talk, belief.mean, item)
        best = int(np.argmax(belief.mean))
        found.append(AnswerSupport(k, told, before - lead, lead, best))
    return sorted(found, key=lambda each: -each.effect)


def _rows(talk: Conversation, k: int, told: AnsweredQuestion) -> list[int]:
    """Give the evidence that would not be there without an answer.

    Later ratings are compared with a rating, so all that mentions its item goes.
    """
    ends = (len(talk.start.posterior.answers), *talk.ends)
    if told.form == "rating" and not told.skipped:
        rated = [each.form == "rating" for each in talk.answered]
        return [
            row
            for j in np.flatnonzero(rated)
            for row in range(ends[j], ends[j + 1])
            if told.items[0] in talk.posterior.answers[row].items
        ]
    return list(range(ends[k], ends[k + 1]))


def _lead(talk: Conversation, mean: FloatArray, item: int) -> float:
    others = np.delete(mean, item)
    behind = others.max() if others.size else mean[item]
    return float(talk.scale.amount(mean[item] - behind))
