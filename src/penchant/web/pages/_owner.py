"""The pages of a study for its owner: alternatives, participants, settings, removal."""

from typing import Annotated

from fastapi import APIRouter, Query, Request
from starlette.responses import RedirectResponse, Response

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
        longest_label=LONGEST_LABEL,
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
    chosen, form = check_settings(read_settings(fields), sender.texts(study))
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
    """Add a participant and show the link that only this person gets."""
    label = check_label(str(fields.get("label", "")))
    _, token = Study(store, study.id).join(label, study.settings.languages[0])
    return _link(request, sender, study, label, token)


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
    return _link(request, sender, study, person.label, token)


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


def _link(
    request: Request, sender: Visitor, study: StudyRecord, label: str, token: str
) -> Response:
    return sender.render(
        "link.html",
        study=study,
        label=show_name(label),
        address=link_to(request, f"/p/{token}"),
    )


def _back(study: StudyRecord) -> Response:
    return RedirectResponse(f"/studies/{study.id}", 303)
