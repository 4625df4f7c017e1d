"""`penchant backup`, `restore`, `check`, `migrate`, `tidy` and `warm-up`."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from time import perf_counter
from typing import TYPE_CHECKING, Annotated

import numpy as np
import typer

from penchant.cli._finding import open_store
from penchant.cli._options import AsJson, Data
from penchant.cli._screen import Screen, tell, write_json

if TYPE_CHECKING:
    from penchant.studies import SqlStore

_MOST_SHOWN = 50


def backup(
    file: Annotated[Path, typer.Argument(help="A file that is not there yet.")],
    data: Data = None,
    as_json: AsJson = False,
) -> None:
    """Write everything to one file, while the store is in use.

    The file is complete or not there, and only you may read it: it holds
    personal data.

    Exit code 0: saved. 1: the file is there already or cannot be written.
    2: wrong usage.

    Example: penchant backup monday.backup
    """
    from penchant.studies import backup as back_up

    with open_store(data) as store:
        back_up(store, file)
        n_studies = len(store.list_studies())
    size = file.stat().st_size
    values = {"file": str(file), "studies": n_studies, "bytes": size}
    tell(values, f"Saved {_studies(n_studies)} to {file}.", as_json=as_json)


def restore(
    file: Annotated[
        Path,
        typer.Argument(
            exists=True, dir_okay=False, help="What `penchant backup` wrote."
        ),
    ],
    data: Data = None,
    as_json: AsJson = False,
) -> None:
    """Put a backup into an empty store.

    The links of participants work as before. If something is wrong with the
    backup, the store is empty again.

    Exit code 0: restored. 1: the store is not empty, or the backup is
    damaged. 2: wrong usage.

    Example: penchant restore monday.backup --data ./restored
    """
    from penchant.studies import restore as put_back

    with open_store(data) as store:
        n_studies = put_back(store, file)
    words = f"Restored {_studies(n_studies)} from {file}."
    tell({"file": str(file), "studies": n_studies}, words, as_json=as_json)


def check(
    data: Data = None,
    file: Annotated[
        Path | None,
        typer.Option(
            "--backup",
            exists=True,
            dir_okay=False,
            help="Check a backup instead: it is restored into a place of its own.",
        ),
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Let the database check itself, verify every log, and rebuild all from them.

    Every event has a digest of itself and of what came before, and every log ends
    with a seal: a single bit that changed is found.

    Exit code 0: all is well. 1: there are problems, which are listed.

    Example: penchant check
    """
    from penchant.studies import check_store

    with _open_backup(file) if file else open_store(data) as store:
        report = check_store(store)
    if as_json:
        write_json({"ok": report.ok, **report.to_dict()})
    else:
        screen = Screen()
        counts = (
            _studies(report.n_studies),
            _count(report.n_participants, "participant"),
            _count(report.n_events, "event"),
            _count(report.n_answers, "answer"),
        )
        screen.say(", ".join(counts))
        for problem in report.problems[:_MOST_SHOWN]:
            screen.say(f"problem: {problem}", style="red")
        hidden = len(report.problems) - _MOST_SHOWN
        if hidden > 0:
            screen.say(f"and {hidden} more problems; --json lists all")
        if report.ok:
            screen.say("No problems found.")
    if not report.ok:
        raise typer.Exit(1)


@contextmanager
def _open_backup(file: Path) -> Iterator["SqlStore"]:
    from penchant.studies import restore as put_back

    with (
        TemporaryDirectory(prefix="penchant-check-") as folder,
        open_store(folder) as store,
    ):
        put_back(store, file)
        yield store


def tidy(
    days: Annotated[
        float | None,
        typer.Option(
            envvar="PENCHANT_RETENTION_DAYS",
            help="Forget people who have not answered for so many days, for good.",
        ),
    ] = None,
    data: Data = None,
    as_json: AsJson = False,
) -> None:
    """Forget uploads that nobody confirmed and logins that are over; people if told.

    Exit code 0: done. 2: wrong usage.

    Example: penchant tidy --days 365
    """
    from penchant.studies import tidy as forget

    with open_store(data) as store:
        gone = forget(store, days)
    counts = (
        _count(gone.drafts, "upload"),
        _count(gone.sessions, "login"),
        _count(gone.participants, "participant"),
    )
    tell(vars(gone), f"Forgotten: {', '.join(counts)}.", as_json=as_json)


def migrate(
    to: Annotated[
        str | None,
        typer.Option(
            metavar="FORM",
            help="Go back to an older form, such as 0003, before you install the "
            "older version that needs it.",
        ),
    ] = None,
    data: Data = None,
    as_json: AsJson = False,
) -> None:
    """Bring a database to the form that this version of penchant needs.

    Every command does so when it opens one; this does nothing else. Back it up
    first: an older version cannot open it any more, unless you go back with --to.

    Exit code 0: done. 1: the database cannot be used. 2: wrong usage.

    Example: penchant migrate --data postgresql://localhost/studies
    """
    from penchant.studies import store_url
    from penchant.studies.store import go_back

    url = store_url(data)
    before = _form(url)
    with open_store(url) as store:
        if to is not None:
            go_back(store.database.engine, to)
        after = _form(url)
    words = f"The database was brought from {before or 'nothing'} to {after}."
    if before == after:
        words = f"The database has the form {after} already."
    tell({"before": before, "after": after}, words, as_json=as_json)


def _form(url: str) -> str | None:
    """Give the last migration that a database has seen; None: it is empty."""
    from alembic.migration import MigrationContext

    from penchant.studies.store import make_engine, wrap_errors

    engine = make_engine(url)
    place = engine.url.render_as_string(hide_password=True)
    try:
        with wrap_errors(place), engine.connect() as connection:
            return MigrationContext.configure(connection).get_current_revision()
    finally:
        engine.dispose()


def _studies(count: int) -> str:
    return "1 study" if count == 1 else f"{count:,} studies"


def _count(count: int, noun: str) -> str:
    return f"1 {noun}" if count == 1 else f"{count:,} {noun}s"


_X = np.random.default_rng(0).random((24, 12))
_RATINGS = _X[:, 0] + _X[:, 1]
_LABELS = (_RATINGS > 1.0).astype(np.int64)
_PAIRS = np.stack([_X[:12], _X[12:]], axis=1)
_ANSWERS = (_RATINGS[:12] > _RATINGS[12:]).astype(np.int64)


def warm_up() -> None:
    """Use every kind of model once, so that later first uses need not wait.

    Some loops are compiled when they are first used; the results are kept for
    this machine and this version. One line per kind tells how long it took.

    Exit code 0: all is ready.

    Example: penchant warm-up
    """
    screen = Screen()
    for name, use in FIRST_USES.items():
        start = perf_counter()
        use()
        screen.say(f"{name}: {perf_counter() - start:.1f} s")


def _use_gai() -> None:
    from penchant.models import GAIRanker, GAIRegressor

    regressor = GAIRegressor(C=1.0, max_order=2, monotone={0: 1, 1: 1})
    regressor.fit(_X[:, :3], _RATINGS)
    GAIRanker(C=1.0, max_order=2).fit(_PAIRS[..., :3], _ANSWERS)


def _use_choquet() -> None:
    from penchant.explanation import contrast
    from penchant.models import ChoquetSVC

    contrast(ChoquetSVC().fit(_X, _LABELS), _X[0], _X[1])


def _use_rules() -> None:
    from penchant.models import RuleClassifier

    RuleClassifier().fit(_X[:, :3], _LABELS)


def _use_gaussian_process() -> None:
    from penchant.models import GaussianProcessRanker

    GaussianProcessRanker().fit(_PAIRS[..., :3], _ANSWERS)


def _use_explanations() -> None:
    from penchant.explanation import contrast, explain, flip
    from penchant.models import GaussianProcessRanker

    model = GaussianProcessRanker().fit(_PAIRS[..., :3], _ANSWERS)
    items = _X[:, :3]
    explain(model, items[:1])
    contrast(model, items[0], items[1])
    flip(model, items[0], items[1])


def _use_study() -> None:
    from penchant.studies import warm_up

    warm_up()


FIRST_USES: dict[str, Callable[[], None]] = {
    "GAI models": _use_gai,
    "Choquet models": _use_choquet,
    "Rules": _use_rules,
    "Gaussian processes": _use_gaussian_process,
    "Explanations": _use_explanations,
    "Studies": _use_study,
}
