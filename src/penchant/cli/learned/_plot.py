"""`penchant plot`: a picture of a learned model."""

from collections.abc import Callable
from pathlib import Path
from typing import Annotated, Any

import typer

from penchant.cli._export import check_target, write_file
from penchant.cli._options import Force
from penchant.cli._screen import Screen
from penchant.cli.learned._predict import ModelFile
from penchant.exceptions import DataError

_ENDINGS = ("svg", "png", "pdf")


def plot(
    model_file: ModelFile,
    output: Annotated[
        Path,
        typer.Option(
            "--output", "-o", metavar="FILE", help="Where to write: .svg, .png or .pdf."
        ),
    ],
    interactions: Annotated[
        bool,
        typer.Option(
            "--interactions", help="Of a Choquet integral: pairs instead of criteria."
        ),
    ] = False,
    force: Force = False,
) -> None:
    """Draw a model: curves and pairs, criteria of a Choquet integral, or rules.

    Exit code 0: written. 1: the model cannot be drawn. 2: wrong usage.

    Example: penchant plot model.penchant -o model.svg
    """
    ending = output.suffix.lower().lstrip(".")
    if ending not in _ENDINGS:
        raise typer.BadParameter(f"The file must end in .{', .'.join(_ENDINGS)}.")
    check_target(output, force=force)
    from penchant.io import load
    from penchant.plotting import picture

    content = picture(_drawing(load(model_file), interactions), ending)  # type: ignore[arg-type]
    write_file(output, content)
    Screen().say(f"Wrote {output}.")


def _drawing(model: Any, interactions: bool) -> Callable[[], Any]:
    from penchant import plotting

    if hasattr(model, "rules_"):
        return lambda: plotting.plot_rules(model)
    if hasattr(model, "factors_"):
        return lambda: plotting.plot_gai(model)
    if hasattr(model, "capacity_"):
        if interactions:
            return lambda: plotting.plot_interactions(model)
        return lambda: plotting.plot_capacity_importances(model)
    raise DataError(
        f"A {type(model).__name__} cannot be drawn. Give what `penchant learn` wrote."
    )
