"""What a participant can take away: their answers, their ranking, all of it."""

from typing import Any

import pandas as pd

from penchant.data.reading import write_csv_table
from penchant.studies import AnsweredQuestion, Participation, Study, answer_text


def own_answers_csv(study: Study, now: Participation) -> str:
    """Give the answers that stand as CSV; no text can run as a formula."""
    rows = []
    for number, told in enumerate(now.answered, 1):
        row = _answer(study, told) | {"number": number}
        slots = {f"item_{slot}": name for slot, name in enumerate(row["items"], 1)}
        rows.append(row | slots)
    most = max((len(told.items) for told in now.answered), default=0)
    shown = [f"item_{slot}" for slot in range(1, most + 1)]
    columns = ["number", "form", *shown, "answer", "because", "repeat"]
    return write_csv_table(pd.DataFrame(rows, columns=columns), None) or ""


def _answer(study: Study, told: AnsweredQuestion) -> dict[str, Any]:
    return {
        "form": told.form,
        "items": [study.items.names[item] for item in told.items],
        "answer": answer_text(told),
        "because": told.because,
        "repeat": told.repeat,
    }


def own_ranking_csv(study: Study, participant_id: str) -> str:
    """Give the ranking of a person as CSV; no text can run as a formula."""
    frame = pd.DataFrame(_ranking(study, participant_id))
    return write_csv_table(frame, None) or ""


def _ranking(study: Study, participant_id: str) -> list[dict[str, Any]]:
    return [
        {
            "place": each.place,
            "name": each.name,
            "points": round(each.points, 3),
            "low": round(each.low, 3),
            "high": round(each.high, 3),
            "chance_of_being_best": round(each.probability_best, 4),
        }
        for each in study.ranking(participant_id)
    ]


def own_result(study: Study, participant_id: str, now: Participation) -> dict[str, Any]:
    """Give everything about the result of a person as plain values."""
    return {
        "study": study.record.name,
        "about": dict(now.about),
        "answers": [_answer(study, told) for told in now.answered],
        "must_haves": now.limits.to_dict(),
        "ranking": _ranking(study, participant_id),
        "curves": [
            {
                "attribute": curve.attribute,
                "share": round(curve.share, 4),
                "values": [_plain(value) for value in curve.grid],
                "points": [round(float(value), 3) for value in curve.points],
                "low": [round(float(value), 3) for value in curve.low],
                "high": [round(float(value), 3) for value in curve.high],
            }
            for curve in study.curves(participant_id)
        ],
    }


def _plain(value: Any) -> float | str:
    return value if isinstance(value, str) else float(value)
