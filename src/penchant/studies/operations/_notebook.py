"""A notebook that loads an exported study and shows its results."""

from typing import Any, Final

_LOAD: Final = """\
import json
import tempfile
from pathlib import Path

import pandas as pd

from penchant.studies import SqlStore, Study, import_study, store_url

FILE = {file!r}

folder = tempfile.TemporaryDirectory()
store = SqlStore(store_url(folder.name))
study = Study(store, import_study(store, json.loads(Path(FILE).read_text("utf-8"))))
people = store.list_participants(study.id)
print(study.record.name, len(study.items), len(people), sep=" | ")
study.items.frame.set_axis(list(study.items.names)).head()"""

_ANSWERS: Final = """\
from penchant.studies import answers_frame

answers = answers_frame(store, study.id)
answers[["label", "number", "item_1", "item_2", "answer", "because"]].tail()"""

_GROUP: Final = """\
group = study.group()
pd.DataFrame(
    [
        (item.place, item.name, item.mean, item.low, item.high, item.borda, item.misery)
        for item in group.items
    ],
    columns=["place", "name", "mean", "low", "high", "borda", "least misery"],
).round(1)"""

_SEGMENTS: Final = """\
pd.DataFrame([segment.weights for segment in group.segments]).T.round(3)"""

_PERSON: Final = """\
person = people[-1].id  # whose results: choose another one here
ranking = pd.DataFrame(
    [
        (each.place, each.name, each.points, each.low, each.high, each.probability_best)
        for each in study.ranking(person)
    ],
    columns=["place", "name", "points", "low", "high", "chance of being best"],
)
ranking.round(2).head(10)"""

_CURVES: Final = """\
curves = pd.concat(
    [
        pd.DataFrame(
            {
                "attribute": curve.attribute,
                "value": [str(value) for value in curve.grid],
                "points": curve.points,
                "low": curve.low,
                "high": curve.high,
            }
        )
        for curve in study.curves(person)
    ]
)
curves.round(1)"""

_PICTURE: Final = """\
from penchant.plotting import plot_segment_curves

drawn = {
    same[0].attribute: (same[0].grid, [curve.points for curve in same])
    for same in zip(*(segment.curves for segment in group.segments))
}
labels = [f"segment {number + 1}" for number in range(len(group.segments))]
figure = plot_segment_curves(drawn, labels=labels) if drawn else None"""

_RULES: Final = """\
from penchant.exceptions import NotAnswerableError

try:
    models = study.group_models()
    rules = [str(rule) for rule in models.rules.rules_]
except NotAnswerableError as error:
    rules = [str(error)]
rules"""


def study_notebook(file: str) -> dict[str, Any]:
    """Make a notebook that loads an exported study: ranking, curves, group.

    It holds no text of the study itself, so none can do harm in it.

    Parameters
    ----------
    file : str
        Name of the file that `export_study` went to, beside the notebook.

    Returns
    -------
    dict
        In the format of Jupyter, version 4.5, as plain values for JSON.

    Examples
    --------
    >>> notebook = study_notebook("study.json")
    >>> notebook["nbformat"], len(notebook["cells"])
    (4, 16)
    """
    parts = [
        ("# The study", _LOAD.format(file=file)),
        ("# What people answered, and what they named as the main reason", _ANSWERS),
        ("# What the group prefers", _GROUP),
        ("# How much attributes weigh for segments of people", _SEGMENTS),
        ("# What one participant prefers, with 90 % ranges", _PERSON),
        ("# What values are worth to this participant", _CURVES),
        ("# What values are worth to the segments", _PICTURE),
        ("# Rules of the whole group", _RULES),
    ]
    cells = []
    for number, (title, code) in enumerate(parts):
        cells.append(_cell("markdown", f"title-{number}", title))
        code_cell = _cell("code", f"code-{number}", code)
        cells.append(code_cell | {"execution_count": None, "outputs": []})
    kernel = {"display_name": "Python 3", "language": "python", "name": "python3"}
    return {
        "cells": cells,
        "metadata": {"kernelspec": kernel, "language_info": {"name": "python"}},
        "nbformat": 4,
        "nbformat_minor": 5,
    }


def _cell(kind: str, name: str, source: str) -> dict[str, Any]:
    return {
        "cell_type": kind,
        "id": name,
        "metadata": {},
        "source": source.splitlines(keepends=True),
    }
