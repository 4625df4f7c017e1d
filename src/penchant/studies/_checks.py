"""Questions whose answers are foretold, and how often that was right."""

from collections.abc import Iterable
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np
from scipy.stats import binom

from penchant.studies._participation import AnsweredQuestion, Participation, Prediction
from penchant.studies._settings import StudySettings
from penchant.studies._talk import Talk

_MOST = 3
"""Checks of one person."""

_AT_END = 2
"""Checks after the last question, if the owner wants them."""

_FIRST = 6
"""The first question that can be a check: the first five answers teach most."""

_TRIES = 50
"""Random pairs that are looked at before there is no check."""

_EXTREMES = 12
"""Items at each end of the ranking among which the clearest pair is looked for."""

_FAILS = 0.01
"""A study says that its predictions fail where chance alone does so this seldom; it is
looked at again and again, so this is small."""

Foretold = tuple[tuple[int, int], Prediction]
"""Two items in the order in which to show them, and what is foretold."""


@dataclass(frozen=True)
class Calibration:
    """How often answers were foretold rightly, and how often that was expected.

    Parameters
    ----------
    n : int
        Foretold questions of which one side was chosen.
    right : int
        Of these, how often it was the foretold side.
    said : float
        Mean of the foretold probabilities; 0 if there are none.
    """

    n: int
    right: int
    said: float

    @classmethod
    def count(cls, answered: Iterable[AnsweredQuestion]) -> "Calibration":
        """Count over answers; ties, rejections and skips do not count."""
        made = [
            (each.predicted.probability, each.predicted.answer == each.answer)
            for each in answered
            if each.predicted is not None and each.choice is not None
        ]
        n = len(made)
        right, said = sum(hit for _, hit in made), sum(chance for chance, _ in made)
        return cls(n, right, said / n if n else 0.0)

    @property
    def fails(self) -> bool:
        """Whether so few hits are no chance: P(X <= right) < .01, X binomial."""
        return self.n > 0 and float(binom.cdf(self.right, self.n, self.said)) < _FAILS

    def to_dict(self) -> dict[str, Any]:
        """Give the counts as plain values for JSON."""
        return {**asdict(self), "fails": self.fails}


def choose_check(
    now: Participation, talk: Talk, settings: StudySettings
) -> Foretold | None:
    """Foretell the next answer, if it is the turn of a check; None: it is not.

    One in every `check_every` questions is one, which one is up to chance; its items
    are drawn at random from the pairs that were not asked, so that what is foretold is
    not chosen to be easy, nor to be informative.
    """
    every = settings.check_every
    most = _MOST - _AT_END if settings.end_checks else _MOST
    if not every or sum(each.predicted is not None for each in now.answered) >= most:
        return None
    block, place = divmod(now.number - 1, every)
    first = min(_FIRST, every) - 1 if block == 0 else 0
    seed = talk.setting.seed
    turn = np.random.default_rng([seed, block, 5]).integers(first, every)
    if place != turn:
        return None
    rng = np.random.default_rng([seed, now.number, 6])
    allowed = talk.allowed
    for _ in range(_TRIES if allowed.size > 1 else 0):
        pair = allowed[rng.choice(allowed.size, 2, replace=False)]
        left, right = (int(item) for item in pair)
        if _is_open(talk, left, right):
            return _foretell(talk, left, right)
    return None


def end_check(
    now: Participation, talk: Talk, settings: StudySettings
) -> Foretold | None:
    """Foretell the answer to the clearest pair that was not asked; None: no more."""
    asked = sum(bool(each.predicted and each.predicted.clear) for each in now.answered)
    left = settings.max_questions - len(now.answered)
    if not settings.end_checks or now.went_on or asked >= _AT_END or left <= 0:
        return None
    mean, allowed = talk.belief.mean, talk.allowed
    order = allowed[np.argsort(-mean[allowed], kind="stable")].tolist()
    found = [
        _foretell(talk, better, worse)
        for better in order[:_EXTREMES]
        for worse in order[-_EXTREMES:]
        if better != worse and _is_open(talk, better, worse)
    ]
    if not found:
        return None
    pair, _ = max(found, key=lambda each: each[1].probability)
    sides = np.random.default_rng([talk.setting.seed, now.number, 7])
    pair, foretold = _foretell(talk, *(pair if sides.random() < 0.5 else pair[::-1]))
    return pair, foretold._replace(clear=True)


def budget(settings: StudySettings) -> int:
    """Give how many questions may come before the checks at the end."""
    kept = _AT_END if settings.end_checks else 0
    return max(settings.max_questions - kept, 1)


def _is_open(talk: Talk, a: int, b: int) -> bool:
    """Tell whether two items were not compared, and neither is known to be worse."""
    past, known = talk.history, talk.setting.known
    pair = (min(a, b), max(a, b))
    if pair in past.asked or pair in past.resting:
        return False
    if known is None:
        return True
    return a not in known.dominators(b) and b not in known.dominators(a)


def _foretell(talk: Talk, left: int, right: int) -> Foretold:
    chance = talk.belief.probability(left, right)
    side = "left" if chance >= 0.5 else "right"
    likely = round(max(chance, 1.0 - chance), 4)
    return (left, right), Prediction(side, likely)
