"""The page ``docs/strong.md``, written from the stored results."""

import re
from collections.abc import Iterator
from pathlib import Path

from experiments._outcome import Measurement, Record

__all__ = ["render_page"]

_PREFACE = """\
# Strong peers on the same data

Peers that do one thing well, on the same games, splits and people as penchant, wins and
losses alike. Written by `python -m experiments.strong` from the files in
`experiments/strong/results`, which also hold CPU seconds, sizes, versions of the peers
and paired differences; each comparison is run again by
`make reproduce paper=strong table=NAME peer=strong`. Means with the standard deviation
of one repetition; the best of a row is bold, whether or not the difference is more than
chance. The machine was shared while this ran: the seconds below a table are those of
its whole run by the clock, and say little.
"""

_SECTIONS = {
    "explainers": (
        "Shapley values from few evaluations",
        "Distance to the exact values of all sets, over their length: 0 is exact, 1 is "
        "as good as zeros. The last part of a row's name is the number of evaluations, "
        "in multiples of the number of attributes d. Games of models that stay as they "
        "are, which the peers were made for, and of models that are trained anew; how "
        "additive and smooth a game is, `LeastSquaresExplainer` reads from the same "
        "evaluations. It was decided on other games (`experiments/strong/README.md`). "
        "LIME "
        "answers another question: its row is the rank correlation with the exact "
        "values.",
    ),
    "few_rules": (
        "Few rules",
        "Accuracy in %, higher is better, with at most 5, 10 and 15 rules. A rule of "
        "ours has up to two conditions, one of FasterRisk has one; how many were used, "
        "and the areas under the curve, stand in the file.",
    ),
    "choices": (
        "Utilities from choices",
        "Held-out log loss, lower is better. Three generated utilities whose truth is "
        "known, and purchases of households that no model has seen.",
    ),
    "population": (
        "Comparisons of known people",
        "Held-out log loss of sushi comparisons, lower is better. The answers are made "
        "from rankings and never contradict each other, which suits `PopulationGP`: it "
        "learns how much noise there is.",
    ),
    "additive": (
        "Curves and pairs",
        "Squared error on held-out folds over that of the mean, lower is better. Two "
        "folds of five small tables: differences below a few hundredths mean little.",
    ),
}
_HIGHER = {"few_rules"}
_UNRANKED = ("truth", "LIME")
_OURS = (
    "LeastSquaresExplainer",
    "our sets, weighted squares",
    "RuleClassifier",
    "GAIRanker",
    "ChoquetRanker",
    "PopulationGP",
    "PopulationGP with features",
    "GAIRegressor",
)


def render_page(results: Path) -> str:
    """Return the page on every stored result in a folder."""
    parts = [_PREFACE]
    for name, (title, text) in _SECTIONS.items():
        path = results / f"{name}.json"
        body = [f"## {title}", "", text, ""]
        if path.exists():
            body += _result(Record.load(path))
        else:
            body += ["Not run yet.", ""]
        parts.append("\n".join(body))
    return "\n".join(parts)


def _result(record: Record) -> Iterator[str]:
    higher = record.script in _HIGHER
    table: dict[str, dict[str, Measurement]] = {}
    for cell in record.outcome.measurements:
        row, method = place(cell)
        table.setdefault(row, {})[method] = cell
    ranked = [best for c in table.values() if (best := _best(c, higher=higher))]
    first = next(iter(next(iter(table.values()))))
    wins = sum(first in best for best in ranked)
    ours = sum(not best.isdisjoint(_OURS) for best in ranked)
    also = f", one of ours in {ours}" if ours > wins else ""
    yield f"{first} is best in {wins} of {len(ranked)} rows{also}."
    yield ""
    for methods in dict.fromkeys(tuple(cells) for cells in table.values()):
        rows = {row: c for row, c in table.items() if tuple(c) == methods}
        yield from _markdown(methods, rows, higher=higher)
    yield record.circumstances
    yield ""


def place(cell: Measurement) -> tuple[str, str]:
    """Split a cell's labels into the row of the page and the method."""
    method, _, limit = cell.column.rpartition(", ")
    if re.fullmatch(r"at most \d+|\d+ d", limit):
        return f"{cell.row}; {limit}", method
    return cell.row, cell.column


def _best(cells: dict[str, Measurement], *, higher: bool) -> set[str]:
    """Give the methods with the best mean; none where fewer than two are ranked."""
    means = {
        method: cell.mean
        for method, cell in cells.items()
        if cell.mean is not None and not method.startswith(_UNRANKED)
    }
    if len(means) < 2:
        return set()
    best = max(means.values()) if higher else min(means.values())
    return {method for method, mean in means.items() if mean == best}


def _markdown(
    methods: tuple[str, ...], rows: dict[str, dict[str, Measurement]], *, higher: bool
) -> Iterator[str]:
    yield f"| | n | {' | '.join(methods)} |"
    yield "|---" * (len(methods) + 2) + "|"
    for row, cells in rows.items():
        best = _best(cells, higher=higher)
        texts = [_text(cells[m], digits=1 if higher else 3) for m in methods]
        shown = [
            f"**{t}**" if m in best else t for m, t in zip(methods, texts, strict=True)
        ]
        n = max(cell.n for cell in cells.values())
        yield f"| {row} | {n} | {' | '.join(shown)} |"
    yield ""


def _text(cell: Measurement, digits: int) -> str:
    if cell.mean is None:
        return "not run"
    spread = "" if cell.std is None else f" ± {cell.std:.{digits}f}"
    return f"{cell.mean:.{digits}f}{spread}"
