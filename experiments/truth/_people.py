"""People whose true utility is known, of eleven kinds and one without attributes.

Utilities have mean 0 and standard deviation 1 over the items. Unless a family says
otherwise answers have noise .2, 2 % of them are wrong, and items closer than .05 are
called equal.
"""

from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np

from experiments.truth._tables import Table, standardised

__all__ = ["FAMILIES", "GOOD_ENOUGH", "PLATEAUS", "POPULATED", "Person", "Taste"]

GOOD_ENOUGH = 0.1
"""An item at most so much worse than the best is as good, for everybody."""

_N_MATTER = 3
_PAIR_SHARE = 0.4
_HIDDEN_SHARE = 0.15
_TOP_SHARE = 1 / 8


@dataclass(frozen=True, eq=False)
class Person:
    """What is true of a person.

    Parameters
    ----------
    utility : ndarray of shape (n_items,)
        What each item is worth.
    parts : ndarray of shape (n_items, n_attributes)
        What each attribute adds, half of every interaction included.
    pairs : tuple of tuple of int
        Attributes that belong together for this person.
    noise, wrong, width : float
        How the person answers.
    """

    utility: np.ndarray
    parts: np.ndarray
    pairs: tuple[tuple[int, int], ...] = ()
    noise: float = 0.2
    wrong: float = 0.02
    width: float = 0.05

    @property
    def shares(self) -> np.ndarray:
        """How much each attribute counts: its share of the variance of the parts."""
        variance = self.parts.var(axis=0)
        return variance / max(float(variance.sum()), 1e-12)

    def regret(self, item: int) -> float:
        return float(self.utility.max() - self.utility[item])

    @property
    def good_enough(self) -> float:
        """The regret at which an item is as good as the best."""
        return max(GOOD_ENOUGH, self.width)

    def answer(self, left: int, right: int, rng: np.random.Generator) -> str:
        """Answer which of two items is better."""
        slip = rng.random() < self.wrong
        seen = self.utility[left] - self.utility[right] + self.noise * rng.normal()
        if abs(seen) < self.width:
            return "tie"
        return "left" if (seen > 0) != slip else "right"

    def tap(
        self, table: Table, won: int, lost: int, how: str, rng: np.random.Generator
    ) -> int | None:
        """Say why: the truth with 20 % wrong, the largest visible difference, any."""
        offered = table.differing(won, lost)
        if not offered.size:
            return None
        if how == "chance" or (how == "truth" and rng.random() < 0.2):
            return int(rng.choice(offered))
        spoke = self.parts[won] - self.parts[lost]
        size = table.salience(won, lost) if how == "salience" else spoke
        return int(offered[np.argmax(size[offered])])


@dataclass(frozen=True, eq=False)
class Taste:
    """What a person or a kind of people wants, before it is scaled.

    Parameters
    ----------
    parts : ndarray of shape (n_items, n_attributes)
        What each attribute adds; the mean over the items is 0.
    """

    parts: np.ndarray

    @classmethod
    def draw(
        cls, table: Table, rng: np.random.Generator, n_matter: int | None = None
    ) -> "Taste":
        """Draw which attributes matter, how much, and in which direction."""
        d = table.n_attributes
        matter = rng.permutation(d)[: n_matter or d]
        parts = np.zeros((len(table.items), d))
        for k in matter:
            parts[:, k] = rng.gamma(2.0) * _worth(table, k, rng)
        return cls(parts)

    def person(self, rest: np.ndarray | float = 0.0, **answering: float) -> Person:
        """Give the person with this taste; what the table does not tell is the rest."""
        utility = self.parts.sum(axis=1) + rest
        spread = utility.std()
        return Person(standardised(utility), self.parts / spread, **answering)

    def near(self, table: Table, rng: np.random.Generator) -> "Taste":
        """Give the taste of one person of this kind."""
        return Taste(self.parts + 0.4 * Taste.draw(table, rng).parts)


def _worth(table: Table, k: int, rng: np.random.Generator) -> np.ndarray:
    """Give what an attribute is worth, scaled: a line, or any value per level."""
    column = table.columns[k]
    if column.ndim == 2:
        return standardised(column @ rng.normal(size=column.shape[1]))
    sign = 1.0 if table.directed[k] else rng.choice([-1.0, 1.0])
    return sign * standardised(column)


def _bent(taste: Taste, bend: Callable[[np.ndarray], np.ndarray]) -> Taste:
    """Replace each part that matters by a function of it, of the same spread."""
    parts = taste.parts.copy()
    for k in np.flatnonzero(parts.std(axis=0)):
        parts[:, k] = standardised(bend(parts[:, k])) * parts[:, k].std()
    return Taste(parts)


def _additive(table: Table, rng: np.random.Generator) -> Person:
    return Taste.draw(table, rng, _N_MATTER).person()


def _dense(table: Table, rng: np.random.Generator) -> Person:
    return Taste.draw(table, rng).person()


def _threshold(table: Table, rng: np.random.Generator) -> Person:
    """Good enough or not, per attribute: three steps make plateaus."""

    def step(part: np.ndarray) -> np.ndarray:
        return (part > np.quantile(part, rng.uniform(0.3, 0.7))).astype(float)

    return _bent(Taste.draw(table, rng, _N_MATTER), step).person()


def _interaction(table: Table, rng: np.random.Generator) -> Person:
    """Two of the three that matter are worth more, or less, together."""
    parts = Taste.draw(table, rng, _N_MATTER).parts
    k, j = np.flatnonzero(parts.std(axis=0))[:2]
    alone = np.column_stack([_terms(table, k), _terms(table, j)])
    both = standardised(parts[:, k]) * standardised(parts[:, j])
    # What the two attributes explain each alone is not an interaction.
    both = both - alone @ np.linalg.lstsq(alone, both, rcond=None)[0]
    share = _PAIR_SHARE / (1 - _PAIR_SHARE)
    both *= rng.choice([-1, 1]) * np.sqrt(share * parts.sum(axis=1).var() / both.var())
    parts[:, [k, j]] += 0.5 * both[:, None]
    return replace(Taste(parts).person(), pairs=((int(k), int(j)),))


def _terms(table: Table, k: int) -> np.ndarray:
    column = table.columns[k]
    if column.ndim == 2:
        return column
    x = standardised(column)
    return np.column_stack([np.ones(len(x)), x, x**2])


def _noisy(table: Table, rng: np.random.Generator) -> Person:
    return replace(_additive(table, rng), noise=0.6)


def _indifferent(table: Table, rng: np.random.Generator) -> Person:
    return replace(_additive(table, rng), width=0.6)


def _satisficing(table: Table, rng: np.random.Generator) -> Person:
    """Cap the utility: the best eighth is all the same."""
    person = _additive(table, rng)
    enough = np.quantile(person.utility, 1 - _TOP_SHARE)
    capped = np.minimum(person.utility, enough)
    return replace(
        person, utility=standardised(capped), parts=person.parts / capped.std()
    )


def _lexicographic(table: Table, rng: np.random.Generator) -> Person:
    """Four classes of the first attribute, then of the second, then of the third."""

    def classes(part: np.ndarray) -> np.ndarray:
        return np.searchsorted(np.quantile(part, [0.25, 0.5, 0.75]), part).astype(float)

    parts = _bent(Taste.draw(table, rng, _N_MATTER), classes).parts
    for rank, k in enumerate(rng.permutation(np.flatnonzero(parts.std(axis=0)))):
        parts[:, k] *= 4.0**-rank / parts[:, k].std()
    return Taste(parts).person()


def _hidden(table: Table, rng: np.random.Generator) -> Person:
    """15 % of what counts is not in the table."""
    taste = Taste.draw(table, rng, _N_MATTER)
    rest = standardised(rng.normal(size=len(table.items)))
    share = _HIDDEN_SHARE / (1 - _HIDDEN_SHARE)
    return taste.person(rest * np.sqrt(share) * taste.parts.sum(axis=1).std())


def _plain(table: Table, rng: np.random.Generator) -> Person:
    """All that counts is the item itself."""
    return Taste(np.zeros((len(table.items), 0))).person(
        rng.normal(size=len(table.items))
    )


FAMILIES: dict[str, Callable[[Table, np.random.Generator], Person]] = {
    "additive": _additive,
    "dense": _dense,
    "threshold": _threshold,
    "interaction": _interaction,
    "noisy": _noisy,
    "indifferent": _indifferent,
    "satisficing": _satisficing,
    "lexicographic": _lexicographic,
    "hidden": _hidden,
    "plain": _plain,
}
"""Families without earlier people; `POPULATED` have some."""

POPULATED = ("matched", "shifted")
PLATEAUS = ("threshold", "indifferent", "satisficing")
