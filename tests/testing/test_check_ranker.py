"""The checks pass a good ranker and catch every kind of broken one."""

import sys
import warnings

import numpy as np
import pytest
from sklearn.base import BaseEstimator
from sklearn.utils.validation import check_is_fitted

from penchant.data import Comparisons
from penchant.exceptions import MissingExtraError
from penchant.testing import (
    LinearRanker,
    check_ranker,
    parametrize_with_ranker_checks,
)
from penchant.testing._example_answers import make_answers


@parametrize_with_ranker_checks([LinearRanker(), LinearRanker(alpha=0.01)])
def test_linear_ranker_keeps_the_contract(ranker, check):
    check(ranker)


def test_ids_name_the_ranker_and_the_check():
    mark = parametrize_with_ranker_checks([LinearRanker(alpha=2.0)])
    ids = [case.id for case in mark.mark.args[1]]
    assert "LinearRanker(alpha=2.0)-check_swap_flips" in ids
    assert len(set(ids)) == len(ids)
    checks = {case.values[1].__name__ for case in mark.mark.args[1]}
    defined = {
        name
        for module in ("contract", "errors", "symmetries")
        for name in vars(sys.modules[f"penchant.testing._ranker_{module}"])
        if name.startswith("check_")
    }
    assert checks == defined


def test_without_pytest_the_error_says_what_to_install(monkeypatch):
    monkeypatch.setitem(sys.modules, "pytest", None)
    with pytest.raises(MissingExtraError, match=r"penchant\[dev\]"):
        parametrize_with_ranker_checks([LinearRanker()])


def test_the_ranker_itself_is_never_fitted():
    ranker = LinearRanker()
    check_ranker(ranker)
    assert vars(ranker).keys() == {"alpha", "tol", "max_iter"}


def test_example_answers_are_what_they_say():
    answers = make_answers()
    occurring = {*answers.comparisons.winners, *answers.comparisons.losers}
    assert occurring == set(range(len(answers.values)))
    assert set(answers.y) == {0, 1}
    assert np.array_equal(answers.items.encode(), answers.values)
    winners = np.where((answers.y == 1)[:, None], *np.moveaxis(answers.pairs, 1, 0))
    assert np.array_equal(winners, answers.values[answers.comparisons.winners])
    assert {*answers.comparisons.winners[[0]], *answers.comparisons.losers[[0]]} == {
        0,
        1,
    }


# ---------------------------------------------------------------- broken rankers
# Each breaks one promise. They stand outside penchant, as rankers of users do.


class ConvertsParameter(LinearRanker):
    def __init__(self, *, alpha=1.0, tol=1e-12, max_iter=100):
        super().__init__(alpha=np.float64(alpha), tol=tol, max_iter=max_iter)


class SetsStateInConstructor(LinearRanker):
    def __init__(self, *, alpha=1.0):
        super().__init__(alpha=alpha)


class TakesAnything(LinearRanker):
    def __init__(self, *, alpha=1.0, **options):
        super().__init__(alpha=alpha, **options)

    @classmethod
    def _get_param_names(cls):
        return ["alpha", "max_iter", "tol"]


class IgnoresSetParams(LinearRanker):
    def set_params(self, **params):
        return self


class ReturnsNone(LinearRanker):
    def fit(self, X, y, sample_weight=None):
        super().fit(X, y, sample_weight)


class ChangesParameterInFit(LinearRanker):
    def fit(self, X, y, sample_weight=None):
        super().fit(X, y, sample_weight)
        self.alpha = self.alpha / 2
        return self


class MiscountsFeatures(LinearRanker):
    def fit(self, X, y, sample_weight=None):
        super().fit(X, y, sample_weight)
        self.n_features_in_ += 1
        return self

    def utility(self, X):
        return np.asarray(X) @ self.coef_


class ForgetsNames(LinearRanker):
    def fit(self, X, y, sample_weight=None):
        super().fit(X, y, sample_weight)
        if hasattr(self, "feature_names_in_"):
            del self.feature_names_in_
        return self


class StartsWarm(LinearRanker):
    def fit(self, X, y, sample_weight=None):
        before = getattr(self, "coef_", np.zeros(1))
        super().fit(X, y, sample_weight)
        self.coef_ = self.coef_ + 1e-9 * before.sum()
        return self


class IsRandom(LinearRanker):
    def fit(self, X, y, sample_weight=None):
        super().fit(X, y, sample_weight)
        self.coef_ = self.coef_ + np.random.default_rng().normal(size=self.coef_.size)
        return self


class WritesToInput(LinearRanker):
    def fit(self, X, y, sample_weight=None):
        super().fit(X, y, sample_weight)
        if isinstance(X, np.ndarray):
            X[0] = 0.0
        return self


class PredictsSigns(LinearRanker):
    def predict(self, X):
        return 2 * super().predict(X) - 1


class PredictsTheWorse(LinearRanker):
    def predict(self, X):
        return 1 - super().predict(X)


class PredictsFirst(LinearRanker):
    def predict(self, X):
        return np.ones_like(super().predict(X))


class CentresUtility(LinearRanker):
    def utility(self, X):
        utility = super().utility(X)
        return utility - utility.mean()


class GivesColumns(LinearRanker):
    def utility(self, X):
        return super().utility(X)[:, None]


class IsInfinite(LinearRanker):
    def utility(self, X):
        return super().utility(X) + np.inf


class ScoresErrors(LinearRanker):
    def score(self, X, y, sample_weight=None):
        return 1 - super().score(X, y, sample_weight)


class LearnsTheOpposite(LinearRanker):
    def fit(self, X, y, sample_weight=None):
        super().fit(X, y, sample_weight)
        self.coef_ = -self.coef_
        return self


class LikesTheFirstSide(LinearRanker):
    """Learns from the labels how good the first side is as such."""

    def fit(self, X, y, sample_weight=None):
        super().fit(X, y, sample_weight)
        if not isinstance(y, Comparisons):
            self.coef_ = self.coef_ * (1 + np.mean(y))
        return self


class LooksAtTheFirstPair(LinearRanker):
    def fit(self, X, y, sample_weight=None):
        super().fit(X, y, sample_weight)
        first = np.asarray(X)[0, 0, 0] if np.ndim(X) == 3 else 0.3
        self.coef_ = self.coef_ + np.array([0.01 * first] + [0] * (self.coef_.size - 1))
        return self


class LooksAtTheFirstItem(LinearRanker):
    def fit(self, X, y, sample_weight=None):
        super().fit(X, y, sample_weight)
        if isinstance(X, np.ndarray) and X.ndim == 2:
            self.coef_ = self.coef_ * (1 + 0.01 * X[0].sum())
        return self


class IgnoresWeights(LinearRanker):
    def fit(self, X, y, sample_weight=None):
        return super().fit(X, y)


class IgnoresWeightsOfComparisons(LinearRanker):
    def fit(self, X, y, sample_weight=None):
        if isinstance(y, Comparisons):
            y = Comparisons(y.winners, y.losers)
        return super().fit(X, y, sample_weight)


class RefusesContradictions(LinearRanker):
    def fit(self, X, y, sample_weight=None):
        if isinstance(y, Comparisons) and y.n_contradictions:
            raise ValueError("contradictory")
        return super().fit(X, y, sample_weight)


class AnswersUnfitted(LinearRanker):
    def utility(self, X):
        if not hasattr(self, "coef_"):
            return np.zeros(len(X))
        return super().utility(X)


class AcceptsSigns(LinearRanker):
    def fit(self, X, y, sample_weight=None):
        if isinstance(y, np.ndarray) and y.dtype.kind in "if" and np.isin(-1, y):
            y = (y > 0).astype(int)
        return super().fit(X, y, sample_weight)


class FillsGaps(LinearRanker):
    def fit(self, X, y, sample_weight=None):
        if isinstance(X, np.ndarray):
            X = np.where(np.isnan(X), 0.0, X)
        return super().fit(X, y, sample_weight)


class FillsGapsLater(LinearRanker):
    def utility(self, X):
        if isinstance(X, np.ndarray):
            X = np.where(np.isnan(X), 0.0, X)
        return super().utility(X)


class MumblesAboutFeatures(LinearRanker):
    def utility(self, X):
        check_is_fitted(self)
        if np.ndim(X) == 2 and np.shape(X)[1] != self.n_features_in_:
            raise ValueError("wrong")
        return super().utility(X)


class AcceptsNegativeWeights(LinearRanker):
    def fit(self, X, y, sample_weight=None):
        if sample_weight is not None:
            sample_weight = np.abs(sample_weight)
        return super().fit(X, y, sample_weight)


class RaisesTheWrongError(LinearRanker):
    def fit(self, X, y, sample_weight=None):
        if np.ndim(X) == 4:
            raise KeyError("four")
        return super().fit(X, y, sample_weight)


class WarnsAboutNames(LinearRanker):
    def predict(self, X):
        if hasattr(self, "feature_names_in_"):
            warnings.warn("X does not have valid feature names", stacklevel=2)
        return super().predict(X)


BROKEN = {
    ConvertsParameter: "alpha must be stored as it came",
    SetsStateInConstructor: "and nothing else",
    TakesAnything: r"no \*args",
    IgnoresSetParams: "what get_params reads",
    ReturnsNone: "fit must return self",
    ChangesParameterInFit: "must not change the parameter alpha",
    MiscountsFeatures: "n_features_in_ to 3",
    ForgetsNames: "feature_names_in_ to",
    WarnsAboutNames: "must not warn",
    StartsWarm: "refitted ranker must equal",
    IsRandom: "bit by bit",
    WritesToInput: "X must not be changed",
    PredictsSigns: r"values in \{0, 1\}",
    PredictsTheWorse: "utility of the first item is larger",
    PredictsFirst: "utility of the first item is larger",
    CentresUtility: "must not depend on the other rows",
    GivesColumns: r"utility must have shape \(17,\)",
    IsInfinite: "utility must be finite",
    ScoresErrors: "score must be",
    LearnsTheOpposite: "learned at all",
    LikesTheFirstSide: "utility differences must agree",
    LooksAtTheFirstPair: "utility differences must agree",
    LooksAtTheFirstItem: "utility differences must agree",
    IgnoresWeights: "rows of weight 0",
    IgnoresWeightsOfComparisons: "weights of Comparisons",
    RefusesContradictions: "contradictory",
    AnswersUnfitted: "utility before fit: must raise NotFittedError. Nothing",
    AcceptsSigns: "labels -1 and 1: must raise ValueError",
    FillsGaps: "NaN in fit of pairs: must raise ValueError",
    FillsGapsLater: "utility with NaN",
    MumblesAboutFeatures: "the message must match 'feature'",
    AcceptsNegativeWeights: "a negative weight",
    RaisesTheWrongError: "four-dimensional X: must raise ValueError. Got KeyError",
}


@pytest.mark.parametrize("broken", BROKEN, ids=lambda cls: cls.__name__)
def test_a_broken_promise_is_found_and_named(broken):
    with pytest.raises((AssertionError, ValueError), match=BROKEN[broken]):
        check_ranker(broken())


class Unweighted(BaseEstimator):
    """A ranker of a user: no weights, no mixin, a random state, own validation."""

    def __init__(self, random_state=None):
        self.random_state = random_state

    def fit(self, X, y):
        self._inner = LinearRanker().fit(X, y)
        self.n_features_in_ = self._inner.n_features_in_
        self.__dict__.pop("feature_names_in_", None)
        if hasattr(self._inner, "feature_names_in_"):
            self.feature_names_in_ = self._inner.feature_names_in_
        return self

    def utility(self, X):
        check_is_fitted(self)
        return self._inner.utility(X)

    def predict(self, X):
        check_is_fitted(self)
        return self._inner.predict(X)

    def score(self, X, y):
        check_is_fitted(self)
        return self._inner.score(X, y)


def test_rankers_without_weights_and_from_outside_penchant_pass():
    check_ranker(Unweighted())
