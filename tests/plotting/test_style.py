import subprocess
import sys

import matplotlib as mpl
import pytest

from penchant.plotting._marks import HeatScale
from penchant.plotting._style import DARK, LIGHT, drawing

MISSING = """
import sys
sys.modules["matplotlib"] = None
from penchant.exceptions import MissingExtraError
try:
    import penchant.plotting
except MissingExtraError as error:
    print(error)
"""


def test_missing_matplotlib_is_told_with_the_command():
    done = subprocess.run(
        [sys.executable, "-c", MISSING], capture_output=True, text=True, check=True
    )
    assert "pip install 'penchant[plot]'" in done.stdout


def test_settings_of_the_user_come_back_after_an_error():
    before = mpl.rcParams["text.color"]
    with drawing(None, "dark"):
        assert mpl.rcParams["text.color"] == DARK.ink
    with pytest.raises(ZeroDivisionError), drawing(None, "dark"):
        _ = 1 / 0
    assert mpl.rcParams["text.color"] == before


def contrast(first, second):
    """Contrast of two colours by the definition of WCAG 2."""

    def luminance(colour):
        linear = [
            c / 12.92 if c <= 0.03928 else ((c + 0.055) / 1.055) ** 2.4
            for c in mpl.colors.to_rgb(colour)
        ]
        return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]

    high, low = sorted((luminance(first), luminance(second)), reverse=True)
    return (high + 0.05) / (low + 0.05)


@pytest.mark.parametrize("theme", [LIGHT, DARK])
def test_text_can_be_read(theme):
    heat = HeatScale([1.0], theme)
    for value in (-1, -0.7, -0.4, -0.1, 0, 0.1, 0.4, 0.7, 1):
        assert contrast(heat.text_colour(value), heat.colour(value)) >= 4.5
    assert contrast(theme.ink_2, theme.surface) >= 4.5


def test_heat_steps_have_a_round_width():
    heat = HeatScale([-0.37, 0.1], LIGHT)
    assert heat.step == pytest.approx(0.1)
    assert [heat.colour(v) for v in (0.1, 0.11, -0.37)] == [
        LIGHT.plus[0],
        LIGHT.plus[1],
        LIGHT.minus[3],
    ]
    assert HeatScale([0.0], LIGHT).step == 1
