"""Predict the next answer of real people, and see whether it comes as often as said.

Half of the people teach a `PopulationGP`, and how likely others are like them; the
others answer in an order of their own, and each answer from the third on is predicted
from those before it.
"""

from typing import Any

import numpy as np
import pandas as pd

from experiments._data import data_folder
from experiments.truth._tables import plain_items
from experiments.truth._worlds import learned_likeness
from penchant._parallel import one_thread
from penchant.data import Comparisons
from penchant.elicitation import Elicitor, Question
from penchant.exceptions import DataError
from penchant.gp import PopulationGP

__all__ = ["run"]

_SETS = {"germanparties2009": "judge", "soundquality": "id"}
"""Sets of answers, and the column that tells people apart."""

_MAX_PEOPLE = 100
_BINS = 10
_N_DRAWS = 500


def run() -> dict[str, Any] | None:
    """Measure every set that is here; None if there is none."""
    try:
        folder = data_folder() / "pairwise"
    except DataError:
        return None
    found = {}
    with one_thread():
        for name, person in _SETS.items():
            answers = pd.read_csv(folder / f"{name}_comparisons.csv")
            judges = pd.read_csv(folder / f"{name}_judges.csv", dtype={"id": str})
            found[name] = _measure(
                answers, judges.set_index("judge", drop=False)[person]
            )
    return {"sets": found}


def _measure(answers: pd.DataFrame, person_of: pd.Series) -> dict[str, Any]:
    names = sorted({*answers["item_a"], *answers["item_b"]})
    place = {name: k for k, name in enumerate(names)}
    first, second = answers["item_a"].map(place), answers["item_b"].map(place)
    won = np.where(answers["preference"] > 0, first, second)
    lost = np.where(answers["preference"] > 0, second, first)
    tied = answers["preference"].to_numpy() == 0
    rng = np.random.default_rng(0)
    people = rng.permutation(person_of.unique())
    teachers = person_of[answers["judge"]].isin(people[::2]).to_numpy()
    judges = answers["judge"].to_numpy()
    told = Comparisons(won[teachers], lost[teachers], tied[teachers], judges[teachers])
    population = PopulationGP().fit(None, told).for_user()
    items = plain_items(names)
    like = learned_likeness(items, told, _MAX_PEOPLE // 2, None)
    rows = []
    for judge in rng.permutation(np.unique(judges[~teachers]))[:_MAX_PEOPLE]:
        mine = rng.permutation(np.flatnonzero(judges == judge))
        said = list(zip(won[mine], lost[mine], tied[mine], strict=True))
        elicitor = Elicitor(population, items=items, random_state=0, like_earlier=like)
        both = _predict(elicitor, said)
        alone = _predict_alone(population, said)
        rows.append(np.column_stack([both, alone]))
    return _summary(rows)


def _predict(elicitor: Elicitor, said: list[tuple[int, int, bool]]) -> list[float]:
    """Give the probability of each answer that came, from the third on."""
    given = []
    for k, (won, lost, tie) in enumerate(said):
        if k >= 2 and not tie:
            given.append(elicitor.posterior.probability(int(won), int(lost)))
        question = Question(int(won), int(lost))
        elicitor.tell(question, "tie" if tie else "left")
    return given


def _predict_alone(belief: Any, said: list[tuple[int, int, bool]]) -> list[float]:
    given = []
    for k, (won, lost, tie) in enumerate(said):
        if k >= 2 and not tie:
            given.append(belief.probability(won, lost))
        belief = belief.update_tie(won, lost) if tie else belief.update(won, lost)
    return given


def _summary(rows: list[np.ndarray]) -> dict[str, Any]:
    """Give log loss and calibration error, with ranges by drawing people."""
    loss = np.array([-np.log(row).mean(axis=0) for row in rows])
    answers = np.concatenate(rows)
    draws = np.random.default_rng(0).integers(len(rows), size=(_N_DRAWS, len(rows)))
    gap = loss[:, 0] - loss[:, 1]
    errors = [
        _calibration_error(np.concatenate([rows[k] for k in d])[:, 0]) for d in draws
    ]
    error = _calibration_error(answers[:, 0])
    return {
        "answers": len(answers),
        "log loss": loss.mean(axis=0).tolist(),
        "accuracy": (answers > 0.5).mean(axis=0).tolist(),
        "log loss less PopulationGP's": _ranged(
            gap.mean(), gap[draws].mean(axis=1), len(gap)
        ),
        "calibration error": _ranged(error, errors, len(rows)),
        "PopulationGP's calibration error": _calibration_error(answers[:, 1]),
    }


def _ranged(value: float, draws: Any, n: int) -> list[float]:
    """Give the arguments of a `Figure`."""
    low, high = np.quantile(draws, [0.05, 0.95])
    return [float(value), float(low), float(high), float(np.std(draws)), n]


def _calibration_error(p: np.ndarray) -> float:
    """Give the mean distance of said and right over equally large steps of p.

    Parameters
    ----------
    p : ndarray
        Probabilities that were given to what then came.
    """
    said, right = np.maximum(p, 1 - p), p > 0.5
    steps = np.array_split(np.argsort(said, kind="stable"), _BINS)
    distances = [len(s) * abs(said[s].mean() - right[s].mean()) for s in steps]
    return float(np.sum(distances) / len(p))
