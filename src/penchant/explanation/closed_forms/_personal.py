"""One person's utility after some answers: contributions with error bars (EX-10)."""

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import product
from typing import Any

import numpy as np

from penchant.explanation._shapley import shapley_of_table
from penchant.explanation.closed_forms._closed_form import (
    DOMAIN,
    ClosedForm,
    Shares,
    closed_form,
)
from penchant.gp import FactorTerm, PersonalUtility
from penchant.typing import FloatArray


@dataclass(frozen=True, eq=False)
class PersonalForm(ClosedForm):
    """A `PersonalUtility`.

    Contributions are sums of values of factors, hence jointly Gaussian. What an item
    is worth beyond its attributes belongs to no attribute: it is the gap.

    Parameters
    ----------
    utility : PersonalUtility
    """

    utility: PersonalUtility
    game = DOMAIN

    def encode(self, rows: Any) -> FloatArray:
        return self.utility.encode(rows)

    def predict(self, rows: Any) -> FloatArray:
        utilities: FloatArray = self.utility.utility(rows)
        return utilities

    def contrast(self, item: FloatArray, rival: FloatArray) -> Shares:
        values, cov = self._combine(self._corners(item, rival))
        return Shares(values[None], None, cov[None])

    def explain(self, items: FloatArray, reference: FloatArray | None) -> Shares:
        found = [self._combine(self._parts(item)) for item in items]
        values, covs = (np.array(each) for each in zip(*found, strict=True))
        return Shares(values, np.zeros(len(items)), covs)

    def _combine(self, terms: Iterator[FactorTerm]) -> tuple[FloatArray, FloatArray]:
        nothing = np.zeros((len(self.utility.names), len(self.utility.items)))
        return self.utility.combine(terms, nothing)

    def _parts(self, item: FloatArray) -> Iterator[FactorTerm]:
        """Share each factor's part out among its attributes."""
        for factor in self.utility.factors:
            coef = np.zeros((item.size, 1))
            coef[list(factor)] = 1.0 / len(factor)
            yield FactorTerm(factor, item[None], coef)

    def _corners(self, item: FloatArray, rival: FloatArray) -> Iterator[FactorTerm]:
        """Play the game of each factor between the two items."""
        for factor in self.utility.factors:
            members = list(factor)
            size = 2 ** len(members)
            points = np.tile(rival, (size, 1))
            ends = zip(rival[members], item[members], strict=True)
            points[:, members] = list(product(*ends))
            coef = np.zeros((item.size, size))
            for k in range(size):  # Shapley values are linear in the game
                game = np.zeros(size)
                game[k] = 1.0
                table = game.reshape([2] * len(members))
                coef[members, k] = shapley_of_table(table)
            yield FactorTerm(factor, points, coef)


@closed_form.register(PersonalUtility)
def _of_person(utility: PersonalUtility) -> ClosedForm:
    return PersonalForm(utility)
