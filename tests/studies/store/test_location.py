from pathlib import Path

import pytest

from penchant.exceptions import StoreError
from penchant.studies import store_url


def test_folder_is_made_for_its_owner_only(tmp_path: Path) -> None:
    folder = tmp_path / "deep" / "data"
    assert store_url(folder) == f"sqlite:///{folder / 'penchant.sqlite'}"
    assert folder.stat().st_mode & 0o777 == 0o700


@pytest.mark.parametrize(
    ("others", "mode"),
    [((), 0o700), (("penchant.sqlite-wal",), 0o700), (("x",), 0o755)],
)
def test_folder_with_nothing_but_the_database_becomes_private(
    tmp_path: Path, others: tuple[str, ...], mode: int
) -> None:
    folder = tmp_path / "data"
    folder.mkdir()
    folder.chmod(0o755)
    for name in others:
        (folder / name).touch()
    store_url(folder)
    assert folder.stat().st_mode & 0o777 == mode


def test_folder_of_a_file_or_for_everybody_stays_as_it_is(tmp_path: Path) -> None:
    for mode in (0o755, 0o1777):
        tmp_path.chmod(mode)
        store_url(tmp_path / "studies.sqlite" if mode == 0o755 else tmp_path)
        assert tmp_path.stat().st_mode & 0o7777 == mode


@pytest.mark.parametrize("name", ["a.sqlite", "b.sqlite3", "c.DB"])
def test_path_with_the_ending_of_a_database_is_the_file(
    tmp_path: Path, name: str
) -> None:
    assert store_url(str(tmp_path / name)) == f"sqlite:///{tmp_path / name}"


def test_file_that_exists_is_the_file(tmp_path: Path) -> None:
    path = tmp_path / "studies"
    path.touch()
    assert store_url(path) == f"sqlite:///{path}"


def test_default_is_the_folder_for_user_data(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(
        "platformdirs.user_data_path", lambda name, **_: tmp_path / name
    )
    assert store_url() == f"sqlite:///{tmp_path / 'penchant' / 'penchant.sqlite'}"


def test_address_of_a_database_is_used_as_it_is() -> None:
    assert store_url("postgresql://h/db") == "postgresql://h/db"


def test_folder_that_cannot_be_made_is_an_error(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(StoreError, match="cannot be made"):
        store_url(tmp_path / "file" / "data")
