"""Conversations with simulated people: what was told, and whether it was true."""

import time
from dataclasses import dataclass, field

import numpy as np

from experiments.truth._people import Person
from experiments.truth._rival import rival_regrets
from experiments.truth._tables import Table
from experiments.truth._told import elicitor_for, told_to
from experiments.truth._worlds import World, make_world, people_of
from penchant._parallel import one_thread
from penchant.elicitation import Elicitor, Question

__all__ = ["FIRST", "MOMENTS", "N_QUESTIONS", "TAPS", "Tally", "run_table", "talk"]

N_QUESTIONS = 20
FIRST = 3
"""Nothing is said about certainty before so many answers."""

MOMENTS = (5, 10, 20)
"""After so many answers the statements are checked."""

TAPS = ("truth", "salience", "chance")
"""How people say why: truly but for 20 %, what they see most of, or anything."""

_CHECK_EVERY = 8
"""So often a question is not chosen to learn from, but to see what is foretold."""

_N_BINS = 10
_MAX_RIVAL = 200
"""The rival looks at all pairs: too many of more items."""


@dataclass
class Tally:
    """Sums over the people of a table: each figure is a quotient of two of them.

    Parameters
    ----------
    sums : dict of str to list of float
        Per figure the sum of its values, and how many or what they are divided by.
    bins : ndarray of shape (n_bins, 3)
        For certainties in equal steps: sum said, times right, number.
    """

    sums: dict[str, list[float]] = field(default_factory=dict)
    bins: np.ndarray = field(default_factory=lambda: np.zeros((_N_BINS, 3)))

    def add(self, figure: str, value: float, count: float = 1.0) -> None:
        """Count a value, or a sum of `count` values."""
        total = self.sums.setdefault(figure, [0.0, 0.0])
        total[0] += float(value)
        total[1] += float(count)

    def look(self, elicitor: Elicitor, right: bool) -> None:
        """Count how sure it says it is, and whether it is right."""
        self.add_certainty(elicitor.certainty(), right)

    def add_certainty(self, said: float, right: bool) -> None:
        self.add("said", said)
        self.add("right", right)
        self.add("over", said - right)
        place = min(int(said * _N_BINS), _N_BINS - 1)
        self.bins[place] += (said, right, 1)


def run_table(family: str, n_items: int, variant: str, number: int) -> Tally:
    """Talk to the people of one table.

    Parameters
    ----------
    family : str
        Which people.
    n_items : int
        How many alternatives.
    variant : {"none", "truth", "salience", "chance", "today"}
        Which taps; "today": none, and the Gaussian belief.
    number : int
        Which table.
    """
    world, tally = make_world(family, n_items, number), Tally()
    with one_thread():
        for k, person in enumerate(people_of(world, family, number)):
            seed = [number, k, n_items]
            regrets = talk(world, person, variant, seed, tally)
            if variant != "today" and n_items <= _MAX_RIVAL:
                rng = np.random.default_rng([*seed, 1])
                rival = rival_regrets(world, person, N_QUESTIONS, rng)
                for q in MOMENTS:
                    tally.add(f"rival {q}", rival[q])
                    tally.add(f"gap {q}", regrets[q] - rival[q])
                    tally.add(f"of rival {q}", regrets[q], rival[q])
    return tally


def talk(
    world: World, person: Person, variant: str, seed: list[int], tally: Tally
) -> np.ndarray:
    """Ask a person 20 questions; give the regret before and after each.

    As in the app, the page with the next question has the buttons that say why, so
    that a tap counts from the question after it; and some questions are checks.
    """
    elicitor = elicitor_for(world, seed[1], gaussian=variant == "today")
    rng = np.random.default_rng(seed)
    checks = set() if variant == "today" else _check_numbers(rng)
    regrets = [person.regret(elicitor.recommend()[0].item)]
    question = elicitor.ask()
    for q in range(1, N_QUESTIONS + 1):
        if q in checks:
            question = _check(elicitor, rng)
        answer = person.answer(question.left, question.right, rng)
        if q in checks and answer != "tie":
            _foretell(elicitor, question, answer, tally)
        start = time.process_time()
        elicitor.tell(question, answer)
        following = elicitor.ask()
        tally.add("cpu ms", 1000 * (time.process_time() - start))
        if variant in TAPS:
            _say_why(elicitor, world.table, person, variant, rng)
        question = following
        best = elicitor.recommend()[0]
        regrets.append(person.regret(best.item))
        if q >= FIRST:
            right = regrets[-1] <= person.good_enough
            tally.look(elicitor, right)
            tally.add("regret ratio", regrets[-1], best.expected_regret)
        if q in MOMENTS:
            tally.add(f"regret {q}", regrets[-1])
            told_to(elicitor, world.table, person, best.item, q, tally.add)
    return np.array(regrets)


def _check_numbers(rng: np.random.Generator) -> set[int]:
    """Draw which questions are checks: one in eight, none of the first five."""
    blocks = range(0, N_QUESTIONS, _CHECK_EVERY)
    return {b + 1 + int(rng.integers(0 if b else 5, _CHECK_EVERY)) for b in blocks}


def _check(elicitor: Elicitor, rng: np.random.Generator) -> Question:
    """Ask about any two items that were not compared."""
    asked = {frozenset(told.items) for told in elicitor.answers}
    while True:
        left, right = rng.choice(elicitor.posterior.n_items, 2, replace=False).tolist()
        if {left, right} not in asked:
            return Question(left, right)


def _foretell(elicitor: Elicitor, check: Question, answer: str, tally: Tally) -> None:
    """Count how surely the answer to a check was foretold, and how rightly."""
    p = elicitor.posterior.probability(check.left, check.right)
    tally.add("foretold said", max(p, 1 - p))
    tally.add("foretold right", (p > 0.5) == (answer == "left"))


def _say_why(
    elicitor: Elicitor,
    table: Table,
    person: Person,
    how: str,
    rng: np.random.Generator,
) -> None:
    """Tap what spoke most for the chosen item; a tie has no reason."""
    last = elicitor.answers[-1]
    if last.answer == "tie":
        return
    won, lost = last.items if last.answer == "left" else last.items[::-1]
    k = person.tap(table, won, lost, how, rng)
    if k is not None:
        elicitor.because(table.names[k])
