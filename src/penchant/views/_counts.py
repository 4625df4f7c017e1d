"""How much each attribute counts, as bars with their ranges."""

from collections.abc import Sequence
from types import SimpleNamespace as View

from penchant.studies import Curve
from penchant.texts import Texts
from penchant.views._charts import Axis
from penchant.views._display import show_name

_LEAST = 0.01
"""A range that begins below this share includes "counts for nothing"."""
_LONGEST_LABEL = 40


def counts_view(curves: Sequence[Curve], texts: Texts) -> tuple[View, ...]:
    """Show how much every attribute counts for a person, the most first.

    Parameters
    ----------
    curves : sequence of Curve
        With their shares and the ranges of these.
    texts : Texts
        In the language of the person.
    """
    axis = Axis(0.0, max((curve.share_high for curve in curves), default=1.0) or 1.0)
    ordered = sorted(curves, key=lambda curve: -curve.share)
    return tuple(
        count_row(
            curve.attribute,
            (curve.share, curve.share_low, curve.share_high),
            axis,
            "counts.tip",
            texts,
            unsure=curve.share_low < _LEAST,
        )
        for curve in ordered
    )


def count_row(
    name: str,
    shares: tuple[float, float, float],
    axis: Axis,
    key: str,
    texts: Texts,
    *,
    unsure: bool = False,
) -> View:
    """Draw a share with the ends of its range; `key` says what the range is."""
    label = show_name(name, _LONGEST_LABEL)
    share, low, high = map(texts.share, shares)
    words = texts(key, attribute=label, share=share, low=low, high=high)
    if unsure:
        words = f"{words}, {texts('numbers.not_sure')}"
    width, left, right = map(axis.place, shares)
    shown = texts("numbers.not_sure") if unsure else share
    return View(
        label=label,
        share=shown,
        words=words,
        width=width,
        low=left,
        high=right,
        unsure=unsure,
    )
