"""Question, answer and progress of a participant: 6 CPU ms among 40 items, 9 among 100.

That is what the engine of a study does for one participant between two clicks: give
the open question, take the answer, choose the next question, work out how sure the
recommendation is. Each case is a conversation of ten questions
from the first on, so the limits in the table are ten times those of one exchange. The
last case has the store in it, too: a SQLite file, written to before anything is
acknowledged; the log is read again when another process has written to it.
"""

import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from itertools import count

import numpy as np
import pandas as pd

from benchmarks._measure import Budget
from penchant.data import Items
from penchant.datasets import make_population
from penchant.models import PopulationGP
from penchant.studies import (
    FORMS,
    AnsweredQuestion,
    SqlStore,
    Study,
    StudySettings,
    simulated_answer,
    store_url,
)
from penchant.studies._start import Start
from penchant.studies._talk import Talk

N_EXCHANGES = 10
ENGINE, WITH_STORE = {40: 0.006, 100: 0.009}, 0.012
PACKAGES = ("numpy", "scipy", "sqlalchemy")
SEEDS = "0; of the people 0, 1, ..."


@contextmanager
def cases() -> Iterator[list[Budget]]:
    """Yield the engine alone at two sizes, then with a store."""
    with tempfile.TemporaryDirectory() as folder, SqlStore(store_url(folder)) as store:
        yield [
            *(_engine(n_items, form) for n_items in (40, 100) for form in ("pair",)),
            _engine(100, "best-worst"),
            _with_store(store, 100),
        ]


def _table(n_items: int) -> tuple[Items, Start, np.ndarray]:
    people = make_population(n_users=60, n_items=n_items, random_state=0)
    names = [f"attribute {k}" for k in range(people.X_items.shape[1])]
    items = Items.from_frame(pd.DataFrame(people.X_items, columns=names))
    start = Start.from_items(items, PopulationGP().fit(items, people.comparisons))
    return items, start, people.utilities


def _engine(n_items: int, form: str) -> Budget:
    _, start, utilities = _table(n_items)
    seeds = count()

    def talk() -> int:
        seed = next(seeds)
        rng = np.random.default_rng(seed)
        now = Talk.from_start(start, seed)
        for k in range(N_EXCHANGES):
            asked = FORMS[form].choose(now)
            if asked is None:
                break
            likes = utilities[seed % len(utilities)]
            answer = simulated_answer(form, asked[0], likes, rng)
            now = now.after(AnsweredQuestion(str(k), form, asked[0], answer))
            assert 0.0 <= now.recommendation.probability_best <= 1.0
        return len(now.answers)

    more = 2 if form != "pair" else 1
    return _budget(f"{form}, {n_items} items", talk, more * ENGINE[n_items])


def _with_store(store: SqlStore, n_items: int) -> Budget:
    items, _, utilities = _table(n_items)
    settings = StudySettings(max_regret=0.0, help_each_other=False)
    study = Study(store, store.create_study("Bench", items, settings=settings))
    seeds = count()

    def talk() -> int:
        seed = next(seeds)
        rng, who = np.random.default_rng(seed), study.join()[0].id
        likes = utilities[seed % len(utilities)]
        for _ in range(N_EXCHANGES):
            question = study.ask(who)
            answer = simulated_answer("pair", question.items, likes, rng)
            study.tell(who, question.id, answer)
            study.progress(who)
        return len(study.participation(who).answered)

    return _budget(f"pair, {n_items} items, SQLite", talk, WITH_STORE)


def _budget(name: str, talk: Callable[[], int], seconds: float) -> Budget:
    return Budget(
        name=f"{N_EXCHANGES} exchanges, {name}",
        ours=talk,
        seconds=N_EXCHANGES * seconds,
        check=lambda n_answers: n_answers > 0,
    )
