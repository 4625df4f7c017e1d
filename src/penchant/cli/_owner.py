"""`penchant owner`: who may log in and run studies."""

import sys
from datetime import timedelta
from typing import TYPE_CHECKING, Annotated

import typer

from penchant.cli._finding import open_store
from penchant.cli._options import Address, AsJson, Data
from penchant.cli._screen import plain, write_json
from penchant.exceptions import OwnerNotFoundError, PenchantError

if TYPE_CHECKING:
    from penchant.studies import OwnerRecord, Store

owner = typer.Typer(
    no_args_is_help=True, help="Say who may log in and run studies on a server."
)

_Name = Annotated[str, typer.Argument(help="As typed at the login.")]
_FromStdin = Annotated[
    bool,
    typer.Option(
        "--password-stdin", help="Read the password from standard input, for scripts."
    ),
]


@owner.command()
def add(
    name: _Name,
    admin: Annotated[
        bool, typer.Option("--admin", help="May see the studies of everybody.")
    ] = False,
    data: Data = None,
    password_stdin: _FromStdin = False,
) -> None:
    """Add an owner; the password is asked for.

    Exit code 0: added. 1: the name is taken or the password does not fit.

    Example: penchant owner add ada --admin
    """
    from penchant.web import hash_password

    with open_store(data) as store:
        if store.find_owner(name) is not None:
            raise PenchantError(f"There is an owner called {name!r} already.")
        kept = hash_password(_ask_password(password_stdin))
        store.add_owner(name, kept, "admin" if admin else "analyst")
    typer.echo(f"Added {name}.")


@owner.command(name="list")
def list_owners(data: Data = None, as_json: AsJson = False) -> None:
    """List the owners by name.

    Example: penchant owner list
    """
    with open_store(data) as store:
        found = store.list_owners()
    if as_json:
        entries = [
            {"name": one.name, "role": one.role, "created": one.created.isoformat()}
            for one in found
        ]
        write_json(entries)
        return
    for one in found:
        typer.echo(f"{plain(one.name)}\t{one.role}")
    if not found:
        typer.echo("There are no owners yet. Add one: penchant owner add NAME")


@owner.command()
def password(
    name: _Name, data: Data = None, password_stdin: _FromStdin = False
) -> None:
    """Give an owner a new password; all sessions and API tokens end.

    Example: penchant owner password ada
    """
    from penchant.web import hash_password

    with open_store(data) as store:
        found = find_owner(store, name)
        store.set_password(found.id, hash_password(_ask_password(password_stdin)))
    typer.echo(f"Changed the password of {name}.")


@owner.command()
def invite(
    name: _Name,
    admin: Annotated[
        bool, typer.Option("--admin", help="May see the studies of everybody.")
    ] = False,
    address: Address = "",
    data: Data = None,
) -> None:
    """Add an owner, and print a link with which they choose their password.

    The link works once, for three days.

    Example: penchant owner invite ada
    """
    from penchant.web import add_owner_link

    with open_store(data) as store:
        made = add_owner_link(store, name, role="admin" if admin else "analyst")
    typer.echo(f"{address.rstrip('/')}/welcome/{made}")


@owner.command()
def reset(name: _Name, address: Address = "", data: Data = None) -> None:
    """Print a link with which an owner chooses a new password.

    The link works once, for three days; the old password works until then.

    Example: penchant owner reset ada
    """
    from penchant.web import add_owner_link

    with open_store(data) as store:
        made = add_owner_link(store, find_owner(store, name).name)
    typer.echo(f"{address.rstrip('/')}/welcome/{made}")


@owner.command()
def token(
    name: _Name,
    days: Annotated[
        int, typer.Option(min=1, max=3650, help="How long it is good.")
    ] = 90,
    data: Data = None,
) -> None:
    """Print a new API token with which a program acts for an owner.

    It is shown once and kept only as a hash; a new password ends it.

    Example: penchant owner token ada --days 30
    """
    from penchant.web import add_api_token

    with open_store(data) as store:
        typer.echo(
            add_api_token(store, find_owner(store, name).id, timedelta(days=days))
        )


@owner.command()
def remove(
    name: _Name,
    yes: Annotated[bool, typer.Option("--yes", help="Do not ask again.")] = False,
    data: Data = None,
) -> None:
    """Remove an owner; their studies stay, and only admins see them then.

    Example: penchant owner remove ada
    """
    with open_store(data) as store:
        found = find_owner(store, name)
        if not yes:
            typer.confirm(f"Remove {name}?", abort=True)
        store.remove_owner(found.id)
    typer.echo(f"Removed {name}.")


def find_owner(store: "Store", name: str) -> "OwnerRecord":
    """Give the owner with a name."""
    found = store.find_owner(name)
    if found is None:
        raise OwnerNotFoundError(
            f"There is no owner called {name!r}. `penchant owner list` shows all."
        )
    return found


def _ask_password(from_stdin: bool) -> str:
    if from_stdin:
        return sys.stdin.readline().rstrip("\r\n")
    return typer.prompt("Password", hide_input=True, confirmation_prompt=True)
