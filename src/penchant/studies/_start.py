"""What is believed of a person before the first question."""

from collections.abc import Hashable, Mapping
from dataclasses import dataclass, field, replace
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
    key : hashable
        Names this beginning among those that a process keeps.
    terms : dict
        What the population is told of items that it was not fitted on.
    """

    space: PersonSpace
    known: Dominance | None
    like_earlier: float | None = None
    key: Hashable = None
    terms: Mapping[str, Any] = field(default_factory=dict)

    @classmethod
    def from_items(
        cls,
        items: Items,
        population: PopulationGP | None = None,
        fitted_on: Items | None = None,
        key: Hashable = None,
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
        key : hashable, optional
            What all of this is called.
        """
        terms: dict[str, Any] = {}
        if fitted_on is not None and fitted_on is not items:
            rows, places = in_terms_of(fitted_on, items)
            if len(rows) > len(fitted_on) or (places < 0).any():
                terms = {"X_items": complete(rows), "places": places}
        earlier = None if population is None else population.for_user(**terms)
        known = Dominance.from_table(len(items), items, None, None)
        like = getattr(population, "like_earlier_", None)
        return cls(PersonSpace.from_items(items, earlier), known, like, key, terms)

    def for_person(
        self, population: PopulationGP, about: Mapping[str, Any], key: Hashable = None
    ) -> "Start":
        """Start from what is known of somebody.

        Parameters
        ----------
        population : PopulationGP
            What this start was made of.
        about : mapping
            What is known of the person, as the population was told of others.
        key : hashable, optional
            What the new start is called.
        """
        earlier = population.for_user(about, **self.terms)
        space = PersonSpace.from_items(self.space.items, earlier)
        # Many people have a start of their own: they do without the covariance that
        # its directions come from, 32 MB of 2,000 items.
        return replace(self, space=replace(space, posterior=None), key=key)

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
