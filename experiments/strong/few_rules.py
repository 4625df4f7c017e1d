"""At most 5, 10 and 15 rules: ours, FasterRisk, RuleFit, FIGS and BooleanRuleCG.

Not in a paper. Six tables of numbers with two classes (those of
``experiments/prl/defaults.py``), three divisions of each: 70 % for learning, the same
shares of the classes. Methods get the largest number of rules and are otherwise as
they come, except that FasterRisk, which needs binary columns, sees each attribute as up
to nine conditions ``x <= decile`` of the training rows, and that BooleanRuleCG, which
cannot be told a number of rules, takes the smallest of its penalties .001, .003, .01,
.03 that keeps to it. A cell is the accuracy in %; the note tells the area under the
curve, the size, CPU seconds, and ours minus the peer. A rule is a rule, a weighted
condition of a scorecard, a split of a tree (FIGS), or a linear term (RuleFit).
"""

import contextlib
import io
import warnings
from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

import numpy as np
from sklearn.metrics import roc_auc_score
from sklearn.model_selection import train_test_split

from experiments._outcome import Measurement, Outcome
from experiments.prl import defaults
from experiments.prl._peers import boolean_rules
from experiments.strong._peers import absent, cell, has, paired, timed
from penchant._parallel import track
from penchant.models import RuleClassifier

PACKAGES = ("imodels", "fasterrisk", "aix360", "cvxpy")
SEEDS = defaults.SEEDS[:3]
CAPS = (5, 10, 15)
SETS = ("breast cancer", "diabetes", "banknote", "breast-w", "blood", "mammographic")
OURS = "RuleClassifier"


class Fitted(NamedTuple):
    """A fitted model: chances or scores of the second class, cut, number of rules."""

    scores: Callable[[np.ndarray], np.ndarray]
    cut: float
    n_rules: int


class Score(NamedTuple):
    """Accuracy in %, area under the curve, rules and CPU seconds of one fit."""

    accuracy: float
    area: float
    n_rules: float
    seconds: float


def ours(X: np.ndarray, y: np.ndarray, cap: int) -> Fitted:
    """Learn at most `cap` weighted rules."""
    model = RuleClassifier(max_rules=cap).fit(X, y)
    return Fitted(lambda rows: model.predict_proba(rows)[:, 1], 0.5, len(model.rules_))


def rulefit(X: np.ndarray, y: np.ndarray, cap: int) -> Fitted:
    """Fit a lasso on rules of trees; cut where its log-odds are 0 (see prl)."""
    from imodels import RuleFitClassifier

    model = RuleFitClassifier(max_rules=cap, random_state=0)
    model.fit(X, y, feature_names=[f"x{i}" for i in range(X.shape[1])])
    n_rules = int(np.count_nonzero(model.coef))
    return Fitted(lambda rows: model.predict_proba(rows)[:, 1], 1 / (1 + np.e), n_rules)


def figs(X: np.ndarray, y: np.ndarray, cap: int) -> Fitted:
    """Grow a sum of trees with at most `cap` splits."""
    from imodels import FIGSClassifier

    model = FIGSClassifier(max_rules=cap, random_state=0).fit(X, y)
    return Fitted(lambda rows: model.predict_proba(rows)[:, 1], 0.5, model.complexity_)


def fasterrisk(X: np.ndarray, y: np.ndarray, cap: int) -> Fitted:
    """Learn a scorecard with at most `cap` points, from -5 to 5 each."""
    from fasterrisk.fasterrisk import RiskScoreClassifier, RiskScoreOptimizer

    cuts = [np.unique(np.quantile(x, np.arange(1, 10) / 10)) for x in X.T]

    def binary(rows: np.ndarray) -> np.ndarray:
        parts = [x[:, None] <= c for x, c in zip(rows.T, cuts, strict=True)]
        return np.hstack(parts).astype(float)

    B = binary(X)
    varies = np.flatnonzero(B.std(axis=0) > 0)
    search = RiskScoreOptimizer(B[:, varies], np.where(y == 1, 1.0, -1.0), k=cap)
    search.optimize()
    multiplier, intercept, points = search.get_models(model_index=0)
    card = RiskScoreClassifier(multiplier, intercept, points)
    return Fitted(
        lambda rows: card.predict_prob(binary(rows)[:, varies]),
        0.5,
        int(np.count_nonzero(points)),
    )


def boolean(X: np.ndarray, y: np.ndarray, cap: int) -> Fitted:
    """Learn a disjunction of conjunctions; the smallest penalty that keeps to `cap`."""
    for penalty in (0.001, 0.003, 0.01, 0.03):
        found = boolean_rules(X, y, penalty=penalty)
        if found.n_rules <= cap:
            break
    return Fitted(
        lambda rows: np.asarray(found.predict(rows), float), 0.5, found.n_rules
    )


METHODS: dict[str, tuple[Callable[[np.ndarray, np.ndarray, int], Fitted], str]] = {
    OURS: (ours, ""),
    "FasterRisk": (fasterrisk, "fasterrisk"),
    "RuleFit": (rulefit, "imodels"),
    "FIGS": (figs, "imodels"),
    "BooleanRuleCG": (boolean, "aix360"),
}


def run(*, quick: bool) -> Outcome:
    """Score all methods (if quick, one division of two classes of iris, 5 rules)."""
    seeds, caps = (SEEDS[:1], CAPS[:1]) if quick else (SEEDS, CAPS)
    cells: list[Measurement] = []
    for name, table in track(list(tables(quick=quick)), "few rules"):
        for cap in caps:
            cells += of_table(name, table, cap, seeds)
    if not quick:
        cells += missing_sets({cell.row for cell in cells})
    return Outcome("few_rules", tuple(cells), seeds)


def tables(*, quick: bool) -> Iterator[tuple[str, defaults.Table]]:
    """Yield the tables that are here."""
    if quick:
        X, y = defaults.load_iris(return_X_y=True)
        yield "iris, last two", (X[50:], y[50:] - 1)
        return
    yield from ((n, table) for n, table in defaults.tables(quick=False) if n in SETS)


def missing_sets(present: set[str]) -> Iterator[Measurement]:
    """Yield cells of tables that this machine does not have."""
    for name in SETS:
        if name not in present:
            for method in METHODS:
                for cap in CAPS:
                    column = f"{method}, at most {cap}"
                    note = "data not here"
                    yield Measurement(name, column, note=note, in_paper=False)


def of_table(
    name: str, table: defaults.Table, cap: int, seeds: tuple[int, ...]
) -> Iterator[Measurement]:
    """Yield a cell per method."""
    mine: list[float] = []
    for method, (_, peer) in METHODS.items():
        column = f"{method}, at most {cap}"
        if not has(peer):
            yield absent(name, column, peer)
            continue
        found = [score(method, *table, cap, seed) for seed in seeds]
        accuracies, areas, rules, seconds = np.array(found).T
        if method == OURS:
            mine = accuracies.tolist()
        note = (
            f"AUC {areas.mean():.3f}, {rules.mean():.1f} rules, "
            f"{seconds.mean():.2g} CPU s"
        )
        gap = "" if method == OURS else paired(mine, accuracies.tolist(), 2)
        yield cell(name, column, accuracies.tolist(), note, gap, peer=peer)


def score(method: str, X: np.ndarray, y: np.ndarray, cap: int, seed: int) -> Score:
    """Fit on one division."""
    X_train, X_test, y_train, y_test = train_test_split(
        X, y, test_size=defaults.TEST_SHARE, random_state=seed, stratify=y
    )
    with _silent(method):
        fitted, seconds = timed(lambda: METHODS[method][0](X_train, y_train, cap))
        scores = np.asarray(fitted.scores(X_test), float)
    accuracy = 100.0 * float(np.mean((scores > fitted.cut) == y_test))
    area = float(roc_auc_score(y_test, scores))
    return Score(accuracy, area, fitted.n_rules, seconds)


@contextlib.contextmanager
def _silent(method: str) -> Iterator[Any]:
    """Let peers warn and print where nobody reads it; ours must not warn."""
    with warnings.catch_warnings(), contextlib.redirect_stdout(io.StringIO()):
        if method != OURS:
            warnings.simplefilter("ignore")
        yield
