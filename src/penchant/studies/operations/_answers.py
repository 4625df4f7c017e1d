"""The answers of a study, and what people said of themselves, as tables."""

from collections.abc import Iterable
from typing import Any, Final

import pandas as pd

from penchant.data.reading import write_csv_table
from penchant.studies._participation import AnsweredQuestion
from penchant.studies.operations._replay import Replay, replay_study
from penchant.studies.store._records import ParticipantRecord
from penchant.studies.store._store import Store

_BEFORE: Final = ["participant", "label", "simulated", "number", "question", "form"]
_AFTER: Final = [
    "answer",
    "because",
    "repeat",
    "predicted",
    "predicted_probability",
    "at",
]

_PERSON: Final = [
    "participant",
    "label",
    "simulated",
    "joined",
    "state",
    "n_answers",
    "counted",
]


def answers_frame(store: Store, study_id: str) -> pd.DataFrame:
    """Give the answers that stand as a table, one row each.

    Answers that were taken back are not in it.

    Parameters
    ----------
    store : Store
        Where the study is kept.
    study_id : str
        Which study.

    Returns
    -------
    DataFrame
        Columns: `participant`, `label`, `simulated`, `number` (1 is the first
        answer of a participant), `question`, `form`, `item_1`, `item_2`, ...
        (names of what was shown), `answer`, `because` (the attribute that the
        person named as the main reason), `repeat`, `predicted` and
        `predicted_probability` (of the questions whose answer was predicted) and
        `at`. The answer to a pair is a word, to a rating a number; other answers
        name the columns: ``item_3 > item_1 > item_2`` or ``item_2 best, item_1 worst``.
    """
    dump = store.dump_study(study_id)
    everybody = [(person, replayed) for person, _, replayed in replay_study(dump)]
    return frame_of(everybody, dump.study.items.names)


def frame_of(
    people: Iterable[tuple[ParticipantRecord, Replay]], names: tuple[str, ...]
) -> pd.DataFrame:
    """Give the answers of some people, as `answers_frame` does."""
    rows = [
        {
            "participant": person.id,
            "label": person.label,
            "simulated": person.simulated,
            "number": number,
            **_row(told, names),
            "at": at,
        }
        for person, replayed in people
        for number, (told, at) in enumerate(replayed.answers, start=1)
    ]
    most = max((len(row) for row in rows), default=0) - len(_BEFORE) - len(_AFTER)
    shown = [f"item_{slot}" for slot in range(1, most + 1)]
    return pd.DataFrame(rows, columns=[*_BEFORE, *shown, *_AFTER])


def answers_csv(store: Store, study_id: str) -> str:
    """Give `answers_frame` as CSV; no text can run as a formula in a spreadsheet."""
    return csv_of(answers_frame(store, study_id))


def csv_of(frame: pd.DataFrame) -> str:
    """Write such a table as CSV."""
    frame["at"] = [at.isoformat() for at in frame["at"]]
    return write_csv_table(frame, None) or ""


def people_frame(store: Store, study_id: str) -> pd.DataFrame:
    """Give the participants as a table, with what they said about themselves.

    Parameters
    ----------
    store : Store
        Where the study is kept.
    study_id : str
        Which study.

    Returns
    -------
    DataFrame
        Columns: `participant`, `label`, `simulated`, `joined`, `state`, `n_answers`,
        `counted` (whether the person counts in the results of the group), and one for
        each question about people; several options are parted by semicolons.
    """
    dump = store.dump_study(study_id)
    asked = [question.name for question in dump.study.settings.about]
    rows = []
    for person, _, replayed in replay_study(dump):
        now = replayed.participation
        about = dict(now.about)
        said = [_said(about.get(name)) for name in asked]
        told = [now.state, len(now.answered), not now.left_out, *said]
        rows.append([person.id, person.label, person.simulated, person.created, *told])
    return pd.DataFrame(rows, columns=[*_PERSON, *asked])


def people_csv(store: Store, study_id: str) -> str:
    """Give `people_frame` as CSV; no text can run as a formula in a spreadsheet."""
    frame = people_frame(store, study_id)
    frame["joined"] = [at.isoformat() for at in frame["joined"]]
    return write_csv_table(frame, None) or ""


def _said(value: Any) -> Any:
    return "; ".join(value) if isinstance(value, tuple) else value


def _row(told: AnsweredQuestion, names: tuple[str, ...]) -> dict[str, Any]:
    return {
        "question": told.question,
        "form": told.form,
        **{f"item_{slot}": names[item] for slot, item in enumerate(told.items, 1)},
        "answer": answer_text(told),
        "because": told.because,
        "repeat": told.repeat,
        "predicted": None if told.predicted is None else told.predicted.answer,
        "predicted_probability": (
            None if told.predicted is None else told.predicted.probability
        ),
    }


def answer_text(told: AnsweredQuestion) -> str:
    """Write an answer as text, which names items by their place in the question.

    Parameters
    ----------
    told : AnsweredQuestion
        Its items are item_1, item_2 and so on.
    """
    answer = told.answer
    slots = {item: f"item_{slot}" for slot, item in enumerate(told.items, start=1)}
    if isinstance(answer, list):
        return " > ".join(slots[item] for item in answer)
    if isinstance(answer, dict):
        return f"{slots[answer['best']]} best, {slots[answer['worst']]} worst"
    return str(answer)
