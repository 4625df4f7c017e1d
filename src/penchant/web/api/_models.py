"""What the API takes and gives; the same rules as in the forms, as a schema."""

from collections.abc import Sequence
from datetime import datetime
from itertools import islice
from math import isfinite
from typing import Annotated, Any, Literal, Self

import pandas as pd
from fastapi import Request
from pydantic import (
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
    StrictFloat,
    StrictInt,
    ValidationError,
)
from pydantic_core import from_json

from penchant.data import Attribute, Items, Limits
from penchant.exceptions import DataError
from penchant.studies import (
    ABOUT_KINDS,
    LARGEST_WEIGHT,
    LONGEST_NOUN,
    QUESTION_FORMS,
    FormName,
    OpenQuestion,
    ParticipantRecord,
    Participation,
    PersonQuestion,
    Progress,
    Replay,
    Study,
    StudyRecord,
    StudySettings,
    StudySummary,
    WhatFits,
)
from penchant.views import Shelf
from penchant.views.forms import LONGEST_NAME, TableLimits
from penchant.web.pages._join import LONGEST_LABEL

_PARTS_PER_ROW = 10
"""Lists and objects that a body may have for each row of a table; an item has two."""

_STATES = ("new", "asking", "finished")

ExtraRole = Literal["shown", "picture", "link", "text", "identifier"]
Role = Literal["attribute", "leave out"] | ExtraRole
ValueModel = float | str | None
Known = Annotated[
    float | None,
    BeforeValidator(lambda x: x if x is not None and isfinite(x) else None),
]
"""A number; NaN and infinity are not known."""


_Word = Annotated[str, Field(min_length=1, max_length=LONGEST_NOUN, pattern=r"\S")]
Nouns = Annotated[list[_Word], Field(min_length=2, max_length=2)]


Said = StrictInt | StrictFloat | str | list[str]
"""What somebody says to a question about people."""


class Model(BaseModel):
    """What is taken and given: nothing unknown, no infinity, also from objects."""

    model_config = ConfigDict(
        extra="forbid",
        allow_inf_nan=False,
        from_attributes=True,
        populate_by_name=True,
    )

    @classmethod
    def from_source(cls, source: Any, **told: Any) -> Self:
        """Take what is told, and the other fields from a source."""
        names = [name for name in cls.model_fields if name not in told]
        return cls.model_validate({n: getattr(source, n) for n in names} | told)


class Problem(Model):
    """Why something was refused."""

    detail: str


class LimitModel(Model):
    """What the value of one attribute must be."""

    at_least: float | None = None
    at_most: float | None = None
    one_of: list[str] = Field(
        default=[], max_length=1000, description="The levels that will do; none: all."
    )
    known: bool = Field(
        default=False, strict=True, description="Whether a missing value fails."
    )


LimitsByName = dict[str, LimitModel]


def read_limits(by_name: LimitsByName) -> Limits:
    """Make limits, or raise a DataError."""
    return Limits.from_dict(
        {name: limit.model_dump() for name, limit in by_name.items()}
    )


class PersonQuestionModel(Model):
    """A question about people, before or after the choices."""

    name: str = Field(min_length=1, max_length=60, pattern=r"^[^\s=]([^=]*[^\s=])?$")
    kind: Literal["text", "number", "choice", "choices"] = "text"
    when: Literal["before", "after"] = "before"
    required: bool = Field(default=False, strict=True)
    options: list[str] = Field(
        default=[],
        max_length=30,
        description="Of a choice, or of several choices; answers are kept in these "
        "words.",
    )
    wording: dict[Literal["en", "fr", "de"], str] = Field(
        default={}, description="The question by language; else its name is shown."
    )
    option_words: dict[Literal["en", "fr", "de"], list[str]] = Field(
        default={}, description="The options by language, in the same order."
    )


class OwnTextsModel(Model):
    """What participants read in one language, in Markdown."""

    intro: str = Field(default="", max_length=20_000)
    consent: str = Field(default="", max_length=20_000)
    thanks: str = Field(default="", max_length=20_000)


class SettingsModel(Model):
    """How participants are asked."""

    question: FormName = "pair"
    max_questions: int = Field(default=25, ge=1, le=1000, strict=True)
    max_regret: float = Field(default=0.1, ge=0)
    consent: str = Field(default="", max_length=20_000)
    languages: list[Literal["en", "fr", "de"]] = Field(
        default=["en", "fr", "de"],
        min_length=1,
        max_length=3,
        json_schema_extra={"uniqueItems": True},
    )
    intro: str = Field(default="", max_length=20_000)
    open: bool = Field(default=True, strict=True)
    help_each_other: bool = Field(default=True, strict=True)
    reasons: bool = Field(
        default=True,
        strict=True,
        description="Whether people may say what a choice was mainly for.",
    )
    check_every: int = Field(
        default=8,
        ge=0,
        le=1000,
        strict=True,
        description="One in so many questions is predicted; 0: none. Not 1.",
    )
    end_checks: bool = Field(default=False, strict=True)
    own_limits: bool = Field(
        default=True,
        strict=True,
        description="Whether people may set must-haves of their own.",
    )
    closes: str = Field(
        default="",
        max_length=40,
        description="Nobody new joins from then on: a day or a moment, in UTC unless "
        "it names another zone; empty: no date.",
    )
    quota: int = Field(
        default=0,
        ge=0,
        le=1_000_000,
        strict=True,
        description="Nobody new joins when so many people have finished; 0: no limit.",
    )
    owner_sees: bool = Field(
        default=False,
        strict=True,
        description="Whether the owner may see results of people who agree to that.",
    )
    nouns: dict[Literal["en", "fr", "de"], Nouns] = Field(
        default={},
        description="What one alternative and several are called, by language.",
    )
    limits: LimitsByName = Field(
        default={},
        description="What an alternative must have to be asked about or recommended.",
    )
    about: list[PersonQuestionModel] = Field(
        default=[],
        max_length=20,
        description="What participants are asked about themselves.",
    )
    thanks: str = Field(default="", max_length=20_000)
    texts: dict[Literal["en", "fr", "de"], OwnTextsModel] = Field(
        default={}, description="intro, consent and thanks by language."
    )

    def settings(self) -> StudySettings:
        """Make the settings, or raise a DataError."""
        plain = self.model_dump(exclude={"limits"})
        return StudySettings.from_dict(plain | {"limits": read_limits(self.limits)})


class LimitsIn(Model):
    """What an alternative must have for a participant."""

    limits: LimitsByName = Field(description="By attribute; empty: nothing.")


class RelaxationOut(Model):
    """The smallest change of one bound that lets more alternatives fit."""

    attribute: str
    bound: Literal["at_least", "at_most", "one_of", "known"]
    value: float | str | None
    n_more: int


class LimitsOut(LimitsIn):
    """What an alternative must have, and how many do."""

    n_fit: int
    n_items: int
    relaxations: list[RelaxationOut]

    @classmethod
    def from_fits(cls, found: WhatFits) -> "LimitsOut":
        """Show limits and what fits them."""
        return cls.from_source(found, limits=found.limits.to_dict())


class AttributeModel(Model):
    """A column of the table of alternatives."""

    name: str = Field(min_length=1)
    kind: Literal["numeric", "ordinal", "categorical"] = "numeric"
    direction: Literal["up", "down", "unknown"] = "unknown"
    domain: list[float] | list[str] | None = None
    unit: str = ""


class ItemModel(Model):
    """One alternative: a value, or null, per attribute."""

    name: str = Field(min_length=1)
    values: dict[str, ValueModel]


class ExtraOut(Model):
    """What is shown of an alternative beside its attributes."""

    name: str
    role: ExtraRole
    value: str
    picture: str = Field(
        default="", description="Digest of the picture, see /me/pictures; empty: none."
    )


class ItemOut(ItemModel):
    """One alternative, with what is shown beside its attributes."""

    extras: list[ExtraOut]


class ItemsOut(Model):
    """The table of alternatives; positions in `items` name them elsewhere."""

    attributes: list[AttributeModel]
    items: list[ItemOut]
    withdrawn: list[int] = Field(
        default=[], description="Positions that are neither asked nor recommended."
    )

    @classmethod
    def from_items(
        cls, items: Items, shelf: Shelf, withdrawn: Sequence[int] = ()
    ) -> "ItemsOut":
        """Show items."""
        return cls(
            attributes=[
                AttributeModel.model_validate(each) for each in items.attributes
            ],
            items=[item_out(items, row, shelf) for row in range(len(items))],
            withdrawn=list(withdrawn),
        )


def item_out(items: Items, row: int, shelf: Shelf) -> ItemOut:
    """Show one alternative."""
    values = items.values(row).items()
    return ItemOut(
        name=items.names[row],
        values={name: None if pd.isna(value) else value for name, value in values},
        extras=[
            ExtraOut(
                name=extra.name,
                role=extra.role,
                value=extra.values[row],
                picture=shelf.digest(extra.values[row])
                if extra.role == "picture"
                else "",
            )
            for extra in items.extras
        ],
    )


class StudyIn(Model):
    """A new study."""

    name: str = Field(min_length=1, max_length=LONGEST_NAME)
    items: list[ItemModel] = Field(min_length=1)
    attributes: list[AttributeModel] = Field(
        default=[],
        description="What columns mean; what is not said is guessed from the values.",
    )
    roles: dict[str, Role] = Field(
        default={}, description="What columns are for, where that is not guessed."
    )
    readings: dict[str, str] = Field(
        default={},
        description="How columns are read that can be read in several ways.",
    )
    settings: SettingsModel = SettingsModel()

    @classmethod
    def read(cls, body: bytes, limits: TableLimits) -> "StudyIn":
        """Read JSON; what is too large is refused before it is looked at closely.

        Everybody waits while the parser or a check runs, so both get little at a time.
        """
        n_parts = body.count(b"{") + body.count(b"[")
        if n_parts > _PARTS_PER_ROW * limits.rows:
            raise DataError(
                f"The body has {n_parts:,} lists and objects; "
                f"{_PARTS_PER_ROW * limits.rows:,} are taken. Send fewer items."
            )
        try:
            values = from_json(body)
        except ValueError as error:
            raise DataError(f"The body is not valid JSON: {error}.") from None
        if isinstance(values, dict):
            # If there are more names than there should be, one of these is wrong.
            values = dict(islice(values.items(), len(cls.model_fields) + 1))
            rows = values.get("items")
            rows = rows if isinstance(rows, list) else []
            columns = max((_n_values(row) for row in rows), default=0)
            for name in ("attributes", "roles", "readings"):
                if isinstance(told := values.get(name), list | dict):
                    columns = max(columns, len(told))
            limits.check(len(rows), columns)
            if rows:
                values["items"] = _checked(rows)
        return cls.model_validate(values)

    def table(self, limits: TableLimits) -> Items:
        """Make the items, or raise a DataError."""
        attributes = [Attribute.from_dict(a.model_dump()) for a in self.attributes]
        names = dict.fromkeys(attribute.name for attribute in attributes)
        for item in self.items:
            names |= dict.fromkeys(item.values)
            limits.check(len(self.items), len(names))
        columns = {
            name: [item.values.get(name) for item in self.items] for name in names
        }
        return Items.from_frame(
            pd.DataFrame(columns, index=range(len(self.items))),
            attributes,
            names=[item.name for item in self.items],
            roles=self.roles,
            readings=self.readings,
        )


def _checked(rows: list[Any]) -> list[Any]:
    """Check items one by one, up to the first that is not as it should be."""
    checked: list[Any] = []
    for row in rows:
        try:
            checked.append(ItemModel.model_validate(row))
        except ValidationError:
            return [*checked, row]
    return checked


def _n_values(row: Any) -> int:
    values = row.get("values") if isinstance(row, dict) else None
    return len(values) if isinstance(values, dict) else 0


class TemplateIn(Model):
    """How a study that begins with a template is called, and in which language."""

    name: str = Field(default="", max_length=LONGEST_NAME)
    language: Literal["en", "fr", "de"] = "en"


class StudyChange(Model):
    """What is to be different; what is not said stays."""

    name: str | None = Field(default=None, min_length=1, max_length=LONGEST_NAME)
    settings: SettingsModel | None = None


class StudyOut(Model):
    """A study without its table."""

    id: str
    name: str
    demo: bool
    created: datetime
    n_items: int
    n_attributes: int
    settings: dict[str, Any]

    @classmethod
    def from_study(cls, study: StudyRecord | StudySummary) -> "StudyOut":
        """Show a study."""
        if isinstance(study, StudySummary):
            sizes = study.n_items, study.n_attributes
        else:
            sizes = study.n_standing, len(study.items.attributes)
        n_items, n_attributes = sizes
        settings = study.settings.to_dict()
        return cls.from_source(
            study, n_items=n_items, n_attributes=n_attributes, settings=settings
        )


class StudyMade(StudyOut):
    """A new study, and how its table was understood."""

    report: dict[str, Any]


def _plain_about(now: Participation | None) -> dict[str, Said]:
    said = () if now is None else now.about
    return {k: list(v) if isinstance(v, tuple) else v for k, v in said}


class ParticipantOut(Model):
    """A participant as the owner sees them: who and how far, never what they chose."""

    id: str
    label: str
    simulated: bool
    created: datetime
    state: str = Field(json_schema_extra={"enum": list(_STATES)})
    n_answers: int
    weight: float = Field(description="How often the person counts; 0: not at all.")
    seconds: float | None = Field(
        description="From the first question to the last answer that stands."
    )
    about: dict[str, Said] = Field(
        description="What the person said to the questions about people."
    )

    @classmethod
    def from_record(
        cls, person: ParticipantRecord, replayed: Replay | None
    ) -> "ParticipantOut":
        """Show a participant."""
        now = replayed.participation if replayed else None
        return cls.from_source(
            person,
            state=now.state if now else "new",
            n_answers=len(now.answered) if now else 0,
            weight=now.weight if now else 1.0,
            seconds=replayed.seconds if replayed else None,
            about=_plain_about(now),
        )


class JoinIn(Model):
    """Who joins."""

    label: str = Field(default="", max_length=LONGEST_LABEL)
    language: Literal["en", "fr", "de"] = "en"


class CountIn(Model):
    """How often a participant counts in the results of the group."""

    weight: float = Field(default=1.0, ge=0, le=LARGEST_WEIGHT)
    counts: bool = Field(
        default=True, strict=True, description="False is the same as a weight of 0."
    )

    def votes(self) -> float:
        """Give the weight."""
        return self.weight if self.counts else 0.0


class JoinedOut(Model):
    """A new link; the token is not kept and cannot be shown again."""

    participant: str
    token: str
    path: str

    @classmethod
    def for_link(cls, request: Request, participant: str, token: str) -> "JoinedOut":
        """Say where a participant goes on."""
        path = f"{request.app.state.address.path}/p/{token}"
        return cls(participant=participant, token=token, path=path)


class SharedOut(Model):
    """A link to the result of a group; the token cannot be shown again."""

    token: str
    path: str

    @classmethod
    def for_link(cls, request: Request, token: str) -> "SharedOut":
        """Say where the result is."""
        return cls(token=token, path=f"{request.app.state.address.path}/g/{token}")


class TakingOut(Model):
    """Whether a study takes new people."""

    state: Literal["open", "closed", "over", "full"] = Field(
        description="It does; the owner closed it; its date has passed; it is full."
    )
    closes: datetime | None
    quota: int
    n_finished: int = Field(description="Counted where there is a quota.")


class QuestionOut(Model):
    """A question that waits for its answer."""

    id: str
    form: str = Field(json_schema_extra={"enum": list(QUESTION_FORMS)})
    number: int
    repeat: bool
    positions: list[int]
    items: list[ItemOut]

    @classmethod
    def from_question(
        cls, question: OpenQuestion, items: Items, shelf: Shelf
    ) -> "QuestionOut":
        """Show a question."""
        shown = [item_out(items, row, shelf) for row in question.items]
        return cls.from_source(question, positions=question.items, items=shown)


class BestWorst(Model):
    """The best and the worst of the items shown, by position."""

    best: int = Field(strict=True)
    worst: int = Field(strict=True)


class AnswerIn(Model):
    """An answer to a question.

    A pair takes "left", "right", "tie" or "neither", a rating 1 to 5, best and worst
    two positions, a ranking all positions, best first; "skip" fits every question.
    """

    question: str = Field(max_length=100)
    answer: (
        Literal["left", "right", "tie", "skip", "neither"]
        | Annotated[int, Field(strict=True)]
        | BestWorst
        | Annotated[list[Annotated[int, Field(strict=True)]], Field(max_length=20)]
    )

    because: str | None = Field(
        default=None,
        max_length=1000,
        description="The attribute that the choice of a pair was mainly for.",
    )

    def plain(self) -> Any:
        """Give the answer as plain values."""
        given = self.answer
        return given.model_dump() if isinstance(given, BestWorst) else given


class BecauseIn(Model):
    """What a choice was mainly for; null takes it back."""

    question: str = Field(max_length=100)
    attribute: str | None = Field(max_length=1000)


class AboutQuestionOut(Model):
    """A question about yourself, in your language."""

    name: str
    kind: str = Field(json_schema_extra={"enum": list(ABOUT_KINDS)})
    required: bool
    question: str
    options: list[str] = Field(description="What to send.")
    option_words: list[str] = Field(description="The same, to be read.")

    @classmethod
    def from_question(cls, each: PersonQuestion, language: str) -> "AboutQuestionOut":
        """Show a question."""
        question, words = each.ask(language), each.words(language)
        return cls.from_source(each, question=question, option_words=words)


class AboutIn(Model):
    """What you say about yourself, by names of the questions; null: left blank."""

    when: Literal["before", "after"] = "before"
    answers: dict[str, Said | None]


class ParticipationOut(Model):
    """Where a participant stands."""

    study: str
    state: str = Field(json_schema_extra={"enum": list(_STATES)})
    finished: str
    language: str
    needs_consent: bool
    n_answers: int
    certainty: float = Field(
        description="Chance that the recommended alternative is your best, or as good."
    )
    can_undo: bool
    about: dict[str, Said] = Field(description="What you said about yourself.")
    about_due: list[AboutQuestionOut] = Field(
        description="Questions about yourself that come next, see /me/about."
    )
    reasons: list[str] = Field(
        description="What the last choice can have been for, see /me/because."
    )

    @classmethod
    def from_participation(
        cls, study: Study, now: Participation, needs_consent: bool, progress: Progress
    ) -> "ParticipationOut":
        """Show where somebody stands."""
        reasons = study.reasons_for(now.answered[-1]) if now.answered else ()
        return cls.from_source(
            now,
            study=study.id,
            needs_consent=needs_consent,
            n_answers=len(now.answered),
            certainty=progress.certainty,
            can_undo=progress.can_undo,
            about=_plain_about(now),
            about_due=[
                AboutQuestionOut.from_question(each, now.language)
                for each in study.about_due(now)
            ],
            reasons=reasons,
        )
