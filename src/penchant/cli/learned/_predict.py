"""`penchant predict`: what a learned model says about new rows."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from penchant.cli._files import check_target, is_stdout, write_file
from penchant.cli._options import Force, Output
from penchant.cli._screen import Screen
from penchant.cli.learned._table import known_rows

if TYPE_CHECKING:
    import pandas as pd

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
    """Foretell every row of a table, and write them as CSV.

    Numbers; classes or grades with their chances; or, of a model that learned
    from comparisons, utilities and places, the best first.

    Exit code 0: written. 1: the model or the table cannot be used. 2: wrong
    usage.

    Example: penchant predict model.penchant new.csv -o foretold.csv
    """
    from penchant.data.reading import write_csv_table
    from penchant.io import load

    check_target(output, force=force)
    model = load(model_file)
    frame = known_rows(model, table)
    found = _foretold(model, frame)
    write_file(output, (write_csv_table(found, None) or "").encode())
    if not is_stdout(output):
        Screen().say(f"Wrote {output}: {len(found)} rows.")


def _foretold(model: Any, frame: "pd.DataFrame") -> "pd.DataFrame":
    import pandas as pd

    from penchant.data import inspect_table

    X = frame[list(model.feature_names_in_)]
    columns: dict[str, Any] = {"row": frame.index}
    named = inspect_table(frame).name_column
    if named is not None and named not in X:
        columns["name"] = frame[named].to_numpy()
    if hasattr(model, "classes_"):
        columns["prediction"] = model.predict(X)
        if hasattr(model, "predict_proba"):
            chances = model.predict_proba(X).T
            columns |= {
                f"chance of {label}": chance
                for label, chance in zip(model.classes_, chances, strict=True)
            }
        return pd.DataFrame(columns)
    if getattr(model, "_estimator_type", "") == "regressor" or _rates(model):
        return pd.DataFrame(columns | {"prediction": model.predict(X)})
    ranked = pd.DataFrame(columns | {"utility": model.utility(X)})
    ranked["place"] = ranked["utility"].rank(ascending=False, method="min").astype(int)
    return ranked.sort_values(["place", "row"])


def _rates(model: Any) -> bool:
    from sklearn.base import is_regressor

    return bool(is_regressor(model))
