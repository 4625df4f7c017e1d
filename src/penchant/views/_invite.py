"""How people come to a study: a QR code of the link, and how many came when."""

from collections.abc import Sequence
from datetime import date, timedelta
from itertools import groupby
from types import SimpleNamespace as View

import segno

from penchant.studies import Taking
from penchant.texts import Texts
from penchant.views._charts import Axis, NumberRow, Numbers, Tick

_BORDER = 4
"""Modules of white around a code, which readers need."""
_MOST_DAYS = 400
_TICKS = 3


def qr_code(address: str) -> View:
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
    return View(size=len(rows) + 2 * _BORDER, path="".join(runs))


def taking_view(taking: Taking, texts: Texts) -> View:
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
    return View(open=taking.open, tag=texts(tag), sentence=" ".join(told))


def arrivals_view(
    people: Sequence[tuple[date, bool]], answered: Sequence[date], texts: Texts
) -> View | None:
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
    return View(
        joined=lines[0],
        finished=lines[1],
        area=f"{lines[1]}L100 100L0 100Z",
        upward=tuple(
            Tick(round(100 - upward.place(value), 2), texts.number(value))
            for value in upward.ticks(_TICKS)
            if value == round(value)
        ),
        across=tuple(Tick(round(100 * k / (len(days) - 1), 2), shown[k]) for k in ends),
        words=texts(
            "owner.study.arrivals_words",
            joined=totals[0],
            finished=totals[1],
            first=shown[0],
            last=shown[-1],
        ),
        total_joined=totals[0],
        total_finished=totals[1],
        joined_at=round(100 - upward.place(joined[-1]), 2),
        finished_at=round(100 - upward.place(done[-1]), 2),
        numbers=Numbers(
            tuple(heads),
            tuple(
                NumberRow(day, tuple(map(texts.number, counts)))
                for day, *counts in zip(shown, joined, done, answers, strict=True)
            ),
        ),
        bars=_bars(answers),
        most_answers=texts.number(most),
        bars_words=texts(
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
