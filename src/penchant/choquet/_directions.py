"""Which way each criterion is better: stated, declared by Items, or learned (CH-7)."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from scipy.linalg import solve
from scipy.special import ndtri

from penchant._validation import warn_user
from penchant.data import Items
from penchant.encoding import Pairs
from penchant.exceptions import DataError, DirectionWarning
from penchant.typing import BoolArray, FloatArray

_ERROR = 0.05  # chance that any one criterion without an effect passes as sure
_RIDGE = 10  # over the number of answers: with few, slopes are nearly correlations
_ROUNDING = 1e-12  # of a correlation: not a reason to turn a criterion


@dataclass(frozen=True)
class CriterionDirection:
    """Which way a criterion is better, and what the data say about it.

    Attributes
    ----------
    direction : {"up", "down"}
        Whether more or less is better in the model.
    correlation : float
        Rank correlation with ratings or grades; with comparisons, the correlation of
        the differences of the two items with the outcome.
    is_sure : bool
        Whether the correlation is so far from 0 that chance does not explain it, at
        the level of 5 % for all criteria together.
    """

    direction: str
    correlation: float
    is_sure: bool


class Evidence(NamedTuple):
    """What answers say about criteria.

    Attributes
    ----------
    correlations : ndarray of shape (n_features,)
        Of each criterion with the answers.
    slopes : ndarray of shape (n_features,)
        Of a ridge regression of the answers on all criteria, all scaled alike.
    n_answers : float
        How many independent answers there are.
    source : str
        What was correlated and how much of it, in words.
    """

    correlations: FloatArray
    slopes: FloatArray
    n_answers: float
    source: str

    @property
    def are_sure(self) -> BoolArray:
        """Which correlations chance does not explain, Bonferroni corrected."""
        # sqrt(n - 1) r is about standard normal without an effect.
        limit = ndtri(1 - _ERROR / (2 * self.correlations.size))
        strength = np.abs(self.correlations) * np.sqrt(max(self.n_answers - 1, 0))
        return np.asarray(strength > limit)

    def signs(self) -> FloatArray:
        """Give numbers below 0 where less is better.

        A weak criterion drowns in the effects of the others; with these held fixed,
        its sign is wrong a third as often.
        """
        return np.where(self.are_sure, self.correlations, self.slopes)


def correlate_ranks(
    unit: FloatArray, y: Any, weights: FloatArray, n_answers: float
) -> Evidence:
    """Give Spearman's correlation of each column with y; weights are repetitions."""
    shares = weights / weights.sum()
    # Ranks: only the order of ratings counts, and a curve may still bend the criterion.
    ranks = np.column_stack([_ranks(column, shares) for column in (*unit.T, y)])
    found = _correlate(ranks - shares @ ranks, shares, n_answers)
    return Evidence(
        *found, n_answers, f"rank correlation {{:.2f}}, {n_answers:.0f} items"
    )


def correlate_outcomes(unit: FloatArray, pairs: Pairs) -> Evidence:
    """Correlate differences of winner and loser with who won; leave out ties.

    Seen from both sides, each comparison is a difference with the outcome 1 and its
    negative with -1, so that all means are 0.
    """
    strict = ~pairs.ties
    winners, losers = pairs.winners[strict], pairs.losers[strict]
    weights = pairs.weights[strict]
    columns = np.column_stack([unit[winners] - unit[losers], np.ones(weights.size)])
    # All pairs of 30 items are 435 comparisons, but tell no more than 30 items.
    n_items = np.union1d(winners, losers).size
    n_answers = min(effective_size(weights), n_items)
    found = _correlate(columns, weights / weights.sum(), n_answers)
    source = f"correlation {{:.2f}}, {weights.size} comparisons of {n_items} items"
    return Evidence(*found, n_answers, source)


def effective_size(weights: FloatArray) -> float:
    """Count answers: whole weights are repetitions, others make fewer (Kish)."""
    if np.array_equal(weights, np.rint(weights)):
        return float(weights.sum())
    return float(weights.sum() ** 2 / (weights @ weights))


def find_directions(
    stated: Any, X: Any, names: Sequence[str], evidence: Evidence, *, warns: bool
) -> tuple[BoolArray, dict[str, CriterionDirection]]:
    """Decide which criteria to turn; warn where the data contradict what is stated.

    Parameters
    ----------
    stated : "auto", "up", None, mapping or sequence
        The parameter `directions` of an estimator; None is "up".
    X : Items or array-like
        Items are encoded so that larger is better where they declare a direction.
    names : sequence of str
        Names of the criteria.
    evidence : Evidence
        Of the encoded criteria.
    warns : bool
        False where no answer is better than another: classes without order.

    Returns
    -------
    is_down : ndarray of bool of shape (n_features,)
        Which encoded criteria are better when lower.
    directions : dict from str to CriterionDirection
        About the criteria as the user knows them, before Items are encoded.
    """
    words = _read_words(stated, X, names)
    is_flipped = np.zeros(len(names), dtype=bool)
    if isinstance(X, Items):
        is_flipped[:] = [attribute.direction == "down" for attribute in X.attributes]
    correlations = np.where(is_flipped, -1, 1) * evidence.correlations
    learned = np.where(is_flipped != (evidence.signs() < -_ROUNDING), "down", "up")
    final = np.where(words == "auto", learned, words)
    sure = evidence.are_sure
    wrong = np.flatnonzero(sure & (final != learned)).tolist()
    if wrong and warns:
        told = [(names[i], str(learned[i]), correlations[i]) for i in wrong]
        _warn(told, evidence, isinstance(X, Items))
    directions = {
        name: CriterionDirection(str(final[i]), float(correlations[i]), bool(sure[i]))
        for i, name in enumerate(names)
    }
    return (final == "down") != is_flipped, directions


def _read_words(stated: Any, X: Any, names: Sequence[str]) -> Any:
    """Give "up", "down" or "auto" for each criterion."""
    is_word = stated is None or isinstance(stated, str)
    if isinstance(X, Items):
        if not is_word:
            raise DataError(
                "Items bring the directions of their attributes. Leave "
                "directions='auto', or change the attributes."
            )
        open_word = stated or "up"
        declared = [attribute.direction for attribute in X.attributes]
        return np.array([open_word if w == "unknown" else w for w in declared])
    if is_word:
        return np.full(len(names), stated or "up", dtype="<U4")
    words = _fill_in(stated, names) if isinstance(stated, Mapping) else list(stated)
    known = ("up", "down", "auto")
    if len(words) != len(names) or any(word not in known for word in words):
        raise DataError(
            f"directions must hold 'up' or 'down' for each of the {len(names)} "
            f"attributes. Got {words!r}."
        )
    return np.array(words)


def _fill_in(stated: Mapping[Any, Any], names: Sequence[str]) -> list[Any]:
    """Turn a mapping from names or positions into a list; the data decide the rest."""
    known: dict[Any, str] = dict(enumerate(names)) | {name: name for name in names}
    strays = [key for key in stated if key not in known]
    if strays:
        raise DataError(
            f"directions names {strays[0]!r}, which is no attribute. Known are "
            f"{list(names)} and the positions 0 to {len(names) - 1}."
        )
    by_name = {known[key]: word for key, word in stated.items()}
    return [by_name.get(name, "auto") for name in names]


def _warn(
    told: list[tuple[str, str, float]], evidence: Evidence, has_items: bool
) -> None:
    """Say which directions look wrong, and how to change them."""
    sentences = [
        f"{'More' if word == 'down' else 'Less'} {name} is declared better, but the "
        f"data say the opposite ({evidence.source.format(correlation)})."
        for name, word, correlation in told
    ]
    cure = {name: word for name, word, _ in told}
    sentences.append(
        f"Check the attributes of the items: the data say {cure}."
        if has_items
        else f"Set directions={cure}, or 'auto'."
    )
    warn_user(" ".join(sentences), DirectionWarning)


def _ranks(values: Any, shares: FloatArray) -> FloatArray:
    """Give middle ranks from 0 to 1, where a share stands for that many rows."""
    _, kind = np.unique(values, return_inverse=True)
    mass = np.bincount(kind.ravel(), shares)
    return (np.cumsum(mass) - mass / 2)[kind.ravel()]


def _correlate(
    columns: FloatArray, shares: FloatArray, n_answers: float
) -> tuple[FloatArray, FloatArray]:
    """Give correlations and slopes of columns of mean 0 with the last one."""
    powers = np.sqrt(shares @ columns**2)
    # A constant column, whose power is rounding, correlates with nothing.
    scaled = columns / np.where(powers > 1e-14, powers, np.inf)
    moments = (shares * scaled.T) @ scaled
    system = moments[:-1, :-1] + _RIDGE / max(n_answers, 1) * np.eye(len(moments) - 1)
    return moments[:-1, -1], solve(system, moments[:-1, -1], assume_a="pos")
