"""Not in the paper: how right stated probabilities of preferring i to j are.

Ten folds of people. The model learns from nine, says for each person of the tenth how
probably they prefer i to j, for all pairs, then asks 3 and 5 questions by the default
policy and says it again for the pairs that were not asked. Undecided answers train the
model as ties and are left out of the scores. "popularity" says what share of the past
people prefers i to j. Beside Sushi there are two populations with answers that need not
fit any ranking: judgements of sound reproduction (folds of listeners; a listener has
several rows) and German parties in 2009. A full run draws ``results/calibration.png``.
"""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from joblib import Parallel, delayed
from sklearn.model_selection import GroupKFold

from experiments._outcome import Measurement, Outcome
from experiments.gppe._answer_tables import AnswerTable, answer_tables
from experiments.gppe._asking import SEED
from experiments.gppe._people import HOW_TO_OBTAIN, made_people
from experiments.gppe._pictures import RESULTS, reliability_figure
from penchant._parallel import track
from penchant.elicitation import Elicitor
from penchant.models import PopulationGP

N_FOLDS = 10
ASKED = (0, 3, 5)
N_PEOPLE = 100
QUICK_PEOPLE = 20
OURS, POPULARITY = "penchant", "popularity"


@dataclass(frozen=True, eq=False)
class Stated:
    """Probabilities that were stated for a fold, and what the people said.

    Parameters
    ----------
    probability : ndarray of shape (n,)
        Stated probability that the first item is preferred.
    truth : ndarray of bool of shape (n,)
        Whether it is.
    """

    probability: np.ndarray
    truth: np.ndarray

    @property
    def brier(self) -> float:
        """Mean squared difference of probability and outcome."""
        return float(np.mean((self.probability - self.truth) ** 2))

    @property
    def accuracy(self) -> float:
        """Share of pairs of which the more probable item is preferred."""
        return float(np.mean((self.probability > 0.5) == self.truth))

    def both(self) -> tuple[np.ndarray, np.ndarray]:
        """Give what was stated and what is true."""
        return self.probability, self.truth

    def favoured(self) -> "Stated":
        """State all probabilities for the more probable item, one half and above."""
        swapped = self.probability < 0.5
        return Stated(
            np.where(swapped, 1 - self.probability, self.probability),
            self.truth != swapped,
        )


Stage = tuple[str, int]


def run(*, quick: bool) -> Outcome:
    """Score ten folds of three populations; if quick, 20 people of one fold each."""
    tables = list(answer_tables())
    cells: list[Measurement] = []
    if not any(table.name == "sushi" for table in tables):
        cells += missing_cells()
        tables.append(AnswerTable.of_rankings(made_people(300 if quick else 1000)))
    results: dict[str, dict[Stage, list[Stated]]] = {}
    for table in track(tables, "Calibration"):
        results[table.name] = score_folds(table, quick=quick)
        cells += measurements(table.name, results[table.name])
    if not quick:
        forecasts = {
            name: {q: pooled(stages[OURS, q]).both() for q in ASKED}
            for name, stages in results.items()
        }
        picture = RESULTS / "calibration.png"
        reliability_figure(forecasts).savefig(picture, dpi=90)
    return Outcome("calibration", tuple(cells), (SEED,))


def score_folds(table: AnswerTable, *, quick: bool) -> dict[Stage, list[Stated]]:
    """Learn and ask in folds of people; give what was stated, one per fold."""
    folds = GroupKFold(N_FOLDS, shuffle=True, random_state=SEED)
    splits = list(folds.split(table.answers, groups=table.groups))
    n_people = QUICK_PEOPLE if quick else N_PEOPLE
    results = Parallel()(
        delayed(score_fold)(table, train, test[:n_people])
        for train, test in splits[: 1 if quick else N_FOLDS]
    )
    return {stage: [result[stage] for result in results] for stage in results[0]}


def score_fold(
    table: AnswerTable, train: np.ndarray, test: np.ndarray
) -> dict[Stage, Stated]:
    """Say how probably each person prefers i to j, before and between questions."""
    past, asked = table.take(train), table.take(test)
    model = PopulationGP(prior="hierarchical", inference="ep")
    model.fit(past.X_items, past.comparisons(), past.X_users)
    share = (np.sum(past.answers > 0, axis=0) + 1) / (
        np.sum(past.answers != 0, axis=0) + 2
    )
    stated: dict[Stage, list[Stated]] = {}
    for row, answers in enumerate(asked.answers):
        stated.setdefault((POPULARITY, 0), []).append(_compare(share, answers, set()))
        elicitor = Elicitor(model.for_user(asked.X_users[row]), random_state=SEED)
        for q in range(max(ASKED) + 1):
            if q in ASKED:
                pairs = {told.pair for told in elicitor.answers}
                now = _compare(_probabilities(elicitor), answers, pairs)
                stated.setdefault((OURS, q), []).append(now)
            if q < max(ASKED):
                _answer(elicitor, answers)
    return {stage: pooled(parts) for stage, parts in stated.items()}


def _answer(elicitor: Elicitor, answers: np.ndarray) -> None:
    question = elicitor.ask()
    said = answers[question.left, question.right]
    elicitor.tell(question, ("tie", "left", "right")[said])


def _probabilities(elicitor: Elicitor) -> np.ndarray:
    """Give the probability of preferring each item to each other one."""
    posterior = elicitor.posterior
    n = posterior.n_items
    return np.array([[posterior.probability(i, j) for j in range(n)] for i in range(n)])


def _compare(
    probability: np.ndarray, answers: np.ndarray, asked: set[tuple[int, int]]
) -> Stated:
    """Set probabilities beside the decided answers that were not asked for."""
    first, second = np.triu_indices(len(answers), k=1)
    kept = np.array(
        [
            answers[i, j] != 0 and (i, j) not in asked
            for i, j in zip(first, second, strict=True)
        ]
    )
    pair = first[kept], second[kept]
    return Stated(probability[pair], answers[pair] > 0)


def pooled(parts: list[Stated]) -> Stated:
    """Put what was stated in several places together."""
    return Stated(
        np.concatenate([part.probability for part in parts]),
        np.concatenate([part.truth for part in parts]),
    )


def calibration_error(stated: Stated, n_bins: int = 10) -> float:
    """Give the mean distance of stated and observed share, over bins of stated."""
    table = reliability(stated, n_bins)
    weights = table[:, 2] / table[:, 2].sum()
    return float(weights @ np.abs(table[:, 0] - table[:, 1]))


def reliability(stated: Stated, n_bins: int = 10) -> np.ndarray:
    """Give mean stated probability, observed share and number of answers per bin."""
    sure = stated.favoured()
    bins = np.minimum((2 * sure.probability - 1) * n_bins, n_bins - 1).astype(int)
    counts = np.bincount(bins, minlength=n_bins)
    here = counts > 0
    means = [
        np.bincount(bins, values, minlength=n_bins)[here] / counts[here]
        for values in (sure.probability, sure.truth)
    ]
    return np.column_stack([*means, counts[here]])


def measurements(name: str, stages: dict[Stage, list[Stated]]) -> Iterator[Measurement]:
    """Yield Brier scores, with accuracy and calibration error in the note."""
    for (column, q), folds in stages.items():
        together = pooled(folds)
        note = (
            f"accuracy {together.accuracy:.3f}; calibration error "
            f"{calibration_error(together):.3f}; {together.truth.size} answers"
        )
        yield Measurement.from_scores(
            f"{name}, Brier score after {q}",
            column,
            [fold.brier for fold in folds],
            note=note,
            in_paper=False,
        )


def missing_cells() -> Iterator[Measurement]:
    """Yield the cells of the Sushi data where these are not here."""
    for column, q in ((POPULARITY, 0), *((OURS, q) for q in ASKED)):
        yield Measurement(
            f"sushi, Brier score after {q}", column, note=HOW_TO_OBTAIN, in_paper=False
        )
