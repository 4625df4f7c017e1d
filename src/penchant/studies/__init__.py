"""Studies: alternatives, participants, answers, and where they are kept."""

from penchant.studies._checks import Calibration
from penchant.studies._contradictions import Contradiction
from penchant.studies._forms import FORMS, QUESTION_FORMS, Form, FormName
from penchant.studies._group import (
    FEW_PEOPLE,
    Careless,
    Group,
    GroupItem,
    Member,
    Segment,
)
from penchant.studies._group_models import GroupModels
from penchant.studies._limits import WhatFits, check_limits
from penchant.studies._participation import (
    AnsweredQuestion,
    OpenQuestion,
    Participation,
    Prediction,
    check_answer,
    simulated_answer,
)
from penchant.studies._pictures import (
    PICTURE_TYPE,
    picture_cell,
    picture_names,
    read_pictures,
    small_picture,
)
from penchant.studies._population import participations, refit_counts
from penchant.studies._results import (
    Curve,
    Interaction,
    Parts,
    Progress,
    RankedItem,
    WhatIf,
)
from penchant.studies._settings import (
    LONGEST_NOUN,
    Noun,
    StudySettings,
)
from penchant.studies._start import Start
from penchant.studies._study import Study
from penchant.studies.operations._answers import answer_text, answers_csv, answers_frame
from penchant.studies.operations._backup import backup, restore
from penchant.studies.operations._check import StoreProblem, StoreReport, check_store
from penchant.studies.operations._demo import add_demo
from penchant.studies.operations._notebook import study_notebook
from penchant.studies.operations._tidy import Tidied, tidy, tidying
from penchant.studies.operations._transfer import export_study, import_study
from penchant.studies.operations._warm_up import warm_up
from penchant.studies.store._location import store_url
from penchant.studies.store._records import (
    Draft,
    EventRecord,
    ModelHead,
    ModelRecord,
    NewEvent,
    OwnerRecord,
    ParticipantRecord,
    PictureHead,
    PictureRecord,
    SessionRecord,
    StudyDump,
    StudyRecord,
    StudySummary,
)
from penchant.studies.store._sql import SqlStore
from penchant.studies.store._store import Store
from penchant.texts import LANGUAGES, Texts, choose_language, load_texts

__all__ = [
    "FEW_PEOPLE",
    "FORMS",
    "LANGUAGES",
    "LONGEST_NOUN",
    "PICTURE_TYPE",
    "QUESTION_FORMS",
    "AnsweredQuestion",
    "Calibration",
    "Careless",
    "Contradiction",
    "Curve",
    "Draft",
    "EventRecord",
    "Form",
    "FormName",
    "Group",
    "GroupItem",
    "GroupModels",
    "Interaction",
    "Member",
    "ModelHead",
    "ModelRecord",
    "NewEvent",
    "Noun",
    "OpenQuestion",
    "OwnerRecord",
    "ParticipantRecord",
    "Participation",
    "Parts",
    "PictureHead",
    "PictureRecord",
    "Prediction",
    "Progress",
    "RankedItem",
    "Segment",
    "SessionRecord",
    "SqlStore",
    "Start",
    "Store",
    "StoreProblem",
    "StoreReport",
    "Study",
    "StudyDump",
    "StudyRecord",
    "StudySettings",
    "StudySummary",
    "Texts",
    "Tidied",
    "WhatFits",
    "WhatIf",
    "add_demo",
    "answer_text",
    "answers_csv",
    "answers_frame",
    "backup",
    "check_answer",
    "check_limits",
    "check_store",
    "choose_language",
    "export_study",
    "import_study",
    "load_texts",
    "participations",
    "picture_cell",
    "picture_names",
    "read_pictures",
    "refit_counts",
    "restore",
    "simulated_answer",
    "small_picture",
    "store_url",
    "study_notebook",
    "tidy",
    "tidying",
    "warm_up",
]
