"""Choice of the soft margin, the balance, the loss and the number of rules (PRL-6)."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import numpy as np
from joblib import Parallel, delayed

from penchant.exceptions import DataError
from penchant.rules._conditions import Vocabulary
from penchant.rules._data import RuleData
from penchant.rules._generators import RuleGenerator, coarsen, soften
from penchant.rules._learning import KnownRule, RuleLearner, WeightedRules
from penchant.rules._preferences import LabelPreferences, RuleKey
from penchant.rules._sources import ListedFeatures
from penchant.typing import FloatArray

__all__ = [
    "FittedRules",
    "RuleCandidate",
    "RuleChoice",
    "RuleSearch",
    "choose_candidate",
]

PATH = (0.8, 0.6, 0.5, 0.4, 0.3, 0.2, 0.15, 0.1, 0.05)
"""Soft margins to compare, from the strongest regularisation down."""

_LADDER = (0.8, 0.3, 0.1)
"""Soft margins on the way to the hard one."""

_FEW_PER_RULE = 8
"""A solution with more rules than this times `max_rules` ends the path."""

_LEAST_PER_RULE = 4
"""Without `max_rules`: one with fewer preferences than this per rule."""

_MOST_WORK = 4e9
"""So does a program that is larger, as `RuleLearner.margin` counts: several seconds for
each of the folds, and more rules than anyone reads."""

_DEFAULT_RULES = 30
"""Largest number of rules that the greedy choice tries if none is given."""

_PREFERENCES_PER_RULE = 50
"""Rules that satisfy at least so many preferences each need no folds. A rare label
makes for fewer: see `_n_telling`."""

_ALIKE = 0.1
"""Weights of preferences that differ by no larger share make for the same rules."""

_N_CUTS = 4
"""Thresholds per attribute in conjunctions that follow a smooth model: they vary less
with the data if there are few."""

_SHRINKAGE = 3.0
"""What `ridge` is multiplied by for a smooth model, and for what follows it."""


@dataclass(frozen=True)
class RuleCandidate:
    """One way to weigh rules.

    Parameters
    ----------
    loss : {"margin", "logistic"}
        How the rules get their weights.
    origin : {"margin", "greedy", "smooth"}
        Whether the rules are those of the margin program, chosen one by one, or chosen
        so that they follow a smooth model.
    nu : float or None
        Soft margin of the program; None: hard margin, or no program.
    balanced : bool
        Whether all labels count the same.
    n_rules : int or None
        Largest number of rules; None: no limit.
    accuracy : float
        Mean accuracy out of fold.
    n_found : float
        Mean number of rules found in the folds.
    """

    loss: str
    origin: str
    nu: float | None
    balanced: bool
    n_rules: int | None
    accuracy: float = float("nan")
    n_found: float = float("nan")

    def __str__(self) -> str:
        weights = {"margin": "the margin program", "logistic": "the logistic loss"}
        text = f"weights by {weights[self.loss]}"
        if self.origin == "greedy":
            text += ", rules chosen one by one"
        elif self.origin == "smooth":
            text += ", rules that follow a smooth model"
        elif self.nu is not None:
            text += f", nu = {self.nu:g}"
        if self.balanced:
            text += ", labels balanced"
        if self.n_rules is not None:
            text += f", at most {self.n_rules} rules"
        return text


@dataclass(frozen=True)
class RuleChoice:
    """What was chosen by cross-validation, and what it was compared with.

    Parameters
    ----------
    candidates : tuple of RuleCandidate
        The chosen one, then the others, best first.
    n_folds : int
    """

    candidates: tuple[RuleCandidate, ...]
    n_folds: int

    def __str__(self) -> str:
        best = self.candidates[0]
        return (
            f"{best}: accuracy {best.accuracy:.3f} in {self.n_folds} folds, chosen "
            f"among {len(self.candidates)}"
        )


class FittedRules(NamedTuple):
    """The rules of a candidate, and the learner whose rules they are."""

    candidate: RuleCandidate
    learner: RuleLearner
    rules: WeightedRules


@dataclass(frozen=True, eq=False)
class RuleSearch:
    """What may be chosen, and from what rules are made.

    Parameters
    ----------
    generator, vocabulary, with_bias, tol, known
        As `RuleLearner` takes them.
    losses : tuple of {"margin", "logistic"}
    nus : tuple of (float or None)
        From large to small.
    balances : tuple of bool
    max_rules : int or None
    ridge : float
    score_balanced : bool
        Whether folds are scored by the mean accuracy of the labels.
    """

    generator: RuleGenerator
    vocabulary: Vocabulary
    with_bias: bool
    tol: Any
    losses: tuple[str, ...]
    nus: tuple[float | None, ...]
    balances: tuple[bool, ...]
    max_rules: int | None
    ridge: float
    score_balanced: bool = False
    known: tuple[KnownRule, ...] = ()

    def learner(self, data: RuleData) -> RuleLearner:
        """Make all rules on some data."""
        return self._learner(data, self.generator, self.known)

    def _learner(
        self, data: RuleData, generator: RuleGenerator, known: Sequence[KnownRule]
    ) -> RuleLearner:
        return RuleLearner(
            data,
            generator,
            self.vocabulary,
            with_bias=self.with_bias,
            tol=self.tol,
            known=known,
        )

    def fit(self, learner: RuleLearner, candidate: RuleCandidate) -> FittedRules:
        """Weigh rules in the way of one candidate."""
        if candidate.origin == "smooth":
            for fitted in self._smooth_fits(learner.data, (candidate.balanced,)):
                return fitted._replace(candidate=candidate)
            raise DataError(
                "Rules that follow a smooth model are chosen from a list, and the "
                "features of all items are too many. Use a lower degree, or "
                "loss='margin'."
            )
        if candidate.origin == "greedy":
            n_rules = candidate.n_rules or _DEFAULT_RULES
            steps = learner.greedy(
                n_rules, balanced=candidate.balanced, ridge=self.ridge
            )
            return FittedRules(candidate, learner, steps[-1])
        rules = learner.margin(candidate.nu, balanced=candidate.balanced)
        return FittedRules(candidate, learner, self.shorten(learner, rules, candidate))

    def shorten(
        self, learner: RuleLearner, rules: WeightedRules, candidate: RuleCandidate
    ) -> WeightedRules:
        """Keep the heaviest rules of a margin program and weigh them anew."""
        keys, balanced = rules.keys[: candidate.n_rules], candidate.balanced
        if candidate.loss == "logistic":
            return learner.refit_logistic(keys, balanced=balanced, ridge=self.ridge)
        if len(keys) == len(rules.keys):
            return rules
        reached = rules.certificate
        bound = float("inf") if reached is None else reached.bound
        return learner.refit_margin(keys, candidate.nu, balanced=balanced, bound=bound)

    def separate(self, learner: RuleLearner) -> FittedRules | None:
        """Satisfy all preferences by few rules; None if that cannot be.

        So few rules for so many preferences are hardly due to chance, and nothing is
        left to choose by folds. The hard margin of many rules may take long, hence it
        comes last, if those with a soft margin stay few, and none of them takes long.
        """
        if "margin" not in self.losses:
            return None
        most = _n_telling(learner) / _PREFERENCES_PER_RULE
        if self.max_rules is not None:
            most = min(most, self.max_rules)
        start: Sequence[RuleKey] = ()
        for nu in (*_LADDER, None):
            rules = learner.margin(
                nu, balanced=self.balances[0], start=start, max_work=_MOST_WORK
            )
            start = rules.keys
            if rules.given_up or len(rules.keys) > most or not rules.has_margin:
                return None
        made = RuleCandidate("margin", "margin", None, self.balances[0], self.max_rules)
        return FittedRules(made, learner, rules)

    def compare(
        self, data: RuleData, train: FloatArray, test: FloatArray
    ) -> list[RuleCandidate]:
        """Fit the candidates on one fold, and score them on the other items."""
        learner = self.learner(data.take(train))
        fitted: list[FittedRules] = []
        compares_both = len(self.losses) == 2 and self.max_rules is not None
        balances = self._telling_balances(learner.data)
        for balanced in balances[:1] if compares_both else balances:
            fitted += self._margin_fits(learner, balanced)
        if compares_both:
            fitted += self._smooth_fits(learner.data, self.balances)
            if isinstance(learner.features, ListedFeatures):
                fitted += [*self._greedy_fits(learner, self.score_balanced)][-1:]
        elif "logistic" in self.losses:
            fitted += self._greedy_fits(learner, self.score_balanced)
        scored = []
        for candidate, rules_of, rules in fitted:
            scores = rules_of.votes(rules).scores(data.X)
            accuracy = data.accuracy(scores, test, balanced=self.score_balanced)
            n_found = float(len(rules.keys))
            scored.append(replace(candidate, accuracy=accuracy, n_found=n_found))
        return scored

    def _telling_balances(self, data: RuleData) -> tuple[bool, ...]:
        """Compare balanced labels with labels as they are only where these differ."""
        as_they_are = data.strict_weights(balanced=False)
        balanced = data.strict_weights(balanced=True)
        alike = np.allclose(as_they_are, balanced, rtol=_ALIKE, atol=0.0)
        return self.balances[:1] if alike else self.balances

    def _smooth_fits(
        self, data: RuleData, balances: Sequence[bool]
    ) -> Iterable[FittedRules]:
        """Choose few rules whose votes come close to a smooth model (PRL-6).

        Rules that are chosen by the labels vary much with the data: with a handful of
        other items others are chosen. A sum of ramps over all attributes, shrunk
        strongly, varies little, but is no small model. Few rules that are fitted to its
        probabilities, instead of to the labels, keep most of what it gains [1]_. What
        attributes tell only together it does not see: there other candidates win. There
        are none for features that cannot be listed.

        References
        ----------
        .. [1] L. Breiman, N. Shang, "Born again trees", University of California, 1996.
        """
        learner = self._learner(data, coarsen(self.generator, _N_CUTS), self.known)
        if not isinstance(learner.features, ListedFeatures):
            return
        smooth = self._learner(data, soften(self.generator), ())
        most, ridge = self.max_rules or _DEFAULT_RULES, _SHRINKAGE * self.ridge
        for balanced in balances:
            doubts = smooth.smooth(balanced=balanced, ridge=ridge)
            made = RuleCandidate("logistic", "smooth", None, balanced, self.max_rules)
            rules = learner.follow(doubts, most, ridge=ridge)
            yield FittedRules(made, learner, rules)

    def _margin_fits(
        self, learner: RuleLearner, balanced: bool
    ) -> Iterable[FittedRules]:
        """Go down the path of soft margins while the rules stay few enough.

        Where a program has no margin, or is given up as too large, those with a smaller
        nu would be no better. The first one is never given up, so that there is
        something to choose.
        """
        losses = self.losses if self.max_rules is not None else ("margin",)
        if not set(losses) <= set(self.losses):
            return
        limit = learner.columns.n_rows / _LEAST_PER_RULE
        if self.max_rules is not None:
            limit = _FEW_PER_RULE * self.max_rules
        start: Sequence[RuleKey] = ()
        for nu in self.nus:
            max_work = None if nu == self.nus[0] else _MOST_WORK
            rules = learner.margin(
                nu, balanced=balanced, start=start, max_work=max_work
            )
            if rules.given_up:
                return
            start = rules.keys
            for loss in losses:
                made = RuleCandidate(loss, "margin", nu, balanced, self.max_rules)
                yield FittedRules(made, learner, self.shorten(learner, rules, made))
            if len(rules.keys) > limit or not rules.has_margin:
                return

    def _greedy_fits(
        self, learner: RuleLearner, balanced: bool
    ) -> Iterable[FittedRules]:
        most = self.max_rules or _DEFAULT_RULES
        steps = learner.greedy(most, balanced=balanced, ridge=self.ridge)
        for n_rules in range(1, most + 1):
            made = RuleCandidate("logistic", "greedy", None, balanced, n_rules)
            yield FittedRules(made, learner, steps[min(n_rules, len(steps) - 1)])


def choose_candidate(
    search: RuleSearch,
    data: RuleData,
    folds: Sequence[tuple[FloatArray, FloatArray]],
    n_jobs: int | None,
) -> RuleChoice:
    """Compare candidates by their mean accuracy out of fold.

    Candidates that some fold did not reach are left out. Of equals the margin program
    comes first, and there the smaller nu, which lets fewer preferences fall short; of
    greedy choices the one with fewer rules.

    Differences are small against the error of their estimates, and the best of many
    estimates is mostly a lucky one. So of those that are worse by less than one
    standard error, rules that follow a smooth model are preferred, which vary least; or
    if nothing limits the number of rules, the candidate with the fewest [1]_, provided
    that these are half as many.

    Parameters
    ----------
    search : RuleSearch
    data : RuleData
    folds : sequence of (train, test)
        Weights of the units in each, shape (n_units,).
    n_jobs : int or None

    References
    ----------
    .. [1] L. Breiman, J. Friedman, R. Olshen, C. Stone, "Classification and regression
       trees", Wadsworth, 1984: the rule of one standard error.
    """
    compared = Parallel(n_jobs=n_jobs)(
        delayed(search.compare)(data, train, test) for train, test in folds
    )
    found: dict[RuleCandidate, list[RuleCandidate]] = {}
    for candidates in compared:
        for candidate in candidates:
            plain = replace(candidate, accuracy=0.0, n_found=0.0)
            found.setdefault(plain, []).append(candidate)
    scored = [_Scored.of(each) for each in found.values() if len(each) == len(folds)]
    scored.sort(key=lambda each: _rank(each.candidate))
    chosen = _chosen(scored).candidate
    others = (each.candidate for each in scored if each.candidate != chosen)
    return RuleChoice((chosen, *others), len(folds))


class _Scored(NamedTuple):
    """A candidate with its means over the folds, and its accuracy in each."""

    candidate: RuleCandidate
    by_fold: FloatArray

    @classmethod
    def of(cls, in_folds: Sequence[RuleCandidate]) -> "_Scored":
        """Put what one candidate did in the folds together."""
        accuracies = np.array([each.accuracy for each in in_folds])
        mean, n_found = accuracies.mean(), np.mean([each.n_found for each in in_folds])
        candidate = replace(in_folds[0], accuracy=float(mean), n_found=float(n_found))
        return cls(candidate, accuracies)


def _chosen(scored: Sequence[_Scored]) -> _Scored:
    """Take the simplest of those that are about as good as the first, the best."""
    best, error = scored[0], _standard_error(scored[0].by_fold)
    level = [best]
    for other in scored[1:]:
        if best.candidate.accuracy - other.candidate.accuracy < error:
            level.append(other)
    smooth = [each for each in level if each.candidate.origin == "smooth"]
    if smooth:
        return smooth[0]
    if best.candidate.origin == "margin" and best.candidate.n_rules is None:
        # No rules at all say nothing: they are taken if nothing else is as good.
        some = [each for each in level if each.candidate.n_found >= 1] or [best]
        few = min(some, key=lambda each: each.candidate.n_found)
        is_worth = few.candidate.n_found <= some[0].candidate.n_found / 2
        return few if is_worth else some[0]
    return best


def _n_telling(learner: RuleLearner) -> float:
    """Count preferences, fewer if one label is rare: the others tell little then."""
    preferences, n_rows = learner.columns.preferences, learner.columns.n_rows
    if not isinstance(preferences, LabelPreferences):
        return n_rows
    shares = np.bincount(preferences.preferred, minlength=preferences.n_labels) / n_rows
    return float(n_rows * (1 - shares @ shares) / (1 - 1 / shares.size))


def _standard_error(values: FloatArray) -> float:
    """Give that of the mean; 0 for a single value."""
    return float(values.std(ddof=1) / values.size**0.5) if values.size > 1 else 0.0


def _rank(candidate: RuleCandidate) -> tuple[float, bool, float, int, bool]:
    return (
        -round(candidate.accuracy, 12),
        candidate.loss != "margin",
        candidate.nu or 0.0,
        candidate.n_rules or 0,
        not candidate.balanced,
    )
