import pytest

from penchant.exceptions import DataError
from penchant.web import hash_password
from penchant.web.security._passwords import password_fits


def test_password_fits_its_hash_only() -> None:
    kept = hash_password("correct horse")
    assert kept.startswith("$argon2id$v=19$m=65536,t=3")
    assert "correct" not in kept
    assert password_fits(kept, "correct horse")
    assert not password_fits(kept, "correct horse ")
    assert hash_password("correct horse") != kept


@pytest.mark.parametrize("kept", [None, "", "plain text", "$argon2id$broken"])
def test_nothing_fits_where_no_hash_is_kept(kept: str | None) -> None:
    assert not password_fits(kept, "correct horse")
    assert not password_fits(kept, "\0")


def test_half_characters_are_a_password_like_any_other() -> None:
    kept = hash_password("\ud800 0123456789")
    assert password_fits(kept, "\ud800 0123456789")
    assert not password_fits(kept, "? 0123456789")


@pytest.mark.parametrize("password", ["", "123456789", "x" * 1001])
def test_too_short_or_too_long_is_refused(password: str) -> None:
    with pytest.raises(DataError, match="10 to 1000 characters"):
        hash_password(password)
    assert not password_fits(hash_password("0123456789"), password)
