"""Not in the paper: learn from all past people, and compare with a knockout.

"penchant" is the hierarchical model, learned from all 4500 training people, with EP and
the default policy; "decisive" takes answers as exact. The knockout asks the champion
against the most popular item that was not asked about (popular: preferred most often,
or liked best by most people). "random" asks random pairs and recommends by the same
model. The folds are those of ``figure1a``; development looked at the people of the
first three folds only, so the loss on the other seven is reported apart.
"""

from collections.abc import Iterator, Sequence

import numpy as np

from experiments._outcome import Measurement, Outcome
from experiments.gppe._asking import (
    SEED,
    Curve,
    ask_folds,
    curve_cells,
    missing_cells,
    order_cells,
    people_to_ask,
    row_of,
)
from experiments.gppe._people import People
from experiments.gppe._pictures import RESULTS, curves_figure

OURS, DECISIVE = "penchant", "penchant, decisive"
NOISY = (OURS, "penchant, 50 users", "knockout", "random")
EXACT = (*NOISY, DECISIVE, "knockout, first places")
COLUMNS = {0.0: EXACT, 0.1: NOISY}
CLAIMS = {
    0.0: (
        (OURS, "knockout"),
        (DECISIVE, "knockout"),
        (DECISIVE, "knockout, first places"),
    ),
    0.1: ((OURS, "knockout"),),
}
N_SEEN = 3


def run(*, quick: bool) -> Outcome:
    """Ask everybody by all methods; if quick, 60 people."""
    people = people_to_ask(quick=quick)
    cells: list[Measurement] = []
    curves: list[Curve] = []
    for wrong, columns in COLUMNS.items():
        asked = ask_folds(people, columns, quick=quick, wrong=(wrong,))
        cells += (
            *missing_cells(people, columns, wrong=(wrong,)),
            *curve_cells(people, asked),
            *order_cells(people, asked, CLAIMS[wrong]),
            *untouched_cells(people, asked),
        )
        curves += asked
    if not quick:
        curves_figure(people, curves).savefig(RESULTS / "all_users.png", dpi=110)
    return Outcome("all_users", tuple(cells), (SEED,))


def untouched_cells(people: People, curves: Sequence[Curve]) -> Iterator[Measurement]:
    """Yield the loss on the folds that nobody looked at before."""
    for curve in curves:
        scores: np.ndarray = curve.loss[N_SEEN:]
        if not len(scores):
            continue
        for q in (3, 5, 7, 10):
            yield Measurement.from_scores(
                f"{row_of(people.name, curve.wrong, q)}, last 7 folds",
                curve.column,
                scores[:, q].tolist(),
                in_paper=False,
            )
