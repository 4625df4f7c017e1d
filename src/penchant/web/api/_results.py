"""Results as the API gives them, in points from 0 to 100."""

from typing import Annotated, Any, Literal

from pydantic import BeforeValidator, Field

from penchant.elicitation import MainReason
from penchant.studies import Parts
from penchant.web.api._models import Known, Model, ValueModel

_Position = Annotated[int, BeforeValidator(lambda item: getattr(item, "item", item))]
"""Where an alternative stands in the table, of an alternative or a number."""


class RankedOut(Model):
    """An alternative in a ranking, with its 90 % range."""

    item: int
    name: str
    place: int
    points: float
    low: float
    high: float
    probability_best: float = Field(description="Chance of being the best, or as good.")


class PartOut(Model):
    """What one attribute adds, with its 90 % range."""

    attribute: str
    points: float
    low: float
    high: float


class WhyOut(Model):
    """From an average alternative to this one: base, parts and rest add up."""

    item: int
    base: float
    points: float
    parts: list[PartOut]
    rest: float = Field(description="What it has beyond its attributes.")
    main_reason: list[str] = Field(
        description="One or two attributes of which one speaks most for it; none: "
        "several things together."
    )
    main_reason_probability: float

    @classmethod
    def from_parts(cls, found: Parts, reason: MainReason, item: int) -> "WhyOut":
        """Show what each attribute adds."""
        return cls.from_source(
            found,
            item=item,
            points=found.total,
            parts=_parts(found),
            main_reason=reason.attributes,
            main_reason_probability=reason.probability,
        )


class ComparisonOut(Model):
    """Why alternative a rather than b: parts above 0 speak for a."""

    a: int
    b: int
    ahead: float
    chance: float = Field(description="Probability that you would prefer a.")
    parts: list[PartOut]
    rest: float = Field(description="What a has beyond its attributes, less that of b.")
    decisive: list[str] = Field(
        description="The fewest attributes that outweigh all that speaks against a."
    )

    @classmethod
    def from_parts(cls, found: Parts, a: int, b: int) -> "ComparisonOut":
        """Show a comparison."""
        ahead = found.total - found.base
        return cls.from_source(found, a=a, b=b, ahead=ahead, parts=_parts(found))


def _parts(found: Parts) -> list[PartOut]:
    ends = zip(found.names, found.points, found.low, found.high, strict=True)
    return [
        PartOut(attribute=name, points=points, low=low, high=high)
        for name, points, low, high in ends
    ]


class WhatIfIn(Model):
    """An alternative with other values; what is not said stays as it is."""

    base: int = Field(ge=0, le=2**31, strict=True)
    values: dict[str, ValueModel] = Field(default={})

    def changes(self) -> dict[str, Any]:
        """Give the values that are different."""
        return {name: value for name, value in self.values.items() if value is not None}


class WhatIfOut(Model):
    """Where an imagined alternative would stand."""

    points: float
    low: float
    high: float
    place: int
    chance: float
    change: float


class CalibrationOut(Model):
    """How often answers to random questions were predicted correctly."""

    n: int
    right: int
    said: float = Field(description="Mean of the predicted probabilities.")
    fails: bool = Field(description="Whether so few hits are no chance.")


class GroupItemOut(Model):
    """An alternative as the group sees it; those of a tier share a place."""

    item: int
    name: str
    place: int
    tier: int = Field(description="Clearly behind the leader of the tier before.")
    mean: float
    low: float = Field(description="The mean lies from low to high with 90 %.")
    high: float
    standard_deviation: float = Field(validation_alias="deviation")
    borda: float
    least_misery: float = Field(validation_alias="misery")
    n_failed: int = Field(description="People whose must-haves it fails.")


class SegmentOut(Model):
    """People who want something similar; everybody, if there are no clear kinds."""

    members: list[str]
    weights: dict[str, float]
    distinct: list[str]
    best: _Position


class CarelessOut(Model):
    """Somebody whose answers look like clicking without reading, or who is left out."""

    participant: str = Field(validation_alias="member")
    kind: Literal["left", "right", "alternating", "random", ""]
    left_out: bool


class TurnOut(Model):
    """So many people, or times, and the alternative that is first then."""

    n: float
    first: int


class MorePeopleOut(Model):
    """So many more people like those who like an alternative best."""

    n: int
    like: int
    n_like: int
    first: int


class ValueChangeOut(Model):
    """What a value of an alternative must become; empty: no value of the table."""

    attribute: str
    now: float | str
    needed: list[float | str]
    sure: bool = Field(description="False: the 90 % range of the change holds 0.")


class AnotherWinnerOut(Model):
    """How much would have to change for another winner, as points stand now."""

    winner: int
    rival: int
    lead: float
    left_out: TurnOut | None = Field(description="The fewest people to leave out.")
    more: MorePeopleOut | None
    person: TurnOut | None = Field(
        description="How many times one person alone must count."
    )
    kinds: list[TurnOut | None] = Field(
        description="How many times the people of each segment must count."
    )
    winner_values: list[ValueChangeOut]
    rival_values: list[ValueChangeOut]


class GroupOut(Model):
    """What a group prefers; lists are empty while nobody has answered."""

    n_people: int = Field(validation_alias="n_voices")
    n_simulated: int
    chance: float = Field(
        description="That the first alternative is the best for the group, or as good."
    )
    kinds: Literal["none", "lean", "two", "three"] = Field(
        description="No clear kinds of people, two sides to which people lean, at "
        "least two kinds, or three kinds, perhaps more."
    )
    differ: _Position | None = Field(
        description="The one alternative on which opinions clearly differ."
    )
    items: list[GroupItemOut]
    segments: list[SegmentOut]
    careless: list[CarelessOut]
    agreement: Known = Field(
        description="How often two people put two alternatives in the same order."
    )
    another_winner: AnotherWinnerOut | None
