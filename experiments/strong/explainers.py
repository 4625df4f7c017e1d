"""Shapley values from few evaluations: ours, KernelSHAP, leverage scores, shapiq.

Not in a paper. Six games of 8 to 12 attributes whose worths are all known
(`_games.py`), so that the exact values are, too. A cell is the distance of the
estimates of five rows to the exact values over the length of these (Euclidean): 0 is
exact, 1 is as good as zeros; mean over 20 seeds. Methods may ask for the worths of as
many sets as the column says (times the number of attributes d); the note tells how
many they asked for. Leverage scores hold to the number on average only.

LIME explains one fixed model, a `GAIRegressor` on diabetes, beside its exact values. It
answers another question (the slope of a local linear model), so that the cells are how
far its order of the attributes agrees, not errors.
"""

import warnings
from collections.abc import Iterator

import numpy as np
from scipy.stats import spearmanr
from sklearn.datasets import load_diabetes

from experiments._outcome import Measurement, Outcome
from experiments.strong._approximators import METHODS, OURS, Asked
from experiments.strong._games import Game, games
from experiments.strong._peers import absent, cell, has, paired, timed
from penchant._parallel import track
from penchant.explanation import explain
from penchant.models import GAIRegressor

PACKAGES = ("shap", "shapiq", "lime")
SEEDS = tuple(range(20))
BUDGETS = (4, 8, 16)
N_LIME = 30
LIME = {"LIME": True, "LIME without bins": False}


def run(*, quick: bool) -> Outcome:
    """Estimate all games (if quick, one game with two seeds, and no LIME)."""
    seeds = SEEDS[:2] if quick else SEEDS
    cells: list[Measurement] = []
    for name, game in track(list(games(quick=quick)), "games"):
        cells += of_game(name, game, seeds)
    if not quick:
        cells += beside_lime()
    return Outcome("explainers", tuple(cells), seeds)


def of_game(name: str, game: Game, seeds: tuple[int, ...]) -> Iterator[Measurement]:
    """Yield a cell per method and budget."""
    for times in BUDGETS:
        ours: list[float] = []
        for method, (_, peer) in METHODS.items():
            column = f"{method}, {times} d"
            if not has(peer):
                yield absent(name, column, peer)
                continue
            errors, counts, seconds = estimate(method, game, times, seeds)
            if method == OURS:
                ours = errors
            note = f"{np.mean(counts):.0f} evaluations, {seconds:.2g} CPU s"
            gap = "" if method == OURS else paired(ours, errors)
            yield cell(name, column, errors, note, gap, peer=peer)


def estimate(
    method: str, game: Game, times: int, seeds: tuple[int, ...]
) -> tuple[list[float], list[int], float]:
    """Give relative errors, numbers of evaluations, and mean CPU seconds."""
    exact, budget = game.values, times * game.n_players
    errors, counts, total = [], [], 0.0
    for seed in seeds:
        asked = Asked(game)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # peers warn of deprecated calls
            found, seconds = timed(lambda: METHODS[method][0](asked, budget, seed))  # noqa: B023
        errors.append(float(np.linalg.norm(found - exact) / np.linalg.norm(exact)))
        counts.append(asked.n_evaluations)
        total += seconds
    return errors, counts, total / len(seeds)


def beside_lime() -> Iterator[Measurement]:
    """Yield how far LIME agrees with the exact values of one fixed model."""
    row = "GAIRegressor, diabetes: order of attributes"
    if not has("lime"):
        yield from (absent(row, column, "lime") for column in LIME)
        return
    X, y = load_diabetes(return_X_y=True)
    model = GAIRegressor().fit(X, y)
    exact = explain(model, X[:N_LIME]).values
    for column, bins in LIME.items():
        (one, other), seconds = timed(
            lambda: [lime_values(model, X, bins=bins, seed=s) for s in (0, 1)]  # noqa: B023
        )
        agreements = _agreements(one, exact)
        same = np.mean(np.abs(one).argmax(axis=1) == np.abs(exact).argmax(axis=1))
        yield cell(
            row,
            column,
            agreements,
            "rank correlation of sizes with the exact values, over 30 rows",
            f"same main attribute {same:.2f}",
            f"with its own second seed {np.mean(_agreements(one, other)):.3f}",
            f"{seconds / (2 * N_LIME):.2g} CPU s per row",
            peer="lime",
        )


def _agreements(one: np.ndarray, other: np.ndarray) -> list[float]:
    pairs = zip(np.abs(one), np.abs(other), strict=True)
    return [float(spearmanr(a, b).statistic) for a, b in pairs]


def lime_values(
    model: GAIRegressor, X: np.ndarray, *, bins: bool, seed: int
) -> np.ndarray:
    """Give LIME's contributions, of shape (n_rows, d): slope times scaled value."""
    from lime.lime_tabular import LimeTabularExplainer

    explainer = LimeTabularExplainer(
        X, mode="regression", discretize_continuous=bins, random_state=seed
    )
    values = np.zeros((N_LIME, X.shape[1]))
    for k, row in enumerate(X[:N_LIME]):
        found = explainer.explain_instance(
            row, model.predict, num_features=X.shape[1]
        ).as_map()
        for column, slope in next(iter(found.values())):
            values[k, column] = slope
    # Without bins a slope belongs to one standard deviation of its attribute.
    return values if bins else values * (X[:N_LIME] - X.mean(axis=0)) / X.std(axis=0)
