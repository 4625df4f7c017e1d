"""The results of a study as a workbook: one sheet per table."""

import io
from collections.abc import Iterable
from typing import Any

import pandas as pd

from penchant.data.reading import write_xlsx_sheets
from penchant.studies._group import Group
from penchant.studies._study import Study
from penchant.studies.operations._answers import answers_frame


def study_workbook(study: Study) -> bytes:
    """Give the results of a study as XLSX.

    The sheets are ranking, people, utilities (points that each person gives each
    alternative), weights (how much each attribute counts for each person), segments,
    segment ranking, answers and alternatives. Numbers are numbers, moments are
    moments in UTC, and no text is a formula.

    Parameters
    ----------
    study : Study
        Whose results.
    """
    group = study.group()
    answers = answers_frame(study.store, study.id)
    answers["at"] = [at.replace(tzinfo=None) for at in answers["at"]]
    frames = {
        "ranking": ranking_frame(group),
        "people": _people(group, study),
        "utilities": _per_person(group, study.items.names, group.points),
        "weights": _per_person(
            group,
            [attribute.name for attribute in study.items.attributes],
            [member.weights for member in group.voices],
        ),
        "segments": _segments(group),
        "segment ranking": _segment_ranking(group),
        "answers": answers,
        "alternatives": study.items.named_table(),
    }
    target = io.BytesIO()
    write_xlsx_sheets({name: _rows(frame) for name, frame in frames.items()}, target)
    return target.getvalue()


def ranking_frame(group: Group) -> pd.DataFrame:
    """Give the common ranking as a table, best first."""
    columns = {
        "alternative": "name",
        "place": "place",
        "tier": "tier",
        "mean": "mean",
        "low": "low",
        "high": "high",
        "standard_deviation": "deviation",
        "in_top_three": "in_top",
        "borda": "borda",
        "least_misery": "misery",
    }
    return pd.DataFrame(
        {
            head: [getattr(item, field) for item in group.items]
            for head, field in columns.items()
        }
    )


def _people(group: Group, study: Study) -> pd.DataFrame:
    inside = {
        who: number
        for number, segment in enumerate(group.segments, start=1)
        for who in segment.members
    }
    names = study.items.names
    rows = [
        {
            "participant": member.id,
            "label": member.label,
            "simulated": member.simulated,
            "state": member.state,
            "answers": member.n_answers,
            "counts": float(member.counts),
            "favourite": None if member.favourite is None else names[member.favourite],
            "certainty": None if member.favourite is None else member.certainty,
            "segment": inside.get(member.id),
        }
        for member in group.members
    ]
    heads = "participant label simulated state answers counts favourite certainty"
    return pd.DataFrame(rows, columns=[*heads.split(), "segment"], dtype=object)


def _per_person(group: Group, heads: Iterable[str], values: Any) -> pd.DataFrame:
    """Put numbers of each person who counts beside the person."""
    rows = [
        [member.id, member.label, *map(float, own)]
        for member, own in zip(group.voices, values, strict=True)
    ]
    return pd.DataFrame(rows, columns=["participant", "label", *heads])


def _segments(group: Group) -> pd.DataFrame:
    rows = [
        {
            "segment": number,
            "people": len(segment.members),
            "first": segment.best.name,
            "counts more": ", ".join(segment.distinct),
            **{f"weight of {name}": part for name, part in segment.weights.items()},
        }
        for number, segment in enumerate(group.segments, start=1)
    ]
    return pd.DataFrame(rows) if rows else pd.DataFrame(columns=["segment", "people"])


def _segment_ranking(group: Group) -> pd.DataFrame:
    rows = [
        (number, item.place, item.tier, item.name, item.mean, item.low, item.high)
        for number, segment in enumerate(group.segments, start=1)
        for item in segment.ranking
    ]
    heads = ["segment", "place", "tier", "alternative", "mean", "low", "high"]
    return pd.DataFrame(rows, columns=heads)


def _rows(frame: pd.DataFrame) -> list[list[Any]]:
    plain = frame.astype(object)
    cells = plain.where(plain.notna(), None).to_numpy().tolist()
    return [[str(head) for head in frame.columns], *cells]
