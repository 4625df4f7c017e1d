"""A peer: BoTorch's PairwiseGP with EUBO, asking some of the same people.

BoTorch learns from one person at a time, so it stands beside our model of one person
("penchant, no past": fitted anew after every answer, like BoTorch's), and beside the
one that knows the past people. Two more columns have what an `Elicitor` with items
believes by default today, a weighted set of explanations, with and without the past.
Exact answers, people of the first fold. The time is that of a whole question: choose,
learn the answer, recommend. Needs

    pip install torch==2.13.0 botorch
"""

import time
from collections.abc import Iterator
from importlib.util import find_spec

import numpy as np
import pandas as pd
from sklearn.preprocessing import minmax_scale

from experiments._outcome import Measurement, Outcome
from experiments.gppe._asking import N_QUESTIONS, SEED, people_to_ask, split
from experiments.gppe._methods import all_users
from experiments.gppe._people import People
from experiments.gppe._refitted import (
    Refitted,
    botorch_eubo,
    botorch_fit,
    penchant_fit,
)
from penchant._parallel import track
from penchant.data import Items
from penchant.elicitation import PersonBelief, Simulation, simulate

PACKAGES = ("torch", "botorch")
PEER, ALONE, OURS = "BoTorch PairwiseGP + EUBO", "penchant, no past", "penchant"
TODAY, TODAY_ALONE = "penchant, default belief", "penchant, default belief, no past"
COLUMNS = (ALONE, OURS, TODAY_ALONE, TODAY, PEER)
WHY_ABSENT = "needs pip install torch==2.13.0 botorch"


def run(*, quick: bool) -> Outcome:
    """Ask 100 people; if quick, 3 people."""
    people = people_to_ask(quick=quick)
    train, test = split(people, 0)
    asked = people.take(test[: 3 if quick else 100])
    cells = [
        cell
        for column in track(COLUMNS, "Asking")
        for cell in measure(column, people.take(train), asked)
    ]
    return Outcome("botorch", tuple(cells), (SEED,))


def measure(column: str, past: People, asked: People) -> Iterator[Measurement]:
    """Yield the loss after every question and the CPU time of one."""
    rows = [f"{asked.name}, loss after {q}" for q in range(1, N_QUESTIONS + 1)]
    last = f"{asked.name}, CPU seconds per question"
    if column == PEER and not (find_spec("botorch") and find_spec("torch")):
        for row in (*rows, last):
            yield Measurement(row, column, note=WHY_ABSENT, in_paper=False)
        return
    result, seconds = ask(column, past, asked)
    found = result.top_found.mean(axis=0)
    for q, row in enumerate(rows, start=1):
        note = f"best item found for {found[q]:.1%}"
        scores = result.loss[:, q].tolist()
        yield Measurement.from_scores(row, column, scores, note=note, in_paper=False)
    yield Measurement(last, column, seconds, None, len(asked), in_paper=False)


def ask(column: str, past: People, asked: People) -> tuple[Simulation, float]:
    """Ask everybody; give also the CPU seconds per question."""
    X = minmax_scale(asked.X_items)
    X_users = None
    if column in (TODAY, TODAY_ALONE):
        population, policy = believed(X, past if column == TODAY else None), "eubo-kg"
    elif column == PEER:
        population, policy = Refitted(X, botorch_fit), botorch_eubo
    elif column == ALONE:
        population, policy = Refitted(X, penchant_fit), "eubo-kg"
    else:
        population = all_users(past, 0.0, np.random.default_rng(SEED))
        policy, X_users = "eubo-kg", asked.X_users
    start = time.process_time()
    result = simulate(
        population,
        asked.rankings,
        policy,
        N_QUESTIONS,
        X_users=X_users,
        random_state=SEED,
    )
    seconds = time.process_time() - start
    return result, seconds / (len(asked) * N_QUESTIONS)


def believed(X: np.ndarray, past: People | None) -> PersonBelief:
    """Give what an elicitor believes of somebody before the first answer."""
    names = [f"attribute {k}" for k in range(1, X.shape[1] + 1)]
    items = Items.from_frame(pd.DataFrame(X, columns=names))
    if past is None:
        return PersonBelief.from_items(items)
    population = all_users(past, 0.0, np.random.default_rng(SEED))
    return PersonBelief.from_items(items, population.for_user())
