"""What pages and terminal show, without a web framework.

A view is a plain namespace: texts and places that a template reads by name. Only what
several views share, or what knows something of itself, is a class.
"""

from types import SimpleNamespace as View

from penchant.views._answers import answers_view
from penchant.views._charts import Numbers
from penchant.views._curves import counts_view, curves_view, together_words
from penchant.views._display import show_name
from penchant.views._extras import Photo, Shelf, extras_view, shelf_of
from penchant.views._figures import CHARTS, PictureKind, draw_chart
from penchant.views._group import group_view, ranking_csv
from penchant.views._invite import qr_code, taking_view
from penchant.views._model import model_view
from penchant.views._own_files import own_answers_csv, own_ranking_csv, own_result
from penchant.views._parts import Wanted
from penchant.views._people import Asked, people_view
from penchant.views._question import (
    BecauseView,
    Card,
    because_view,
    question_cards,
    question_view,
    same_lines,
)
from penchant.views._ranking import choices, ranking_view
from penchant.views._reasons import compare_items, why_view
from penchant.views._result import best_view, reasons_view, sample_view
from penchant.views._studies import checks_view, study_line, study_view
from penchant.views._what_if import read_values, what_if_view

__all__ = [
    "CHARTS",
    "Asked",
    "BecauseView",
    "Card",
    "Numbers",
    "Photo",
    "PictureKind",
    "Shelf",
    "View",
    "Wanted",
    "answers_view",
    "because_view",
    "best_view",
    "checks_view",
    "choices",
    "compare_items",
    "counts_view",
    "curves_view",
    "draw_chart",
    "extras_view",
    "group_view",
    "model_view",
    "own_answers_csv",
    "own_ranking_csv",
    "own_result",
    "people_view",
    "qr_code",
    "question_cards",
    "question_view",
    "ranking_csv",
    "ranking_view",
    "read_values",
    "reasons_view",
    "same_lines",
    "sample_view",
    "shelf_of",
    "show_name",
    "study_line",
    "study_view",
    "taking_view",
    "together_words",
    "what_if_view",
    "why_view",
]
