"""Figure 1(a): the paper's method against two that know no other people.

Ten folds over the people of the Sushi data, set A; from each training fold 50 people
with 25 random comparisons each are drawn, as in the paper. RVOI and B&L (best and
largest) start from equal, independent utilities. Beside the paper's exact answers
there is a world in which 10 % of all answers are wrong, those of the past people too.
A full run draws ``results/figure1a.png``.
"""

from experiments._outcome import Outcome
from experiments.gppe._asking import (
    SEED,
    ask_folds,
    curve_cells,
    missing_cells,
    order_cells,
    people_to_ask,
)
from experiments.gppe._pictures import RESULTS, curves_figure

COLUMNS = ("RVOI", "B&L", "GPPE")
CLAIMS = (("GPPE", "RVOI"), ("GPPE", "B&L"), ("B&L", "RVOI"))


def run(*, quick: bool) -> Outcome:
    """Ask everybody by three methods; if quick, 60 people."""
    people = people_to_ask(quick=quick)
    curves = ask_folds(people, COLUMNS, quick=quick)
    if not quick:
        curves_figure(people, curves).savefig(RESULTS / "figure1a.png", dpi=110)
    cells = (
        *missing_cells(people, COLUMNS),
        *curve_cells(people, curves),
        *order_cells(people, curves, CLAIMS),
    )
    return Outcome("figure1a", cells, (SEED,))
