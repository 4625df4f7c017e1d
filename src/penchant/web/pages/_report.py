"""The report: one HTML file that needs nothing else, for mail and archives."""

import base64
from dataclasses import replace
from datetime import UTC, datetime
from typing import Any

from penchant.studies import PICTURE_TYPE, GroupModels, Study, small_picture
from penchant.texts import Texts
from penchant.views import Photo, checks_view, group_view, model_view, shelf_of
from penchant.web._page import file_styles, render


def make_report(study: Study, models: GroupModels | None, texts: Texts) -> bytes:
    """Write the results of a study as one HTML file, with its styles inside.

    Parameters
    ----------
    study : Study
        Whose results.
    models : GroupModels or None
        Of all answers; None: there are too few.
    texts : Texts
        In the language of the owner, about the study.
    """
    page = render(
        "report.html",
        record=study.record,
        t=texts,
        day=texts.day(datetime.now(UTC)),
        styles=file_styles(),
        reason="",
        photos=photos_of(study, inside=True),
        **report_context(study, models, texts),
    )
    return bytes(page.body)


def photos_of(study: Study, *, inside: bool = False) -> dict[int, Photo]:
    """Give the pictures of alternatives for their owner.

    Parameters
    ----------
    study : Study
        Whose.
    inside : bool
        Whether they are part of the page, small, for a file that needs no server.
    """
    path = f"/studies/{study.id}/pictures"
    shelf = shelf_of(study.store, study.id, study.items, path)
    photos = shelf.photos(study.items)
    if not inside:
        return photos
    small = {path: _inside(study, path) for path in {p.path for p in photos.values()}}
    return {item: replace(p, path=small[p.path]) for item, p in photos.items()}


def _inside(study: Study, path: str) -> str:
    picture = study.store.get_picture(study.id, path.rpartition("/")[2])
    body = base64.b64encode(small_picture(picture)).decode()
    return f"data:{PICTURE_TYPE};base64,{body}"


def report_context(
    study: Study, models: GroupModels | None, texts: Texts
) -> dict[str, Any]:
    """Give what a page with all results shows."""
    group = study.group()
    return {
        "checks": checks_view(study.calibration(), texts),
        "group": group_view(group, study.items, texts) if group.items else None,
        "model": None if models is None else model_view(models, study.items, texts),
    }
