"""Progress bars that appear only when work is long and somebody watches."""

from collections.abc import Iterable, Iterator, Sized
from threading import Timer
from typing import TYPE_CHECKING, TypeVar

if TYPE_CHECKING:
    from rich.console import Console

T = TypeVar("T")


def track(
    iterable: Iterable[T],
    description: str,
    *,
    total: int | None = None,
    enabled: bool = True,
    delay: float = 2.0,
    console: "Console | None" = None,
) -> Iterator[T]:
    """Yield from an iterable and advance a bar by one after each element.

    The bar goes to standard error, so that results on standard output stay clean.
    It is silent when that is not a terminal, and appears after `delay` seconds even
    while the first step is still running. With ``Parallel(return_as="generator")`` it
    follows parallel work.

    Parameters
    ----------
    iterable : iterable
        What to go through.
    description : str
        What is being done, in a few words.
    total : int or None, default=None
        Number of elements; None asks ``len`` and shows no share where there is none.
    enabled : bool, default=True
        False keeps it silent.
    delay : float, default=2.0
        Seconds before the bar appears; shorter work shows nothing.
    console : rich.console.Console or None, default=None
        Where to draw; None means standard error.

    Examples
    --------
    >>> from penchant._parallel import track
    >>> sum(track(range(4), "Adding"))
    6
    """
    # Late, since few who import this ever watch.
    from rich import progress as rich_progress
    from rich.console import Console

    if total is None and isinstance(iterable, Sized):
        total = len(iterable)
    screen = Console(stderr=True) if console is None else console
    bar = rich_progress.Progress(
        rich_progress.TextColumn("{task.description}", markup=False),
        rich_progress.BarColumn(),
        rich_progress.MofNCompleteColumn(),
        rich_progress.TimeElapsedColumn(),
        rich_progress.TimeRemainingColumn(),
        console=screen,
        transient=True,
    )
    task = bar.add_task(description, total=total)
    starter = Timer(delay, bar.start)
    starter.daemon = True
    if enabled and screen.is_terminal:
        starter.start()
    try:
        for element in iterable:
            yield element
            bar.advance(task, 1)
    finally:
        starter.cancel()
        if starter.ident is not None:
            starter.join()
        if bar.live.is_started:  # stopping an unseen bar would print an empty line
            bar.stop()
