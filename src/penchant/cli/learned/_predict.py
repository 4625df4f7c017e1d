"""`penchant predict`: what a learned model says about new rows."""

from pathlib import Path
from typing import Annotated

import typer

from penchant.cli._export import check_target, is_stdout, write_file
from penchant.cli._options import Force, Output
from penchant.cli._screen import Screen

ModelFile = Annotated[
    Path,
    typer.Argument(
        metavar="MODEL",
        exists=True,
        dir_okay=False,
        help="What `penchant learn` wrote.",
    ),
]
TableFile = Annotated[
    Path,
    typer.Argument(
        metavar="TABLE", exists=True, dir_okay=False, help="A CSV or XLSX file."
    ),
]


def predict(
    model_file: ModelFile, table: TableFile, output: Output, force: Force = False
) -> None:
    """Predict every row of a table, and write them as CSV.

    Numbers; classes or grades with their chances; or, of a model that learned
    from comparisons, utilities and places, the best first.

    Exit code 0: written. 1: the model or the table cannot be used. 2: wrong
    usage.

    Example: penchant predict model.penchant new.csv -o predicted.csv
    """
    from penchant.data.reading import write_csv_table
    from penchant.io import load
    from penchant.learning import known_rows, predicted_table, unseen_levels

    check_target(output, force=force)
    model = load(model_file)
    frame = known_rows(model, table)
    for said in unseen_levels(model, frame):
        Screen(err=True).say(said)
    found = predicted_table(model, frame)
    write_file(output, (write_csv_table(found, None) or "").encode())
    if not is_stdout(output):
        Screen().say(f"Wrote {output}: {len(found)} rows.")
