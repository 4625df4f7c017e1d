"""Pages about models that are learned from files."""

from penchant.web.learned._asking import asking_pages
from penchant.web.learned._making import MOST_ACTIVE, choose_model, making_pages
from penchant.web.learned._reading import export_file, model_report, reading_pages

__all__ = [
    "MOST_ACTIVE",
    "asking_pages",
    "choose_model",
    "export_file",
    "making_pages",
    "model_report",
    "reading_pages",
]
