"""A conversation with one person: ask, tell, undo, recommend."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any, Literal, Self

import numpy as np

from penchant.data import Items
from penchant.elicitation._belief import Belief, Recommendation
from penchant.elicitation._choice import Policy, check_policy
from penchant.elicitation._conversation import (
    Conversation,
    Setting,
    check_allowed,
    tell_known,
)
from penchant.elicitation._dominance import Dominance
from penchant.elicitation._history import History, Question, Told, check_answer
from penchant.elicitation._stopping import StopRule
from penchant.elicitation.person import MainReason, PersonBelief
from penchant.elicitation.policies._duels import check_generator
from penchant.exceptions import DataError, FormatError, NotAnswerableError
from penchant.gp import Posterior
from penchant.typing import ArrayLike, FloatArray, IntArray, RandomState

_FORMAT = "penchant-elicitor"
_VERSIONS = (1, 2)
"""1 holds a Gaussian posterior, 2 a `PersonBelief`."""


class Elicitor:
    """Find the item that a person likes best with few questions.

    Asks which of two items the person prefers, learns from the answer, and
    recommends. Everything follows from the items, the posterior, the settings, the
    seed and the answers: after the same answers comes the same question, also when
    some were taken back in between or the state was saved and restored.

    Parameters
    ----------
    posterior : Posterior, optional
        What is believed before the first question, such as
        ``PopulationGP.for_user()``. With `items` it is what earlier people were
        like, which this person may or may not be. Pairs that it has answers about
        are not asked. May be left out where there are items.
    policy : str or callable, default="eubo-kg"
        Which pair to ask next: the name of a function in
        `penchant.elicitation.policies`, such as "knowledge-gradient", where hyphens
        may stand for underscores; "evoi-refit" for EVOI with refits; or a function of a
        posterior and an array of pairs, which returns their scores or a pair.
    random_state : int, RandomState, Generator or None, default=None
        Seed; decides which item stands on the left, and between equal pairs.
    items : Items, optional
        The items in the order of the posterior. The belief about the person is then
        a `PersonBelief` over their attributes. A pair of which one is at least as
        good by the directions of its attributes is never asked.
    X : array-like of shape (n_items, n_attributes), optional
        The same as numbers, instead of `items`; with `directions`.
    directions : sequence of {"up", "down", "unknown"}, optional
        Whether more is better, per attribute of X.
    decisive : bool, default=False
        Take answers as exact. An item that lost a duel is neither recommended nor
        asked about again, so every question settles one item and the best of n items
        is certain after n - 1 questions, as in a knockout.
    stop : StopRule, optional
        When `done` becomes true; default: when there is nothing left to ask.
    belief : {"auto", "gaussian"}, default="auto"
        "gaussian" learns with the Gaussian posterior also where there are items: that
        of GPPE as published.
    like_earlier : float, optional
        With items and a posterior, how likely the person is like earlier people before
        anything is known, see `learn_like_earlier`. Default: .7, or .9 for a list
        without attributes.
    allowed : array-like of int, optional
        Positions of the items that may be asked about and recommended, see `allow`.
        Default: all.

    Notes
    -----
    *Beliefs.* With a `PersonBelief` questions are the pair of the largest expected
    better utility (EUBO) over its draws, the probability of a recommendation is that
    of being the best or as good, and a stop rule never ends the asking before three
    answers. What the person called not acceptable is not
    asked about again nor recommended before what is, unless it was also chosen.

    *Known directions.* Item i dominates j when it is at least as good on every
    attribute with a declared direction, better on one, and equal on the others. Up
    to 10 such comparisons that a Gaussian posterior contradicts become evidence at
    the start (tables of up to 2000 items); dominated items are not asked about as long
    as there are other questions, have probability 0 of being best, and are never
    recommended before an item that dominates them.

    *Repeated pairs.* A pair is asked again, at most twice, only if its answers
    contradict each other or lie on a circle (a over b over c over a), or if the
    belief, which knows the answer, still holds the opposite for more likely; the
    question says so. A skipped pair rests for 10 questions; skipped
    twice, it does not come back.

    *Knockout.* With ``policy="knockout"`` the champion is recommended.

    Examples
    --------
    >>> import numpy as np
    >>> from penchant.elicitation import Elicitor
    >>> from penchant.models import Posterior
    >>> liking = [0.2, 1.5, 0.9, 0.4]  # what the person will answer from
    >>> posterior = Posterior(np.zeros(4), np.eye(4), noise=0.1)
    >>> elicitor = Elicitor(posterior, random_state=0)
    >>> for _ in range(3):
    ...     question = elicitor.ask()
    ...     left_is_better = liking[question.left] > liking[question.right]
    ...     elicitor.tell(question, "left" if left_is_better else "right")
    >>> elicitor.recommend()[0].item
    1
    """

    def __init__(
        self,
        posterior: Belief | None = None,
        policy: Policy = "eubo-kg",
        random_state: RandomState = None,
        *,
        items: Items | None = None,
        X: ArrayLike | None = None,
        directions: Sequence[str] | None = None,
        decisive: bool = False,
        stop: StopRule | None = None,
        belief: Literal["auto", "gaussian"] = "auto",
        like_earlier: float | None = None,
        allowed: ArrayLike | None = None,
    ) -> None:
        seed = _draw_seed(random_state)
        start = _first_belief(posterior, items, seed, belief, like_earlier)
        known = Dominance.from_table(start.n_items, items, X, directions)
        setting = Setting(
            policy=check_policy(policy),
            seed=seed,
            decisive=bool(decisive),
            known=known,
            order=np.argsort(-start.mean, kind="stable"),
            allowed=check_allowed(allowed, start.n_items),
        )
        self._start = start
        self._stop = StopRule() if stop is None else stop
        before = History.read(start if posterior is None else posterior)
        told = tell_known(start, known)
        self._moments = [Conversation.begin(setting, told, before)]

    @property
    def posterior(self) -> Belief:
        """What is believed now."""
        return self._now.belief

    @property
    def answers(self) -> tuple[Told, ...]:
        """The answers so far, in order."""
        return self._now.told

    @property
    def evidence_rows(self) -> list[list[int]]:
        """For each answer, which of ``posterior.answers`` are there because of it."""
        return self._now.evidence_rows

    @property
    def decisive(self) -> bool:
        """Whether answers are taken as exact."""
        return self._now.setting.decisive

    @property
    def allowed(self) -> IntArray:
        """The items that may be asked about and recommended."""
        return self._now.setting.candidates

    def allow(self, allowed: ArrayLike | None) -> None:
        """Say which items may be asked about and recommended from now on.

        Answers about others still teach. What only they dominate or defeated can be
        the best again.

        Parameters
        ----------
        allowed : array-like of int or None
            Positions, at least one; None: all items.
        """
        self._moments = [moment.among(allowed) for moment in self._moments]

    @property
    def _now(self) -> Conversation:
        return self._moments[-1]

    def ask(self) -> Question:
        """Give the next question; the same one until it is answered.

        Returns
        -------
        Question

        Raises
        ------
        NotAnswerableError
            If there is nothing left to ask.
        """
        question = self._now.question
        if question is None:
            raise NotAnswerableError(self._now.nothing_left)
        return question

    def tell(self, question: Question, answer: str, because: str | None = None) -> None:
        """Learn from an answer.

        Parameters
        ----------
        question : Question
            From `ask`, or made of any two items, ``Question(3, 5)``.
        answer : {"left", "right", "tie", "skip", "neither"}
            The preferred side; both are equally good; no answer; or neither is
            acceptable.
        because : str, optional
            The attribute that spoke most for the preferred item, of those in which
            the two differ; for a `PersonBelief`.
        """
        sides, word = self._check_question(question), check_answer(answer)
        self._person("because") if because is not None else None
        self._moments.append(self._after(self._now, Told(*sides, word, because)))

    def because(self, attribute: str | None) -> None:
        """Say why the last answer was given, or take the reason back.

        Parameters
        ----------
        attribute : str or None
            What spoke most for the preferred item; None: nothing said.
        """
        self._person("because")
        if not self.answers:
            raise NotAnswerableError(
                "because amends the last answer. There is none; call tell() first."
            )
        told = replace(self.answers[-1], because=attribute)
        self._moments[-1] = self._after(self._moments[-2], told)

    @staticmethod
    def _after(moment: Conversation, told: Told) -> Conversation:
        if isinstance(moment.belief, PersonBelief):
            return moment.tell(told, told.evidence)
        # Piece by piece: rejected items are two statements.
        return moment.tell(told, *([piece] for piece in told.evidence))

    def _person(self, what: str) -> PersonBelief:
        """Give the belief about attributes, or say what needs it."""
        belief = self.posterior
        if not isinstance(belief, PersonBelief):
            raise NotAnswerableError(
                f"{what} needs attributes of the items. Give them: Elicitor(items=...)."
            )
        return belief

    def _check_question(self, question: Question) -> tuple[int, int]:
        if not isinstance(question, Question):
            raise DataError(
                f"tell needs a Question, as ask() gives it. Got {question!r}."
            )
        sides, n_items = (question.left, question.right), self.posterior.n_items
        if not all(0 <= side < n_items for side in sides) or sides[0] == sides[1]:
            raise DataError(
                f"A question must be about two different items from 0 to {n_items - 1}."
                f" Got {sides[0]} and {sides[1]}."
            )
        awaited = len(self.answers) + 1
        if question.number not in (None, awaited):
            raise NotAnswerableError(
                f"Question {awaited} is the next to be answered. Got an answer to "
                f"question {question.number}; call ask() for the current one."
            )
        return int(sides[0]), int(sides[1])

    def undo(self, n: int = 1) -> None:
        """Take back the last answers.

        Parameters
        ----------
        n : int, default=1
            How many.
        """
        if not 0 <= n < len(self._moments):
            raise NotAnswerableError(
                f"undo can take back up to {len(self._moments) - 1} answers. Got {n}."
            )
        del self._moments[len(self._moments) - n :]

    def recommend(self, n: int = 1) -> list[Recommendation]:
        """Give the items that the person will like best, best first.

        Parameters
        ----------
        n : int, default=1
            How many.

        Returns
        -------
        list of Recommendation
            Each with mean, standard deviation, probability of being the best item
            and expected regret.
        """
        if not 1 <= n <= self.allowed.size:
            raise DataError(
                f"n must be between 1 and {self.allowed.size}, the number of "
                f"items. Got {n}."
            )
        return [self._now.describe(item) for item in self._now.ranking(n)]

    def expected_regret(self) -> float:
        """Give what the person loses, in expectation, with the recommended item."""
        return self._now.recommendation.expected_regret

    def certainty(self) -> float:
        """Give the probability that the recommended item is the best, or as good."""
        return self._now.recommendation.probability_best

    def main_reason(self) -> MainReason:
        """Say what speaks most for the recommended item, as one or two attributes.

        Returns
        -------
        MainReason
            Without names where it is several things together.
        """
        return self._person("main_reason").main_reason(self._now.favourite)

    def probability_best(self) -> FloatArray:
        """Give the probability of being the best for every item, shape (n_items,)."""
        probability = np.zeros(self.posterior.n_items)
        probability[self._now.best.items] = self._now.best.probability
        return probability

    @property
    def done(self) -> bool:
        """Whether enough has been asked; `stop_reason` says why."""
        return bool(self.stop_reason)

    @property
    def stop_reason(self) -> str:
        """Why no more questions are needed, in words; empty while some are."""
        return self._now.stop_reason(self._stop)

    def to_dict(self) -> dict[str, Any]:
        """Give the whole conversation as plain values for JSON.

        A policy that is a function is not part of it; `from_dict` must be given it.
        """
        setting = self._now.setting
        policy = setting.policy if isinstance(setting.policy, str) else None
        some = setting.allowed
        return {
            "format": _FORMAT,
            "version": 2 if isinstance(self._start, PersonBelief) else 1,
            "policy": policy,
            "seed": setting.seed,
            "decisive": setting.decisive,
            "stop": self._stop.to_dict(),
            "known": None if setting.known is None else setting.known.to_dict(),
            "answers": [
                [t.left, t.right, t.answer, *([t.because] if t.because else [])]
                for t in self.answers
            ],
            "posterior": self._start.to_dict(),
            **({} if some is None else {"allowed": some.tolist()}),
        }

    @classmethod
    def from_dict(
        cls,
        values: dict[str, Any],
        *,
        posterior: Belief | None = None,
        policy: Policy | None = None,
    ) -> Self:
        """Carry on a conversation that `to_dict` described.

        Parameters
        ----------
        values : dict
            What `to_dict` gave. The entry "posterior" may be left out where the
            posterior is known from elsewhere.
        posterior : Posterior, optional
            What was believed before the first question; default: as saved.
        policy : str or callable, optional
            Default: as saved.
        """
        _check_format(values)
        try:
            if posterior is None:
                posterior = _saved_belief(values["posterior"])
            known = values["known"] and Dominance.from_dict(values["known"])
            elicitor = cls(
                posterior,
                _saved_policy(values["policy"], policy),
                values["seed"],
                X=known.X if known else None,
                directions=known.directions if known else None,
                decisive=values["decisive"],
                stop=StopRule.from_dict(values["stop"]),
                allowed=values.get("allowed"),
            )
            for left, right, answer, *because in values["answers"]:
                elicitor.tell(Question(left, right), answer, *because)
        except (KeyError, TypeError, DataError) as error:
            raise FormatError(
                f"The saved elicitor is damaged or does not fit: {error}"
            ) from error
        return elicitor


def _check_format(values: Any) -> None:
    if not isinstance(values, dict) or values.get("format") != _FORMAT:
        raise FormatError(f"This is not a saved elicitor: no {_FORMAT!r} in it.")
    if values.get("version") not in _VERSIONS:
        raise FormatError(
            f"The version of a saved elicitor must be one of {_VERSIONS}. Got "
            f"{values.get('version')!r}; use the version of penchant that wrote it."
        )


def _first_belief(
    posterior: Belief | None,
    items: Items | None,
    seed: int,
    kind: str,
    like: float | None,
) -> Belief:
    """Give what is believed before the first question."""
    if kind not in ("auto", "gaussian"):
        raise DataError(f"belief must be 'auto' or 'gaussian'. Got {kind!r}.")
    if isinstance(posterior, PersonBelief):
        return posterior
    if kind == "auto" and items is not None:
        if posterior is not None and not isinstance(posterior, Posterior):
            raise DataError(
                "With items the posterior must be a Posterior, as "
                f"PopulationGP.for_user() gives it. Got {type(posterior).__name__}."
            )
        return PersonBelief.from_items(
            items, posterior, random_state=seed, like_earlier=like
        )
    if posterior is None:
        raise DataError("Elicitor needs items or a posterior. Got neither.")
    return posterior


def _saved_belief(values: Any) -> Belief:
    person = isinstance(values, dict) and values.get("kind") == "person"
    return PersonBelief.from_dict(values) if person else Posterior.from_dict(values)


def _saved_policy(saved: str | None, given: Policy | None) -> Policy:
    if given is not None:
        return given
    if saved is None:
        raise DataError(
            "the policy was a function, which is not saved. Give it again: "
            "from_dict(values, policy=...)."
        )
    return saved


def _draw_seed(random_state: RandomState) -> int:
    """Give a whole number that stands for the source of randomness."""
    if isinstance(random_state, int | np.integer):
        if random_state < 0:
            raise DataError(f"random_state must be >= 0. Got {random_state}.")
        return int(random_state)
    return int(check_generator(random_state).integers(2**31))
