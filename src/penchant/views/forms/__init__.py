"""Forms and how they are read, without a web framework."""

from penchant.views.forms._about import (
    about_form,
    read_about_form,
    read_number,
    said_before,
)
from penchant.views.forms._columns import (
    Column,
)
from penchant.views.forms._limits import (
    LimitsForm,
    check_owner_limits,
    limits_form,
    owner_limits_form,
    read_limits,
    refused_form,
    relaxed,
)
from penchant.views.forms._questions import (
    check_questions_form,
    questions_form,
    read_questions_form,
)
from penchant.views.forms._settings import (
    check_settings,
    read_settings,
    settings_form,
)
from penchant.views.forms._table import (
    LONGEST_NAME,
    PASTED,
    FileForm,
    TableForm,
    TableLimits,
    check_form,
    guess_form,
    read_file_form,
    read_form,
)

__all__ = [
    "LONGEST_NAME",
    "PASTED",
    "Column",
    "FileForm",
    "LimitsForm",
    "TableForm",
    "TableLimits",
    "about_form",
    "check_form",
    "check_owner_limits",
    "check_questions_form",
    "check_settings",
    "guess_form",
    "limits_form",
    "owner_limits_form",
    "questions_form",
    "read_about_form",
    "read_file_form",
    "read_form",
    "read_limits",
    "read_number",
    "read_questions_form",
    "read_settings",
    "refused_form",
    "relaxed",
    "said_before",
    "settings_form",
]
