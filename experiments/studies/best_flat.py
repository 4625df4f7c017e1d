"""Find the best of forty flats for people who answer 5 % of the questions wrongly.

"penchant" asks as a study does, from the population of the demo (80 simulated people
with 20 answers each, of whom the last 20 tell how likely people are like those before
them); "nobody before" is the first participant of a new study, of whom
only the directions of the attributes are known. "random" asks random pairs and
recommends by the same belief, "knockout" asks the champion against the most popular
flat that was not asked about, and recommends the champion. The people who are asked
belong to the same kinds as those of the population, but are others. Nobody is told
apart by features.
"""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from experiments._outcome import Measurement, Outcome
from experiments.truth._worlds import learned_likeness
from penchant._parallel import track
from penchant.datasets import load_flats, make_flats_population
from penchant.models import PopulationGP
from penchant.studies import FORMS, AnsweredQuestion, StudySettings, simulated_answer
from penchant.studies._start import Start
from penchant.studies._talk import Talk

__all__ = ["run"]

SEED = 2024
WRONG = 0.05
N_PEOPLE, N_QUICK = 400, 10
N_QUESTIONS = 25
AT = (5, 8, 10, 15)
N_AFTER = 20
METHODS = {
    "penchant": ("eubo-kg", True),
    "nobody before": ("eubo-kg", False),
    "knockout": ("knockout", True),
    "random": ("random-pair", True),
}


@dataclass(frozen=True, eq=False)
class Answers:
    """What was recommended to one person after each question.

    Parameters
    ----------
    found : ndarray of bool of shape (n_questions,)
        Whether it was the best flat.
    regret : ndarray of shape (n_questions,)
        What it lost against the best one, in standard deviations of utility.
    expected : ndarray of shape (n_questions,)
        What it was believed to lose.
    """

    found: np.ndarray
    regret: np.ndarray
    expected: np.ndarray

    @property
    def n_needed(self) -> int:
        """Questions after which the best flat is recommended and stays so."""
        missed = np.flatnonzero(~self.found)
        return int(missed[-1]) + 2 if missed.size else 1

    @property
    def end(self) -> int:
        """Position of the last question with the settings of a new study."""
        settings = StudySettings()
        sure = np.flatnonzero(self.expected <= settings.max_regret)
        last = min(settings.max_questions, N_QUESTIONS) - 1
        return min(int(sure[0]), last) if sure.size else last


def run(*, quick: bool) -> Outcome:
    """Ask everybody by all methods; if quick, 10 people."""
    n_people = N_QUICK if quick else N_PEOPLE
    people = make_flats_population(n_people, random_state=SEED).utilities
    starts = {True: _population(), False: Start.from_items(load_flats())}
    cells: list[Measurement] = []
    for column, (policy, with_others) in METHODS.items():
        asked = [
            _ask(starts[with_others], policy, people[seed], seed)
            for seed in track(range(n_people), column)
        ]
        cells += _cells(column, asked)
    return Outcome("best_flat", tuple(cells), (SEED,))


def _population() -> Start:
    """Start from the people of the demo."""
    flats = load_flats()
    earlier = make_flats_population(80, n_comparisons=20, random_state=1)
    told = earlier.comparisons
    population = PopulationGP().fit(flats, told)
    population.like_earlier_ = learned_likeness(flats, told, N_AFTER, flats)
    return Start.from_items(flats, population)


def _ask(start: Start, policy: str, utilities: np.ndarray, seed: int) -> Answers:
    rng = np.random.default_rng([SEED, seed])
    talk = Talk.from_start(start, seed, policy=policy)
    rows = []
    for _ in range(N_QUESTIONS):
        question = FORMS["pair"].choose(talk)
        if question is None:
            rows.append(rows[-1])
            continue
        items = question[0]
        answer = simulated_answer("pair", items, utilities, rng, wrong=WRONG)
        talk = talk.after(AnsweredQuestion("", "pair", items, answer))
        lost = utilities.max() - utilities[talk.favourite]
        rows.append((lost == 0, lost, talk.recommendation.expected_regret))
    found, regret, expected = np.array(rows).T
    return Answers(found > 0, regret, expected)


def _cells(column: str, asked: list[Answers]) -> Iterator[Measurement]:
    needed = [each.n_needed for each in asked]
    yield Measurement(
        "questions until found for good, median",
        column,
        float(np.median(needed)),
        n=len(needed),
        note=f"one in four needs more than {np.quantile(needed, 0.75):.0f}",
        in_paper=False,
    )
    for q in AT:
        found = [float(each.found[q - 1]) for each in asked]
        regret = [float(each.regret[q - 1]) for each in asked]
        yield Measurement.from_scores(f"found after {q}", column, found, in_paper=False)
        yield Measurement.from_scores(
            f"regret after {q}", column, regret, in_paper=False
        )
    ends = [(each.end + 1.0, each.regret[each.end]) for each in asked]
    for row, scores in zip(
        ("questions asked", "regret at the end"), zip(*ends, strict=True), strict=True
    ):
        yield Measurement.from_scores(row, column, scores, in_paper=False)
