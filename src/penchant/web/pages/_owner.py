"""The pages of a study for its owner: alternatives, participants, settings, removal."""

from typing import Annotated

import pandas as pd
from fastapi import APIRouter, Query, Request
from starlette.responses import RedirectResponse, Response

from penchant.data.reading import write_csv_table
from penchant.exceptions import DataError
from penchant.studies import Study, StudyRecord, StudySettings
from penchant.views import (
    checks_view,
    people_view,
    qr_code,
    shelf_of,
    show_name,
    study_view,
)
from penchant.views.forms import check_settings, read_settings, settings_form
from penchant.web._exports import csv_response
from penchant.web._public import link_to
from penchant.web.pages._participant import LONGEST_LABEL
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


@owner_pages.get("")
def study(
    request: Request,
    store: StoreOfApp,
    visitor: VisitorOfApp,
    study: OwnStudy,
    *,
    sort: Annotated[int | None, Query(ge=0)] = None,
    descending: bool = False,
    page: Annotated[int, Query(ge=1)] = 1,
    people: Annotated[int, Query(ge=1)] = 1,
    simulated: bool = False,
) -> Response:
    """Show the state of a study, its participants and its alternatives."""
    texts = visitor.texts(study)
    invitation = link_to(request, f"/s/{study.id}/join")
    shelf = shelf_of(store, study.id, study.items, f"/studies/{study.id}/pictures")
    return visitor.render(
        "study.html",
        study=study,
        checks=checks_view(Study(store, study.id).calibration(), texts),
        view=study_view(
            study, texts, sort=sort, descending=descending, page=page, shelf=shelf
        ),
        people=people_view(store, study, texts, people, simulated=simulated),
        invitation=invitation,
        qr=qr_code(invitation),
    )


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
    return visitor.render("settings.html", study=study, form=settings_form(study))


@owner_pages.post("/settings")
def save_settings(
    store: StoreOfApp, sender: Sender, study: OwnStudy, fields: Fields
) -> Response:
    """Change how participants are asked, or show what to correct."""
    chosen, form = check_settings(
        read_settings(fields), sender.texts(study), study.settings
    )
    if chosen is None:
        return sender.render("settings.html", 422, study=study, form=form)
    store.update_study(study.id, name=form.name, settings=chosen)
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
    asked, language = Study(store, study.id), study.settings.languages[0]
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
    """Count a participant in the results of the group, or no longer."""
    Study(store, study.id).leave_out(person.id, fields.get("out") == "yes")
    if fields.get("page") == "group":
        return RedirectResponse(f"/studies/{study.id}/group#careless", 303)
    return _back(study)


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
