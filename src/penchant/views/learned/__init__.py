"""What pages about learned models show, and the report that is one file."""

from penchant.views.learned._overview import overview
from penchant.views.learned._parts import curves_page, importance_page, rules_page
from penchant.views.learned._report import report_view
from penchant.views.learned._start import (
    StartForm,
    name_from,
    progress_view,
    read_start,
    start_form,
)
from penchant.views.learned._why import (
    imagined_view,
    rather_view,
    row_choice,
    said_words,
    why_view,
)
from penchant.views.learned._words import SUMS, Shown, model_frame, model_line, name_of

__all__ = [
    "SUMS",
    "Shown",
    "StartForm",
    "curves_page",
    "imagined_view",
    "importance_page",
    "model_frame",
    "model_line",
    "name_from",
    "name_of",
    "overview",
    "progress_view",
    "rather_view",
    "read_start",
    "report_view",
    "row_choice",
    "rules_page",
    "said_words",
    "start_form",
    "why_view",
]
