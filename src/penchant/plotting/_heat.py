"""Four steps of colour each way, for signed values."""

import numpy as np
from matplotlib.colors import BoundaryNorm, ListedColormap

from penchant.plotting._style import Theme
from penchant.typing import ArrayLike, FloatArray

__all__ = ["HeatScale"]

_STEPS = 4
_ROUND = (1.0, 1.5, 2.0, 2.5, 3.0, 4.0, 5.0, 6.0, 8.0, 10.0)


class HeatScale:
    """Colours of signed values: four steps of a round width on each side of zero.

    Parameters
    ----------
    values : array-like
        What will be coloured.
    theme : Theme
    """

    def __init__(self, values: ArrayLike, theme: Theme) -> None:
        self.theme = theme
        self.step = _round_up(float(np.abs(np.asarray(values)).max()) / _STEPS)

    @property
    def edges(self) -> FloatArray:
        """Where the colour changes; the middle one is zero."""
        return self.step * np.arange(-_STEPS, _STEPS + 1, dtype=np.float64)

    @property
    def cmap(self) -> ListedColormap:
        """The colours in the order of the values."""
        return ListedColormap([*self.theme.minus[::-1], *self.theme.plus])

    @property
    def norm(self) -> BoundaryNorm:
        """The map from values to colours."""
        return BoundaryNorm(self.edges.tolist(), 2 * _STEPS)

    def colour(self, value: float) -> str:
        """Give the fill of a cell; zero has none."""
        number = self._number(value)
        if number == 0:
            return self.theme.sunk
        side = self.theme.plus if value > 0 else self.theme.minus
        return side[number - 1]

    def text_colour(self, value: float) -> str:
        """Give the colour of text that can be read on the fill."""
        strongest = self._number(value) == _STEPS
        return self.theme.surface if strongest else self.theme.ink

    def _number(self, value: float) -> int:
        """Give the step of a value, 1 to 4; 0 for what rounding may have left."""
        size = abs(value) / self.step
        return 0 if size < 1e-9 else min(_STEPS, int(np.ceil(size - 1e-9)))


def _round_up(value: float) -> float:
    """Give the next round number; 1 for 0, where all values are equal anyway."""
    if value <= 0:
        return 1.0
    power = 10.0 ** np.floor(np.log10(value))
    found = (nice * power for nice in _ROUND if nice * power >= value * (1 - 1e-9))
    return float(next(found))
