"""One moment of a conversation: what was said, what is believed, what comes next."""

from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from typing import Any, Protocol, Self

import numpy as np

from penchant._cached import cached_property
from penchant._validation import check_indices, set_fields
from penchant.elicitation._belief import Belief, BestItem, Recommendation, best_item
from penchant.elicitation._choice import Policy, Situation, choose_pair, leading_items
from penchant.elicitation._dominance import LARGE, Dominance
from penchant.elicitation._history import SKIPPED, History, Question
from penchant.elicitation._stopping import StopRule
from penchant.elicitation.person import PersonBelief
from penchant.elicitation.policies._duels import find_champion
from penchant.exceptions import DataError
from penchant.gp import Answer
from penchant.typing import ArrayLike, IntArray

_N_LEADING = 512
"""Items that can be recommended out of a large table."""

_FEWEST_ANSWERS = 3
"""Before so many answers a `PersonBelief` is never sure enough to stop."""

_PAUSE = 3
"""Statements after which a person may be asked the same again: nobody is quizzed."""

_MAX_KNOWN = 10
"""Known comparisons that are told to the belief before the first question."""


class Told(Protocol):
    """A question of any form, and what the person said to it."""

    @property
    def items(self) -> tuple[int, ...]:
        """The items that were shown."""
        ...

    @property
    def skipped(self) -> bool:
        """Whether the person passed over the question."""
        ...


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
    allowed : array-like of int, optional
        The items that may be asked about and recommended; default: all.

    Attributes
    ----------
    candidates : ndarray of int
        These items, in their order, also if they are all.
    """

    policy: Policy
    seed: int
    decisive: bool
    known: Dominance | None
    order: IntArray
    allowed: IntArray | None = None
    candidates: IntArray = field(init=False)

    def __post_init__(self) -> None:
        allowed = check_allowed(self.allowed, self.order.size)
        known = None if self.known is None else self.known.among(allowed)
        candidates = np.arange(self.order.size) if allowed is None else allowed
        set_fields(self, allowed=allowed, known=known, candidates=candidates)


def check_allowed(allowed: ArrayLike | None, n_items: int) -> IntArray | None:
    """Return positions in their order, each once; None: all items."""
    if allowed is None:
        return None
    items = np.unique(check_indices(allowed, "allowed"))
    if not items.size or items[-1] >= n_items:
        got = f"the item {items[-1]}" if items.size else "none"
        raise DataError(
            f"allowed must hold at least one of the items 0 to {n_items - 1}. "
            f"Got {got}."
        )
    return items if items.size < n_items else None


@dataclass(frozen=True, eq=False)
class Conversation:
    """A belief and the answers that led to it; never changes.

    Parameters
    ----------
    setting : Setting
        What stays the same.
    belief : Belief
        What is known of the person.
    history : History
        What was said about pairs, also before this conversation.
    told : tuple of Told
        The answers, in order, skipped questions included.
    ends : tuple of int
        Where the evidence of each answer ends in ``belief.answers``; the first entry
        is where that of the first answer begins.
    """

    setting: Setting
    belief: Belief
    history: History
    told: tuple[Any, ...]
    ends: tuple[int, ...]

    @classmethod
    def begin(
        cls, setting: Setting, belief: Belief, history: History | None = None
    ) -> Self:
        """Begin without answers; those in the history were given elsewhere."""
        past = History() if history is None else history
        return cls(setting, belief, past, (), (len(belief.answers),))

    def tell(self, told: Told, *evidence: Iterable[Answer]) -> Self:
        """Give the conversation after one more answer.

        Parameters
        ----------
        told : Told
            The question and its answer.
        *evidence : iterables of Answer
            What it says of the items; each argument is learned in one go. None if
            the question was skipped.
        """
        belief = self.belief
        for part in evidence:
            belief = belief.with_answers(part)
        said = belief.answers[self.ends[-1] :]
        return replace(
            self,
            belief=belief,
            history=self.history.plus(told.items, said),
            told=(*self.told, told),
            ends=(*self.ends, len(belief.answers)),
        )

    def among(self, allowed: ArrayLike | None) -> Self:
        """Give the conversation when only these items may be asked or recommended.

        What was said about others stays known. None: all items may.
        """
        before = self.setting.allowed
        if allowed is None and before is None:
            return self
        items = check_allowed(allowed, self.belief.n_items)
        if items is not None and before is not None and np.array_equal(items, before):
            return self
        return replace(self, setting=replace(self.setting, allowed=items))

    @property
    def evidence_rows(self) -> list[list[int]]:
        """For each answer, the places in ``belief.answers`` that it is the cause of.

        Beside its own evidence this is later evidence about its items, if the later
        question did not show them: ratings are compared with earlier ratings.
        """
        return [self._rows(k) for k in range(len(self.told))]

    def _rows(self, k: int) -> list[int]:
        if self.told[k].skipped:
            return []
        shown = set(self.told[k].items)
        rows = list(range(self.ends[k], self.ends[k + 1]))
        for j in range(k + 1, len(self.told)):
            for row in range(self.ends[j], self.ends[j + 1]):
                beside = set(self.belief.answers[row].items) - set(self.told[j].items)
                rows += [row] if beside & shown else []
        return rows

    @cached_property
    def contenders(self) -> IntArray:
        """The items that can be the best: undominated and, if decisive, undefeated.

        What the person called not acceptable is none of them. Of more than 2000
        items, the leading ones of these.
        """
        known, candidates = self.setting.known, self.setting.candidates
        if self.setting.order.size <= LARGE:
            items = candidates if known is None else known.undominated
        else:
            items = leading_items(self.belief, candidates, _N_LEADING)
            if known is not None:
                free = items[~known.is_dominated(items)]
                items = free if free.size else self._best_dominator(items)
        if self.setting.decisive:
            defeated = self.history.defeated(self.setting.allowed)
            undefeated = items[~np.isin(items, list(defeated))]
            items = undefeated if undefeated.size else items
        if (rejected := self._rejected).size:
            for pool in (items, candidates):
                acceptable = pool[~np.isin(pool, rejected)]
                if acceptable.size:
                    return acceptable
        return items

    @property
    def _rejected(self) -> IntArray:
        """Items that the person called not acceptable, unless it chose them, too."""
        belief = self.belief
        items = belief.rejected if isinstance(belief, PersonBelief) else ()
        return np.array(sorted(items), dtype=np.int64)

    def _best_dominator(self, items: IntArray) -> IntArray:
        """Climb from the leader to an item that nothing dominates."""
        assert self.setting.known is not None  # called only then
        above = items
        while True:
            item = above[np.argmax(self.belief.mean[above])]
            above = self.setting.known.dominators(int(item))
            if not above.size:
                return np.array([item])

    @cached_property
    def best(self) -> BestItem:
        """What is believed about which contender is the best."""
        return best_item(self.belief, self.contenders)

    @cached_property
    def favourite(self) -> int:
        """The item to recommend: the leader, or the champion of a knockout."""
        if self.setting.policy == "knockout":
            allowed, order = self.setting.allowed, self.setting.order
            champion, _ = find_champion(self.belief.answers, allowed)
            first = int(order[np.isin(order, self.setting.candidates)][0])
            return first if champion is None else champion
        contenders = self.contenders
        return int(contenders[np.argmax(self.belief.mean[contenders])])

    def ranking(self, n: int) -> list[int]:
        """Give n items, best first.

        Contenders come before others, what is not acceptable last, and an item never
        before one that dominates it: its mean counts at most as much as theirs.
        """
        mean, known = self.belief.mean, self.setting.known
        large = mean.size > LARGE
        items = self.contenders if large else self.setting.candidates
        scores, depth = mean[items], np.zeros(items.size)
        if known is not None and not large:
            relation = known.relation
            capped = np.where(relation, mean[:, None], np.inf).min(axis=0)
            scores = np.minimum(mean, capped)[items]
            depth = relation.sum(axis=0)[items]
        if n > items.size:
            raise DataError(f"Of these items at most {items.size} can be recommended.")
        later = 1 - np.isin(items, self.contenders) + np.isin(items, self._rejected)
        ordered = items[np.lexsort((depth, -scores, later))]
        others: list[int] = ordered[ordered != self.favourite].tolist()
        return [self.favourite, *others][:n]

    def describe(self, item: int) -> Recommendation:
        """Say what is believed about an item."""
        belief = self.belief
        if isinstance(belief, PersonBelief):
            lost = belief.gaps(item, self.contenders)
            chance = float(belief.unnoticed(lost))
            regret = float(belief.draws.weights @ lost)
        else:
            behind = float(belief.mean[self.best.items[0]] - belief.mean[item])
            chance = self.best.chance(item)
            regret = max(self.best.expected_regret + behind, 0.0)
        mean, std = float(belief.mean[item]), float(np.sqrt(belief.variance[item]))
        return Recommendation(int(item), mean, std, chance, regret)

    @cached_property
    def recommendation(self) -> Recommendation:
        """What is believed about the favourite."""
        return self.describe(self.favourite)

    def stop_reason(self, rule: StopRule) -> str:
        """Say why no more questions are needed; an empty text while some are."""
        if self.contenders.size == 1:
            return "only one item can still be the best"
        if rule.is_set and not self._too_early(rule):
            best, n = self.recommendation, len(self.told)
            reason = rule.reason(best.expected_regret, best.probability_best, n)
            if reason:
                return reason
        return "" if self.question is not None else self.nothing_left

    def _too_early(self, rule: StopRule) -> bool:
        """Say whether what is believed is no reason to stop, and no budget is spent."""
        answered = sum(not told.skipped for told in self.told)
        spent = rule.max_questions is not None and len(self.told) >= rule.max_questions
        return (
            isinstance(self.belief, PersonBelief)
            and answered < _FEWEST_ANSWERS
            and not spent
        )

    @cached_property
    def question(self) -> Question | None:
        """The next question, None if there is none."""
        setting, past = self.setting, self.history
        pause = _PAUSE if isinstance(self.belief, PersonBelief) else 0
        again = {} if setting.decisive else past.repeatable(self.belief, pause)
        seed = [setting.seed, len(past.said)]
        situation = Situation(
            self.belief,
            self.contenders,
            past.blocked(again),
            setting.order,
            np.random.default_rng(seed),
            setting.known,
            contenders_only=setting.decisive,
            allowed=setting.allowed,
        )
        pair = choose_pair(setting.policy, situation)
        if pair is None:
            return None
        sides = np.random.default_rng([*seed, 1])
        left, right = pair if sides.random() < 0.5 else pair[::-1]
        key = min(pair), max(pair)
        before = any(each.pair == key and each.kind == "skip" for each in past.said)
        reason = again.get(key, SKIPPED if before else "")
        return Question(left, right, len(self.told) + 1, reason)

    @property
    def nothing_left(self) -> str:
        """Say why there is no question."""
        if self.setting.candidates.size < 2:
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
            f"ask has no question left: after {len(self.told)} answers every pair "
            "was asked or is known. Call recommend(), or undo() to take answers back."
        )


def tell_known(belief: Belief, known: Dominance | None) -> Belief:
    """Tell a belief the known comparisons that it gets most wrong.

    A `PersonBelief` knows the directions of attributes by itself.
    """
    if known is None or belief.n_items > LARGE or isinstance(belief, PersonBelief):
        return belief
    relation = known.relation.copy()
    for _ in range(_MAX_KNOWN):
        mean = belief.mean
        excess = np.where(relation, mean[None, :] - mean[:, None], -np.inf)
        better, worse = np.unravel_index(np.argmax(excess), excess.shape)
        if excess[better, worse] <= 0:
            break
        belief = belief.update(int(better), int(worse))
        relation[better, worse] = False
    return belief
