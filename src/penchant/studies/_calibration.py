"""How often the answers that were predicted came."""

from collections.abc import Iterable
from dataclasses import asdict, dataclass
from typing import Any

from scipy.stats import binom

from penchant.studies._participation import AnsweredQuestion
from penchant.studies._population import participations
from penchant.studies.store._store import Store

_FAILS = 0.01
"""A study says that its predictions fail where chance alone does so this seldom; it is
looked at again and again, so this is small."""


@dataclass(frozen=True)
class Calibration:
    """How often answers were predicted correctly, and how often that was expected.

    Parameters
    ----------
    n : int
        Predicted questions of which one side was chosen.
    right : int
        Of these, how often it was the predicted side.
    said : float
        Mean of the predicted probabilities; 0 if there are none.
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

    @classmethod
    def of_study(cls, store: Store, study_id: str, n_items: int) -> "Calibration":
        """Count over the answers of the real people of a study."""
        standing = participations(store, study_id, n_items)
        real = [w.id for w in store.list_participants(study_id) if not w.simulated]
        people = (standing[who].answered for who in real if who in standing)
        return cls.count(told for answered in people for told in answered)

    @property
    def fails(self) -> bool:
        """Whether so few hits are no chance: P(X <= right) < .01, X binomial."""
        return self.n > 0 and float(binom.cdf(self.right, self.n, self.said)) < _FAILS

    def to_dict(self) -> dict[str, Any]:
        """Give the counts as plain values for JSON."""
        return {**asdict(self), "fails": self.fails}
