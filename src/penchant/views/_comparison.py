"""Why one alternative rather than another, as pages and terminal both tell it."""

import math

from scipy.special import ndtr

from penchant.explanation import Attribution, reasons
from penchant.studies import ParticipantRecord, Study
from penchant.texts import Texts
from penchant.views._reasons import CompareView, compare_view, same_view

__all__ = ["chance_of", "compare_items"]


def compare_items(
    study: Study,
    person: str | ParticipantRecord,
    a: int,
    b: int,
    texts: Texts,
    *,
    changes: bool,
) -> CompareView:
    """Tell why one alternative is better than another.

    Parameters
    ----------
    study : Study
    person : str or ParticipantRecord
        The participant.
    a, b : int
        Two alternatives.
    texts : Texts
        In the language of the reader.
    changes : bool
        Whether to look for what would change the choice, which takes a second.
    """
    if a == b:
        return same_view(study.items, a, texts)
    contrast = study.contrast(person, a, b)
    is_ahead = contrast.predictions[0] >= contrast.base[0]
    better, worse = (a, b) if is_ahead else (b, a)
    return compare_view(
        study.items,
        (a, b),
        contrast,
        reasons(contrast) if is_ahead else study.reasons(person, better, worse),
        study.flip(person, worse, better) if changes else None,
        chance_of(contrast),
        texts,
    )


def chance_of(contrast: Attribution) -> float:
    """Give the probability that the better one of two is better."""
    ahead = abs(float(contrast.predictions[0] - contrast.base[0]))
    variance = 0.0 if contrast.cov is None else float(contrast.cov[0].sum())
    return float(ndtr(ahead / math.sqrt(max(variance, 1e-12))))
