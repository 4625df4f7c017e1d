"""Held-out comparisons of known people: PopulationGP, Bradley-Terry, mixed logit.

Not in a paper. 1,000 of the 5,000 people who ranked ten kinds of sushi, three times.
Each says 3, 6 or 12 random pairs of the 45; ten others are held out and predicted. All
methods see the same answers and nothing else, except where the column says that
`PopulationGP` also sees what is known of items and people. A cell is the held-out log
loss; the note has accuracy and CPU seconds. The mixed logit has independent normal
utilities of nine kinds against the tenth; xlogit predicts unknown people only, so that
its draws are weighed here by each person's answers (`_logit.person_chances`).
Bradley-Terry is choix's, of all answers together (alpha .01), or of the person's own
(alpha 1, the standard normal prior). Chances are at least 1e-6.
"""

import warnings
from collections.abc import Callable, Iterator
from typing import NamedTuple

import numpy as np
from scipy.special import expit

from experiments._outcome import Measurement, Outcome
from experiments.gppe._people import HOW_TO_OBTAIN, People, made_people, sushi_people
from experiments.strong._logit import mixed, normal_of, person_chances
from experiments.strong._peers import absent, cell, has, paired, timed
from penchant._parallel import track
from penchant.data import Comparisons
from penchant.gp import Answer
from penchant.models import PopulationGP

PACKAGES = ("choix", "xlogit")
SEEDS = (0, 1, 2)
N_PEOPLE = 1_000
SAID = (3, 6, 12)
N_HELD_OUT = 10
N_DRAWS = 2_000
OURS = "PopulationGP"


class Told(NamedTuple):
    """Pairs of all people, winners first: what is known, and what is held out.

    Parameters
    ----------
    known, asked : ndarray of int of shape (n_people, n, 2)
    people : People
        What is known of items and people.
    """

    known: np.ndarray
    asked: np.ndarray
    people: People

    @property
    def n_items(self) -> int:
        """The number of items."""
        return self.people.rankings.shape[1]

    @property
    def comparisons(self) -> Comparisons:
        """What is known, as our models take it."""
        winners, losers = self.known.reshape(-1, 2).T
        users = np.repeat(np.arange(len(self.known)), self.known.shape[1])
        return Comparisons(winners, losers, users=users)


Chances = np.ndarray
"""Of the held-out winners, shape (n_people, n_asked)."""


def ours(told: Told) -> Chances:
    """Learn what people have in common, then each person's own answers."""
    model = PopulationGP().fit(None, told.comparisons)
    return np.array([_ask(model, None, *rows) for rows in zip(*told[:2], strict=True)])


def ours_features(told: Told) -> Chances:
    """Learn the same, with features of items and of people."""
    features = told.people.X_users
    model = PopulationGP().fit(told.people.X_items, told.comparisons, features)
    rows = zip(features, told.known, told.asked, strict=True)
    return np.array([_ask(model, *row) for row in rows])


def _ask(
    model: PopulationGP, person: np.ndarray | None, known: np.ndarray, asked: np.ndarray
) -> list[float]:
    answers = [Answer("comparison", (int(i), int(j))) for i, j in known]
    belief = model.for_user(person).with_answers(answers)
    return [belief.probability(int(i), int(j)) for i, j in asked]


def bradley_terry(told: Told) -> Chances:
    """Fit one strength per item to all answers."""
    import choix

    pairs = [tuple(pair) for pair in told.known.reshape(-1, 2).tolist()]
    strengths = choix.ilsr_pairwise(told.n_items, pairs, alpha=0.01)
    return _odds(strengths, told.asked)


def own_bradley_terry(told: Told) -> Chances:
    """Fit strengths to each person's own answers, with a normal prior."""
    import choix

    chances = []
    for known, asked in zip(told.known, told.asked, strict=True):
        pairs = [tuple(pair) for pair in known.tolist()]
        strengths = choix.opt_pairwise(told.n_items, pairs, alpha=1.0)
        chances.append(_odds(strengths, asked))
    return np.array(chances)


def _odds(strengths: np.ndarray, asked: np.ndarray) -> np.ndarray:
    return expit(strengths[asked[..., 0]] - strengths[asked[..., 1]])


def mixed_logit(told: Told) -> Chances:
    """Fit normal utilities of the items, and weigh draws by a person's answers."""
    dummies = np.eye(told.n_items)[:, 1:]
    n_people, n_known, _ = told.known.shape
    people = np.repeat(np.arange(n_people), n_known)
    winners = np.zeros(n_people * n_known, int)
    model = mixed(dummies[told.known.reshape(-1, 2)], winners, people)
    mean, spread = normal_of(model, told.n_items - 1)
    rng = np.random.default_rng(0)
    draws = mean + spread * rng.standard_normal((N_DRAWS, told.n_items - 1))
    first = winners[:n_known]
    return np.array(
        [
            person_chances(draws, (dummies[known], first), dummies[asked])[:, 0]
            for known, asked in zip(told.known, told.asked, strict=True)
        ]
    )


METHODS: dict[str, tuple[Callable[[Told], Chances], str]] = {
    OURS: (ours, ""),
    "PopulationGP with features": (ours_features, ""),
    "Bradley-Terry": (bradley_terry, "choix"),
    "Bradley-Terry, own answers": (own_bradley_terry, "choix"),
    "mixed logit": (mixed_logit, "xlogit"),
}


def run(*, quick: bool) -> Outcome:
    """Score all methods (if quick, 60 made people, once)."""
    people = made_people(60) if quick else sushi_people()
    seeds, said = (SEEDS[:1], SAID[:1]) if quick else (SEEDS, SAID)
    cells: list[Measurement] = []
    for n_known in track(said, "population"):
        row = f"{'made people' if quick else 'sushi'}, {n_known} answers each"
        if people is None:
            cells += [
                Measurement(row, method, note=HOW_TO_OBTAIN, in_paper=False)
                for method in METHODS
            ]
        else:
            cells += of_people(row, [tell(people, n_known, seed) for seed in seeds])
    return Outcome("population", tuple(cells), seeds)


def tell(people: People, n_known: int, seed: int) -> Told:
    """Draw people, and which of their pairs are known and which held out."""
    rng = np.random.default_rng(seed)
    some = people.take(rng.permutation(len(people))[:N_PEOPLE])
    every = Comparisons.from_rankings(some.rankings)
    pairs = np.stack([every.winners, every.losers], axis=1).reshape(len(some), -1, 2)
    places = rng.random(pairs.shape[:2]).argsort(axis=1)[:, : n_known + N_HELD_OUT]
    drawn = np.take_along_axis(pairs, places[:, :, None], axis=1)
    return Told(drawn[:, :n_known], drawn[:, n_known:], some)


def of_people(row: str, draws: list[Told]) -> Iterator[Measurement]:
    """Yield a cell per method."""
    mine: list[float] = []
    for method, (_, peer) in METHODS.items():
        if not has(peer):
            yield absent(row, method, peer)
            continue
        losses, accuracies, seconds = np.array([score(method, t) for t in draws]).T
        if method == OURS:
            mine = losses.tolist()
        note = f"accuracy {accuracies.mean():.3f}, {seconds.mean():.2g} CPU s"
        gap = "" if method == OURS else paired(mine, losses.tolist())
        yield cell(row, method, losses.tolist(), note, gap, peer=peer)


def score(method: str, told: Told) -> tuple[float, float, float]:
    """Give log loss, accuracy and CPU seconds (learning and predicting)."""
    with warnings.catch_warnings():
        if METHODS[method][1]:
            warnings.simplefilter("ignore")  # peers warn of deprecated calls
        chances, seconds = timed(lambda: METHODS[method][0](told))
    loss = -np.log(np.maximum(chances, 1e-6)).mean()
    return float(loss), float(np.mean(chances > 0.5)), seconds
