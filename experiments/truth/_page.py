"""The page ``docs/truth.md`` and its picture, written from stored results."""

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

import numpy as np
from matplotlib.figure import Figure as Picture

from experiments.truth._bars import Bar
from experiments.truth._figures import quotient
from experiments.truth._people import FAMILIES, POPULATED
from experiments.truth._store import Cell
from experiments.truth._worlds import N_PEOPLE, N_TABLES

__all__ = ["draw_reliability", "render_page"]

Cells = Mapping[tuple[str, int, str], Cell]

_PREFACE = f"""\
# How true is what penchant says?

A program that says "80 % sure" must be right four times out of five. Whether it is can
only be seen with people whose likings are known, so this page is measured with
simulated people: `make truth` draws them, lets them answer 20 questions each, and
compares every statement with the truth. A full run has {N_PEOPLE} people per family on
{N_TABLES} tables; how many there were is said in each row. Utilities have a standard
deviation of 1 over the items; "as good as the best" means at most .1 worse, or the
person's own width of indifference. Figures in brackets are 90 % ranges, found by
drawing tables with replacement. **A bar is missed where the range excludes it**, and
open where only the figure itself lies beyond it; misses are listed, not hidden. After a
change of code a row stays if its first table, run again, gives the same in every figure
but time, to a thousandth.
"""

_PICTURE = """\
## Said and right

![Certainty said and how often it was right](images/truth.png)

Certainty that the recommended item is the best or as good, after each of the questions
3 to 20. Blue: all families together, with the number of times; grey: one family each.
Above the line penchant is too modest, below it is too sure.
"""

_ASSUMED = """\
## What this assumes

- The families are ours. People who differ from all of them may be told less truth.
- Answers have noise .2, 2 % of them are wrong, items closer than .05 are called equal,
  unless the family says otherwise. Nobody tires or changes their mind.
- **Taps assume that people can name their reason.** "truth": they tap what counted
  most, 20 % of the time any attribute; "salience": what differs most to the eye;
  "chance": anything. All tap after every choice; the tap counts from the question after
  the next. How often real people tap, and how truly, is not known.
- One question in eight is a check, of two items drawn at random, as in a study, none of
  the first five: it costs regret, which the figures include. The linear model asks no
  checks.
- "matched" people resemble 60 earlier people who answered 15 questions each; "shifted"
  people come from another kind, with a correlation of at most .2 to their mean. How
  likely a newcomer is like them was learned from the last 20 of the 60, believed about
  with what the first 40 had answered; so also where a shifted one comes, who is the
  first of that kind. With real answers it was learned in the same way, from the second
  half of those who teach. The Gaussian belief, as the app was before, asks no checks.
- The linear model is a Bayesian one with directed slopes, probit answers and questions
  by expected utility of the better item over all pairs. It has no lapses, no bends and
  no doubt about which attributes matter, and is given the earlier people where there
  are any.
"""

_ABOUT = {
    "additive": "Three attributes matter, each in a line.",
    "dense": "All attributes matter, each in a line.",
    "threshold": "Three attributes matter, each is good enough or not.",
    "interaction": "Of three attributes two belong together: 40 % of the variance.",
    "noisy": "Additive, with noise .6 in every answer.",
    "indifferent": "Additive; items closer than .6 are called equal.",
    "satisficing": "Additive, but the best eighth of the items is all the same.",
    "lexicographic": "Four classes of one attribute, then of a second, then a third.",
    "hidden": "Additive; 15 % of what counts is not in the table.",
    "plain": "A list without attributes: each item is liked for itself.",
    "matched": "All attributes matter; people are like 60 earlier ones.",
    "shifted": "All attributes matter; people are unlike the 60 earlier ones.",
}

_HEADINGS = (
    "items",
    "taps",
    "people",
    "sure: said / right",
    "said less right",
    "regret true / said",
    "regret after 5, 10, 20",
    "less the linear model's",
    "reason after 10: told, right",
    "listed, cared about",
    "ranges hold: points, parts, shares",
    "checks: said / right",
    "CPU ms",
)


_LEARNED = """\
## How sure to say that one is

Certainty is the share of the draws in which the item is the best, or as good. To its
logit is added {ties:g} log(1 + ties among the best fifth of the items), eight items and
four ties at most: people who call some of their best items equal are told that they
found one sooner. `python -m experiments.truth.calibration` learned the constant from
other people on other tables than those of this page. To tell a family too much costs
extra: people who are noisy, or whose reasons are not in the table, look like others in
a conversation, and must not be told what is true of these. So the others are told too
little. A slope and an intercept came out as 1 and 0. Taps say that more is true where
they are true, and mislead where they follow the eye: counted, both together, for
nothing. Noise, width and lapses as believed, how well answers and taps were predicted,
numbers of answers and items, and eleven more were tried beside ties: none of them
clearly predicts better for a family that was not learned from. The last column has a
constant that was learned without the family. Said less right, mean over sizes and taps:

| family | people | share of the draws | said | said, learned without it |
| --- | --- | --- | --- | --- |
"""


_TRIED = """\
## What was tried against the misses

Plateaus: a question that shows the favourite and the four items that hold certainty
down most, and asks which are as good, up to three times, each counted as two questions.
Simulated people told of each as they answer, with their own noise and width. Certainty,
said less right, of 36 people per family at 40 items on tables that this page does not
use; differences to the first row have standard errors of .01 to .04:

| asked | satisficing | threshold | indifferent |
| --- | --- | --- | --- |
| as it is | -.32 | -.18 | -.07 |
| equal, better or worse | -.33 | -.23 | -.05 |
| as good or better, or not | -.34 | -.22 | -.11 |
| equal, better or worse, told without noise | -.25 | -.17 | -.07 |
| pairs chosen by gains beyond the noticed width alone | -.33 | -.19 | -.06 |

Of two items that are the same one answer in five is "equal" (noise .2, width .05): a
mark tells no more than an answer does. Nor is it known from 20 answers that the best
items are all the same: an explanation that caps the utility gained a Bayes factor of
e^2.7 for satisficing people, but of e^3.0 for additive ones and more for hidden and
interaction (medians of 30 to 48 people). Who is told more on a plateau is told too much
elsewhere.

Ranges: in standard deviations of what is believed, points miss the truth by .7
(indifferent), .85 (dense, satisficing), 1 (threshold, hidden, shifted) and 1.1 to 1.5
(noisy, interaction): the same doubts are too many for people like the model and too few
for the others. The quantiles are not the cause: to leave out .07 instead of .05 at each
end, which still held .94 to .96 of the points of indifferent people, left .81 to .85 of
those of interaction, threshold and noisy people inside. Parts of attributes that do not
count are held by .99 of their ranges, those of the one that counts most by half for
lexicographic people with taps: they are taken for too even. After 20 answers with taps
the largest share of lexicographic people is .94 and believed .50, that of additive ones
.71 and .47, and the ranges of the largest share hold .10 and .43 of them (30 people
each). Lapses of .1 or .2 for taps, or less noise, leave that as it is (.45 to .55 of 20
additive people).

Explanations in which one attribute, the first, has a share of the variance before the
others, 0, .5 or .9 (prior .5 .3 .2) or 0 or .7 (.6 .4), on other tables: what it is
without them, and the difference that they make for the same people, after 20 answers
if not said otherwise.

| | with taps, 126 people: 0, .5, .9 | 0, .7 | without, 852 people: 0, .7 |
| --- | --- | --- | --- |
| certainty, said less right | -.16, +.06 ± .02 | +.02 ± .02 | -.02, +.01 ± .01 |
| largest share held | .41, +.15 ± .04 | +.11 ± .04 | .51, +.14 ± .02 |
| ranges of parts hold | .89, +.02 ± .01 | +.01 ± .01 | .90, +.01 ± .004 |
| listed and cared about | .94, 0 ± .02 | +.02 ± .02 | .88, +.04 ± .02 |
| regret after 10 | .09, +.03 ± .02 | -.02 ± .02 | .18, +.02 ± .01 |
| one or two names told after 10 | .89, +.06 ± .03 | +.02 ± .04 | .55, -.03 ± .02 |
| and right | .96, -.01 ± .02 | 0 ± .02 | .85, -.03 ± .02 |

Those with taps are lexicographic and additive; those without are also dense, noisy,
or have interactions or something hidden. With .5 and .9, but without taps, reasons were
told to .05 ± .03 and right for .06 ± .03 fewer of 452 people, regret after 10 was
.03 ± .02 higher, and .85 instead of .87 of the points of 100 people unlike the earlier
ones were held. 224 explanations instead of 128 left that as it is (326 people). What is
told after taps would be truer, what is told without them is not: no clear gain, and not
built in.

Lists: people unlike the earlier ones heard of attributes that those care about. On
other tables, 225 such people with 40 items and 87 with 200, .60 of 181 entries were
right after 5 answers, .75 of 158 after 10 and .82 of 238 after 20. What the
explanations without earlier people do not say with .88 by themselves is now told only
to who is like the earlier people with .9: .62 of 64, .81 of 98 and .87 of 186 are
right, and 138 people like the earlier ones hear 40 %, 19 % and 8 % less. With .85
instead of .9, .62, .79 and .85 are right, and they hear 18 %, 8 % and 4 % less; that
such entries need .92 instead of .88 gave .56, .76 and .85 for 28 %, 20 % and 14 % less.
With 200 items only .61 of 23 are right after 10 answers: some people are taken for like
the earlier ones. Entries of people with interactions were right there nearly as often
as the bar wants (.84 of 45); shares in pairs did not tell wrong entries from right
ones.

Sure and wrong: two of 100 additive people with 200 items were told .9 to 1.0 of a wrong
item after most of their 20 answers. After five of them all explanations supposed the
same wrong attributes; none fitted worse than another, so that they were not drawn anew,
however badly they foretold answers. Now they are also drawn anew after an answer that
was foretold with less than .15 (.1 and .25 did as well): neither is told so any more,
additive people were told .9 or more 2 instead of 33 times, and an answer takes .2 ms
more. People unlike the earlier ones whose answers fit those for a while are still told
too much until an answer does not fit: of 100 with 200 items, .9 or more 36 times, right
6 times.
"""


def _learned(learned: Mapping[str, Any]) -> str:
    """Tell what the correction of certainty does to each family."""
    rows = []
    for family in dict.fromkeys(cell[0] for cell in learned["cells"]):
        numbers = [cell[3:] for cell in learned["cells"] if cell[0] == family]
        n, over = sum(row[0] for row in numbers), np.mean(numbers, axis=0)[1:]
        rows.append(_row(family, str(n), *(f"{value:.2f}" for value in over)))
    return _LEARNED.format(ties=learned["ties"]) + "\n".join(rows) + "\n"


def render_page(
    cells: Cells, bars: Iterable[Bar], learned: Mapping[str, Any] | None = None
) -> str:
    """Write the page; `learned` is what `calibration.main` stored."""
    bars = list(bars)
    lines = [_PREFACE, _extent(cells), "", "## The bars", ""]
    lines += [_row("what", "bar", "measured", "verdict"), _row(*["---"] * 4)]
    for bar in bars:
        verdict = bar.verdict if bar.verdict == "reached" else f"**{bar.verdict}**"
        lines.append(_row(bar.what, bar.limit, bar.measured, verdict))
    lines += ["", "## What misses", ""]
    for bar in bars:
        if bar.misses:
            lines.append(f"- {bar.what} ({bar.limit}): {'; '.join(bar.misses)}.")
    lines += ["", _PICTURE, *([_learned(learned)] if learned else []), _TRIED]
    lines += [_ASSUMED]
    lines += ["## Family by family", ""]
    for family in (*FAMILIES, *POPULATED):
        lines += _family(family, cells)
    seconds = sum(cell.seconds for cell in cells.values())
    engines = sorted({cell.engine for cell in cells.values()})
    lines.append(f"{seconds:,.0f} CPU s in all; code {', '.join(engines)}.")
    lines += sorted({f"{cell.where}." for cell in cells.values()})
    return "\n".join(lines) + "\n"


_STALE = (
    " Rows with a star were measured with the code before this: they are shown, not "
    "judged."
)


def _extent(cells: Cells) -> str:
    """Say how much of a full run is behind the page."""
    people = [int(quotient(cell, "regret 5").n) for cell in cells.values()] or [0]
    if min(people) >= N_PEOPLE:
        return "Every figure is of a full run."
    return (
        f"**This is not a full run yet**: a cell rests on {min(people)} to "
        f"{max(people)} people, and what was not run says so. Ranges of few people on "
        "few tables are rough, and a bar that they reach is not proved; cells of fewer "
        "than three tables are shown, but judged only together with others."
        + _STALE
        * any(cell.stale for cell in cells.values())
    )


def _family(family: str, cells: Cells) -> list[str]:
    here = [cell for cell in cells.values() if cell.family == family]
    here = [cell for cell in here if cell.variant != "today"]
    if not here:
        return []
    order = ["none", "truth", "salience", "chance"]
    here.sort(key=lambda cell: (cell.n_items, order.index(cell.variant)))
    rows = [_row(*_cells_of(cell)) for cell in here]
    head = [_row(*_HEADINGS), _row(*["---"] * len(_HEADINGS))]
    return [f"### {family}", "", _ABOUT[family], "", *head, *rows, ""]


def _cells_of(cell: Cell) -> list[str]:
    def mean(figure: str) -> str:
        value = quotient(cell, figure).value
        return "—" if np.isnan(value) else f"{value:.2f}"

    def series(template: str) -> str:
        return " ".join(mean(template.format(q)) for q in (5, 10, 20))

    return [
        str(cell.n_items),
        cell.variant,
        f"{quotient(cell, 'regret 5').n:.0f}{' *' * cell.stale}",
        f"{mean('said')} / {mean('right')}",
        f"{quotient(cell, 'over')}",
        f"{quotient(cell, 'regret ratio')}",
        series("regret {}"),
        series("gap {}"),
        f"{mean('told 10')}, {mean('reason 10')}",
        mean("listed 10"),
        f"{mean('points 10')} {mean('parts 10')} {mean('shares 10')}",
        f"{mean('foretold said')} / {mean('foretold right')}",
        f"{quotient(cell, 'cpu ms').value:.1f}",
    ]


def _row(*texts: str) -> str:
    return f"| {' | '.join(texts)} |"


def draw_reliability(cells: Cells, path: Path) -> None:
    """Draw how often each stated certainty was right, by family and pooled."""
    picture = Picture(figsize=(9.6, 4.6), layout="constrained")
    panels = picture.subplots(1, 2, sharey=True)
    titles = {"none": "without taps", "truth": "with taps that are mostly true"}
    for panel, (variant, title) in zip(panels, titles.items(), strict=True):
        panel.plot([0, 1], [0, 1], color="0.6", linewidth=1, zorder=1)
        here = [c for c in cells.values() if c.variant == variant]
        for cell in here:
            _points(panel, cell.bins, color="0.75", size=12)
        if here:
            total = np.sum([cell.bins for cell in here], axis=0)
            _points(panel, total, color="C0", size=60, numbers=True)
        panel.set(xlim=(0, 1.02), ylim=(0, 1.02), title=title, aspect="equal")
        panel.set_xlabel("certainty that was said")
    panels[0].set_ylabel("share in which it was right")
    picture.savefig(path, dpi=120)


def _points(
    panel: Any, bins: np.ndarray, *, color: str, size: float, numbers: bool = False
) -> None:
    """Draw one dot per step of certainty that was said at least 30 times."""
    said, right, count = bins[bins[:, 2] >= 30].T
    panel.scatter(said / count, right / count, s=size, color=color, zorder=2 + numbers)
    if numbers:
        for x, y, n in zip(said / count, right / count, count, strict=True):
            panel.annotate(
                f"{n:,.0f}", (x, y), (5, -11), textcoords="offset points", size=7
            )
