"""One moment of a conversation: what is believed, and all that follows from it."""

from dataclasses import dataclass

import numpy as np

from penchant._cached import cached_property
from penchant.elicitation._belief import Belief, Pair
from penchant.elicitation._best import BestItem, best_item
from penchant.elicitation._choice import (
    LARGE,
    Policy,
    Situation,
    choose_pair,
    leading_items,
)
from penchant.elicitation._dominance import Dominance
from penchant.elicitation._duels import find_champion
from penchant.elicitation._history import SKIPPED, History
from penchant.elicitation._questions import Question, Recommendation, Told
from penchant.exceptions import DataError
from penchant.typing import IntArray

__all__ = ["Setting", "Step", "tell_known"]

_N_LEADING = 512
"""Items that can be recommended out of a large table."""

_MAX_KNOWN = 10
"""Known comparisons that are told to the posterior before the first question."""


@dataclass(frozen=True, eq=False)
class Setting:
    """What stays the same during a conversation.

    Parameters
    ----------
    policy : str or callable
        Which pair to ask next.
    seed : int
        Decides between equals and which item stands on the left.
    decisive : bool
        Whether answers are taken as exact.
    known : Dominance or None
        What need not be asked.
    order : ndarray of int of shape (n_items,)
        Items by popularity at the start.
    n_before : int
        Answers that the posterior brought along.
    """

    policy: Policy
    seed: int
    decisive: bool
    known: Dominance | None
    order: IntArray
    n_before: int


@dataclass(frozen=True, eq=False)
class Step:
    """A posterior and the answers that led to it; never changes.

    Parameters
    ----------
    setting : Setting
        What stays the same.
    posterior : Posterior
        What is known of the person.
    history : History
        The answers so far.
    """

    setting: Setting
    posterior: Belief
    history: History

    @property
    def n_questions(self) -> int:
        """How many questions were asked, skipped ones included."""
        return len(self.history) - self.setting.n_before

    def after(self, told: Told) -> "Step":
        """Give the step after an answer."""
        posterior = self.posterior
        for piece in told.evidence:
            posterior = posterior.with_answers([piece])
        return Step(self.setting, posterior, self.history.plus(told))

    @cached_property
    def contenders(self) -> IntArray:
        """The items that can be the best: undominated and, if decisive, undefeated.

        Of more than 2000 items, the leading ones of these.
        """
        n_items, known = self.posterior.n_items, self.setting.known
        items = np.arange(n_items)
        if n_items > LARGE:
            items = leading_items(self.posterior, items, _N_LEADING)
        if known is not None:
            free = items[~known.is_dominated(items)]
            items = free if free.size else self._best_dominator(items)
        if self.setting.decisive:
            undefeated = items[~np.isin(items, list(self.history.defeated))]
            items = undefeated if undefeated.size else items
        return items

    def _best_dominator(self, items: IntArray) -> IntArray:
        """Climb from the leader to an item that nothing dominates."""
        assert self.setting.known is not None  # called only then
        above = items
        while True:
            item = above[np.argmax(self.posterior.mean[above])]
            above = self.setting.known.dominators(int(item))
            if not above.size:
                return np.array([item])

    @cached_property
    def best(self) -> BestItem:
        """What is believed about which contender is the best."""
        return best_item(self.posterior, self.contenders)

    @cached_property
    def favourite(self) -> int:
        """The item to recommend: the leader, or the champion of a knockout."""
        if self.setting.policy == "knockout":
            champion, _ = find_champion(self.posterior.answers)
            return int(self.setting.order[0]) if champion is None else champion
        return int(self.best.items[0])

    def ranking(self, n: int) -> list[int]:
        """Give n items, best first.

        Contenders come before others, and an item never before one that dominates
        it: its mean counts at most as much as theirs.
        """
        items, mean = self.contenders, self.posterior.mean
        scores, depth = mean[items], np.zeros(items.size)
        if self.posterior.n_items <= LARGE:
            items = np.arange(mean.size)
            scores, depth = mean.copy(), np.zeros(mean.size)
            if self.setting.known is not None:
                relation = self.setting.known.between(items, items)
                capped = np.where(relation, mean[:, None], np.inf).min(axis=0)
                scores, depth = np.minimum(mean, capped), relation.sum(axis=0)
        if n > items.size:
            raise DataError(f"Of these items at most {items.size} can be recommended.")
        later = ~np.isin(items, self.contenders)
        ordered = items[np.lexsort((depth, -scores, later))]
        others: list[int] = ordered[ordered != self.favourite].tolist()
        return [self.favourite, *others][:n]

    def describe(self, item: int) -> Recommendation:
        """Say what is believed about an item."""
        leader = self.best.items[0]
        behind = float(self.posterior.mean[leader] - self.posterior.mean[item])
        return Recommendation(
            item=int(item),
            mean=float(self.posterior.mean[item]),
            std=float(np.sqrt(self.posterior.variance[item])),
            probability_best=self.best.chance(item),
            expected_regret=max(self.best.expected_regret + behind, 0.0),
        )

    @cached_property
    def question(self) -> Question | None:
        """The next question, None if there is none."""
        again = {}
        if not self.setting.decisive:
            again = self.history.repeatable(self.posterior)
        seed = [self.setting.seed, len(self.history)]
        rng = np.random.default_rng(seed)
        situation = Situation(
            self.posterior,
            self.contenders,
            self.history.blocked(again),
            self.setting.order,
            rng,
            self.setting.known,
            contenders_only=self.setting.decisive,
        )
        pair = choose_pair(self.setting.policy, situation)
        return None if pair is None else self._worded(pair, again)

    def _worded(self, pair: Pair, again: dict[Pair, str]) -> Question:
        """Draw the sides, and say why a pair is asked once more."""
        sides = np.random.default_rng([self.setting.seed, len(self.history), 1])
        left, right = pair if sides.random() < 0.5 else pair[::-1]
        key = min(pair), max(pair)
        reason = again.get(key, "")
        if not reason and self.history.was_skipped(key):
            reason = SKIPPED
        return Question(left, right, self.n_questions + 1, reason)

    @property
    def nothing_left(self) -> str:
        """Say why there is no question."""
        if self.posterior.n_items < 2:
            return "A question needs 2 items. There is 1; recommend() gives it."
        if self.setting.decisive and self.contenders.size == 1:
            return (
                "ask has no question left: every other item lost a duel or is known "
                "to be worse. recommend() gives the best one; undo() takes an answer "
                "back."
            )
        if self.history.resting:
            return (
                "ask has no question left but the skipped ones. Call recommend(), or "
                "undo() to take a skip back."
            )
        return (
            f"ask has no question left: after {self.n_questions} answers every pair "
            "was asked or is known. Call recommend(), or undo() to take answers back."
        )


def tell_known(posterior: Belief, known: Dominance | None) -> Belief:
    """Tell the posterior the known comparisons that it gets most wrong."""
    if known is None or posterior.n_items > LARGE:
        return posterior
    items = np.arange(posterior.n_items)
    relation = known.between(items, items)
    for _ in range(_MAX_KNOWN):
        mean = posterior.mean
        excess = np.where(relation, mean[None, :] - mean[:, None], -np.inf)
        better, worse = np.unravel_index(np.argmax(excess), excess.shape)
        if excess[better, worse] <= 0:
            break
        posterior = posterior.update(int(better), int(worse))
        relation[better, worse] = False
    return posterior
