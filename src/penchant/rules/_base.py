"""What rule classifiers and rule rankers share: parameters and the course of a fit."""

import warnings
from collections.abc import Callable, Sequence
from copy import copy
from dataclasses import replace
from numbers import Integral, Real
from typing import Any, ClassVar, Self

import numpy as np
from sklearn.base import BaseEstimator
from sklearn.utils._param_validation import HasMethods, Interval, StrOptions
from sklearn.utils.validation import check_is_fitted

from penchant._parallel import one_thread
from penchant.exceptions import ConvergenceWarning, DataError
from penchant.rules._conditions import Vocabulary
from penchant.rules._data import RuleData
from penchant.rules._games import Certificate, RuleGame, RuleVotes, vote_matrix
from penchant.rules._generators import AlwaysTrue, GeneratorSum, make_generator
from penchant.rules._input import Folds
from penchant.rules._learning import KnownRule, RuleLearner, WeightedRules
from penchant.rules._monomials import rescaled
from penchant.rules._selection import (
    PATH,
    FittedRules,
    RuleCandidate,
    RuleChoice,
    RuleSearch,
    choose_candidate,
)
from penchant.rules._text import Rule, RuleExplanation, RulesTable
from penchant.typing import FloatArray

__all__ = ["BaseRules"]

_FALLBACK_NU = 0.1
"""Soft margin where there is no hard one, and nothing to choose by."""


class BaseRules(BaseEstimator):
    """Parameters, attributes and the common course of a fit."""

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        "generator": [StrOptions({"rules", "monomials"}), HasMethods("bind")],
        "degree": [Interval(Integral, 1, None, closed="left")],
        "nu": [Interval(Real, 0, 1, closed="neither"), StrOptions({"auto"}), None],
        "loss": [StrOptions({"margin", "logistic", "auto"})],
        "max_rules": [Interval(Integral, 1, None, closed="left"), None],
        "ridge": [Interval(Real, 0, None, closed="neither")],
        "solver": [StrOptions({"column-generation", "fictitious-play"})],
        "working_set_size": [Interval(Integral, 1, None, closed="left")],
        "n_epochs": [Interval(Integral, 1, None, closed="left")],
        "n_plays": [Interval(Integral, 1, None, closed="left")],
        "tol": [Interval(Real, 0, None, closed="neither"), StrOptions({"auto"})],
        "n_jobs": [Integral, None],
        "random_state": ["random_state"],
    }
    _learned: ClassVar[tuple[str, ...]] = (
        "rules_",
        "value_",
        "saddle_gap_",
        "nu_",
        "loss_",
        "candidate_",
        "choice_",
        "vocabulary_",
        "game_",
        "solver_status_",
        "n_iter_",
        "history_",
    )

    rules_: list[Rule]
    game_: RuleGame

    def _scheme(self) -> tuple[tuple[bool, ...], bool]:
        """Give the balances to compare, and whether all labels count the same."""
        return (False,), False

    def _label_names(self) -> tuple[Any, ...]:
        """Give the labels that rules speak for, in the order of their codes."""
        raise NotImplementedError

    def _set_bias(self, bias: FloatArray) -> None:
        """Keep what is added to the scores."""

    def _bias(self) -> FloatArray:
        """Give what is added to the scores, shape (n_labels,)."""
        return np.zeros(len(self._label_names()))

    # Learning

    def _learn(
        self, data: RuleData, make_folds: Callable[[], Folds], *, with_bias: bool
    ) -> Self:
        """Choose what is left open, weigh rules on all data, and keep them."""
        self.choice_: RuleChoice | None = None
        search = self._search(with_bias)
        with one_thread():
            given, learner = self._given(search), search.learner(data)
            few = None if given or self.nu != "auto" else search.separate(learner)
            self._seen = data
            if few is not None:
                return self._keep(few)
            candidates = (given,) if given else self._choose(search, data, make_folds())
            return self._fit_candidates(learner, search, candidates, make_folds)

    def _continue(self, data: RuleData, *, with_bias: bool) -> Self:
        """Learn from all data so far, beginning with the rules that are there."""
        seen: RuleData | None = getattr(self, "_seen", None)
        data = data if seen is None else seen.join(data)
        search = self._search(with_bias, self._known(data.X))
        given = self._given(search)
        others = self.choice_.candidates if self.choice_ else ()
        candidates = (given,) if given else (self.candidate_, *others)
        self._seen = data
        with one_thread():
            return self._fit_candidates(search.learner(data), search, candidates, list)

    def _fit_candidates(
        self,
        learner: RuleLearner,
        search: RuleSearch,
        candidates: Sequence[RuleCandidate],
        make_folds: Callable[[], Folds],
    ) -> Self:
        """Weigh rules in the first way that leaves a margin."""
        if self.solver == "fictitious-play":
            rules = search.shorten(learner, self._play(learner), candidates[0])
            fitted = FittedRules(candidates[0], learner, rules)
            advice = "more n_epochs and n_plays, or solver='column-generation'"
        else:
            fitted = _first_with_margin(search, learner, candidates)
            advice = "a larger nu, nu='auto' or more rules (a higher degree)"
            if fitted.candidate.nu is None and not fitted.rules.has_margin:
                search = replace(search, nus=PATH)
                candidates = self._choose(search, learner.data, make_folds())
                fitted = _first_with_margin(search, learner, candidates)
                self._warn_not_separable(fitted.candidate)
        if not fitted.rules.has_margin:
            self._warn_no_margin(advice)
        return self._keep(fitted)

    def _known(self, X: Any) -> tuple[KnownRule, ...]:
        """Give the rules that are there, fit for items that may be new."""
        codes = {name: code for code, name in enumerate(self._label_names())}
        return tuple(
            (rescaled(rule.feature, X), codes[rule.target], codes[rule.against])
            for rule in self.rules_
        )

    def _words(self) -> Vocabulary:
        names = getattr(self, "feature_names_in_", None)
        if names is None:
            names = [f"x{i}" for i in range(self.n_features_in_)]
        attributes = getattr(self, "attributes_in_", None)
        return Vocabulary(tuple(map(str, names)), attributes)

    def _search(self, with_bias: bool, known: Sequence[KnownRule] = ()) -> RuleSearch:
        self.vocabulary_ = self._words()
        generator = make_generator(self.generator, self.degree, with_bias=with_bias)
        parts = generator.parts if isinstance(generator, GeneratorSum) else (generator,)
        has_bias = with_bias and any(isinstance(part, AlwaysTrue) for part in parts)
        balances, score_balanced = self._scheme()
        return RuleSearch(
            generator,
            self.vocabulary_,
            has_bias,
            self.tol,
            losses=("margin", "logistic") if self.loss == "auto" else (self.loss,),
            nus=PATH if self.nu == "auto" else (self.nu,),
            balances=balances,
            max_rules=self.max_rules,
            ridge=self.ridge,
            score_balanced=score_balanced,
            known=tuple(known),
        )

    def _given(self, search: RuleSearch) -> RuleCandidate | None:
        """Take what the parameters say; None if they leave a choice."""
        if self.solver == "fictitious-play":
            self._check_playable()
            return RuleCandidate("margin", "margin", None, False, self.max_rules)
        balanced = search.balances[0]
        if self.loss == "margin" and len(search.nus) * len(search.balances) == 1:
            return RuleCandidate(
                "margin", "margin", search.nus[0], balanced, self.max_rules
            )
        if self.loss == "logistic" and self.max_rules is not None:
            return RuleCandidate(
                "logistic", "greedy", None, search.score_balanced, self.max_rules
            )
        return None

    def _choose(
        self, search: RuleSearch, data: RuleData, folds: Folds
    ) -> tuple[RuleCandidate, ...]:
        """Compare candidates, best first; with nothing to compare by, take one."""
        if not folds:
            one = RuleCandidate(
                "margin", "margin", _FALLBACK_NU, search.balances[0], self.max_rules
            )
            return (one,)
        self.choice_ = choose_candidate(search, data, folds, self.n_jobs)
        return self.choice_.candidates

    def _check_playable(self) -> None:
        if self.loss != "margin" or self.nu not in ("auto", None):
            raise DataError(
                "solver='fictitious-play' knows the hard margin only: loss='margin' "
                f"and nu=None. Got loss={self.loss!r}, nu={self.nu!r}; use "
                "solver='column-generation'."
            )

    def _play(self, learner: RuleLearner) -> WeightedRules:
        """Weigh random features as in the paper."""
        return learner.play(
            n_columns=self.working_set_size,
            n_epochs=self.n_epochs,
            n_plays=self.n_plays,
            random_state=self.random_state,
        )

    def _warn_no_margin(self, advice: str) -> None:
        warnings.warn(
            f"The margin of {type(self).__name__} is 0: the rules found say no more "
            f"for the preferences than against them. Use {advice}.",
            ConvergenceWarning,
            stacklevel=4,
        )

    def _warn_not_separable(self, candidate: RuleCandidate) -> None:
        warnings.warn(
            f"No weights of the rules of {type(self).__name__} satisfy all "
            "preferences: the hard margin is 0. Used instead: "
            f"{candidate}. Set nu='auto' to do so without this warning, or allow more "
            "rules (a higher degree, another generator).",
            ConvergenceWarning,
            stacklevel=4,
        )

    def _keep(self, fitted: FittedRules) -> Self:
        """Store rules in words, and all that is needed to weigh them anew."""
        candidate, learner, rules = fitted
        self.candidate_, self.loss_ = candidate, candidate.loss
        self._set_nu(candidate.nu, rules.certificate, len(rules.keys))
        keys, weights = learner.merge_equal(rules)
        self.game_ = learner.game(keys, balanced=candidate.balanced)
        features = [learner.features.feature(key) for key, _, _ in keys]
        values = learner.features.values([key for key, _, _ in keys])
        names, item_weights = self._label_names(), learner.data.item_weights
        self.rules_ = [
            Rule(
                feature.text(self.vocabulary_),
                self.game_.scale * weight,
                names[better],
                names[worse],
                float(np.average(column != 0, weights=item_weights)),
                feature,
            )
            for feature, (_, better, worse), weight, column in zip(
                features, keys, weights, values.T, strict=True
            )
        ]
        self._set_bias(rules.bias)
        return self._certify(rules.certificate)

    def _set_nu(
        self, nu: float | None, reached: Certificate | None, n_rules: int
    ) -> None:
        """Store the soft margin; if the user set one, warn that another was needed."""
        self.nu_ = nu if reached is None else reached.nu
        if self.nu_ != nu and self.nu != "auto":
            asked = "hard margin" if nu is None else f"soft margin nu = {nu:g}"
            warnings.warn(
                f"The {asked} of only {n_rules} rules is 0; their weights are those of "
                f"nu = {self.nu_:g}. Keep more rules, or set a larger nu in the fit.",
                ConvergenceWarning,
                stacklevel=4,
            )

    def _certify(self, reached: Certificate | None) -> Self:
        """Store what the margin program reached, and warn if that is not enough."""
        certificate = reached or Certificate(np.nan, np.nan, "optimal", 0)
        self.value_ = certificate.value
        self.saddle_gap_ = max(certificate.bound - certificate.value, 0.0)
        self.solver_status_ = certificate.status
        self.n_iter_ = certificate.n_iter
        self.history_ = list(certificate.history)
        if certificate.status not in ("optimal", "sampled"):
            warnings.warn(
                f"{type(self).__name__} stopped at a gap of {self.saddle_gap_:.2g} "
                f"between what the rules reach and what any rules could. Use a larger "
                "nu, a larger tol or a lower degree.",
                ConvergenceWarning,
                stacklevel=4,
            )
        return self

    # Using what was learned

    def top(self, k: int) -> Self:
        """Keep the k heaviest rules, and weigh them anew.

        If so few rules have no margin, nu is raised until they have; `nu_` tells.

        Parameters
        ----------
        k : int
            At least 1.

        Returns
        -------
        estimator
            A new one, fitted, with at most k rules; the bias does not count.
        """
        check_is_fitted(self)
        if k < 1:
            raise DataError(f"k must be at least 1. Got {k!r}.")
        kept = self.rules_[:k]
        game = self.game_.take(range(len(kept)))
        reached: Certificate | None = None
        if self.loss_ == "logistic":
            weights, bias = game.logistic_weights(self.ridge)
        else:
            weights, bias, reached = game.margin_weights(self.nu_, self.tol, climb=True)
            if reached.nu == self.nu_:
                reached = replace(reached, bound=self.value_ + self.saddle_gap_)
        order = np.argsort(-np.abs(weights), kind="stable")
        order = order[np.abs(weights[order]) > 0]
        model = copy(self)
        model._set_nu(self.nu_, reached, len(kept))
        signs = np.sign(weights)
        model.game_ = replace(game, columns=(game.columns * signs)[:, order])
        model.rules_ = [
            kept[j].reweighed(float(game.scale * weights[j])) for j in order
        ]
        model._set_bias(bias)
        certified: Self = model._certify(reached)
        return certified

    def _votes(self) -> RuleVotes:
        """Give the rules in the form that predictions need."""
        codes = {name: code for code, name in enumerate(self._label_names())}
        better = np.array([codes[rule.target] for rule in self.rules_], dtype=np.int64)
        worse = np.array([codes[rule.against] for rule in self.rules_], dtype=np.int64)
        weights = np.array([rule.weight for rule in self.rules_])
        features = tuple(rule.feature for rule in self.rules_)
        votes = vote_matrix(better, worse, weights, len(codes))
        return RuleVotes(features, votes, self._bias())

    def _explain(
        self, items: Any, predict: Callable[[FloatArray], Any]
    ) -> RuleExplanation:
        """Tell which rules hold for one item."""
        if items.shape[0] != 1:
            raise DataError(f"explain takes one item. Got {items.shape[0]}.")
        model = self._votes()
        values = model.values(items)[0]
        fired = np.flatnonzero(values)
        votes = model.votes[fired] * values[fired, np.newaxis]
        order = np.argsort(-np.ptp(votes, axis=1), kind="stable")
        return RuleExplanation(
            tuple(self.rules_[fired[j]] for j in order),
            values[fired][order],
            votes[order],
            model.bias,
            self._label_names(),
            predict(votes.sum(axis=0) + model.bias),
        )

    def _table(self) -> RulesTable:
        """Make the table of `rules_table`."""
        check_is_fitted(self)
        names, bias = self._label_names(), self._bias()
        spread, least = bias - bias.min(), names[int(bias.argmin())]
        shown = tuple(
            (names[code], least, float(spread[code])) for code in np.flatnonzero(spread)
        )
        return RulesTable(tuple(self.rules_), shown, len(names))


def _first_with_margin(
    search: RuleSearch, learner: RuleLearner, candidates: Sequence[RuleCandidate]
) -> FittedRules:
    """Fit candidates until one has a margin; if none has, give the first.

    A soft margin can be 0 on all data though it is not on the folds, where fewer
    preferences contradict each other; the weights are arbitrary then (PRL-6).
    """
    fitted = []
    for candidate in candidates:
        fitted.append(search.fit(learner, candidate))
        if fitted[-1].rules.has_margin:
            return fitted[-1]
    return fitted[0]
