"""`penchant warm-up`: compile what is compiled, before somebody waits for it."""

from collections.abc import Callable
from time import perf_counter

import numpy as np

from penchant.cli._screen import Screen

_X = np.random.default_rng(0).random((24, 12))
_RATINGS = _X[:, 0] + _X[:, 1]
_LABELS = (_RATINGS > 1.0).astype(np.int64)
_PAIRS = np.stack([_X[:12], _X[12:]], axis=1)
_ANSWERS = (_RATINGS[:12] > _RATINGS[12:]).astype(np.int64)


def warm_up() -> None:
    """Use every kind of model once, so that later first uses need not wait.

    Some loops are compiled when they are first used; the results are kept for
    this machine and this version. One line per kind tells how long it took.

    Exit code 0: all is ready.

    Example: penchant warm-up
    """
    screen = Screen()
    for name, use in FIRST_USES.items():
        start = perf_counter()
        use()
        screen.say(f"{name}: {perf_counter() - start:.1f} s")


def _use_gai() -> None:
    from penchant.models import GAIRanker, GAIRegressor

    regressor = GAIRegressor(C=1.0, max_order=2, monotone={0: 1, 1: 1})
    regressor.fit(_X[:, :3], _RATINGS)
    GAIRanker(C=1.0, max_order=2).fit(_PAIRS[..., :3], _ANSWERS)


def _use_choquet() -> None:
    from penchant.explanation import contrast
    from penchant.models import ChoquetSVC

    contrast(ChoquetSVC().fit(_X, _LABELS), _X[0], _X[1])


def _use_rules() -> None:
    from penchant.models import RuleClassifier

    RuleClassifier().fit(_X[:, :3], _LABELS)


def _use_gaussian_process() -> None:
    from penchant.models import GaussianProcessRanker

    GaussianProcessRanker().fit(_PAIRS[..., :3], _ANSWERS)


def _use_explanations() -> None:
    from penchant.explanation import contrast, explain, flip
    from penchant.models import GaussianProcessRanker

    model = GaussianProcessRanker().fit(_PAIRS[..., :3], _ANSWERS)
    items = _X[:, :3]
    explain(model, items[:1])
    contrast(model, items[0], items[1])
    flip(model, items[0], items[1])


def _use_study() -> None:
    from penchant.studies import warm_up

    warm_up()


FIRST_USES: dict[str, Callable[[], None]] = {
    "GAI models": _use_gai,
    "Choquet models": _use_choquet,
    "Rules": _use_rules,
    "Gaussian processes": _use_gaussian_process,
    "Explanations": _use_explanations,
    "Studies": _use_study,
}
