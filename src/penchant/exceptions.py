"""Errors and warnings: each error is also the built-in that callers expect."""

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from sklearn.exceptions import ConvergenceWarning

__all__ = [
    "AmbiguousColumnError",
    "ClusterError",
    "ConflictError",
    "ConvergenceWarning",
    "DataError",
    "DirectionWarning",
    "DraftNotFoundError",
    "FormatError",
    "MissingExtraError",
    "ModelNotFoundError",
    "NotAnswerableError",
    "NotFoundError",
    "OwnerNotFoundError",
    "ParticipantNotFoundError",
    "PenchantError",
    "PictureNotFoundError",
    "StoreError",
    "StudyNotFoundError",
]


class PenchantError(Exception):
    """Base of every error that penchant raises on purpose."""


class DataError(PenchantError, ValueError):
    """A table, a rating or a comparison is not what it must be.

    Parameters
    ----------
    message : str
        What must hold, what came, and what to do.
    key : str
        The text of the app that says it in the language of the reader; empty: none.
    **values
        The numbers that stand in that text.
    """

    def __init__(self, message: str = "", key: str = "", **values: float) -> None:
        super().__init__(message)
        self.key, self.values = key, values


class AmbiguousColumnError(DataError):
    """A column can be read in two ways, and nobody said which.

    Parameters
    ----------
    message : str
        What was found, and the two ways to say it.
    column : str
        Its name.
    """

    def __init__(self, message: str, column: str) -> None:
        super().__init__(message)
        self.column = column


class DirectionWarning(UserWarning):
    """The data clearly contradict what was said to be better, more or less."""


class FormatError(PenchantError, ValueError):
    """A saved file is damaged, foreign, or written by a newer version."""


class NotAnswerableError(PenchantError, RuntimeError):
    """A question was asked or answered at a moment when that has no meaning."""


class ClusterError(PenchantError, ConnectionError):
    """A cluster cannot be reached or does not match this machine."""


class StoreError(PenchantError, RuntimeError):
    """A storage refused what was asked of it."""


class ConflictError(StoreError):
    """Somebody else was faster, or the same was said differently before."""


class NotFoundError(StoreError, LookupError):
    """A storage does not have what was asked for."""


class StudyNotFoundError(NotFoundError):
    """No study has that identifier."""


class DraftNotFoundError(NotFoundError):
    """No uploaded table waits under that identifier."""


class ParticipantNotFoundError(NotFoundError):
    """No participant has that link or identifier."""


class ModelNotFoundError(NotFoundError):
    """No fitted model has that identifier."""


class PictureNotFoundError(NotFoundError):
    """No picture of that study or upload has that digest."""


class OwnerNotFoundError(NotFoundError):
    """No owner has that identifier."""


class MissingExtraError(PenchantError, ImportError):
    """An optional dependency is not installed."""

    def __init__(self, package: str, extra: str) -> None:
        super().__init__(
            f"This needs the package {package!r}, which is not installed. "
            f"Install it with: pip install 'penchant[{extra}]'"
        )


def __getattr__(name: str) -> Any:
    """Offer scikit-learn's ConvergenceWarning without importing it for errors."""
    if name == "ConvergenceWarning":
        from sklearn.exceptions import ConvergenceWarning

        return ConvergenceWarning
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
