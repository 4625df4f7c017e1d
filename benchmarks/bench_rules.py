"""RuleClassifier learns at most 15 rules in 3 CPU s (569 x 30) and 10 (10,000 x 10).

No parameter is set. The first is Wisconsin's diagnostic breast cancer; in the second
six of ten attributes tell something. Fits on all rows are timed. The accuracy in the
names is that on 30 % of the rows of the first, which a further fit has not seen, and on
2,000 more rows of the second.
"""

from collections.abc import Iterator
from contextlib import contextmanager

import numpy as np
from sklearn.datasets import load_breast_cancer, make_classification
from sklearn.model_selection import train_test_split

from benchmarks._measure import Budget
from penchant.models import RuleClassifier

MOST_RULES = 15
N_ITEMS, N_FEATURES, N_INFORMATIVE, N_OTHERS = 10_000, 10, 6, 2_000


@contextmanager
def cases() -> Iterator[list[Budget]]:
    """Yield a fit with default parameters for each table."""
    cancer = load_breast_cancer(return_X_y=True)
    made = make_classification(
        N_ITEMS + N_OTHERS, N_FEATURES, n_informative=N_INFORMATIVE, random_state=0
    )
    X, X_test, y, y_test = train_test_split(
        *made, test_size=N_OTHERS, random_state=0, stratify=made[1]
    )
    yield [
        _budget("breast cancer", *cancer, _accuracy(*cancer), 3.0),
        _budget("generated", X, y, _score(X, X_test, y, y_test), 10.0),
    ]


def _budget(
    name: str, X: np.ndarray, y: np.ndarray, accuracy: float, seconds: float
) -> Budget:
    return Budget(
        name=f"{name}, {len(X)} x {X.shape[1]}, accuracy {accuracy:.3f} held out",
        ours=lambda: RuleClassifier().fit(X, y),
        seconds=seconds,
        check=lambda fitted: len(fitted.rules_) <= MOST_RULES,
    )


def _accuracy(X: np.ndarray, y: np.ndarray) -> float:
    return _score(*train_test_split(X, y, test_size=0.3, random_state=0, stratify=y))


def _score(
    X: np.ndarray, X_test: np.ndarray, y: np.ndarray, y_test: np.ndarray
) -> float:
    return float(RuleClassifier().fit(X, y).score(X_test, y_test))
