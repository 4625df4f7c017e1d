import pytest

from penchant.exceptions import ConflictError, DataError
from penchant.studies import SqlStore


@pytest.mark.parametrize(
    "name",
    ["Ada", "ａｄａ", "аԁа", "a da", "ADA"],  # noqa: RUF001 - which is the point
    ids=["case", "wide", "Cyrillic", "space", "capitals"],
)
def test_names_that_look_alike_are_refused(any_store: SqlStore, name: str) -> None:
    any_store.add_owner("ada", "x")
    with pytest.raises(ConflictError, match="looks like that of the owner 'ada'"):
        any_store.add_owner(name, "x")
    assert [owner.name for owner in any_store.list_owners()] == ["ada"]


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("ad\u0430", "mixes letters of several scripts"),
        ("ada\u200b", "cannot be seen"),
        ("\u202eada", "cannot be seen"),
        ("", "must not be empty"),
        (" ada", "begin or end with a space"),
    ],
)
def test_names_that_hide_something_are_refused(
    store: SqlStore, name: str, said: str
) -> None:
    with pytest.raises(DataError, match=said):
        store.add_owner(name, "x")


@pytest.mark.parametrize(
    "names",
    [("Ada", "Ida"), ("Жанна", "Анна"), ("山田 太郎", "やまだ"), ("Zoë 2", "Zoe 2")],
)
def test_names_that_differ_are_fine(store: SqlStore, names: tuple[str, str]) -> None:
    for name in names:
        store.add_owner(name, "x")
    assert {owner.name for owner in store.list_owners()} == set(names)
