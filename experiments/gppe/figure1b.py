"""Figure 1(b): the paper's method with and without learned hyper-parameters.

GPPE-PRIOR keeps length scales and signal variance at 1 and the noise variance at 0.01;
GPPE-OPT maximises the evidence of the 50 training people's answers. All else is as in
``figure1a``. A full run draws ``results/figure1b.png``.
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

COLUMNS = ("GPPE-PRIOR", "GPPE-OPT")
CLAIMS = (("GPPE-OPT", "GPPE-PRIOR"),)


def run(*, quick: bool) -> Outcome:
    """Ask everybody by both methods; if quick, 60 people."""
    people = people_to_ask(quick=quick)
    curves = ask_folds(people, COLUMNS, quick=quick)
    if not quick:
        curves_figure(people, curves).savefig(RESULTS / "figure1b.png", dpi=110)
    cells = (
        *missing_cells(people, COLUMNS),
        *curve_cells(people, curves),
        *order_cells(people, curves, CLAIMS),
    )
    return Outcome("figure1b", cells, (SEED,))
