"""Passwords of owners: argon2id, which takes 64 MiB and a moment on purpose."""

import secrets
from functools import cache
from typing import Final

from penchant.exceptions import DataError, MissingExtraError

try:
    from argon2 import PasswordHasher
    from argon2.exceptions import InvalidHashError, VerificationError
except ImportError:
    raise MissingExtraError("argon2-cffi", "app") from None

SHORTEST, LONGEST = 10, 1000

_HASHER: Final = PasswordHasher()


def hash_password(password: str) -> str:
    """Give what is kept of a password.

    Parameters
    ----------
    password : str
        10 to 1000 characters.

    Returns
    -------
    str
        An argon2id hash with its parameters and salt (RFC 9106, second
        recommended option: 64 MiB, 3 passes).

    Raises
    ------
    DataError
        If the password is too short or too long.

    Examples
    --------
    >>> from penchant.web import hash_password
    >>> hash_password("correct horse battery")[:9]
    '$argon2id'
    """
    if not SHORTEST <= len(password) <= LONGEST:
        raise DataError(
            f"A password must have {SHORTEST} to {LONGEST} characters. "
            f"Got {len(password)}."
        )
    return _HASHER.hash(password.encode("utf-8", "surrogatepass"))


def password_fits(kept: str | None, password: str) -> bool:
    """Tell whether a password is the one that was kept.

    Parameters
    ----------
    kept : str or None
        What `hash_password` gave; None if there is no such owner. That takes as
        long, so that the time does not tell which names exist.
    password : str
        As typed.
    """
    if len(password) > LONGEST:
        return False
    nobody = _nobody()  # in any case: the first time it takes long
    try:
        fits = _HASHER.verify(
            nobody if kept is None else kept,
            password.encode("utf-8", "surrogatepass"),
        )
    except (VerificationError, InvalidHashError):
        return False
    return fits and kept is not None


@cache
def _nobody() -> str:
    """Hash something that nobody knows."""
    return _HASHER.hash(secrets.token_bytes(32))
