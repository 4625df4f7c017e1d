"""RuleClassifier chooses nu on noisy numbers in 20 CPU s (1,000 x 10) and 40 (2,000).

One label of ten is wrong, and half of the attributes say nothing: below the noise, soft
margins have hundreds of rules, each of which stands for next to nothing. No parameter
is set; the accuracy on other items is in the names.
"""

from collections.abc import Iterator
from contextlib import contextmanager

from sklearn.datasets import make_classification

from benchmarks._measure import Budget
from penchant.models import RuleClassifier

LIMITS = {1000: 20.0, 2000: 40.0}
N_FEATURES, N_INFORMATIVE, N_OTHERS = 10, 5, 2000


@contextmanager
def cases() -> Iterator[list[Budget]]:
    """Yield a fit with default parameters for each number of items."""
    yield [_budget(n_items, seconds) for n_items, seconds in LIMITS.items()]


def _budget(n_items: int, seconds: float) -> Budget:
    X, y = make_classification(
        n_items + N_OTHERS,
        N_FEATURES,
        n_informative=N_INFORMATIVE,
        flip_y=0.2,  # half of these labels come out right
        class_sep=0.7,
        random_state=0,
    )
    model = RuleClassifier().fit(X[:n_items], y[:n_items])
    accuracy = model.score(X[n_items:], y[n_items:])
    return Budget(
        name=f"{n_items} items, {N_FEATURES} attributes: {len(model.rules_)} rules, "
        f"accuracy {accuracy:.3f}",
        ours=lambda: RuleClassifier().fit(X[:n_items], y[:n_items]),
        seconds=seconds,
        check=lambda fitted: fitted.solver_status_ == "optimal",
    )
