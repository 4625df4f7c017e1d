"""The value of one game against CPU time: ours, and the paper's random replacement.

The game is tic-tac-toe with all products of up to three of its 27 variables, 70 % of
the boards, hard margin. "Ours" generates columns by exact pricing. The paper plays a
working set of columns (ours has 1,000) for 1,000,000 rounds and draws those without
weight anew, 1,000 times; here until its time is up, and a second time with 10,000
rounds. "Random replacement + LP" solves each working set exactly instead. What is told
is the distance of the best value so far to the certified value of the game. A full run
draws ``results/value_against_time.png``.
"""

import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path
from typing import NamedTuple

import numpy as np
from sklearn.model_selection import train_test_split
from sklearn.preprocessing import PolynomialFeatures

from experiments._outcome import Measurement, Outcome
from penchant.datasets import make_tic_tac_toe
from penchant.solvers import (
    MarginRound,
    MatrixSource,
    replace_randomly,
    solve_margin,
)

SEED = 1000
N_COLUMNS = 1000
SECONDS, QUICK_SECONDS = 60.0, 2.0
TOLERANCE = 1e-6
SHARES = (0.1, 0.01)
PICTURE = Path(__file__).parent / "results" / "value_against_time.png"


class Point(NamedTuple):
    """CPU seconds since the start, and the value that was reached by then."""

    seconds: float
    value: float


class TimeIsUpError(Exception):
    """The method has had its time."""


class Watch:
    """Note when a method reached which value; stop it when its time is up."""

    def __init__(self, limit: float) -> None:
        self.points: list[Point] = []
        self._limit = limit
        self._start = time.process_time()

    def __call__(self, now: MarginRound) -> None:
        """Note the best value so far."""
        seconds = time.process_time() - self._start
        self.points.append(Point(seconds, now.lower_bound))
        if seconds > self._limit:
            raise TimeIsUpError


def run(*, quick: bool) -> Outcome:
    """Give every method a minute (if quick, two seconds); a full run draws."""
    source = game()
    limit = QUICK_SECONDS if quick else SECONDS
    tuple(play_all(source, 0.0))  # compiles, so that this is not measured
    curves = dict(play_all(source, limit))
    optimum = curves["ours"][-1].value
    if not quick:
        draw(curves, optimum)
    cells = [_cell(name, points, optimum) for name, points in curves.items()]
    return Outcome("value_against_time", tuple(cells), (SEED,))


def game() -> MatrixSource:
    """Make the columns: products of 0/1 variables, the empty one included."""
    boards = make_tic_tac_toe()
    X, _, y, _ = train_test_split(
        boards.data.to_numpy(), boards.target, test_size=0.3, random_state=SEED
    )
    products = PolynomialFeatures(3, interaction_only=True).fit_transform(X)
    occurring = products[:, products.any(axis=0)]
    return MatrixSource(occurring, np.where(y == 1, 1.0, -1.0))


def play_all(source: MatrixSource, limit: float) -> Iterator[tuple[str, list[Point]]]:
    """Run every method until its time is up."""
    upper = np.ones(source.n_rows)

    def replace(solver: str, n_plays: int) -> Callable[[Watch], object]:
        return lambda watch: replace_randomly(
            source,
            upper,
            solver=solver,
            n_columns=N_COLUMNS,
            n_plays=n_plays,
            random_state=SEED,
            callback=watch,
        )

    methods: dict[str, Callable[[Watch], object]] = {
        "ours": lambda watch: solve_margin(
            source, upper, tol=TOLERANCE, callback=watch
        ),
        "random replacement + LP": replace("simplex", 1),
        "fictitious play, 10,000 rounds": replace("fictitious-play", 10_000),
        "fictitious play, 1,000,000 rounds": replace("fictitious-play", 1_000_000),
    }
    for name, method in methods.items():
        watch = Watch(np.inf if name == "ours" else limit)
        with suppress(TimeIsUpError):
            method(watch)
        yield name, watch.points


def _cell(name: str, points: list[Point], optimum: float) -> Measurement:
    """Tell what was reached in the end, and when the value was nearly reached."""
    last = points[-1]
    notes = [f"after {last.seconds:.2g} CPU s, {len(points)} games"]
    for share in SHARES:
        reached = [p.seconds for p in points if p.value >= (1 - share) * optimum]
        when = f"after {reached[0]:.2g} s" if reached else "never"
        notes.append(f"within {100 * share:g} % {when}")
    gap = max(optimum - last.value, 0.0)
    column = "distance to the value"
    return Measurement(name, column, gap, None, 1, "; ".join(notes), False)


def draw(curves: dict[str, list[Point]], optimum: float) -> None:
    """Draw the distance to the value of the game against CPU time, both in decades."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=(6.8, 4.2), layout="constrained")
    axes = figure.add_subplot()
    for name, points in curves.items():
        seconds, values = np.transpose(points)
        gaps = np.maximum(optimum - values, TOLERANCE)
        lower = np.flatnonzero(np.diff(gaps, prepend=np.inf) < 0)
        axes.step(
            seconds, gaps, where="post", marker=".", markevery=list(lower), label=name
        )
    axes.set_xscale("log")
    axes.set_yscale("log")
    axes.set_xlabel("CPU seconds")
    axes.set_ylabel("distance to the value of the game")
    axes.spines[["top", "right"]].set_visible(False)
    figure.legend(loc="outside upper center", ncols=2, frameon=False, fontsize=9)
    figure.savefig(PICTURE, dpi=120)
