"""`penchant why`: why a learned model says what it says about a row."""

from typing import TYPE_CHECKING, Annotated, Any

import typer

from penchant.cli._options import AsJson
from penchant.cli._screen import Screen, write_json
from penchant.cli.learned._predict import ModelFile, TableFile
from penchant.exceptions import DataError

if TYPE_CHECKING:
    from penchant.explanation import Attribution

_METHODS = ("exact", "coalitions", "least-squares")


def why(
    model_file: ModelFile,
    table: TableFile,
    row: Annotated[
        str,
        typer.Option(help="The row: its number in a spreadsheet (header: 1), or name."),
    ],
    rather_than: Annotated[
        str | None, typer.Option("--rather-than", help="Compare with this row.")
    ] = None,
    method: Annotated[
        str,
        typer.Option(
            help="exact: the model's own formula. coalitions, least-squares: the model "
            "is fitted again without some of the attributes; needs --target."
        ),
    ] = "exact",
    target: Annotated[
        str | None, typer.Option(help="The column that the model learned.")
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Tell what each attribute adds, or why one row rather than another.

    Exit code 0: explained. 1: no such row, or the method does not apply.
    2: wrong usage.

    Example: penchant why model.penchant flats.csv --row 7 --rather-than 9
    """
    if method not in _METHODS:
        raise typer.BadParameter(f"--method must be one of {', '.join(_METHODS)}.")
    if rather_than is not None and method != "exact":
        raise typer.BadParameter("--rather-than goes with --method exact.")
    from penchant.explanation import contrast, explain, reasons
    from penchant.io import load
    from penchant.learning import find_row, known_rows

    model = load(model_file)
    frame = known_rows(model, table)
    X = frame[list(model.feature_names_in_)].reset_index(drop=True)
    place = find_row(frame, row)
    words = ""
    if rather_than is not None:
        rival = find_row(frame, rather_than)
        if rival == place:
            raise typer.BadParameter("The two rows are the same.")
        found = contrast(model, _one(X, place, row), _one(X, rival, rather_than))
        words = reasons(found).text
    elif method == "exact":
        try:
            found = explain(model, X.iloc[[place]], background=X)
        except DataError:
            raise DataError(
                f"A {type(model).__name__} of several classes has no exact formula. "
                "Use --method coalitions or least-squares with --target."
            ) from None
    else:
        found = _fitted_again(model, X, frame, target, method).explain(X.iloc[[place]])
    _tell(found, row, words, _sides(model, method), as_json)


def _sides(model: Any, method: str) -> tuple[str, ...]:
    """Give the classes that a score tells apart: what speaks for the last is added.

    Nothing is said where chances are explained, or grades, of which more is better.
    """
    classes = getattr(model, "classes_", ())
    return tuple(map(str, classes)) if len(classes) == 2 and method == "exact" else ()


def _one(X: Any, place: int, name: str) -> Any:
    label = f"row {name}" if name.isdigit() else name
    return X.iloc[[place]].set_axis([label], axis="index")


def _fitted_again(
    model: Any, X: Any, frame: Any, target: str | None, method: str
) -> Any:
    from sklearn.base import clone

    from penchant.encoding import RankerMixin
    from penchant.explanation import CoalitionalExplainer, LeastSquaresExplainer
    from penchant.learning import check_column

    if isinstance(model, RankerMixin):
        raise DataError(
            "This model learned from comparisons, and is not fitted again. Use "
            "--method exact."
        )
    if target is None:
        raise DataError(
            f"--method {method} fits the model again and needs what it learned: add "
            "--target with the name of that column."
        )
    check_column(frame, target)
    keep = frame[target].notna().to_numpy()
    least = 2 * X.shape[1] + 1
    explainer: Any = (
        CoalitionalExplainer(budget=max(64, X.shape[1]), random_state=0)
        if method == "coalitions"
        else LeastSquaresExplainer(budget=max(64, least), random_state=0)
    )
    return explainer.fit(clone(model), X[keep], frame[target][keep].to_numpy())


def _tell(
    found: "Attribution", row: str, words: str, sides: tuple[str, ...], as_json: bool
) -> None:
    values = found.values[0]
    order = sorted(range(len(values)), key=lambda i: -abs(values[i]))
    if as_json:
        write_json(
            {
                "row": row,
                "base": float(found.base[0]),
                "prediction": float(found.predictions[0]),
                "game": found.game,
                "for": sides[-1] if sides else None,
                "adds": {found.names[i]: float(values[i]) for i in order},
                "words": words,
            }
        )
        return
    screen = Screen()
    if sides:
        screen.say(
            f"The score speaks for {sides[1]!r} where it is above 0, "
            f"for {sides[0]!r} below."
        )
    if words:
        screen.say(words)
    rows = [(found.names[i], f"{values[i]:+.4g}") for i in order if values[i]]
    rows = [("begins at", f"{found.base[0]:.4g}"), *rows]
    screen.table(
        ("Attribute", f"Adds for {sides[1]}" if sides else "Adds"),
        [*rows, ("ends at", f"{found.predictions[0]:.4g}")],
        numbers=(1,),
    )
    gap = float(found.gap[0])
    if abs(gap) > 1e-6 * (1 + abs(float(found.predictions[0]))):
        screen.say(f"These need not add up: {gap:+.4g} is missing.")
    screen.say(f"What the numbers mean: {found.game}.")
