"""The one belief about a person: weighted simple explanations of the answers."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Any, ClassVar

import numpy as np

from penchant.data import Items
from penchant.elicitation.person._components import Components, PriorMoments
from penchant.elicitation.person._ensemble import Ensemble
from penchant.elicitation.person._propagation import State
from penchant.elicitation.person._rows import Reason, Rows, read
from penchant.elicitation.person._space import PersonSpace
from penchant.elicitation.person._statements import Statements
from penchant.elicitation.person._utilities import systematic
from penchant.exceptions import DataError, FormatError
from penchant.gp import Answer, Posterior
from penchant.typing import FloatArray

_N_COMPONENTS = 128

_FEWEST = 32.0
"""Effective number of components below which they are drawn and moved anew."""

_SURPRISE = 0.15
"""Chance of an answer below which they are drawn and moved anew as well: where all
suppose the same wrong attribute, none is worse than another, and their number says
nothing."""

_N_MOVES = 3

_LIKE = 0.7, 0.9
"""Prior probability of being like earlier people: with attributes, and of a plain list,
where those who are not can only be taken for people without any pattern."""

_MOST_LIKE = 0.8, 1.0
"""At most so much is learned of it. With attributes, people who are like nobody before
them would be told more than is true above it (at .9 by .12)."""


@dataclass(frozen=True, eq=False, repr=False)
class PersonBelief(Statements):
    """What is believed about one person; it never changes.

    Not one model of the person but a weighted set of simple ones: which attributes
    matter, how bent they are, whether some count together, how careful the answers
    are, how wide indifference is, and whether the person is like earlier people.
    All that is told is read off one set of draws, `draws`.

    Make one with `from_items`, or share the features of a study's items among its
    people: ``PersonBelief.begin(space, seed)``.

    Parameters
    ----------
    space : PersonSpace
        The features of the items.
    seed : int
        Decides which explanations are tried.
    like_earlier : float
        Prior probability that the person is like earlier people.
    components : Components
        The explanations.
    prior : PriorMoments
        What each says before any answer.
    rows : Rows
        The evidence.
    state : State
        What each explanation makes of it.
    log_weights : ndarray of shape (n_components,)
    answers : tuple of Answer
        The evidence so far, in order.

    Notes
    -----
    With d = u_i - u_j, width w, noise s and lapse e of a component, and
    ``p(x) = e + (1 - 2e) Phi(x / s)``:

    - i preferred to j: p(d - w).
    - both equal: e + (1 - 2e) [Phi((w - d)/s) - Phi((-w - d)/s)].
    - "because of k": p(x - w), where x is the part of attribute k in d less the mean
      of the other attributes' parts.
    - an item is not acceptable: p(t - u_i), t the level that this person accepts.
      From the first rejection on, every item that was preferred to another is taken
      as accepted: p(u_i - t), once an item. Before it, and without any, the level
      does not enter.
    - a skipped question adds nothing.

    Everything follows from the items, the population, the seed and the evidence in
    order. An answer costs O(n_components q^3) after q of them, draws O(n_items).

    References
    ----------
    Minka, "Expectation propagation for approximate Bayesian inference", UAI 2001.
    Wilson et al., "Efficiently sampling functions from Gaussian process posteriors",
    ICML 2020 (Matheron's rule).

    Examples
    --------
    >>> import pandas as pd
    >>> from penchant.data import Items
    >>> from penchant.elicitation import PersonBelief
    >>> table = pd.DataFrame({"rent": [500, 700, 900, 600], "size": [20, 35, 60, 50]})
    >>> belief = PersonBelief.from_items(Items.from_frame(table), random_state=0)
    >>> told = belief.update(2, 0).update(2, 3)
    >>> told.favourite
    2
    """

    space: PersonSpace
    seed: int
    like_earlier: float
    components: Components
    prior: PriorMoments
    rows: Rows
    state: State
    log_weights: FloatArray
    answers: tuple[Answer, ...] = ()

    negligible: ClassVar[float] = 1e-3

    @classmethod
    def from_items(
        cls,
        items: Items,
        population: Posterior | None = None,
        *,
        random_state: int = 0,
        like_earlier: float | None = None,
    ) -> "PersonBelief":
        """Begin with a person of whom nothing is known.

        Parameters
        ----------
        items : Items
            The alternatives; blanks are unknown.
        population : Posterior, optional
            What earlier people were like, ``PopulationGP.for_user()``.
        random_state : int, default=0
            Seed.
        like_earlier : float, optional
            Prior probability that the person is like earlier people. Default: .7, or
            .9 for a list without attributes.
        """
        space = PersonSpace.from_items(items, population)
        return cls.begin(space, random_state, like_earlier=like_earlier)

    @classmethod
    def begin(
        cls, space: PersonSpace, seed: int = 0, *, like_earlier: float | None = None
    ) -> "PersonBelief":
        """Begin without answers.

        Parameters
        ----------
        space : PersonSpace
            The features of the items, shared by the people of a study.
        seed : int, default=0
            Decides which explanations are tried.
        like_earlier : float, optional
            Prior probability that the person is like earlier people. Default: .7, or
            .9 for a list without attributes.
        """
        if like_earlier is None:
            like_earlier = _LIKE[0 if space.singles else 1]
        if not 0.0 <= like_earlier <= 1.0:
            raise DataError(
                f"like_earlier must be between 0 and 1. Got {like_earlier!r}."
            )
        rng = np.random.default_rng([seed, 0])
        components = Components.draw(space, _N_COMPONENTS, like_earlier, rng)
        prior, rows = components.moments(space), Rows.begin(space)
        state = rows.infer(prior)
        weights = np.zeros(len(components))
        return cls(space, seed, like_earlier, components, prior, rows, state, weights)

    def __repr__(self) -> str:
        return f"PersonBelief({self.n_items} items, {len(self.answers)} answers)"

    @property
    def noise(self) -> float:
        """Expected standard deviation of the noise in an answer."""
        return float(self.weights @ self.prior.noise)

    @property
    def like_others(self) -> float:
        """Probability that the person is like earlier people."""
        return float(self.weights @ self.components.like)

    def probability(self, i: int, j: int) -> float:
        """Give the probability that the person, asked now, prefers i to j.

        Ties count half.
        """
        drawn = self.draws
        d = drawn.utilities[:, i] - drawn.utilities[:, j]
        return float(drawn.weights @ self.prefers(d))

    def update(self, winner: int, loser: int) -> "PersonBelief":
        """Give the belief after the person preferred one item to another."""
        return self.with_answers([Answer("comparison", (winner, loser))])

    def update_tie(self, i: int, j: int) -> "PersonBelief":
        """Give the belief after the person called two items about equally good."""
        return self.with_answers([Answer("tie", (i, j))])

    def with_answers(self, answers: Iterable[Answer]) -> "PersonBelief":
        """Give the belief after several pieces of evidence, learned in one go."""
        new = tuple(answers)
        if not new:
            return self
        rows = self.rows.plus(self.space, read(self.space, new, self.answers))
        state = rows.infer(self.prior, self.state.sites, self.state.inner)
        gain = state.log_evidence - self.state.log_evidence
        belief = replace(
            self,
            rows=rows,
            state=state,
            log_weights=self.log_weights + gain,
            answers=(*self.answers, *new),
        )
        weights = belief.weights
        few = 1.0 / (weights @ weights) < _FEWEST
        surprised = self.weights @ np.exp(gain) < _SURPRISE ** len(new)
        return belief._renewed() if few or surprised else belief

    def _renewed(self) -> "PersonBelief":
        """Draw components by their weights and let each move a few steps."""
        rng = np.random.default_rng([self.seed, len(self.rows)])
        n = len(self.components)
        index = systematic(self.weights, n, rng.random())
        now = Ensemble(self.components, self.prior, self.state).take(index)
        for _ in range(_N_MOVES):
            proposal, ratio = now.components.moved(self.space, self.like_earlier, rng)
            prior = proposal.moments(self.space)
            state = self.rows.infer(prior, now.state.sites)
            other = Ensemble(proposal, prior, state)
            ratio = ratio + other.evidence(self.space) - now.evidence(self.space)
            now = now.where(np.log(rng.random(n)) < ratio, other)
        return replace(
            self,
            components=now.components,
            prior=now.prior,
            state=now.state,
            log_weights=np.zeros(n),
        )

    def without(self, k: int) -> "PersonBelief":
        """Give the belief as if the k-th piece of evidence had not been given.

        The explanations stay, with other weights: as good as `replay` up to what their
        choice leaves to chance, and much faster.
        """
        if not 0 <= k < len(self.answers):
            raise DataError(
                f"There are {len(self.answers)} answers, counted from 0. Got {k}."
            )
        kept = self.answers[:k] + self.answers[k + 1 :]
        rows = Rows.begin(self.space).plus(self.space, read(self.space, kept))
        state = rows.infer(self.prior)
        gain = state.log_evidence - self.state.log_evidence
        return replace(
            self,
            rows=rows,
            state=state,
            log_weights=self.log_weights + gain,
            answers=kept,
        )

    def replay(self, answers: Iterable[Answer]) -> "PersonBelief":
        """Begin again with the same seed and tell answers one by one."""
        belief = PersonBelief.begin(
            self.space, self.seed, like_earlier=self.like_earlier
        )
        for answer in answers:
            belief = belief.with_answers([answer])
        return belief

    def to_dict(self) -> dict[str, Any]:
        """Give the belief as plain values for JSON: what it follows from."""
        population = self.space.posterior
        return {
            "kind": "person",
            "items": self.space.items.to_dict(),
            "population": None if population is None else population.to_dict(),
            "seed": self.seed,
            "like_earlier": self.like_earlier,
            "answers": [_plain(answer) for answer in self.answers],
        }

    @classmethod
    def from_dict(cls, values: dict[str, Any]) -> "PersonBelief":
        """Give back the belief that `to_dict` described."""
        try:
            saved = values["population"]
            population = None if saved is None else Posterior.from_dict(saved)
            space = PersonSpace.from_items(Items.from_dict(values["items"]), population)
            likely = values["like_earlier"]
            belief = cls.begin(space, values["seed"], like_earlier=likely)
            return belief.replay([_answer(told) for told in values["answers"]])
        except (KeyError, TypeError, IndexError) as error:
            raise FormatError(
                "A belief must be a dict as to_dict gives it. "
                f"Got something else: {error!r}."
            ) from error


def learn_like_earlier(chances: Sequence[float], space: PersonSpace) -> float:
    """Learn the prior probability of being like earlier people.

    The share of those who turned out to be, of people who were believed about with
    what others had answered before them; the usual value counts for two more people.

    Parameters
    ----------
    chances : sequence of float
        Their `PersonBelief.like_others`, after all their answers.
    space : PersonSpace
        The items.
    """
    kind = 0 if space.singles else 1
    share = (2.0 * _LIKE[kind] + sum(chances)) / (2.0 + len(chances))
    return min(share, _MOST_LIKE[kind])


def _plain(answer: Answer) -> list[Any]:
    if isinstance(answer, Reason):
        return [answer.kind, list(answer.items), answer.attribute]
    width = [] if answer.width is None else [answer.width]
    return [answer.kind, list(answer.items), *width]


def _answer(told: list[Any]) -> Answer:
    kind, items, *more = told
    if kind == "reason":
        return Reason(kind, tuple(items), None, *more)
    return Answer(kind, tuple(items), *more)
