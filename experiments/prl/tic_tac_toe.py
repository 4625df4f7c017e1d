"""Tic-tac-toe: whether the eight lines of three crosses come out as the first rules.

Products of up to three of the 27 variables "square has mark", hard margin, 70 % of the
958 boards for training. The certificate is over all such products and over "always". A
second model is allowed ten rules only.
"""

import time
from collections.abc import Iterator

import numpy as np
from sklearn.model_selection import train_test_split

from experiments._outcome import Measurement, Outcome
from penchant.datasets import make_tic_tac_toe
from penchant.models import RuleClassifier

SEEDS = tuple(range(1000, 1020))
TEST_SHARE = 0.3
TOLERANCE = 1e-6
GRID = np.array(
    [
        [f"{row}_{column}=x" for column in ("left", "middle", "right")]
        for row in ("top", "middle", "bottom")
    ]
)
LINES = {
    frozenset(line) for line in (*GRID, *GRID.T, np.diag(GRID), np.diag(GRID[:, ::-1]))
}


def run(*, quick: bool) -> Outcome:
    """Learn from 20 random splits (if quick, from 2)."""
    seeds = SEEDS[:2] if quick else SEEDS
    make(None).fit(*_boards())  # compiles, so that this is not measured
    figures = [measure(seed) for seed in seeds]
    cells = [
        _cell(row, column, [each[row, column] for each in figures])
        for row, column in figures[0]
    ]
    return Outcome("tic_tac_toe", tuple(cells), seeds)


def make(max_rules: int | None) -> RuleClassifier:
    """Make the learner; it enumerates conjunctions, as the variables are 0 or 1."""
    return RuleClassifier(
        generator="monomials", degree=3, nu=None, tol=TOLERANCE, max_rules=max_rules
    )


def measure(seed: int) -> dict[tuple[str, str], float]:
    """Return the figures of one split."""
    X, y = _boards()
    X_train, X_test, y_train, y_test = train_test_split(
        X, y, test_size=TEST_SHARE, random_state=seed
    )
    start = time.process_time()
    model = make(None).fit(X_train, y_train)
    seconds = time.process_time() - start
    few = make(10).fit(X_train, y_train)
    return {
        ("lines among the first 8 rules", "PRL"): count_lines(model.rules_[:8]),
        ("test accuracy %", "all rules"): 100 * model.score(X_test, y_test),
        ("test accuracy %", "at most 10 rules"): 100 * few.score(X_test, y_test),
        ("rules", "all rules"): float(len(model.rules_)),
        ("rules", "at most 10 rules"): float(len(few.rules_)),
        ("saddle gap", "all rules"): model.saddle_gap_,
        ("CPU seconds of a fit", "all rules"): seconds,
    }


def count_lines(rules: list) -> float:
    """Count the lines of three crosses that speak for a win."""
    found = {frozenset(rule.text.split(" and ")) for rule in rules if rule.target == 1}
    return float(len(found & LINES))


def _boards() -> Iterator:
    boards = make_tic_tac_toe()
    return boards.data, boards.target


def _cell(row: str, column: str, values: list[float]) -> Measurement:
    low, high = min(values), max(values)
    note = f"{low:.3g} in all" if low == high else f"{low:.3g} to {high:.3g}"
    return Measurement.from_scores(
        row, column, values, note=note, in_paper=column == "PRL"
    )
