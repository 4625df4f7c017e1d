"""Pages about models that are learned from files."""

from fastapi import APIRouter

from penchant.web.learned._asking import asking_pages
from penchant.web.learned._making import MOST_ACTIVE, choose_model, making_pages
from penchant.web.learned._reading import export_file, reading_pages

learned_pages = APIRouter()
for _router in (making_pages, reading_pages, asking_pages):
    learned_pages.include_router(_router)

__all__ = ["MOST_ACTIVE", "choose_model", "export_file", "learned_pages"]
