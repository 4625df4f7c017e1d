"""The pages of a study for its owner: alternatives, participants, settings, removal."""

import math
from dataclasses import replace
from typing import Annotated

import pandas as pd
from fastapi import APIRouter, Depends, Query, Request
from starlette.exceptions import HTTPException
from starlette.responses import RedirectResponse, Response

from penchant.data.reading import write_csv_table
from penchant.exceptions import DataError
from penchant.studies import (
    Study,
    StudyRecord,
    StudySettings,
    export_person,
    person_answers_csv,
)
from penchant.views import (
    Asked,
    best_view,
    checks_view,
    counts_view,
    people_view,
    qr_code,
    ranking_view,
    shelf_of,
    show_name,
    study_view,
    taking_view,
)
from penchant.views.forms import (
    check_owner_limits,
    check_settings,
    owner_limits_form,
    read_settings,
    settings_form,
)
from penchant.web._exports import csv_response, json_response
from penchant.web._public import link_to
from penchant.web._workers import in_pool
from penchant.web.pages._join import LONGEST_LABEL
from penchant.web.pages._news import news_of
from penchant.web.pages._report import photos_of
from penchant.web.pages._wanted import WantedPart
from penchant.web.security._access import (
    Fields,
    OwnParticipant,
    OwnStudy,
    Sender,
    StoreOfApp,
    Visitor,
    VisitorOfApp,
)

_MOST_NAMES = 500
"""Links that one form makes."""

owner_pages = APIRouter(prefix="/studies/{study_id}")


def _people_query(
    people: Annotated[int, Query(ge=1)] = 1,
    simulated: bool = False,
    who: Annotated[str, Query(max_length=200)] = "",
    by: str = "joined",
    turned: bool = False,
) -> Asked:
    return Asked(people, simulated, who, by, turned)


@owner_pages.get("")
@in_pool("results")
def study(
    request: Request,
    store: StoreOfApp,
    visitor: VisitorOfApp,
    study: OwnStudy,
    *,
    sort: Annotated[int | None, Query(ge=0)] = None,
    descending: bool = False,
    wanted: WantedPart,
    people: Annotated[Asked, Depends(_people_query)],
) -> Response:
    """Show the state of a study, its participants and its alternatives."""
    texts = visitor.texts(study)
    invitation = link_to(request, f"/s/{study.id}/join")
    shelf = shelf_of(store, study.id, study.items, f"/studies/{study.id}/pictures")
    asked, news = Study(store, study), news_of(store, study.id)
    return visitor.render(
        "study.html",
        study=study,
        news=news,
        taking=taking_view(asked.taking(), texts),
        checks=checks_view(asked.calibration(), texts),
        view=study_view(
            study, texts, sort=sort, descending=descending, wanted=wanted, shelf=shelf
        ),
        people=people_view(asked, texts, people),
        invitation=invitation,
        qr=qr_code(invitation),
    )


@owner_pages.post("/share")
def share(
    request: Request, store: StoreOfApp, sender: Sender, study: OwnStudy
) -> Response:
    """Make a link to the result of the group, and show it once."""
    link = link_to(request, f"/g/{store.share_study(study.id)}")
    return sender.render("share.html", study=study, link=link)


@owner_pages.post("/unshare")
def unshare(store: StoreOfApp, _sender: Sender, study: OwnStudy) -> Response:
    """Withdraw the link to the result of the group."""
    store.unshare_study(study.id)
    return _back(study)


@owner_pages.post("/state")
def set_state(
    store: StoreOfApp, _sender: Sender, study: OwnStudy, fields: Fields
) -> Response:
    """Let new participants join, or no longer."""
    values = study.settings.to_dict() | {"open": fields.get("open") == "yes"}
    store.update_study(study.id, settings=StudySettings.from_dict(values))
    return _back(study)


@owner_pages.get("/settings")
def settings(visitor: VisitorOfApp, study: OwnStudy) -> Response:
    """Show how participants are asked."""
    limits = owner_limits_form(study.items, study.settings.limits, visitor.texts(study))
    form = settings_form(study)
    return visitor.render("settings.html", study=study, form=form, limits=limits)


@owner_pages.post("/settings")
def save_settings(
    store: StoreOfApp, sender: Sender, study: OwnStudy, fields: Fields
) -> Response:
    """Change how participants are asked, or show what to correct."""
    texts, form = sender.texts(study), read_settings(fields)
    chosen = check_settings(form, texts, study.settings)
    limits, shown = check_owner_limits(study.items, fields, texts)
    if chosen is None or limits is None:
        form.error = form.error or shown.error
        return sender.render("settings.html", 422, study=study, form=form, limits=shown)
    settings = replace(chosen, limits=limits)
    store.update_study(study.id, name=form.name, settings=settings)
    return _back(study)


@owner_pages.get("/delete")
def ask_delete(visitor: VisitorOfApp, study: OwnStudy) -> Response:
    """Ask whether the study is to be forgotten."""
    texts = visitor.texts(study)
    return visitor.render(
        "confirm.html",
        study=study,
        title=texts("owner.confirm.delete_title"),
        sentence=texts("owner.confirm.delete_text"),
        action=f"/studies/{study.id}/delete",
        words=texts("owner.confirm.delete"),
    )


@owner_pages.post("/delete")
def delete(store: StoreOfApp, _sender: Sender, study: OwnStudy) -> Response:
    """Forget a study with everything in it."""
    store.delete_study(study.id)
    return RedirectResponse("/", 303)


@owner_pages.post("/participants")
def invite(
    request: Request, store: StoreOfApp, sender: Sender, study: OwnStudy, fields: Fields
) -> Response:
    """Add participants, one per line, and show the links that only they get."""
    labels = [check_label(line) for line in str(fields.get("label", "")).splitlines()]
    labels = [label for label in labels if label] or [""]
    if len(labels) > _MOST_NAMES:
        raise DataError(f"At most {_MOST_NAMES} names at once. Got {len(labels)}.")
    asked, language = Study(store, study), study.settings.languages[0]
    made = [(label, asked.join(label, language)[1]) for label in labels]
    if fields.get("format") != "csv":
        return _links(request, sender, study, made)
    links = [(name, link_to(request, f"/p/{token}")) for name, token in made]
    table = write_csv_table(pd.DataFrame(links, columns=["name", "link"]), None)
    return csv_response(str(table), f"{study.name}.csv")


@owner_pages.post("/participants/{participant_id}/link")
def renew(
    request: Request,
    store: StoreOfApp,
    sender: Sender,
    study: OwnStudy,
    person: OwnParticipant,
) -> Response:
    """Give a participant a new link; the old one stops working."""
    token = store.renew_link(person.id)
    return _links(request, sender, study, [(person.label, token)])


@owner_pages.get("/participants/{participant_id}/remove")
def ask_remove(
    visitor: VisitorOfApp, study: OwnStudy, person: OwnParticipant
) -> Response:
    """Ask whether a participant is to be forgotten."""
    texts = visitor.texts(study)
    name = show_name(person.label) or texts("owner.confirm.somebody")
    return visitor.render(
        "confirm.html",
        study=study,
        title=texts("owner.confirm.remove_title"),
        sentence=texts("owner.confirm.remove_text", name=name),
        action=f"/studies/{study.id}/participants/{person.id}/remove",
        words=texts("owner.confirm.remove"),
    )


@owner_pages.post("/participants/{participant_id}/remove")
def remove(
    store: StoreOfApp, _sender: Sender, study: OwnStudy, person: OwnParticipant
) -> Response:
    """Forget a participant with all answers."""
    store.remove_participant(person.id)
    return _back(study)


@owner_pages.post("/participants/{participant_id}/count")
def count(
    store: StoreOfApp,
    _sender: Sender,
    study: OwnStudy,
    person: OwnParticipant,
    fields: Fields,
) -> Response:
    """Say how often a participant counts in the results of the group."""
    typed = str(fields.get("weight", ""))
    try:
        weight = float(typed.replace(",", "."))
    except ValueError:
        weight = math.nan  # which is refused as any other that does not do
    Study(store, study).weigh(person.id, weight)
    if fields.get("page") == "group":
        return RedirectResponse(f"/studies/{study.id}/group#careless", 303)
    return RedirectResponse(f"/studies/{study.id}#people", 303)


@owner_pages.get("/participants/{participant_id}/result")
@in_pool("results")
def result(
    store: StoreOfApp,
    visitor: VisitorOfApp,
    study: OwnStudy,
    person: OwnParticipant,
    wanted: WantedPart,
) -> Response:
    """Show the result of somebody who agreed to that."""
    asked, texts = Study(store, study), visitor.texts(study)
    shows = asked.participation(person).shows_result
    if not (study.settings.owner_sees and shows):
        raise HTTPException(403, texts("owner.people.not_agreed"))
    ranking = asked.ranking(person)
    return visitor.render(
        "person.html",
        study=study,
        frame=None,
        name=show_name(person.label) or texts("owner.confirm.somebody"),
        best=best_view(asked, person, ranking, texts),
        ranking=ranking_view(study.items, ranking, texts, wanted, anchor="all"),
        counted=counts_view(asked.curves(person), texts),
        photos=photos_of(asked),
    )


@owner_pages.get("/participants/{participant_id}/export/{name}")
def export_one(
    store: StoreOfApp, study: OwnStudy, person: OwnParticipant, name: str
) -> Response:
    """Give all that is kept about one participant."""
    title = f"{study.name} {person.label} {name}"
    if name == "person.json":
        return json_response(export_person(store, person.id), title)
    if name == "answers.csv":
        return csv_response(person_answers_csv(store, person.id), title)
    raise HTTPException(404, "There is no such file.")


def check_label(label: str) -> str:
    """Return what tells participants apart, or raise a DataError."""
    plain = label.strip()
    if len(plain) > LONGEST_LABEL:
        raise DataError(
            f"The name of a participant may have at most {LONGEST_LABEL} characters. "
            f"It has {len(plain)}."
        )
    return plain


def _links(
    request: Request, sender: Visitor, study: StudyRecord, made: list[tuple[str, str]]
) -> Response:
    """Show links with codes for phones, to copy, send or print."""
    shown = []
    for name, token in made:
        address = link_to(request, f"/p/{token}")
        shown.append((show_name(name), address, qr_code(address)))
    return sender.render("link.html", study=study, links=shown)


def _back(study: StudyRecord) -> Response:
    return RedirectResponse(f"/studies/{study.id}", 303)
