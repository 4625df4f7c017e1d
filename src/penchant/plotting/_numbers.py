"""Numbers as people read them: round ticks, equal decimals, a true minus sign."""

from collections.abc import Sequence

import numpy as np
from matplotlib.ticker import Formatter, Locator

from penchant.typing import ArrayLike

_MINUS = "\N{MINUS SIGN}"
_THIN_SPACE = "\N{NARROW NO-BREAK SPACE}"
_SUPERSCRIPTS = str.maketrans("0123456789-", "⁰¹²³⁴⁵⁶⁷⁸⁹⁻")
# Numbers between these are written out, the others with a power of ten.
_SMALLEST, _LARGEST = 1e-4, 1e7
_MAX_TICKS = 5


def format_numbers(
    values: ArrayLike, *, digits: int = 3, signed: bool = False
) -> list[str]:
    """Write numbers with the same number of decimals.

    Parameters
    ----------
    values : array-like of shape (n,)
    digits : int
        Digits that the largest of them shows.
    signed : bool
        Whether positive numbers get a plus sign.
    """
    numbers = np.asarray(values, dtype=np.float64)
    largest = float(np.abs(numbers).max(initial=0.0))
    if largest and not _SMALLEST <= largest < _LARGEST:
        return [_sign(f"{v:.{digits - 1}e}", signed) for v in numbers]
    place = int(np.floor(np.log10(largest))) if largest else 0
    return _fixed(numbers, max(digits - 1 - place, 0), signed)


def _fixed(numbers: ArrayLike, decimals: int, signed: bool) -> list[str]:
    # Adding 0 turns a negative zero into a positive one.
    rounded = np.round(np.asarray(numbers, dtype=np.float64), decimals) + 0.0
    separator = "," if np.abs(rounded).max(initial=0.0) >= 1e4 else ""
    return [_sign(f"{v:{separator}.{decimals}f}", signed and v > 0) for v in rounded]


def _sign(text: str, plus: bool = False) -> str:
    return ("+" + text if plus and text[0] != "-" else text).replace("-", _MINUS)


def format_round(values: ArrayLike, *, signed: bool = False) -> list[str]:
    """Write round numbers, such as those of ticks, with the decimals they need.

    Zero gets neither sign nor decimals where others get a sign.
    """
    numbers = np.asarray(values, dtype=np.float64)
    largest = float(np.abs(numbers).max(initial=0.0))
    if largest and not _SMALLEST <= largest < _LARGEST:
        return [_sign(f"{v:.2e}", signed) if v else "0" for v in numbers]
    needed = (
        decimals
        for decimals in range(8)
        if np.allclose(
            numbers, np.round(numbers, decimals), rtol=0, atol=1e-6 * largest
        )
    )
    texts = _fixed(numbers, next(needed, 8), signed)
    return ["0" if signed and not v else t for v, t in zip(numbers, texts, strict=True)]


def format_share(share: float) -> str:
    """Write a share in percent; never 0 % or 100 %, which would claim too much."""
    if share < 0.01:
        return f"<1{_THIN_SPACE}%"
    if share > 0.99:
        return f">99{_THIN_SPACE}%"
    return f"{share:.0%}".replace("%", f"{_THIN_SPACE}%")


def format_power(value: float) -> str:
    """Write a small number as a power of ten, rounded up: 4.04e-6 is 5·10⁻⁶."""
    if value <= 0:
        return "0"
    power = int(np.floor(np.log10(value)))
    lead = int(np.ceil(round(value / 10.0**power, 9)))
    if lead == 10:
        lead, power = 1, power + 1
    return f"{lead}·10{str(power).translate(_SUPERSCRIPTS)}"


class NumberLocator(Locator):
    """At most five ticks at round numbers, as many as that allows."""

    def __call__(self) -> list[float]:
        """Give the ticks of the axis as it is shown."""
        low, high = sorted(self.axis.get_view_interval())  # type: ignore[union-attr]
        return self.tick_values(low, high)

    def tick_values(self, vmin: float, vmax: float) -> list[float]:
        """Give the ticks between two ends."""
        if not vmax > vmin:
            return [vmin]
        power = np.floor(np.log10((vmax - vmin) / _MAX_TICKS))
        for step in 10.0**power * np.array([1.0, 2.0, 2.5, 5.0, 10.0, 20.0]):
            first, last = np.ceil(vmin / step - 1e-9), np.floor(vmax / step + 1e-9)
            if last - first < _MAX_TICKS:
                break
        return list((step * np.arange(first, last + 1)).tolist())


class NumberFormatter(Formatter):
    """Tick labels with as many decimals as they need, the same for all."""

    def __call__(self, x: float, pos: int | None = None) -> str:
        """Write one number."""
        return self.format_ticks([x])[0]

    def format_ticks(self, values: Sequence[float]) -> list[str]:
        """Write the numbers of all ticks."""
        return format_round(values)
