"""What a model offers to be explained exactly, and the registry of such models."""

from abc import ABC, abstractmethod
from dataclasses import dataclass
from functools import singledispatch
from typing import Any, ClassVar

from penchant.exceptions import DataError
from penchant.explanation._players import Players
from penchant.typing import FloatArray

# Games in words, which people read.
CONTRAST = "attributes of the rival are replaced by those of the item"
DOMAIN = "attributes that are not known are averaged over their domains"


def averaged_over(rows: str) -> str:
    """Say what happens to attributes that are not known."""
    return f"attributes that are not known are averaged over the {rows}, one by one"


@dataclass(frozen=True, eq=False)
class Shares:
    """Contributions of the attributes to some rows.

    Parameters
    ----------
    values : ndarray of shape (n, d)
    base : ndarray of shape (n,) or None, default=None
        What the values start from; None in a contrast, where the rival is.
    cov : ndarray of shape (n, d, d) or None, default=None
        Covariance of the values, where the model knows how sure it is.
    """

    values: FloatArray
    base: FloatArray | None = None
    cov: FloatArray | None = None


class ClosedForm(ABC):
    """A fitted model whose Shapley values are known without sampling.

    Attributes
    ----------
    game : str
        What happens in `explain` to attributes that are not known, in words.
    takes_background : bool, default=False
        Whether `explain` can average over other rows than the model's own.
    """

    game: str
    takes_background: ClassVar[bool] = False

    @abstractmethod
    def encode(self, rows: Any) -> FloatArray:
        """Give items as the numbers that the formula takes, shape (n, d).

        Parameters
        ----------
        rows : Items, DataFrame or array-like of shape (n, d)
            As the model takes them.
        """

    @abstractmethod
    def predict(self, rows: Any) -> FloatArray:
        """Give what is explained: the model's own output, shape (n,)."""

    @abstractmethod
    def contrast(self, item: FloatArray, rival: FloatArray) -> Shares:
        """Share the difference of two encoded items of shape (d,) out (EX-10)."""

    @abstractmethod
    def explain(self, items: FloatArray, reference: FloatArray | None) -> Shares:
        """Share the predictions of encoded items of shape (n, d) out.

        Parameters
        ----------
        items : ndarray of shape (n, d)
        reference : ndarray of shape (m, d) or None
            Encoded rows to explain against, if `takes_background`; None: what the
            model itself knows.
        """

    def merged(self, players: Players) -> "ClosedForm":
        """Give the same with blocks of columns as players, such as one-hot columns."""
        raise DataError(
            "players are for models of scikit-learn, where columns may belong "
            f"together. {type(self).__name__} has one player per attribute; leave "
            "players out."
        )


@singledispatch
def closed_form(model: Any) -> ClosedForm | None:
    """Find the exact formula for a model; None: there is none.

    `explain` and `contrast` look here. Register your own model with
    ``closed_form.register(MyModel, function)``, where the function takes the fitted
    model and returns a `ClosedForm`.

    Parameters
    ----------
    model : fitted model

    Returns
    -------
    ClosedForm or None

    Examples
    --------
    >>> from sklearn.kernel_ridge import KernelRidge
    >>> from penchant.explanation import closed_form
    >>> model = KernelRidge(kernel="rbf").fit([[0.0, 1.0], [1.0, 0.0]], [1.0, 2.0])
    >>> type(closed_form(model)).__name__
    'KernelMachine'
    >>> closed_form("something else") is None
    True
    """
    return None
