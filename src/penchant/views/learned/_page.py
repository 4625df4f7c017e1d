"""The report about a learned model: one HTML file that needs nothing else."""

from collections.abc import Iterable, Sequence
from html import escape
from math import isnan
from typing import Any, Final

from penchant.learning import (
    Difference,
    ModelPart,
    ModelReport,
    RowReasons,
    say_parts,
)
from penchant.views.learned._svg import bars, curve, scatter, surface

_STYLE: Final = """
:root{color-scheme:light dark;--ink:#1d2330;--soft:#5b6472;--line:#d9dde4;--paper:#fff;
--plus:#1b6ca8;--minus:#c2571a}
@media (prefers-color-scheme:dark){:root{--ink:#e7eaf0;--soft:#a4acba;--line:#3a4250;
--paper:#151922;--plus:#6cb4ea;--minus:#f0935a}}
body{font:16px/1.5 system-ui,sans-serif;color:var(--ink);background:var(--paper);
max-width:60rem;margin:2rem auto;padding:0 1rem}
h1{font-size:1.7rem}h2{font-size:1.25rem;margin-top:2.2rem}h3{font-size:1rem}
table{border-collapse:collapse;width:100%;font-variant-numeric:tabular-nums}
th,td{text-align:left;padding:.3rem .6rem .3rem 0;border-bottom:1px solid var(--line);
vertical-align:top}
.few{display:grid;grid-template-columns:repeat(auto-fill,minmax(17rem,1fr));gap:1rem}
figure{margin:0}figcaption,.soft{color:var(--soft);font-size:.9rem}
.chosen{font-weight:600}.wide{overflow-x:auto}
svg{width:100%;max-width:36rem;height:auto;font:11px system-ui,sans-serif}
svg text{fill:var(--soft)}
.grid{stroke:var(--line)}.zero{stroke:var(--soft);stroke-dasharray:3 3;fill:none}
.curve{stroke:var(--plus);stroke-width:2.2;fill:none}.band{fill:var(--plus);opacity:.18}
.dot{fill:var(--plus)}.bar{stroke:var(--plus);stroke-width:1.5}
.plus{fill:var(--plus)}.minus{fill:var(--minus)}
"""
_POLICY: Final = "default-src 'none'; style-src 'unsafe-inline'"
_SAID: Final = {
    "numbers": ("mean said", "mean true"),
    "classes": ("chance said", "share true"),
    "grades": ("chance said", "share true"),
    "comparisons": ("difference of utility", "share foretold rightly"),
}
_PAPERS: Final = {
    "GAI": "Herin, Perny, Sokolovska, AAAI 2024 (sparse GAI utilities)",
    "Choquet": "Fallah Tehrani and others, Machine Learning 89, 2012 (Choquet)",
    "Rule": "Polato, Aiolli, AAAI 2019 (rules as a game)",
}
_COALITIONS: Final = "Escriva and others, EGC 2022 (coalitional explanations)"
_MOST_CELLS: Final = 12
_UNKNOWN: Final = "\N{EN DASH}"


def model_page(report: ModelReport) -> str:
    """Write a report as one HTML page without scripts and without addresses.

    Every number stands in a ``data`` element with its full value.

    Parameters
    ----------
    report : ModelReport
        As `penchant.learning.describe` gives it.

    Returns
    -------
    str
    """
    title = f"What decides {report.target}"
    body = [
        f"<h1>{escape(title)}</h1>",
        _summary(report),
        _section("Accuracy against how much there is to read", _compared(report)),
        _section("What the model says", _parts(report)),
        _section("Why these", _rows(report)),
        _section("Can its claims be believed?", _calibration(report)),
        _section("How this was made", _made(report)),
    ]
    head = (
        f'<meta charset="utf-8"><title>{escape(title)}</title>'
        f'<meta http-equiv="Content-Security-Policy" content="{_POLICY}">'
        '<meta name="viewport" content="width=device-width,initial-scale=1">'
        f"<style>{_STYLE}</style>"
    )
    inner = "\n".join(body)
    page = f"<head>{head}</head><body><main>{inner}</main></body>"
    return f'<!doctype html><html lang="en">{page}</html>'


def _number(value: float, form: str = ".3f", key: str = "") -> str:
    """Write a number; the element keeps its full value, and what it is."""
    if isnan(value):
        return _UNKNOWN
    name = f' data-key="{escape(key)}"' if key else ""
    return f'<data value="{value!r}"{name}>{value:{form}}</data>'


def _section(title: str, inner: str) -> str:
    return f"<section><h2>{escape(title)}</h2>{inner}</section>"


def _table(
    heads: Sequence[str], rows: Iterable[Sequence[str]], kinds: Sequence[str] = ()
) -> str:
    """Write a table; the cells are HTML."""
    head = "".join(f"<th>{escape(each)}</th>" for each in heads)
    lines = []
    for k, row in enumerate(rows):
        kind = f' class="{kinds[k]}"' if kinds and kinds[k] else ""
        lines.append(f"<tr{kind}>{''.join(f'<td>{cell}</td>' for cell in row)}</tr>")
    return f'<div class="wide"><table><tr>{head}</tr>{"".join(lines)}</table></div>'


def _difference(value: Difference, key: str) -> str:
    mean = _number(value.mean, "+.3f", f"{key}.mean")
    return f"{mean} ± {_number(value.error, '.3f', f'{key}.error')}"


def _summary(report: ModelReport) -> str:
    told = report.comparison
    chosen = report.result
    key = f"results.{chosen.name}"
    word = "Recommended" if chosen.name == told.recommended.name else "Chosen"
    said = [
        f"{word}: <strong>{escape(chosen.title)}</strong>, with "
        f"{escape(say_parts(chosen.parts or {}))} to read.",
        f"Its {escape(told.measure)} on rows that it had not seen is "
        f"{_number(chosen.score, '.3f', f'{key}.score')} ± "
        f"{_number(chosen.score_error, '.3f', f'{key}.score_error')} (standard error).",
    ]
    behind = told.behind_boosting
    if behind is not None and chosen.name == told.recommended.name:
        said.append(
            "Against boosted trees, which nobody can read, its loss is larger by "
            f"{_difference(behind, 'boosting')} (negative: smaller)."
        )
    if report.gap is not None:
        said.append(
            "Certificate: no model of this kind fits the rows better by more than "
            f"{_number(report.gap, '.1e', 'gap')} of what it minimises."
        )
    return "".join(f"<p>{each}</p>" for each in said)


def _compared(report: ModelReport) -> str:
    told = report.comparison
    points = [
        (each.name, float(each.size or 0), each.score, each.score_error)
        for each in told.done
        if each.readable
    ]
    rows, kinds = [], []
    for each in told.done:
        key = f"results.{each.name}"
        size = "cannot be read"
        if each.size is not None:
            size = _number(each.size, "d", f"{key}.size")
            size += f" ({escape(say_parts(each.parts or {}))})"
        rows.append(
            (
                escape(each.title),
                f"{_number(each.score, '.3f', f'{key}.score')} ± "
                f"{_number(each.score_error, '.3f', f'{key}.score_error')}",
                _number(each.loss, ".4f", f"{key}.loss"),
                _difference(each.minus(told.best), f"{key}.behind"),
                size,
            )
        )
        kinds.append("chosen" if each is told.recommended else "")
    heads = ("", told.measure, "loss", "behind the best readable", "to read")
    out = "".join(
        f"<li>{escape(each.title)}: {escape(each.skipped)}</li>"
        for each in told.results
        if each.skipped
    )
    left = f'<p class="soft">Left out:</p><ul class="soft">{out}</ul>' if out else ""
    words = (
        f"The loss is the {told.loss}. Recommended is the one with least to read of "
        "those about as good as the best readable one: behind by at most one standard "
        "error of the paired difference, times the share of reading that is saved."
    )
    picture = scatter(points, ("things to read", told.measure))
    table = _table(heads, rows, kinds)
    said = f"<p class='soft'>{escape(words)}</p>"
    return f"<figure>{picture}</figure>{table}{said}{left}"


def _parts(report: ModelReport) -> str:
    by_kind: dict[str, list[tuple[int, ModelPart]]] = {}
    for k, part in enumerate(report.parts):
        by_kind.setdefault(part.kind, []).append((k, part))
    if not by_kind:
        return "<p>Nothing: the model always says the same.</p>"
    return "".join(_SHOWN[kind](report, parts) for kind, parts in by_kind.items())


def _curves(report: ModelReport, parts: list[tuple[int, ModelPart]]) -> str:
    figures = [
        "<figure>"
        f"{curve(part.names[0], part.grid[0], part.values, part.low, part.high)}"
        f"<figcaption>{_caption(k, part)}</figcaption></figure>"
        for k, part in parts
    ]
    band = (
        f" The bands come from {report.n_resamples} fits to resampled rows; 90 % of "
        "them would lie within at each value, and they are too narrow where a fit is "
        "pulled towards zero."
        if report.n_resamples
        else " There are no bands: fitting again would have taken too long."
    )
    words = f"What each value adds to the mean.{band}"
    return f'<p class="soft">{words}</p><div class="few">{"".join(figures)}</div>'


def _named(part: ModelPart) -> str:
    name = " and ".join(part.names)
    return f"{name} (for {part.label})" if part.label else name


def _caption(k: int, part: ModelPart) -> str:
    share = _number(part.size, ".0%", f"parts.{k}.size")
    return f"{escape(_named(part))}: {share} of the variance"


def _pairs(_: ModelReport, parts: list[tuple[int, ModelPart]]) -> str:
    figures = [
        f"<figure>{surface(part.names, part.grid, part.values)}<figcaption>"
        f"{_caption(k, part)}</figcaption></figure>"
        for k, part in parts
    ]
    words = "What two values add beyond their curves: blue adds, orange takes away."
    few = f'<div class="few">{"".join(figures)}</div>'
    return f'<h3>Pairs</h3><p class="soft">{words}</p>{few}'


def _criteria(_: ModelReport, parts: list[tuple[int, ModelPart]]) -> str:
    picture = bars([(part.names[0], part.size) for _, part in parts], "Importance")
    rows = [
        (escape(p.names[0]), _number(p.size, ".4g", f"parts.{k}.size"))
        for k, p in parts
    ]
    words = "Importance (Shapley value) of each criterion in the capacity."
    table = _table(("criterion", "importance"), rows)
    return (
        f"<h3>Criteria</h3><p class='soft'>{words}</p><figure>{picture}</figure>{table}"
    )


def _interactions(_: ModelReport, parts: list[tuple[int, ModelPart]]) -> str:
    listed = [(" + ".join(part.names), part.size) for _, part in parts]
    rows = [
        (escape(_named(p)), _number(p.size, "+.4g", f"parts.{k}.size"))
        for k, p in parts
    ]
    words = "Plus: the two complete each other. Minus: one can replace the other."
    table = _table(("pair", "interaction"), rows)
    return (
        f"<h3>Interactions</h3><p class='soft'>{words}</p>"
        f"<figure>{bars(listed, 'Interaction')}</figure>{table}"
    )


def _rules(_: ModelReport, parts: list[tuple[int, ModelPart]]) -> str:
    rows = [
        (escape(p.text), escape(p.label), _number(p.size, ".3f", f"parts.{k}.size"))
        for k, p in parts
    ]
    words = "Each rule that holds adds its weight to what it speaks for."
    return f'<p class="soft">{words}</p>{_table(("if", "then", "weight"), rows)}'


_SHOWN: Final[dict[str, Any]] = {
    "weight": _curves,
    "curve": _curves,
    "pair": _pairs,
    "criterion": _criteria,
    "interaction": _interactions,
    "rule": _rules,
}


def _rows(report: ModelReport) -> str:
    shown = "".join(_row(k, row) for k, row in enumerate(report.rows))
    if report.groups:
        listed = "; ".join(", ".join(group) for group in report.groups)
        shown += (
            '<p class="soft">Coalitions: the model was fitted again on parts of '
            f"groups of attributes that go together ({escape(listed)}). The two ways "
            "answer different questions, and coalitions need not add up.</p>"
        )
    return shown


def _row(k: int, row: RowReasons) -> str:
    weights = row.exact or row.coalitions
    order = sorted(range(len(weights)), key=lambda i: -abs(weights[i]))[:_MOST_CELLS]
    key = f"rows.{k}"
    rows = [
        (
            escape(row.names[i]),
            escape(row.cells[i]),
            _number(row.exact[i], "+.3g", f"{key}.exact.{i}")
            if row.exact
            else _UNKNOWN,
            _number(row.coalitions[i], "+.3g", f"{key}.coalitions.{i}")
            if row.coalitions
            else _UNKNOWN,
        )
        for i in order
    ]
    ends = [
        (
            word,
            "",
            _number(exact, ".4g", f"{key}.exact_{name}"),
            _number(by_groups, ".4g", f"{key}.coalition_{name}"),
        )
        for word, name, exact, by_groups in (
            ("begins at", "base", row.exact_base, row.coalition_base),
            ("ends at", "total", row.exact_total, row.coalition_total),
        )
    ]
    heads = ("attribute", "value", "adds (exact)", "adds (coalitions)")
    said = (
        f"<p>{escape(row.title)}: <strong>{escape(row.name)}</strong>. The model says "
        f"{escape(row.said)}; true was {escape(row.truth)}. Loss while held out: "
        f"{_number(row.loss, '.3g', f'{key}.loss')}.</p>"
    )
    games = [f"Exact: {row.exact_game}."] if row.exact_game else []
    games += [f"Coalitions: {row.coalition_game}."] if row.coalition_game else []
    table = _table(heads, [*rows, *ends])
    return f"{said}{table}<p class='soft'>{escape(' '.join(games))}</p>"


def _calibration(report: ModelReport) -> str:
    told = report.comparison
    groups = report.result.calibration
    heads = (*_SAID[told.kind], "rows")
    picture = scatter(
        [("", said, true, 0.0) for said, true, _ in groups],
        heads[:2],
        diagonal=told.kind != "comparisons",
    )
    key = "calibration"
    rows = [
        (
            _number(said, ".4g", f"{key}.{k}.0"),
            _number(true, ".4g", f"{key}.{k}.1"),
            _number(n, "d", f"{key}.{k}.2"),
        )
        for k, (said, true, n) in enumerate(groups)
    ]
    words = "Rows while they were held out, in groups from low to high."
    return f"<p class='soft'>{words}</p><figure>{picture}</figure>{_table(heads, rows)}"


def _made(report: ModelReport) -> str:
    told = report.comparison
    said = [
        f"{_number(told.n_rows, ',d', 'n_rows')} rows; each candidate was fitted "
        f"{_number(told.n_folds, 'd', 'n_folds')} times to all folds but one, chose "
        "its settings by folds within, and foretold the one left out; then once to "
        f"all. random_state {_number(told.random_state, 'd', 'random_state')}.",
        "Standard errors take rows (or answers) as independent; that training rows "
        "overlap is not in them.",
        f"penchant {escape(report.version)}, {escape(report.model)}. How to cite: The "
        f"penchant developers, penchant {escape(report.version)}; {_papers(report)}.",
    ]
    notes = sorted({note for each in told.results for note in each.notes})
    listed = "".join(f"<li>{escape(note)}</li>" for note in notes)
    warned = f'<p class="soft">Warnings of fits:</p><ul class="soft">{listed}</ul>'
    return "".join(f"<p>{each}</p>" for each in said) + (warned if notes else "")


def _papers(report: ModelReport) -> str:
    """Name the papers of the methods that were used."""
    used = [words for name, words in _PAPERS.items() if report.model.startswith(name)]
    return escape("; ".join([*used, *([_COALITIONS] if report.groups else [])]))
