"""Studies: alternatives, participants, answers, and where they are kept."""

from penchant.studies._about import ABOUT_KINDS, PersonQuestion
from penchant.studies._another_winner import (
    AnotherWinner,
    MorePeople,
    Turn,
    ValueChange,
)
from penchant.studies._checks import Calibration
from penchant.studies._contradictions import Contradiction
from penchant.studies._contradictions import contradictions as find_contradictions
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
    LARGEST_WEIGHT,
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
    OwnTexts,
    StudySettings,
    Taking,
)
from penchant.studies._start import Start
from penchant.studies._study import Study
from penchant.studies.operations._answers import (
    answer_text,
    answers_csv,
    answers_frame,
    people_csv,
    people_frame,
)
from penchant.studies.operations._backup import backup, restore
from penchant.studies.operations._check import StoreProblem, StoreReport, check_store
from penchant.studies.operations._demo import add_demo, demo_in
from penchant.studies.operations._notebook import study_notebook
from penchant.studies.operations._person import export_person, person_answers_csv
from penchant.studies.operations._replay import Replay, replays
from penchant.studies.operations._study_templates import (
    TEMPLATES,
    StudyTemplate,
    study_template,
)
from penchant.studies.operations._tidy import Tidied, tidy, tidying
from penchant.studies.operations._transfer import (
    duplicate_study,
    export_study,
    import_study,
)
from penchant.studies.operations._warm_up import warm_up
from penchant.studies.operations._workbook import ranking_frame, study_workbook
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
    TableVersion,
)
from penchant.studies.store._store import SqlStore, Store
from penchant.studies.store.jobs._jobs import JobDump, JobRecord
from penchant.studies.table._difference import TableChange, difference
from penchant.studies.table._revision import (
    LEFT_OUT,
    Missing,
    plan_change,
    plan_replacement,
    read_like,
)
from penchant.studies.table._study_table import StudyTable
from penchant.texts import LANGUAGES, Texts, choose_language, load_texts

__all__ = [
    "ABOUT_KINDS",
    "FEW_PEOPLE",
    "FORMS",
    "LANGUAGES",
    "LARGEST_WEIGHT",
    "LEFT_OUT",
    "LONGEST_NOUN",
    "PICTURE_TYPE",
    "QUESTION_FORMS",
    "TEMPLATES",
    "AnotherWinner",
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
    "JobDump",
    "JobRecord",
    "Member",
    "Missing",
    "ModelHead",
    "ModelRecord",
    "MorePeople",
    "NewEvent",
    "Noun",
    "OpenQuestion",
    "OwnTexts",
    "OwnerRecord",
    "ParticipantRecord",
    "Participation",
    "Parts",
    "PersonQuestion",
    "PictureHead",
    "PictureRecord",
    "Prediction",
    "Progress",
    "RankedItem",
    "Replay",
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
    "StudyTable",
    "StudyTemplate",
    "TableChange",
    "TableVersion",
    "Taking",
    "Texts",
    "Tidied",
    "Turn",
    "ValueChange",
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
    "demo_in",
    "difference",
    "duplicate_study",
    "export_person",
    "export_study",
    "find_contradictions",
    "import_study",
    "load_texts",
    "participations",
    "people_csv",
    "people_frame",
    "person_answers_csv",
    "picture_cell",
    "picture_names",
    "plan_change",
    "plan_replacement",
    "ranking_frame",
    "read_like",
    "read_pictures",
    "refit_counts",
    "replays",
    "restore",
    "simulated_answer",
    "small_picture",
    "store_url",
    "study_notebook",
    "study_template",
    "study_workbook",
    "tidy",
    "tidying",
    "warm_up",
]
