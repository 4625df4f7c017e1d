"""`penchant study table`: changing the table of a study while people answer."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from penchant.cli._finding import find_item, find_study, open_store
from penchant.cli._options import AsJson, Data, StudyName
from penchant.cli._screen import Screen, write_json

if TYPE_CHECKING:
    from penchant.studies import TableChange, TableVersion

table = typer.Typer(
    no_args_is_help=True, help="Change the table of a study while people answer."
)

Alternative = Annotated[
    list[str], typer.Argument(metavar="ALTERNATIVE", help="Their names.")
]
Cells = Annotated[
    list[str],
    typer.Option(
        "--set",
        metavar="COLUMN=VALUE",
        help="A value; nothing after = : not known. May be repeated.",
    ),
]
Note = Annotated[str, typer.Option(help="Why, for those who look at the versions.")]


@table.command(name="show")
def show(study_name: StudyName, data: Data = None, as_json: AsJson = False) -> None:
    """List the versions of the table and what each changed.

    Example: penchant study table show "Our next flat"
    """
    from penchant.studies import difference

    with open_store(data) as store:
        found = find_study(store, study_name).table.versions()
    steps = [
        (version, () if number == 0 else difference(found[number - 1], version))
        for number, version in enumerate(found)
    ]
    if as_json:
        write_json([_plain(*step) for step in steps])
        return
    screen = Screen()
    for version, changes in steps:
        n_items = len(version.items) - len(version.withdrawn)
        made = f"{version.at:%Y-%m-%d %H:%M} UTC"
        why = f" ({version.note})" if version.note else ""
        head = f"Version {version.number}, {made}: {n_items} alternatives{why}"
        screen.say(head, style="bold")
        _say(changes, screen)


@table.command(name="replace")
def replace(
    study_name: StudyName,
    file: Annotated[
        Path,
        typer.Argument(exists=True, dir_okay=False, help="The corrected table."),
    ],
    *,
    missing: Annotated[
        str,
        typer.Option(
            help="What to do about alternatives that are not in it: refuse, withdraw "
            "or keep."
        ),
    ] = "refuse",
    look: Annotated[
        bool, typer.Option("--look", help="Say what would change; change nothing.")
    ] = False,
    note: Note = "",
    data: Data = None,
    as_json: AsJson = False,
) -> None:
    """Take a corrected table; alternatives are known by their names.

    Exit code 0: changed. 1: the table does not fit, or nothing is different.

    Example: penchant study table replace "Our next flat" flats.csv --look
    """
    from penchant.data import read_table
    from penchant.studies import plan_replacement, read_like

    if missing not in ("refuse", "withdraw", "keep"):
        raise typer.BadParameter(
            f"It must be refuse, withdraw or keep. Got {missing!r}.",
            param_hint="--missing",
        )

    def plan(now: "TableVersion") -> "TableVersion":
        items = read_like(now, read_table(file))
        return plan_replacement(now, items, missing=missing)  # type: ignore[arg-type]

    _keep(study_name, plan, note, data, as_json, look=look)


@table.command(name="correct")
def correct(
    study_name: StudyName,
    alternative: Annotated[str, typer.Argument(help="Its name.")],
    *,
    cells: Cells = [],  # noqa: B006 - Typer copies it
    name: Annotated[str, typer.Option(help="Another name for it.")] = "",
    note: Note = "",
    data: Data = None,
    as_json: AsJson = False,
) -> None:
    """Correct values of an alternative, or its name.

    Example: penchant study table correct "Our next flat" "Mill Lane 2" --set rent=870
    """
    told: dict[str, Any] = {"correct": {alternative: _values(cells)}}
    told["rename"] = {alternative: name} if name else {}
    _change(study_name, note, data, as_json, **told)


@table.command(name="add")
def add(
    study_name: StudyName,
    name: Annotated[str, typer.Argument(help="What it is called.")],
    *,
    cells: Cells = [],  # noqa: B006 - Typer copies it
    note: Note = "",
    data: Data = None,
    as_json: AsJson = False,
) -> None:
    """Add an alternative; what is not said of it is not known.

    Example: penchant study table add "Our next flat" "Hill 1" --set rent=790
    """
    _change(study_name, note, data, as_json, add={name: _values(cells)})


@table.command(name="withdraw")
def withdraw(
    study_name: StudyName,
    alternatives: Alternative,
    *,
    note: Note = "",
    data: Data = None,
    as_json: AsJson = False,
) -> None:
    """Ask and recommend alternatives no longer; answers about them stay.

    Example: penchant study table withdraw "Our next flat" "Mill Lane 2" --note sold
    """
    _change(study_name, note, data, as_json, withdraw=alternatives)


@table.command(name="restore")
def restore(
    study_name: StudyName,
    alternatives: Alternative,
    *,
    note: Note = "",
    data: Data = None,
    as_json: AsJson = False,
) -> None:
    """Ask and recommend alternatives again.

    Example: penchant study table restore "Our next flat" "Mill Lane 2"
    """
    _change(study_name, note, data, as_json, restore=alternatives)


@table.command(name="column")
def column(
    study_name: StudyName,
    name: Annotated[str, typer.Argument(metavar="COLUMN", help="Its name.")],
    *,
    direction: Annotated[
        str | None, typer.Option(help="What is better: up, down or unknown.")
    ] = None,
    unit: Annotated[
        str | None, typer.Option(help="What is written after its numbers.")
    ] = None,
    level: Annotated[
        list[str],
        typer.Option(metavar="LEVEL", help="All levels from first to last."),
    ] = [],  # noqa: B006 - Typer copies it
    kind: Annotated[
        str | None, typer.Option(help="numeric, ordinal or categorical.")
    ] = None,
    role: Annotated[
        str | None,
        typer.Option(
            help="compared, shown, text, link, picture, identifier, or 'left out'."
        ),
    ] = None,
    note: Note = "",
    data: Data = None,
    as_json: AsJson = False,
) -> None:
    """Change what a column means: direction, unit, order of levels, role.

    Example: penchant study table column "Our next flat" rent --direction down
    """
    told: dict[str, Any] = {"direction": direction, "unit": unit, "kind": kind}
    told |= {"role": role, "levels": level or None}
    _change(study_name, note, data, as_json, columns={name: told})


def _change(
    study_name: str, note: str, data: str | None, as_json: bool, **changes: Any
) -> None:
    """Make a version with changes as `plan_change` takes them; names may be begun."""
    from penchant.studies import plan_change

    def plan(now: "TableVersion") -> "TableVersion":
        def full(name: str) -> str:
            return now.items.names[find_item(now.items, name)]

        planned = dict(changes)
        for what, told in changes.items():
            if what in ("withdraw", "restore"):
                planned[what] = [full(name) for name in told]
            elif what in ("correct", "rename"):
                planned[what] = {full(name): said for name, said in told.items()}
        return plan_change(now, **planned)

    _keep(study_name, plan, note, data, as_json)


def _values(cells: list[str]) -> dict[str, str]:
    for cell in cells:
        if "=" not in cell:
            raise typer.BadParameter(
                f"It must be COLUMN=VALUE. Got {cell!r}.", param_hint="--set"
            )
    return dict(cell.partition("=")[::2] for cell in cells)


def _keep(
    study_name: str,
    plan: Any,
    note: str,
    data: str | None,
    as_json: bool,
    *,
    look: bool = False,
) -> None:
    """Make a version and say what it changes."""
    from penchant.studies import difference

    with open_store(data) as store:
        found = find_study(store, study_name).table
        before = found.current
        after = plan(before) if look else found.keep(plan(before), note)
    changes = difference(before, after)
    if as_json:
        write_json(_plain(after, changes))
        return
    screen = Screen()
    _say(changes, screen)
    if look:
        screen.say("Nothing was changed: this is what would be.")
    else:
        screen.say(f"This is version {after.number} of the table.")


def _plain(
    version: "TableVersion", changes: "tuple[TableChange, ...]"
) -> dict[str, Any]:
    return {
        "number": version.number,
        "at": version.at.isoformat(),
        "note": version.note,
        "items": list(version.items.names),
        "withdrawn": [version.items.names[place] for place in version.withdrawn],
        "changes": [change.to_dict() for change in changes],
    }


def _say(changes: "tuple[TableChange, ...]", screen: Screen) -> None:
    for each in changes:
        what = " of ".join(part for part in (each.column, each.item) if part)
        moved = f": {each.before or '-'} → {each.after or '-'}"
        screen.say(f"  {each.kind}: {what}{moved if each.before or each.after else ''}")
