"""How many questions are still to come, by conversations held in advance."""

import threading
import time
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np

from penchant._cached import LRUCache
from penchant._validation import frozen_array
from penchant.elicitation import Forecast, carry_on, draw_people
from penchant.studies._participation import AnsweredQuestion, simulated_answer
from penchant.studies._settings import StudySettings
from penchant.studies._start import Start
from penchant.studies._talk import Talk
from penchant.typing import FloatArray

__all__ = ["ForecastTable", "find_table"]

_N_PEOPLE = 16
"""Conversations that a forecast rests on."""

_FEWEST, _WORK = 4, 8000
"""With more than 500 items there are fewer of them, about _WORK / n_items."""

_N_NEAREST = 24
"""Moments of these conversations that are closest to the one asked about."""

_N_KEPT = 32
"""Tables that are kept in memory."""

_REST = 10.0
"""How long a table rests that nobody waits for, relative to the work on it."""

_Goal: TypeAlias = tuple[str, str, float, int]


@dataclass(frozen=True, eq=False)
class ForecastTable:
    """How many questions people needed from one expected regret to the end.

    Made once for a population by conversations with people drawn from it; looking
    something up costs next to nothing.

    Parameters
    ----------
    regrets : ndarray of shape (n_moments,)
        Logarithms of the expected regret at moments of these conversations.
    left : ndarray of int of shape (n_moments,)
        Questions that followed.
    """

    regrets: FloatArray
    left: FloatArray

    @classmethod
    def simulate(
        cls,
        start: Start,
        form: str,
        max_regret: float,
        max_questions: int,
        *,
        rest: float = 0.0,
    ) -> "ForecastTable":
        """Hold conversations until the expected regret is small, or for so long.

        After each of them, `rest` times as long goes by before the next: other threads
        have something to do.
        """
        rng, prior = np.random.default_rng(0), start.posterior
        n_people = max(_FEWEST, min(_N_PEOPLE, _WORK // prior.n_items))
        regrets: list[float] = []
        left: list[int] = []
        for likes in draw_people(prior, n_people, rng):
            began = time.perf_counter()
            talk = Talk.begin(start, int(rng.integers(2**31)))
            person = _Person(form, likes, rng, max_regret)
            path = carry_on(talk, person.answer, max_questions)
            regrets += [moment.expected_regret for moment in path]
            left += range(len(path) - 1, -1, -1)
            time.sleep(rest * (time.perf_counter() - began))
        return cls(frozen_array(_log(regrets)), frozen_array(left, np.int64))

    def forecast(self, regret: float, most: int) -> Forecast:
        """Say how many more questions it takes, `most` at most."""
        away = np.abs(self.regrets - _log(regret))
        near = np.argsort(away, kind="stable")[:_N_NEAREST]
        return Forecast.summarise(self.left[near].tolist(), max(most, 0))


@dataclass(frozen=True, eq=False)
class _Person:
    """Somebody who answers until the expected regret is small."""

    form: str
    likes: FloatArray
    rng: np.random.Generator
    max_regret: float

    def answer(self, talk: Talk) -> Talk | None:
        """Give the talk after one more answer, None when it has ended."""
        enough = talk.expected_regret <= self.max_regret
        asked = None if enough else talk.next_items(self.form)
        if asked is None:
            return None
        belief, items = talk.start.posterior, asked[0]
        answer = simulated_answer(
            self.form,
            items,
            self.likes,
            self.rng,
            noise=belief.noise,
            wrong=belief.lapse,
        )
        return talk.tell(AnsweredQuestion("", self.form, items, answer))


def _log(regret: Any) -> FloatArray:
    logs: FloatArray = np.log(np.maximum(regret, 1e-6))
    return logs


_TABLES: LRUCache[_Goal, tuple[threading.Thread, list[ForecastTable]]]
_TABLES = LRUCache(_N_KEPT)
_LOCK = threading.Lock()


def find_table(
    start: Start, settings: StudySettings, *, wait: bool = False
) -> ForecastTable | None:
    """Give the table for people who start from a belief; None while it is made.

    It is made once in a process, in the background.

    Parameters
    ----------
    start : Start
        What is believed of somebody new.
    settings : StudySettings
        When the asking ends, and the form of the questions.
    wait : bool, default=False
        Whether to wait until it is made.
    """
    end = (settings.question, settings.max_regret, settings.max_questions)
    goal = (start.fingerprint, *end)
    rest = 0.0 if wait else _REST
    with _LOCK:
        making = _TABLES.get(goal)
        if making is None:
            made: list[ForecastTable] = []

            def make() -> None:
                made.append(ForecastTable.simulate(start, *end, rest=rest))

            making = (threading.Thread(target=make, daemon=True), made)
            _TABLES.put(goal, making)
            making[0].start()
    maker, tables = making
    if wait:
        maker.join()
    return tables[0] if tables else None
