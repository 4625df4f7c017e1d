"""What questions about people are worth: regret with and without their answers.

Each world has its own tastes: weights of the attributes of the forty flats, of which a
part is common to all, a part follows from what people say about themselves (a
household: one of three; an age; any of three habits) and a part is their own. In "they
matter" the answers explain .7 of what people differ in, in "they do not" nothing. In
each world 60 people have answered 12 random questions, with noise .2 and 3 % slips, and
20 new people are asked as a study asks, once from a population that knows what people
said of themselves and once from one that does not. One answer in ten is blank,
and so are habits where somebody has none.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from experiments._outcome import Measurement, Outcome
from experiments.truth._worlds import learned_likeness
from penchant._parallel import track
from penchant.data import Comparisons
from penchant.datasets import load_flats
from penchant.models import PopulationGP
from penchant.studies import FORMS, AnsweredQuestion, PersonQuestion, simulated_answer
from penchant.studies._about import About, people_table, person_row
from penchant.studies._start import Start
from penchant.studies._talk import Talk
from penchant.typing import FloatArray

__all__ = ["run"]

SEED = 2127
N_WORLDS, N_QUICK = 15, 1
N_EARLIER, N_TOLD, N_NEW, N_AFTER = 60, 12, 20, 20
AT = (0, 1, 3, 5, 10)
NOISE, WRONG, BLANK = 0.2, 0.03, 0.1
SHARES = {"they matter": 0.7, "they do not": 0.0}
QUESTIONS = (
    PersonQuestion("household", "choice", options=("alone", "couple", "family")),
    PersonQuestion("age", "number"),
    PersonQuestion("habits", "choices", options=("bicycle", "car", "garden")),
)


@dataclass(frozen=True, eq=False)
class World:
    """Tastes that may go with what people say of themselves.

    Parameters
    ----------
    attributes : ndarray of shape (n_items, n_attributes)
        Standardised, so that more is better where that is known.
    common : ndarray of shape (n_attributes,)
        What all want.
    effects : ndarray of shape (n_features, n_attributes)
        What goes with each feature.
    share : float
        Of what people differ in, how much that is.
    """

    attributes: FloatArray
    common: FloatArray
    effects: FloatArray
    share: float

    @classmethod
    def draw(cls, share: float, rng: np.random.Generator) -> "World":
        X = load_flats().encode()
        X = (X - X.mean(axis=0)) / X.std(axis=0)
        common = 0.5 * np.abs(rng.standard_normal(X.shape[1]))
        return cls(X, common, rng.standard_normal((7, X.shape[1])), share)

    def person(self, rng: np.random.Generator) -> tuple[About, FloatArray]:
        """Draw what somebody says and what all flats are worth to them."""
        household = int(rng.integers(3))
        age, habits = rng.normal(), rng.random(3) < 0.4
        one_hot = (np.arange(3) == household) - 1 / 3
        features = np.array([*one_hot / np.sqrt(2 / 9), age, *(habits - 0.4) / 0.49])
        follows = features @ self.effects / np.sqrt(7)
        own = rng.standard_normal(len(self.common))
        taste = (
            self.common
            + np.sqrt(self.share) * follows
            + np.sqrt(1.0 - self.share) * own
        )
        utilities = self.attributes @ taste
        chosen = [o for o, has in zip(QUESTIONS[2].options, habits, strict=True) if has]
        said: dict[str, Any] = {
            "household": QUESTIONS[0].options[household],
            "age": round(40 + 12 * age),
            "habits": tuple(chosen),
        }
        about = tuple(e for e in said.items() if e[1] != () and rng.random() >= BLANK)
        return about, (utilities - utilities.mean()) / utilities.std()


def run(*, quick: bool) -> Outcome:
    """Ask the new people of all worlds; if quick, of one."""
    n_worlds = N_QUICK if quick else N_WORLDS
    cells: list[Measurement] = []
    for row, share in SHARES.items():
        asked = [_world(share, k) for k in track(range(n_worlds), row)]
        cells += _cells(row, np.concatenate(asked))
    return Outcome("about_people", tuple(cells), (SEED,))


def _world(share: float, number: int) -> FloatArray:
    """Give regrets of shape (n_people, 2, n_moments): with and without."""
    rng = np.random.default_rng([SEED, number, int(100 * share)])
    world, flats = World.draw(share, rng), load_flats()
    earlier = [world.person(rng) for _ in range(N_EARLIER)]
    told = _answers([utilities for _, utilities in earlier], rng)
    known = people_table(QUESTIONS, [about for about, _ in earlier])
    models = []
    for users in (known, None):
        model = PopulationGP().fit(flats, told, users)
        model.like_earlier_ = learned_likeness(flats, told, N_AFTER, flats, users)
        models.append(model)
    rows = []
    for k in range(N_NEW):
        about, utilities = world.person(rng)
        starts = [_start(model, about) for model in models]
        rows.append([_regrets(start, utilities, [number, k]) for start in starts])
    return np.array(rows)


def _start(model: PopulationGP, about: About) -> Start:
    start, known = Start.from_items(load_flats(), model), person_row(model, about)
    return start.for_person(model, dict(known)) if known else start


def _answers(people: list[FloatArray], rng: np.random.Generator) -> Comparisons:
    rows = []
    for user, utilities in enumerate(people):
        for _ in range(N_TOLD):
            i, j = (int(item) for item in rng.choice(len(utilities), 2, replace=False))
            said = simulated_answer(
                "pair", (i, j), utilities, rng, noise=NOISE, wrong=WRONG
            )
            rows.append(((i, j) if said == "left" else (j, i), user))
    winners, losers = zip(*(pair for pair, _ in rows), strict=True)
    return Comparisons(winners, losers, users=[user for _, user in rows])


def _regrets(start: Start, utilities: FloatArray, seed: list[int]) -> list[float]:
    """Ask somebody; give what the recommendation loses at all moments."""
    rng = np.random.default_rng([SEED, *seed])
    talk = Talk.from_start(start, seed[1])
    lost = []
    for number in range(max(AT) + 1):
        if number in AT:
            lost.append(float(utilities.max() - utilities[talk.favourite]))
        found = FORMS["pair"].choose(talk)
        if found is None:
            break
        answer = simulated_answer(
            "pair", found[0], utilities, rng, noise=NOISE, wrong=WRONG
        )
        talk = talk.after(AnsweredQuestion("", "pair", found[0], answer))
    return lost


def _cells(row: str, regrets: FloatArray) -> Iterator[Measurement]:
    for place, q in enumerate(AT):
        known, unknown = regrets[:, 0, place], regrets[:, 1, place]
        less = known - unknown
        error = less.std(ddof=1) / np.sqrt(len(less))
        share = 1.0 - known.mean() / unknown.mean()
        note = f"{share:.0%} less; difference {less.mean():+.3f}, s.e. {error:.3f}"
        where = f"{row}: regret after {q}"
        yield Measurement.from_scores(where, "known", known, note=note, in_paper=False)
        yield Measurement.from_scores(where, "not known", unknown, in_paper=False)
