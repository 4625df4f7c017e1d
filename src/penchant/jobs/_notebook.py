"""A notebook that learns again from the files of a model, and reads it."""

from typing import Any, Final

from penchant.jobs._asked import JobSettings

_READ: Final = """\
from pathlib import Path

from penchant.learning import read_learning_files

read = read_learning_files(
    {table},
    {answers},
    target={target!r},
    up={up!r},
    down={down!r},
    skip={skip!r},
)
read.items.frame.head()"""

_COMPARE: Final = """\
from penchant.learning import compare

compared = compare(
    read.items, read.target, kind={kind!r}, n_folds={n_folds}, candidates={candidates!r}
)
compared"""

_MODEL: Final = """\
from penchant.io import load

model = load("model.penchant")
model"""

_PARTS: Final = """\
import pandas as pd

from penchant.learning import read_model

pd.DataFrame(
    [(part.kind, part.text or ", ".join(part.names), part.size)
     for part in read_model(model)],
    columns=["kind", "part", "size"],
).round(3)"""

_WHY: Final = """\
from penchant.explanation import explain

row = 0  # choose another one here
explain(model, read.items.frame.iloc[[row]], background=read.items.frame)"""


def model_notebook(settings: JobSettings) -> dict[str, Any]:
    """Make a notebook that reads the files of a job, compares, and reads the model.

    Parameters
    ----------
    settings : JobSettings
        Of the job; its files and ``model.penchant`` go beside the notebook.

    Returns
    -------
    dict
        In the format of Jupyter, version 4.5, as plain values for JSON.

    Examples
    --------
    >>> notebook = model_notebook(JobSettings(target="rating", table="flats.csv"))
    >>> notebook["nbformat"], len(notebook["cells"])
    (4, 10)
    """
    files = {
        "table": f"Path({settings.table!r})" if settings.table else "None",
        "answers": f"Path({settings.answers!r})" if settings.answers else "None",
    }
    told = settings.to_dict() | {"target": settings.target or None} | files
    told["candidates"] = list(settings.candidates) or None
    parts = (
        ("# What it learns from", _READ.format(**told)),
        ("# Models compared on rows that they did not see", _COMPARE.format(**told)),
        ("# The model that was kept", _MODEL),
        ("# What there is to read in it", _PARTS),
        ("# Why a row", _WHY),
    )
    cells: list[dict[str, Any]] = []
    for number, (title, code) in enumerate(parts):
        for kind, source in (("markdown", title), ("code", code)):
            cell: dict[str, Any] = {
                "cell_type": kind,
                "id": f"{kind}-{number}",
                "metadata": {},
                "source": source.splitlines(keepends=True),
            }
            if kind == "code":
                cell |= {"execution_count": None, "outputs": []}
            cells.append(cell)
    kernel = {"display_name": "Python 3", "language": "python", "name": "python3"}
    return {
        "cells": cells,
        "metadata": {"kernelspec": kernel, "language_info": {"name": "python"}},
        "nbformat": 4,
        "nbformat_minor": 5,
    }
