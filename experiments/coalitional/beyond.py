"""More than nine attributes: 12, 20, 30 and 50, with a number of models that is given.

The paper leaves this open. Wine without its last attribute (12), a generated set (20,
of which 5 carry information and 10 are mixtures of these), breast cancer (30), and the
digits 3 and 8 by the 50 pixels that vary most; at most 200 rows. "Orders" are random
orders of the attributes with their reverses. "Gap spread" adds to each attribute the
same part of what is missing. The reference is the complete method for 12 attributes,
and for more of them random orders with many more models. Its own noise stands first;
measured distances cannot get much smaller than that. Forests have fewer budgets, draws
and models of the reference than SVC: see `EFFORTS`.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np
from scipy.stats import rankdata
from sklearn.datasets import (
    load_breast_cancer,
    load_digits,
    load_wine,
    make_classification,
)

from experiments._outcome import Measurement, Outcome
from experiments.coalitional._data_sets import Sample, some_rows
from experiments.coalitional._games import Played, attributes_of, plan, play
from experiments.coalitional._methods import SEED, ZERO, distances
from experiments.coalitional._orders import (
    ByOrders,
    Order,
    by_orders,
    draw_orders,
    masks_of,
)
from penchant._parallel import track
from penchant.explanation import (
    CoalitionalExplainer,
    CompleteExplainer,
    DepthExplainer,
    LeastSquaresExplainer,
)
from penchant.explanation.retraining._retraining import RetrainingExplainer

N_ROWS, QUICK_ROWS = 200, 60
QUICK_BUDGETS = (64, 128)
MAX_COMPLETE = 12
REFERENCE_SEED = SEED + 100


@dataclass(frozen=True)
class Effort:
    """How much a model is worth: one forest takes as long as four machines.

    Parameters
    ----------
    budgets : tuple of int
        Numbers of models that the methods get.
    n_seeds : int
        How often random methods draw.
    n_reference : int
        Number of models of the reference, where it is not the complete method.
    """

    budgets: tuple[int, ...]
    n_seeds: int
    n_reference: int


EFFORTS = {
    "SVC": Effort((128, 512, 1024), 3, 12_000),
    "forest, 10 trees": Effort((128, 512), 1, 3_000),
}


@dataclass(frozen=True, eq=False)
class Plan:
    """The sets that a method needs, and how their worths make up its answer.

    `solve` gives influences and, of orders, their standard errors (else zeros).
    """

    name: str
    masks: list[int]
    solve: Callable[[Played], ByOrders]


def run(*, quick: bool) -> Outcome:
    """Measure (if quick, one model on one data set, without a complete reference)."""
    samples = {"wine, 12": wine(QUICK_ROWS)} if quick else data()
    models = ("SVC",) if quick else tuple(EFFORTS)
    tasks = [(model, row) for model in models for row in samples]
    cells: list[Measurement] = []
    for model, row in track(tasks, "beyond"):
        cells += cells_of(model, row, samples[row], quick=quick)
    n_seeds = max(effort.n_seeds for effort in EFFORTS.values())
    seeds = (*range(SEED, SEED + n_seeds), REFERENCE_SEED)
    return Outcome("beyond", tuple(cells), seeds)


def data() -> dict[str, Sample]:
    """Give the data sets by name and number of attributes."""
    generated = make_classification(
        N_ROWS, 20, n_informative=5, n_redundant=10, random_state=SEED
    )
    pixels, digit = load_digits(return_X_y=True)
    chosen = np.isin(digit, (3, 8))
    varied = np.argsort(-pixels[chosen].var(axis=0), kind="stable")[:50]
    return {
        "wine, 12": wine(N_ROWS),
        "generated, 20": Sample(*generated),
        "breast cancer, 30": some_rows(*load_breast_cancer(return_X_y=True), N_ROWS),
        "digits 3 and 8, 50": some_rows(
            pixels[chosen][:, np.sort(varied)], digit[chosen], N_ROWS
        ),
    }


def wine(n_rows: int) -> Sample:
    X, y = load_wine(return_X_y=True)
    return some_rows(X[:, :12], y, n_rows)


def cells_of(
    model: str, row: str, sample: Sample, *, quick: bool
) -> Iterator[Measurement]:
    """Measure all methods on one data set."""
    effort = Effort(QUICK_BUDGETS, 2, 512) if quick else EFFORTS[model]
    reference = reference_of(sample, effort.n_reference, complete=not quick)
    methods = list(plans(sample, effort.budgets, effort.n_seeds))
    masks = list(dict.fromkeys(m for each in (reference, *methods) for m in each.masks))
    played = play(model, sample, masks, cached=not quick)
    exact, errors = reference.solve(played)
    label = f"{row}: {model}"
    yield _noise_cell(label, reference, errors)
    nothing = ByOrders(np.zeros_like(exact), np.zeros_like(exact))
    methods.insert(0, Plan(ZERO, [], lambda _: nothing))
    for name in dict.fromkeys(each.name for each in methods):
        same = [each for each in methods if each.name == name]
        yield _cell(label, same, played, exact)


def reference_of(sample: Sample, budget: int, *, complete: bool) -> Plan:
    """Plan the complete method if it can be afforded, else random orders."""
    d = sample.X.shape[1]
    if complete and d <= MAX_COMPLETE:
        return _plan("complete", CompleteExplainer(), sample, SEED)
    orders = draw_orders(d, budget, REFERENCE_SEED)
    return _orders(f"{len(orders)} orders and their reverses", orders)


def plans(sample: Sample, budgets: tuple[int, ...], n_seeds: int) -> Iterator[Plan]:
    """Plan every method; random ones several times under the same name."""
    d = sample.X.shape[1]
    for k in (1, 2):
        yield _plan(f"{k}-depth", DepthExplainer(k), sample, SEED)
    for budget in budgets:
        for label in ("Spearman", "PCA"):
            groups = CoalitionalExplainer(label.lower(), budget=budget)
            yield _plan(f"{label} {budget}", groups, sample, SEED)
            spread = CoalitionalExplainer(label.lower(), budget=budget, normalize=True)
            yield _plan(f"{label} {budget}, gap spread", spread, sample, SEED)
        for seed in range(SEED, SEED + n_seeds):
            yield _orders(f"orders {budget}", draw_orders(d, budget, seed))
        for seed in range(SEED, SEED + n_seeds):
            ours = LeastSquaresExplainer(budget)
            yield _plan(f"ours {budget}", ours, sample, seed)


def _plan(name: str, explainer: RetrainingExplainer, sample: Sample, seed: int) -> Plan:
    masks, compute = plan(explainer, attributes_of(sample), seed)

    def solve(played: Played) -> ByOrders:
        worths = np.stack([played.worths[mask] for mask in masks], axis=1)
        values = compute(worths)[0]
        return ByOrders(values, np.zeros_like(values))

    return Plan(name, masks, solve)


def _orders(name: str, orders: list[Order]) -> Plan:
    both = [part for order in orders for part in (order, order[::-1])]
    masks = list(dict.fromkeys(mask for order in both for mask in masks_of(order)))
    return Plan(name, masks, lambda played: by_orders(orders, played.worths))


def _noise_cell(label: str, reference: Plan, errors: np.ndarray) -> Measurement:
    """Tell how far the reference itself is from the truth."""
    noise = np.linalg.norm(errors, axis=1) / (2 * np.sqrt(errors.shape[1]))
    note = f"{reference.name}, {len(reference.masks):,} models"
    column = "noise of the reference"
    return Measurement(label, column, float(noise.mean()), None, 1, note, False)


def _cell(
    label: str, same: list[Plan], played: Played, exact: np.ndarray
) -> Measurement:
    """Give the mean L2 of a method over its seeds, with its cost."""
    found = [each.solve(played).values for each in same]
    near = np.array([distances(values, exact) for values in found])
    count = np.mean([len(each.masks) for each in same])
    seconds = np.mean([sum(played.seconds[m] for m in each.masks) for each in same])
    notes = [f"L1 {near[:, 0].mean():.4f}", f"{count:.0f} models"]
    if count:
        ranks = np.mean([rank_correlation(values, exact) for values in found])
        notes += [f"{seconds:.2g} CPU s", f"rank correlation {ranks:.2f}"]
    return Measurement.from_scores(
        label, same[0].name, near[:, 1].tolist(), note="; ".join(notes), in_paper=False
    )


def rank_correlation(values: np.ndarray, exact: np.ndarray) -> float:
    """Give the mean over rows of Spearman's correlation between two answers."""
    ranks = [rankdata(table, axis=1) for table in (values, exact)]
    first, second = (each - each.mean(axis=1, keepdims=True) for each in ranks)
    lengths = np.linalg.norm(first, axis=1) * np.linalg.norm(second, axis=1)
    products = (first * second).sum(axis=1)
    return float(np.mean(products[lengths > 0] / lengths[lengths > 0]))
