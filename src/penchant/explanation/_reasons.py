"""Reasons in words: what speaks for an item, what against it, and what decides."""

from dataclasses import asdict, dataclass
from itertools import accumulate
from typing import Any

import numpy as np
from scipy.special import ndtr

from penchant.exceptions import DataError
from penchant.explanation._attribution import Attribution
from penchant.explanation._tables import format_cell

_NEGLIGIBLE = 1e-9
"""Contributions below this share of the largest are rounding."""
_SURE = 0.8
"""Reasons whose sign is less certain are told with "perhaps"."""


@dataclass(frozen=True)
class Reason:
    """One attribute that speaks for or against an item.

    Parameters
    ----------
    attribute : str
    contribution : float
        What it adds to the difference; negative if it speaks against the item.
    value, rival : str
        Its values in the two items, with units; empty where there are none.
    std : float or None, default=None
        Standard deviation of the contribution, where the model knows it.
    """

    attribute: str
    contribution: float
    value: str
    rival: str
    std: float | None = None

    @property
    def certainty(self) -> float | None:
        """The probability that the contribution has this sign; None: not known."""
        if self.std is None:
            return None
        if self.std == 0.0:
            return 1.0
        return float(ndtr(abs(self.contribution) / self.std))

    def __str__(self) -> str:
        doubt = self.certainty is not None and self.certainty < _SURE
        words = f"perhaps {self.attribute}" if doubt else self.attribute
        if not self.value and not self.rival:
            return words
        return f"{words} ({self.value} rather than {self.rival})"


@dataclass(frozen=True)
class Reasons:
    """What speaks for an item and against it, compared with a rival.

    Parameters
    ----------
    item, rival : str
        The two items.
    pros, cons : tuple of Reason
        The strongest first.
    decisive : tuple of Reason
        The smallest set of pros that outweighs all cons together; empty where all
        pros together do not.
    difference : float
        All contributions together: positive if the item is the better one.
    """

    item: str
    rival: str
    pros: tuple[Reason, ...]
    cons: tuple[Reason, ...]
    decisive: tuple[Reason, ...]
    difference: float

    @property
    def text(self) -> str:
        """The reasons as sentences."""
        if not self.pros and not self.cons:
            return f"No attribute tells {self.item} from {self.rival}."
        sentences = [
            f"For {self.item} rather than {self.rival}: {_listed(self.pros)}.",
            f"Against: {_listed(self.cons)}.",
        ]
        return " ".join([*sentences, *self._verdict()])

    def _verdict(self) -> list[str]:
        if not self.cons:
            return []
        if not self.decisive:
            return ["What speaks against it weighs more."]
        names = [reason.attribute for reason in self.decisive]
        if len(names) == 1:
            return [f"{_capital(names[0])} alone outweighs all that speaks against it."]
        joined = f"{', '.join(names[:-1])} and {names[-1]}"
        return [f"{_capital(joined)} together outweigh all that speaks against it."]

    def __str__(self) -> str:
        return self.text

    def to_dict(self) -> dict[str, Any]:
        """Give the reasons as plain values for JSON."""
        return {**asdict(self), "text": self.text}


def reasons(contrast: Attribution) -> Reasons:
    """Tell what speaks for and against an item, and which few reasons decide.

    Parameters
    ----------
    contrast : Attribution
        Of one row, from `contrast`.

    Returns
    -------
    Reasons

    Examples
    --------
    >>> import pandas as pd
    >>> from penchant.data import Attribute, Items
    >>> from penchant.explanation import contrast, reasons
    >>> from penchant.models import ChoquetRegressor
    >>> columns = {"rent": [500, 900, 700], "size": [30, 50, 60]}
    >>> table = pd.DataFrame(columns, index=["attic", "loft", "villa"])
    >>> rent = Attribute("rent", direction="down", unit="EUR")
    >>> flats = Items.from_frame(table, attributes=[rent])
    >>> model = ChoquetRegressor().fit(flats, [3.0, 1.0, 4.0])
    >>> why = contrast(model, flats.take([2]), flats.take([0]))
    >>> found = reasons(why)
    >>> str(found.pros[0]), str(found.cons[0])
    ('size (60 rather than 30)', 'rent (700 EUR rather than 500 EUR)')
    >>> found.text.split('. ')[-1]
    'Size alone outweighs all that speaks against it.'
    """
    if len(contrast) != 1 or contrast.reference is None:
        raise DataError(
            "reasons takes the result of contrast(model, a, b), of one row. Got "
            f"{contrast!r}."
        )
    found = _all_reasons(contrast)
    pros = [reason for reason in found if reason.contribution > 0]
    cons = [reason for reason in found if reason.contribution < 0]
    against = -sum(reason.contribution for reason in cons)
    sums = accumulate(reason.contribution for reason in pros)
    enough = [k for k, total in enumerate(sums, 1) if total > against]
    return Reasons(
        item=_name(contrast.rows[0], "the item"),
        rival=_name(contrast.reference.index[0], "its rival"),
        pros=tuple(pros),
        cons=tuple(cons),
        decisive=tuple(pros[: enough[0]]) if enough else (),
        difference=float(contrast.values.sum()),
    )


def _all_reasons(contrast: Attribution) -> list[Reason]:
    """Give all attributes that contribute, the strongest first."""
    values = contrast.values[0]
    smallest = _NEGLIGIBLE * np.abs(values).max(initial=0.0)
    order = np.argsort(-np.abs(values), kind="stable")
    return [
        Reason(
            contrast.names[k],
            float(values[k]),
            format_cell(contrast.data, 0, k),
            format_cell(contrast.reference, 0, k),
            None if contrast.std is None else float(contrast.std[0, k]),
        )
        for k in order
        if abs(values[k]) > smallest
    ]


def _name(label: Any, otherwise: str) -> str:
    is_telling = isinstance(label, str) and label not in ("item", "rival")
    return str(label) if is_telling else otherwise


def _listed(found: tuple[Reason, ...]) -> str:
    return ", ".join(map(str, found)) or "nothing"


def _capital(words: str) -> str:
    return words[:1].upper() + words[1:]
