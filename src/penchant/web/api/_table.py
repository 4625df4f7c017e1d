"""The table of a study in the API: its versions, and changing it."""

from datetime import datetime
from typing import Annotated, Literal

from fastapi import APIRouter, Query
from pydantic import Field
from starlette.requests import Request

from penchant.data import read_table
from penchant.exceptions import ConflictError
from penchant.studies import (
    StudyTable,
    TableVersion,
    difference,
    duplicate_study,
    plan_change,
    plan_replacement,
    read_like,
)
from penchant.views.forms import LONGEST_NAME, TableLimits
from penchant.web._workers import in_pool
from penchant.web.api._access import (
    FILE_BODY,
    ApiParticipant,
    ApiStudy,
    OwnersFirst,
    RawBody,
)
from penchant.web.api._models import ExtraRole, Model, StudyOut, ValueModel
from penchant.web.security._access import StoreOfApp

table_api = APIRouter(tags=["owner"], route_class=OwnersFirst)
news_api = APIRouter(tags=["participant"])

_Names = Annotated[list[str], Field(max_length=10_000)]
_Values = dict[str, dict[str, ValueModel]]


class ColumnIn(Model):
    """What a column means; what is not said stays."""

    direction: Literal["up", "down", "unknown"] | None = None
    unit: str | None = Field(default=None, max_length=40)
    levels: list[str] | None = Field(default=None, min_length=1)
    kind: Literal["numeric", "ordinal", "categorical"] | None = None
    role: Literal["compared", "left out"] | ExtraRole | None = None


class TableChangeIn(Model):
    """What is to be different, all in one version; alternatives go by their names."""

    version: int | None = Field(
        default=None,
        ge=1,
        description="The version that you have seen; if there is a newer one, 409.",
    )
    correct: _Values = Field(default={})
    rename: dict[str, str] = Field(default={})
    add: _Values = Field(default={})
    columns: dict[str, ColumnIn] = Field(default={})
    withdraw: _Names = Field(default=[])
    restore: _Names = Field(default=[])
    note: str = Field(default="", max_length=1000)


class ChangeOut(Model):
    """One thing that is different."""

    kind: str
    item: str
    column: str
    before: str
    after: str


class VersionOut(Model):
    """A version of the table, and what it changed."""

    number: int
    at: datetime
    note: str
    n_items: int
    withdrawn: list[str]
    changes: list[ChangeOut]

    @classmethod
    def from_version(
        cls, version: TableVersion, before: TableVersion | None
    ) -> "VersionOut":
        """Show a version after another; None: it is the first."""
        found = () if before is None else difference(before, version)
        names = version.items.names
        return cls.from_source(
            version,
            n_items=len(names) - len(version.withdrawn),
            withdrawn=[names[place] for place in version.withdrawn],
            changes=found,
        )


class CopyIn(Model):
    """How a study is to be copied."""

    name: str | None = Field(default=None, min_length=1, max_length=LONGEST_NAME)
    participants: bool = Field(default=False, strict=True)


@table_api.get("/studies/{study_id}/versions")
@in_pool("reports")
def list_versions(store: StoreOfApp, study: ApiStudy) -> list[VersionOut]:
    """List all versions of the table, the first one first."""
    found = StudyTable(store, study.id).versions()
    return [
        VersionOut.from_version(version, found[number - 1] if number else None)
        for number, version in enumerate(found)
    ]


@table_api.post("/studies/{study_id}/versions", status_code=201)
@in_pool("reports")
def change_table(store: StoreOfApp, study: ApiStudy, body: TableChangeIn) -> VersionOut:
    """Change values, alternatives or columns while people answer."""
    table = StudyTable(store, study.id)
    if body.version not in (None, study.version):
        raise ConflictError("The table was changed since that version. Read it again.")
    columns = {
        name: column.model_dump(exclude_none=True)
        for name, column in body.columns.items()
    }
    told = body.model_dump(exclude={"version", "note", "columns"})
    before = table.current
    plan = plan_change(before, **told, columns=columns)
    return VersionOut.from_version(table.keep(plan, body.note), before)


@table_api.put("/studies/{study_id}/table", openapi_extra=FILE_BODY)
@in_pool("reports")
def replace_table(
    request: Request,
    store: StoreOfApp,
    study: ApiStudy,
    sent: RawBody,
    *,
    filename: Annotated[str, Query(max_length=200)],
    missing: Literal["refuse", "withdraw", "keep"] = "refuse",
    look: Annotated[bool, Query(description="Say what would change.")] = False,
    note: Annotated[str, Query(max_length=1000)] = "",
) -> VersionOut:
    """Take a file with a corrected table; alternatives are known by their names."""
    limits: TableLimits = request.app.state.limits
    table = StudyTable(store, study.id)
    before = table.current
    items = read_like(before, read_table(sent, filename, **limits.options()))
    plan = plan_replacement(before, items, missing=missing)
    return VersionOut.from_version(plan if look else table.keep(plan, note), before)


@table_api.post("/studies/{study_id}/copy", status_code=201)
@in_pool("reports")
def copy_study(store: StoreOfApp, study: ApiStudy, body: CopyIn) -> StudyOut:
    """Make a copy of a study, with or without its participants."""
    made = duplicate_study(
        store, study.id, name=body.name, participants=body.participants
    )
    return StudyOut.from_study(store.get_study(made))


@news_api.get("/me/news")
def my_news(me: ApiParticipant) -> list[ChangeOut]:
    """Say what changed in the table since you were done."""
    return [ChangeOut.model_validate(change) for change in me.study.news(me.id)]
