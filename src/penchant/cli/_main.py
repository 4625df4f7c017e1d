"""main: the entry point, which also works where the command line is missing."""

import sys

from penchant.exceptions import MissingExtraError


def main() -> None:
    """Run the `penchant` command."""
    try:
        import typer  # noqa: F401 - only whether it is there
    except ImportError:
        sys.exit(str(MissingExtraError("typer", "app")))
    from penchant.cli._app import app

    app()
