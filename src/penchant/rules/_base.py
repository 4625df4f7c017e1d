"""What rule classifiers and rule rankers share: parameters and the course of a fit."""

import time
import warnings
from collections.abc import Callable, Iterable
from copy import copy
from dataclasses import dataclass, replace
from numbers import Integral, Real
from typing import Any, ClassVar, Self

import numpy as np
from sklearn.base import BaseEstimator
from sklearn.utils import check_random_state
from sklearn.utils._param_validation import HasMethods, Interval, StrOptions
from sklearn.utils.validation import check_is_fitted

from penchant._parallel import one_thread, track
from penchant.exceptions import ConvergenceWarning, DataError
from penchant.rules._conditions import Vocabulary
from penchant.rules._conjunctions import Conjunctions
from penchant.rules._data import RuleData, check_rule_items
from penchant.rules._features import AlwaysTrue, GeneratorSum
from penchant.rules._monomials import Monomials, rescaled
from penchant.rules._program import (
    Certificate,
    KnownRule,
    RuleGame,
    RuleProgram,
    WeightedRules,
    feature_values,
)
from penchant.rules._selection import (
    HELD_OUT,
    MAX_RULES,
    NUS,
    RuleSearch,
    choose_rules,
    split_codes,
)
from penchant.rules._text import (
    Rule,
    RuleCandidate,
    RuleChoice,
    RuleExplanation,
    RulesTable,
)
from penchant.typing import FloatArray, IntArray

_SHARE_OF_FOLDS = 0.6
"""Of `max_time`."""


@dataclass(kw_only=True, eq=False, repr=False)
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
        "max_time": [Interval(Real, 0, None, closed="neither"), None],
        "verbose": ["verbose"],
        "n_jobs": [Integral, None],
        "random_state": ["random_state"],
    }

    generator: Any = "rules"
    degree: int = 2
    nu: Any = "auto"
    loss: str = "auto"
    max_rules: int | None = None
    ridge: float = 1.0
    solver: str = "column-generation"
    working_set_size: int = 200
    n_epochs: int = 50
    n_plays: int = 10_000
    tol: float | str = "auto"
    max_time: float | None = None
    verbose: bool = False
    cv: Any = 5
    n_jobs: int | None = None
    random_state: Any = 0

    _with_bias: ClassVar[bool]

    @property
    def _takes_blanks(self) -> bool:
        """Whether a blank cell is a value of its own, "unknown"."""
        parts = getattr(self.generator, "parts", (self.generator,))
        known = (Conjunctions, AlwaysTrue)
        return all(isinstance(part, known) or part == "rules" for part in parts)

    def _balanced(self) -> bool:
        """Tell whether all labels count the same in the margin program."""
        return False

    def _label_names(self) -> tuple[Any, ...]:
        """Give the labels that rules speak for, in the order of their codes."""
        raise NotImplementedError

    def _set_bias(self, bias: FloatArray) -> None:
        """Keep what is added to the scores."""

    def _bias(self) -> FloatArray:
        """Give what is added to the scores, shape (n_labels,)."""
        return np.zeros(len(self._label_names()))

    # Learning

    def _wanted_loss(self) -> str:
        """Resolve the parameter `loss`: few rules, or those of the margin program."""
        if self.solver == "fictitious-play":
            if self.loss == "logistic" or self.nu not in ("auto", None):
                raise DataError(
                    "solver='fictitious-play' knows the hard margin only: "
                    "loss='margin' and nu=None. Got "
                    f"loss={self.loss!r}, nu={self.nu!r}; use "
                    "solver='column-generation'."
                )
            return "margin"
        if self.loss == "auto":
            return "logistic" if self.nu == "auto" else "margin"
        return str(self.loss)

    def _learn(
        self,
        data: RuleData,
        rows: tuple[IntArray, IntArray, FloatArray] | None,
        known: tuple[KnownRule, ...] = (),
    ) -> Self:
        """Choose what is left open, weigh rules on all data, and keep them.

        `rows` are the codes, units and weights by which `split_codes` makes folds;
        None if nothing is to be chosen, since rules are known.
        """
        self._seen = data
        search = self._search(known)
        with one_thread():
            if rows is not None:  # otherwise what was chosen before is kept
                self.choice_ = self._compare(search, data, rows)
            self.candidate_ = self._choose(search)
            if search.loss == "logistic":
                return self._keep(search, data, search.fit(data, self.candidate_))
            program = search.program(data)
            rules = self._weigh(program, self.candidate_.nu)
            few = search.shorten(program.data, rules)
            self._warn_of_margin(rules, few)
            return self._keep(search, program.data, few)

    def _weigh(self, program: RuleProgram, nu: float | None) -> WeightedRules:
        """Solve the margin program, or play its game as in the paper."""
        if self.solver == "column-generation":
            return program.solve_with_margin(nu, balanced=self._balanced())
        return program.play(
            n_columns=self.working_set_size,
            n_epochs=self.n_epochs,
            n_plays=self.n_plays,
            random_state=self.random_state,
        )

    def _continue(self, data: RuleData) -> Self:
        """Learn from all data so far, beginning with the rules that are there."""
        seen: RuleData | None = getattr(self, "_seen", None)
        data = data if seen is None else seen.join(data)
        codes = {name: code for code, name in enumerate(self._label_names())}
        known = tuple(
            (rescaled(rule.feature, data.X), codes[rule.target], codes[rule.against])
            for rule in self.rules_
        )
        return self._learn(data, None, known)

    def _search(self, known: tuple[KnownRule, ...]) -> RuleSearch:
        """Gather what the parameters say."""
        names = getattr(self, "feature_names_in_", None)
        if names is None:
            names = [f"x{i}" for i in range(self.n_features_in_)]
        attributes = getattr(self, "attributes_in_", None)
        self.vocabulary_ = Vocabulary(tuple(map(str, names)), attributes)
        self.loss_ = self._wanted_loss()
        # Few rules need few thresholds.
        most: Any = "auto" if self.loss_ == "logistic" else 20
        generator, with_bias = self.generator, self._with_bias
        if generator == "rules":
            generator = Conjunctions(self.degree, max_thresholds=most)
        elif generator == "monomials":
            generator = Monomials(self.degree)
        else:
            parts = getattr(generator, "parts", (generator,))
            others = tuple(p for p in parts if not isinstance(p, AlwaysTrue))
            with_bias &= len(others) < len(parts)
            if with_bias and others:  # the program has the bias of its own accord
                generator = GeneratorSum(others)
        limit = np.inf if self.max_time is None else float(self.max_time)
        return RuleSearch(
            generator,
            self.vocabulary_,
            with_bias,
            self.tol,
            loss=self.loss_,
            nus=NUS if self.nu == "auto" else (self.nu,),
            balanced=self._balanced(),
            weigh_balanced=getattr(self, "balance", False) is True,
            max_rules=self.max_rules,
            ridge=self.ridge,
            known=known,
            deadline=time.monotonic() + limit,
        )

    def _compare(
        self,
        search: RuleSearch,
        data: RuleData,
        rows: tuple[IntArray, IntArray, FloatArray],
    ) -> RuleChoice | None:
        """Compare candidates out of fold; None if there is nothing to compare."""
        if search.loss == "margin" and (
            len(search.nus) == 1 or self.solver == "fictitious-play"
        ):
            return None
        rng = check_random_state(self.random_state)
        folds: Iterable[tuple[FloatArray, FloatArray]] = split_codes(
            *rows, self.cv, rng, HELD_OUT
        )
        if self.verbose:
            folds = track(folds, type(self).__name__)
        # Of a limited time some is left for the fit on all data.
        left = _SHARE_OF_FOLDS * (search.deadline - time.monotonic())
        hurried = replace(search, deadline=time.monotonic() + left)
        return choose_rules(hurried, data, folds, self.n_jobs)

    def _choose(self, search: RuleSearch) -> RuleCandidate:
        """Give the candidate that was chosen; without folds, what seems best."""
        chosen = self.choice_.candidates[0] if self.choice_ else None
        if chosen and chosen.loss == search.loss and self.nu == "auto":
            return chosen
        if search.loss == "logistic":
            most = self.max_rules or MAX_RULES
            return RuleCandidate(
                "logistic", "labels", None, search.weigh_balanced, most
            )
        nu = None if self.solver == "fictitious-play" else search.nus[-1]
        return RuleCandidate("margin", "margin", nu, search.balanced, self.max_rules)

    def _warn_of_margin(self, rules: WeightedRules, few: WeightedRules) -> None:
        """Say so if there is no margin, or only a softer one than was asked for."""
        reached, left = rules.certificate, few.certificate
        if reached is None or left is None:
            return
        name = type(self).__name__
        if not reached.has_margin:
            advice = "a larger nu, nu='auto' or more rules (a higher degree)"
            if self.solver == "fictitious-play":
                advice = "more n_epochs and n_plays, or solver='column-generation'"
            self._warn(
                f"The margin of {name} is 0: the rules found say no more for the "
                f"preferences than against them. Use {advice}."
            )
        elif self.nu is None and reached.nu is not None:
            self._warn(
                f"No weights of the rules of {name} satisfy all preferences: the hard "
                f"margin is 0. Used instead: nu = {reached.nu:g}. Set nu='auto' to do "
                "without one, or allow more rules (a higher degree, another generator)."
            )
        else:
            self._warn_of_few(reached.nu, left.nu, len(few.rules))

    def _warn_of_few(self, asked: float | None, nu: float | None, n_rules: int) -> None:
        """Say so if few rules have no margin where all of them have one."""
        if nu != asked and self.nu != "auto":
            margin = "hard margin" if asked is None else f"soft margin nu = {asked:g}"
            self._warn(
                f"The {margin} of only {n_rules} rules is 0; their weights are those "
                f"of nu = {nu:g}. Keep more rules, or set a larger nu in the fit."
            )

    def _warn(self, message: str) -> None:
        warnings.warn(message, ConvergenceWarning, stacklevel=5)

    def _keep(self, search: RuleSearch, data: RuleData, found: WeightedRules) -> Self:
        """Store rules in words, and all that is needed to weigh them anew."""
        is_few = search.loss == "logistic"
        self.game_ = RuleGame.from_rules(
            data,
            found.rules,
            with_bias=search.with_bias,
            balanced=search.weigh_balanced if is_few else search.balanced,
        )
        values = feature_values([feature for feature, _, _ in found.rules], data.X)
        names, item_weights = self._label_names(), data.item_weights
        self.rules_ = [
            Rule(
                feature.text(self.vocabulary_),
                float(data.scale * weight),
                names[better],
                names[worse],
                float(np.average(column != 0, weights=item_weights)),
                feature,
            )
            for (feature, better, worse), weight, column in zip(
                found.rules, found.weights, values.T, strict=True
            )
        ]
        self._set_bias(found.bias)
        self._certify(found.certificate)
        if time.monotonic() > search.deadline:
            self._warn(
                f"{type(self).__name__} stopped after max_time = {self.max_time:g} s "
                f"with the best rules so far, at a gap of {self.saddle_gap_:.2g}. "
                "Allow more time, or give fewer items."
            )
        return self

    def _certify(self, reached: Certificate | None) -> Self:
        """Store what the margin program reached, and warn if that is not enough."""
        certificate = reached or Certificate(np.nan, np.nan, "optimal", 0)
        self.nu_ = certificate.nu
        self.value_ = certificate.value
        self.saddle_gap_ = max(certificate.bound - certificate.value, 0.0)
        self.solver_status_ = certificate.status
        self.n_iter_ = certificate.n_iter
        self.history_ = list(certificate.history)
        is_loose = certificate.status not in ("optimal", "sampled")
        if is_loose and self.loss_ == "margin" and self.max_time is None:
            self._warn(
                f"{type(self).__name__} stopped at a gap of {self.saddle_gap_:.2g} "
                f"between what the rules reach and what any rules could. Use a larger "
                "nu, a larger tol or a lower degree."
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
        game = replace(self.game_, columns=self.game_.columns[:, : len(kept)])
        model = copy(self)
        if self.loss_ == "logistic":
            weights, bias = game.logistic_weights(self.ridge)
        else:
            weights, bias, reached = game.margin_weights(self.nu_, self.tol)
            if reached.nu == self.nu_:
                reached = replace(reached, bound=self.value_ + self.saddle_gap_)
            self._warn_of_few(self.nu_, reached.nu, len(kept))
            model._certify(reached)
        order = np.argsort(-np.abs(weights), kind="stable")
        order = order[np.abs(weights[order]) > 0]
        signs = np.sign(weights)
        model.game_ = replace(game, columns=(game.columns * signs)[:, order])
        model.rules_ = [
            kept[j].reweighed(float(game.scale * weights[j])) for j in order
        ]
        model._set_bias(bias)
        return model

    def _scores(self, X: Any) -> FloatArray:
        """Add up the votes of the rules, shape (n_items, n_labels)."""
        check_is_fitted(self)
        items = check_rule_items(self, X, reset=False)
        return self._values(items) @ self._votes() + self._bias()

    def _values(self, items: Any) -> FloatArray:
        return feature_values([rule.feature for rule in self.rules_], items)

    def _votes(self) -> FloatArray:
        """Give what each rule adds to the score of each label."""
        codes = {name: code for code, name in enumerate(self._label_names())}
        votes = np.zeros((len(self.rules_), len(codes)))
        for vote, rule in zip(votes, self.rules_, strict=True):
            vote[codes[rule.target]] = 0.5 * rule.weight
            vote[codes[rule.against]] = -0.5 * rule.weight
        return votes

    def _explain(self, X: Any, predict: Callable[[FloatArray], Any]) -> RuleExplanation:
        """Tell which rules hold for one item."""
        check_is_fitted(self)
        items = check_rule_items(self, X, reset=False)
        if items.shape[0] != 1:
            raise DataError(f"explain takes one item. Got {items.shape[0]}.")
        values, bias = self._values(items)[0], self._bias()
        fired = np.flatnonzero(values)
        votes = self._votes()[fired] * values[fired, np.newaxis]
        order = np.argsort(-np.ptp(votes, axis=1), kind="stable")
        return RuleExplanation(
            tuple(self.rules_[fired[j]] for j in order),
            values[fired][order],
            votes[order],
            bias,
            self._label_names(),
            predict(votes.sum(axis=0) + bias),
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
