"""Passwords of owners: argon2id, with a bound on how much memory it may take."""

import secrets
from functools import cache
from threading import BoundedSemaphore
from typing import Final

from penchant.exceptions import DataError, MissingExtraError

try:
    from argon2 import PasswordHasher
    from argon2.exceptions import InvalidHashError, VerificationError
except ImportError:
    raise MissingExtraError("argon2-cffi", "app") from None

__all__ = ["hash_password", "password_fits"]

SHORTEST, LONGEST = 10, 1000

_AT_ONCE: Final = BoundedSemaphore(2)
"""A hash takes 64 MiB; many logins at the same moment wait for each other."""

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
    with _AT_ONCE:
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
    with _AT_ONCE:
        try:
            fits = _HASHER.verify(
                _nobody() if kept is None else kept,
                password.encode("utf-8", "surrogatepass"),
            )
        except (VerificationError, InvalidHashError):
            return False
    return fits and kept is not None


@cache
def _nobody() -> str:
    """Hash something that nobody knows."""
    return _HASHER.hash(secrets.token_bytes(32))
