"""Pictures as files, also from a server without a screen."""

import io
import warnings
from collections.abc import Callable
from threading import Lock
from typing import Final, Literal

import matplotlib as mpl
import matplotlib.pyplot as plt
from matplotlib.axes import Axes
from matplotlib.figure import Figure

_ONE_AT_A_TIME: Final = Lock()
"""matplotlib keeps its current figure and its settings for the whole process."""


def picture(
    draw: Callable[[], Axes | Figure], kind: Literal["svg", "png", "pdf"]
) -> bytes:
    """Draw a picture and return it as a file.

    May be called from any thread; texts are drawn as they are, dollar signs and all.

    Parameters
    ----------
    draw : callable
        Draws on a new figure and returns it or its axes.
    kind : {"svg", "png", "pdf"}
        Format of the file.

    Returns
    -------
    bytes

    Examples
    --------
    >>> from penchant.plotting import picture, plot_segment_weights
    >>> file = picture(lambda: plot_segment_weights({"all": {"rent": 1.0}}), "svg")
    >>> b"<svg" in file
    True
    """
    with _ONE_AT_A_TIME, mpl.rc_context({"text.parse_math": False}):
        if plt.get_backend().lower() != "agg":
            plt.switch_backend("agg")
        with warnings.catch_warnings():
            # Signs that no font has are drawn as boxes.
            warnings.filterwarnings("ignore", "Glyph .* missing", UserWarning)
            # Names that leave no room overlap, which is better than no picture.
            warnings.filterwarnings("ignore", "constrained_layout not", UserWarning)
            drawn = draw()
            figure = drawn if isinstance(drawn, Figure) else _figure_of(drawn)
            try:
                file = io.BytesIO()
                figure.savefig(file, format=kind, dpi=200, metadata=_undated(kind))
            finally:
                plt.close(figure)
    return file.getvalue()


def _figure_of(axes: Axes) -> Figure:
    figure = axes.get_figure(root=True)
    assert figure is not None  # it was drawn on
    return figure


def _undated(kind: str) -> dict[str, None]:
    """Leave the time out, so that the same picture is the same file."""
    return {"svg": {"Date": None}, "pdf": {"CreationDate": None}}.get(kind, {})
