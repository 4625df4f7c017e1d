"""What is believed of a person before the first question."""

from dataclasses import dataclass
from typing import Any

import numpy as np

from penchant._cached import cached_property
from penchant.data import Items
from penchant.elicitation import Dominance, PersonBelief, PersonSpace
from penchant.gp import PopulationGP
from penchant.studies.table._earlier_model import in_terms_of
from penchant.typing import IntArray


def complete(items: Items) -> Items:
    """Give the items as models take them: gaps are filled from the middle."""
    return items.impute("middle") if items.missing() else items


@dataclass(frozen=True, eq=False)
class Start:
    """What is believed of a person before the first question.

    Parameters
    ----------
    space : PersonSpace
        The features of the items, and what earlier people were like.
    known : Dominance or None
        What need not be asked.
    like_earlier : float or None
        How likely the person is like those; None: not learned yet.
    """

    space: PersonSpace
    known: Dominance | None
    like_earlier: float | None = None

    @classmethod
    def from_items(
        cls,
        items: Items,
        population: PopulationGP | None = None,
        fitted_on: Items | None = None,
    ) -> "Start":
        """Start from a population; None: nobody has answered yet.

        Parameters
        ----------
        items : Items
            The alternatives.
        population : PopulationGP, optional
            What was learned of earlier people.
        fitted_on : Items, optional
            An earlier version of the items, if it was fitted on that. Of those that
            are new or have other values it tells what follows from their attributes.
        """
        about: dict[str, Any] = {}
        if fitted_on is not None and fitted_on is not items:
            rows, places = in_terms_of(fitted_on, items)
            if len(rows) > len(fitted_on) or (places < 0).any():
                about = {"X_items": complete(rows), "places": places}
        earlier = None if population is None else population.for_user(**about)
        known = Dominance.from_table(len(items), items, None, None)
        like = getattr(population, "like_earlier_", None)
        return cls(PersonSpace.from_items(items, earlier), known, like)

    def belief(self, seed: int = 0) -> PersonBelief:
        """Begin with somebody new; the seed decides which explanations are tried."""
        return PersonBelief.begin(self.space, seed, like_earlier=self.like_earlier)

    @cached_property
    def posterior(self) -> PersonBelief:
        """The belief about somebody new."""
        return self.belief()

    @cached_property
    def order(self) -> IntArray:
        """Items by popularity, shape (n_items,)."""
        return np.argsort(-self.posterior.mean, kind="stable")
