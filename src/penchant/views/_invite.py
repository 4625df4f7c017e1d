"""How people come to a study: a QR code of the link, and how many came when."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date, timedelta
from itertools import groupby

import segno

from penchant.studies import Taking
from penchant.texts import Texts
from penchant.views._charts import Axis, NumberRow, Numbers, Tick

_BORDER = 4
"""Modules of white around a code, which readers need."""
_MOST_DAYS = 400
_TICKS = 3


@dataclass(frozen=True)
class QRCode:
    """A QR code: modules on a side with the border, and the dark ones as a path."""

    size: int
    path: str


def qr_code(address: str) -> QRCode:
    """Draw an address as a QR code.

    Examples
    --------
    >>> qr_code("https://example.org/s/1").size
    33
    """
    rows = [list(row) for row in segno.make(address, error="m", micro=False).matrix]
    runs = []
    for y, row in enumerate(rows, start=_BORDER):
        x = _BORDER
        for dark, same in groupby(row):
            width = len(list(same))
            if dark:
                runs.append(f"M{x} {y}h{width}v1h-{width}z")
            x += width
    return QRCode(len(rows) + 2 * _BORDER, "".join(runs))


@dataclass(frozen=True)
class TakingView:
    """Whether a study takes new people: a word for a tag, and all of it."""

    open: bool
    tag: str
    sentence: str


def taking_view(taking: Taking, texts: Texts) -> TakingView:
    """Say whether a study takes new people, until when, and how many."""
    moment = texts.moment(taking.closes) if taking.closes else ""
    told = []
    if not taking.open:
        key = "is_closed" if taking.state == "closed" else taking.state
        told.append(texts(f"owner.study.{key}", moment=moment))
    elif moment:
        told.append(texts("owner.study.closes", moment=moment))
    if taking.quota:
        quota = texts.number(taking.quota)
        told.append(texts.count("owner.study.quota", taking.n_finished, quota=quota))
    tag = "owner.home.is_open" if taking.open else "owner.home.is_closed"
    tag = "owner.study.is_full" if taking.state == "full" else tag
    return TakingView(taking.open, texts(tag), " ".join(told))


@dataclass(frozen=True)
class Arrivals:
    """How many people had joined day by day, and how many of them have finished.

    Beside it, how many answers there were on each day.

    Parameters
    ----------
    joined, finished, area : str
        Paths in a square of 100 by 100.
    upward, across : tuple of Tick
        Of people, from the top, and of days.
    words, total_joined, total_finished : str
        The picture in words, and its ends.
    joined_at, finished_at : float
        Where the lines end, in percent from the top.
    numbers : Numbers
        Day by day.
    bars : str
        A path of the answers of each day, in a square of 100 by 100.
    most_answers, bars_words : str
        Answers of the busiest day, and the bars in words.
    """

    joined: str
    finished: str
    area: str
    upward: tuple[Tick, ...]
    across: tuple[Tick, ...]
    words: str
    total_joined: str
    total_finished: str
    joined_at: float
    finished_at: float
    numbers: Numbers
    bars: str
    most_answers: str
    bars_words: str


def arrivals_view(
    people: Sequence[tuple[date, bool]], answered: Sequence[date], texts: Texts
) -> Arrivals | None:
    """Show when people joined and answered; None where all was on one day, or nothing.

    Parameters
    ----------
    people : sequence of (date, bool)
        When each joined, and whether they have finished by now.
    answered : sequence of date
        When each answer was given.
    texts : Texts
        In the language of the owner.
    """
    known = [*(day for day, _ in people), *answered]
    first, last = (end(known, default=None) for end in (min, max))
    if first is None or last is None or first == last:
        return None
    step = timedelta(days=max(1, ((last - first).days + 1) // _MOST_DAYS))
    days = [first]
    while days[-1] < last:
        days.append(min(days[-1] + step, last))
    joined = [sum(day <= until for day, _ in people) for until in days]
    done = [sum(day <= until and ended for day, ended in people) for until in days]
    total = [sum(day <= until for day in answered) for until in days]
    answers = [now - before for now, before in zip(total, [0, *total], strict=False)]
    upward = Axis(0.0, 1.1 * joined[-1])
    lines = [_stairs(counts, upward) for counts in (joined, done)]
    shown = [texts.short_day(day) for day in days]
    totals = [
        texts.count(f"owner.study.n_{key}", counts[-1])
        for key, counts in (("joined", joined), ("finished", done))
    ]
    ends = sorted({0, len(days) // 2, len(days) - 1})
    heads = [texts(f"owner.study.{key}") for key in ("day", "joined", "finished_now")]
    heads.append(texts("owner.people.answers"))
    most = max(answers)
    return Arrivals(
        lines[0],
        lines[1],
        f"{lines[1]}L100 100L0 100Z",
        tuple(
            Tick(round(100 - upward.place(value), 2), texts.number(value))
            for value in upward.ticks(_TICKS)
            if value == round(value)
        ),
        tuple(Tick(round(100 * k / (len(days) - 1), 2), shown[k]) for k in ends),
        texts(
            "owner.study.arrivals_words",
            joined=totals[0],
            finished=totals[1],
            first=shown[0],
            last=shown[-1],
        ),
        totals[0],
        totals[1],
        round(100 - upward.place(joined[-1]), 2),
        round(100 - upward.place(done[-1]), 2),
        Numbers(
            tuple(heads),
            tuple(
                NumberRow(day, tuple(map(texts.number, counts)))
                for day, *counts in zip(shown, joined, done, answers, strict=True)
            ),
        ),
        _bars(answers),
        texts.number(most),
        texts(
            "owner.study.answers_words",
            n=texts.number(total[-1]),
            most=texts.number(most),
            day=shown[answers.index(most)],
        ),
    )


def _bars(counts: Sequence[int]) -> str:
    """Draw counts as bars from the left to the right."""
    width, most = 100 / len(counts), max(*counts, 1)
    return "".join(
        f"M{(k + 0.1) * width:.2f} 100h{0.8 * width:.2f}v-{100 * n / most:g}"
        f"h-{0.8 * width:.2f}z"
        for k, n in enumerate(counts)
        if n
    )


def _stairs(counts: Sequence[int], upward: Axis) -> str:
    """Draw counts as steps from the left to the right."""
    width = 100 / len(counts)
    spots = []
    for k, count in enumerate(counts):
        height = round(100 - upward.place(count), 2)
        spots += [f"{k * width:.2f} {height:g}", f"{(k + 1) * width:.2f} {height:g}"]
    return f"M{'L'.join(spots)}"
