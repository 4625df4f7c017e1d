"""Run the checks of rankers: all at once, or one by one under pytest."""

from collections.abc import Iterable
from typing import Any

from penchant.exceptions import MissingExtraError
from penchant.testing import _ranker_contract, _ranker_errors, _ranker_symmetries

# In the order in which they stand there: the simplest promises first.
_CHECKS = tuple(
    check
    for module in (_ranker_contract, _ranker_symmetries, _ranker_errors)
    for name, check in vars(module).items()
    if name.startswith("check_")
)


def check_ranker(ranker: Any) -> None:
    """Check that a ranker keeps the contract of rankers.

    scikit-learn's ``check_estimator`` skips estimators whose X has three
    dimensions. These checks take its place: parameters and cloning, feature names,
    refitting, determinism, pairs against Comparisons, swapped pairs, permuted pairs
    and items, weights, contradictions, errors for bad input, model selection,
    pipelines, saving and loading.

    Use it for a ranker of your own; under pytest, `parametrize_with_ranker_checks`
    reports each check by itself. Agreement is required to 1e-6 of the range of the
    utilities, so give the ranker a tolerance that reaches it.

    Parameters
    ----------
    ranker : estimator
        An instance; it is cloned and never fitted itself. Its parameters must allow
        two and three features in [0, 1].

    Raises
    ------
    AssertionError
        The first check that fails, with a sentence that says why.

    Examples
    --------
    >>> from penchant.testing import LinearRanker, check_ranker
    >>> check_ranker(LinearRanker(alpha=0.1))
    """
    for check in _CHECKS:
        check(ranker)


def parametrize_with_ranker_checks(rankers: Iterable[Any]) -> Any:
    """Parametrise a pytest test with every check of every ranker.

    Parameters
    ----------
    rankers : iterable of estimators
        Instances.

    Returns
    -------
    pytest.MarkDecorator
        For a test with the arguments `ranker` and `check`.

    Examples
    --------
    >>> from penchant.testing import LinearRanker, parametrize_with_ranker_checks
    >>> @parametrize_with_ranker_checks([LinearRanker(), LinearRanker(alpha=0.1)])
    ... def test_my_ranker(ranker, check):
    ...     check(ranker)
    """
    try:
        import pytest
    except ImportError as error:
        raise MissingExtraError("pytest", "dev") from error
    cases = [
        pytest.param(ranker, check, id=f"{_label(ranker)}-{check.__name__}")
        for ranker in rankers
        for check in _CHECKS
    ]
    return pytest.mark.parametrize(("ranker", "check"), cases)


def _label(ranker: Any) -> str:
    return " ".join(repr(ranker).split())
