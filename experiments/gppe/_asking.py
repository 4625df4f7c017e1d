"""Ten folds of people: learn from nine, ask the tenth, compare what is recommended."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import product
from pathlib import Path

import numpy as np
from joblib import Memory, Parallel, delayed
from sklearn.model_selection import KFold

from experiments._outcome import Measurement
from experiments.gppe._methods import METHODS, STARTS, Method
from experiments.gppe._people import HOW_TO_OBTAIN, People, made_people, sushi_people
from experiments.gppe._state import code_state
from penchant._parallel import track
from penchant.elicitation import Simulation, simulate

__all__ = [
    "N_QUESTIONS",
    "SEED",
    "WRONG",
    "Curve",
    "ask_folds",
    "curve_cells",
    "missing_cells",
    "order_cells",
    "people_to_ask",
    "row_of",
    "split",
]

SEED = 0
N_FOLDS = 10
N_QUESTIONS = 10
WRONG = (0.0, 0.1)
QUICK_PEOPLE = 60
_CACHE = Path(__file__).parent / "results" / "cache"


@dataclass(frozen=True, eq=False)
class Curve:
    """What a method recommended to everybody after every question.

    Parameters
    ----------
    column : str
        The method.
    wrong : float
        Share of wrong answers.
    folds : tuple of Simulation
        One per fold.
    """

    column: str
    wrong: float
    folds: tuple[Simulation, ...]

    @property
    def loss(self) -> np.ndarray:
        """Mean loss, shape (n_folds, n_questions + 1)."""
        return np.array([fold.loss.mean(axis=0) for fold in self.folds])

    @property
    def found(self) -> np.ndarray:
        """Share of people whose best item was found, shape (n_questions + 1,)."""
        return np.concatenate([fold.top_found for fold in self.folds]).mean(axis=0)

    @property
    def milliseconds(self) -> float:
        """Median CPU time to choose a question."""
        asked = [fold.seconds[fold.questions[:, :, 0] >= 0] for fold in self.folds]
        return 1000 * float(np.median(np.concatenate(asked)))

    def merged(self) -> Simulation:
        """Give all folds as one simulation, for a picture."""
        names = ("loss", "top_found", "probability", "expected_regret")
        tables = {
            name: np.concatenate([getattr(fold, name) for fold in self.folds])
            for name in (*names, "questions", "seconds")
        }
        return Simulation(self.column, **tables)


def people_to_ask(*, quick: bool) -> People:
    """Give the people of the Sushi data, or made ones where these are not here."""
    people = sushi_people()
    if people is None:
        return made_people(QUICK_PEOPLE * 5 if quick else 1000)
    return people


def split(people: People, fold: int) -> tuple[np.ndarray, np.ndarray]:
    """Give the rows to learn from and the rows to ask."""
    folds = KFold(N_FOLDS, shuffle=True, random_state=SEED)
    return list(folds.split(people.rankings))[fold]


def ask_folds(
    people: People,
    columns: Sequence[str],
    *,
    quick: bool,
    wrong: Iterable[float] = WRONG,
    n_asked: int | None = None,
) -> list[Curve]:
    """Learn and ask in ten folds; if quick, 60 people of the first fold.

    With `n_asked` only so many of each fold are asked. Full runs are kept on disk until
    the code changes.
    """
    most = QUICK_PEOPLE if quick else n_asked
    starts = list(dict.fromkeys(METHODS[column].start for column in columns))
    folds = range(1 if quick else N_FOLDS)
    work = list(product(starts, wrong, folds))
    function = ask_fold if quick else cached_ask_fold
    state = code_state()
    results = Parallel(return_as="generator")(
        delayed(function)(
            people, start, share, fold, _with_start(start, columns), most, state
        )
        for start, share, fold in work
    )
    done: dict[tuple[Method, float], list[Simulation]] = {}
    for (_, share, _), result in zip(
        work, track(results, "Asking", total=len(work)), strict=True
    ):
        for method, simulation in result.items():
            done.setdefault((method, share), []).append(simulation)
    return [
        Curve(column, share, tuple(done[METHODS[column], share]))
        for share in wrong
        for column in columns
    ]


def _with_start(start: str, columns: Sequence[str]) -> tuple[Method, ...]:
    """Give the different methods with a start; two columns may show the same one."""
    methods = (METHODS[column] for column in columns)
    return tuple(dict.fromkeys(each for each in methods if each.start == start))


def ask_fold(
    people: People,
    start: str,
    wrong: float,
    fold: int,
    methods: Sequence[Method],
    n_asked: int | None,
    state: str,
) -> dict[Method, Simulation]:
    """Ask the people of one fold by some methods with the same start.

    `state` is that of the code: what is kept on disk is found by it.
    """
    train, test = split(people, fold)
    asked = people.take(test[:n_asked])
    rng = np.random.default_rng([SEED, fold])
    population = STARTS[start](people.take(train), wrong, rng)
    return {
        method: simulate(
            population,
            asked.rankings,
            method.policy,
            N_QUESTIONS,
            wrong,
            X_users=asked.X_users if method.uses_features else None,
            decisive=method.decisive,
            random_state=SEED + fold,
        )
        for method in methods
    }


cached_ask_fold = Memory(_CACHE, verbose=0).cache(ask_fold)


def curve_cells(people: People, curves: Iterable[Curve]) -> Iterator[Measurement]:
    """Yield the loss after every question, fold means with their spread."""
    for curve in curves:
        for q in range(1, N_QUESTIONS + 1):
            note = f"best item found for {curve.found[q]:.1%}"
            if q == 1:
                note += f"; {curve.milliseconds:.2g} CPU ms per question"
            yield Measurement.from_scores(
                row_of(people.name, curve.wrong, q),
                curve.column,
                curve.loss[:, q].tolist(),
                note=note,
                in_paper=False,
            )


def order_cells(
    people: People, curves: Sequence[Curve], claims: Iterable[tuple[str, str]]
) -> Iterator[Measurement]:
    """Yield for each claim "this loses less than that" by how much it fails.

    That is the largest excess over all numbers of questions; at or below zero the
    claim holds at every one of them.
    """
    by_name = {(curve.column, curve.wrong): curve for curve in curves}
    for share, (lower, upper) in product(
        dict.fromkeys(c.wrong for c in curves), claims
    ):
        gaps = by_name[lower, share].loss - by_name[upper, share].loss
        means = gaps.mean(axis=0)[1:]
        q = int(np.argmax(means)) + 1
        above = [str(k) for k, mean in enumerate(means, start=1) if mean > 0]
        verdict = f"not after {', '.join(above)}" if above else "after every question"
        yield Measurement.from_scores(
            f"{people.name}, {share:.0%} wrong, order of the curves",
            f"{lower} - {upper}",
            gaps[:, q].tolist(),
            note=f"largest after {q}; {lower} is at or below {upper}: {verdict}",
            in_paper=False,
        )


def missing_cells(
    people: People, columns: Sequence[str], wrong: Iterable[float] = WRONG
) -> Iterator[Measurement]:
    """Yield the cells of the Sushi data where these are not here."""
    if people.name == "sushi":
        return
    for share, column, q in product(wrong, columns, range(1, N_QUESTIONS + 1)):
        yield Measurement(
            row_of("sushi", share, q), column, note=HOW_TO_OBTAIN, in_paper=False
        )


def row_of(name: str, wrong: float, q: int) -> str:
    """Name a row of the tables."""
    return f"{name}, {wrong:.0%} wrong, loss after {q}"
