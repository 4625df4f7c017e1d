"""Fixtures that several folders of tests share."""

import shutil
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from hypothesis import settings

from experiments._data import data_folder
from penchant.exceptions import DataError

if TYPE_CHECKING:
    from tests.postgres import Postgres

# Same examples on every run, and no limit on time: the machine may be busy.
settings.register_profile("penchant", deadline=None, derandomize=True)
settings.load_profile("penchant")


@pytest.fixture(scope="session")
def shared_data() -> Path:
    """Folder with data sets that are not part of the repository, or a skip."""
    try:
        return data_folder()
    except DataError as error:
        pytest.skip(str(error))


@pytest.fixture(scope="session")
def migrated(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Give a SQLite file that was made once: migrations take longer than most tests."""
    from penchant.studies import SqlStore, store_url

    folder = tmp_path_factory.mktemp("migrated")
    SqlStore(store_url(folder)).close()
    (file,) = folder.glob("*.sqlite")
    return file


@pytest.fixture
def new_url(migrated: Path, tmp_path: Path) -> str:
    """Address of a database of one's own, with tables and nothing in them."""
    from penchant.studies import store_url

    shutil.copy2(migrated, tmp_path)
    return store_url(tmp_path)


@pytest.fixture(params=["sqlite", "postgresql"])
def any_url(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[str]:
    """Address of an empty database, of each kind in turn."""
    from penchant.studies import store_url

    if request.param == "sqlite":
        yield store_url(tmp_path)
    else:
        yield from request.getfixturevalue("postgres").databases()


@pytest.fixture
def postgres_url(postgres: "Postgres") -> Iterator[str]:
    """Address of an empty database in PostgreSQL."""
    yield from postgres.databases()


@pytest.fixture(scope="session")
def postgres() -> Iterator["Postgres"]:
    """Start PostgreSQL once, or skip where it is not installed."""
    pytest.importorskip("psycopg")
    from tests.postgres import Postgres

    places = [shutil.which("postgres"), *Path("/usr/lib/postgresql").glob("*/bin")]
    found = [Path(place).resolve() for place in places if place]
    if not found:
        pytest.skip("PostgreSQL is not installed (Debian: postgresql).")
    binaries = found[0] if found[0].is_dir() else found[0].parent
    folder = Path(tempfile.mkdtemp(prefix="penchant-postgres-"))
    try:
        server = Postgres(binaries, folder)
        yield server
        server.stop()
    finally:
        shutil.rmtree(folder, ignore_errors=True)
