"""The report about a learned model: one HTML file that needs nothing else."""

from collections.abc import Callable, Iterable, Sequence
from html import escape
from math import isnan
from typing import Final

from penchant.jobs import GAMES
from penchant.learning import Difference, ModelPart, ModelReport, RowReasons
from penchant.texts import Texts, load_texts
from penchant.views.learned._svg import bars, curve, scatter, surface
from penchant.views.learned._words import (
    left_out,
    local,
    name_of,
    parts_words,
    rule_side,
    rule_words,
    size_of,
    warning_words,
)

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
_PAPERS: Final = {
    "GAI": "Herin, Perny, Sokolovska, AAAI 2024 (sparse GAI utilities)",
    "Choquet": "Fallah Tehrani and others, Machine Learning 89, 2012 (Choquet)",
    "Rule": "Polato, Aiolli, AAAI 2019 (rules as a game)",
}
_COALITIONS: Final = "Escriva and others, EGC 2022 (coalitional explanations)"
_MOST_CELLS: Final = 12
_UNKNOWN: Final = "\N{EN DASH}"


_Parts = list[tuple[int, ModelPart]]


def model_page(report: ModelReport, texts: Texts | None = None) -> str:
    """Write a report as one HTML page without scripts and without addresses.

    Every number stands in a ``data`` element with its full value.

    Parameters
    ----------
    report : ModelReport
        As `penchant.learning.describe` gives it.
    texts : Texts or None
        In which language; None: in English.

    Returns
    -------
    str
    """
    return _Page(report, texts or load_texts("en")).html()


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


def _soft(words: str) -> str:
    return f'<p class="soft">{words}</p>'


class _Page:
    """A report in one language."""

    def __init__(self, report: ModelReport, texts: Texts) -> None:
        self.report, self.told, self.texts = report, report.comparison, texts
        self.measure = texts(f"models.measure.{self.told.kind}")

    def say(self, key: str, **values: str) -> str:
        """Give a text of the report; values are HTML."""
        return self.texts(f"models.report.{key}", **values)

    def html(self) -> str:
        """Write the whole page."""
        target = self.report.target
        if self.told.kind == "comparisons":
            choice = self.texts("models.start.choice")
            target = target.replace("the choice", choice, 1)
        title = escape(self.say("title", target=target))
        sections = {
            "compared": self.compared(),
            "says": self.parts(),
            "why": self.rows(),
            "believe": self.calibration(),
            "made": self.made(),
        }
        inner = "\n".join(
            f"<section><h2>{self.say(key)}</h2>{body}</section>"
            for key, body in sections.items()
        )
        head = (
            f'<meta charset="utf-8"><title>{title}</title>'
            f'<meta http-equiv="Content-Security-Policy" content="{_POLICY}">'
            '<meta name="viewport" content="width=device-width,initial-scale=1">'
            f"<style>{_STYLE}</style>"
        )
        body = f"<body><main><h1>{title}</h1>\n{self.summary()}\n{inner}</main></body>"
        lang = self.texts.language
        return f'<!doctype html><html lang="{lang}"><head>{head}</head>{body}</html>'

    def number(self, value: float, form: str = ".3f", key: str = "") -> str:
        """Write a number; the element keeps its full value, and what it is."""
        if isnan(value):
            return _UNKNOWN
        name = f' data-key="{escape(key)}"' if key else ""
        shown = local(f"{value:{form}}", self.texts)
        return f'<data value="{value!r}"{name}>{shown}</data>'

    def difference(self, value: Difference, key: str) -> str:
        mean = self.number(value.mean, "+.3f", f"{key}.mean")
        return f"{mean} ± {self.number(value.error, '.3f', f'{key}.error')}"

    def summary(self) -> str:
        told, chosen = self.told, self.report.result
        key = f"results.{chosen.name}"
        is_recommended = chosen.name == told.recommended.name
        said = [
            self.say(
                "recommended" if is_recommended else "chosen",
                name=f"<strong>{escape(name_of(chosen.name, self.texts))}</strong>",
                parts=parts_words(chosen.parts or {}, self.texts),
            ),
            self.say(
                "score",
                measure=self.measure,
                score=self.number(chosen.score, ".3f", f"{key}.score"),
                error=self.number(chosen.score_error, ".3f", f"{key}.score_error"),
            ),
        ]
        behind = told.behind_boosting
        if behind is not None and is_recommended:
            said.append(
                self.say("boosting", difference=self.difference(behind, "boosting"))
            )
        if self.report.gap is not None:
            gap = self.number(self.report.gap, ".1e", "gap")
            said.append(self.texts("models.certificate", gap=gap))
        return "".join(f"<p>{each}</p>" for each in said)

    def compared(self) -> str:
        told = self.told
        points = [
            (name_of(r.name, self.texts), float(r.size or 0), r.score, r.score_error)
            for r in told.done
            if r.readable
        ]
        rows, kinds = [], []
        for each in told.done:
            key = f"results.{each.name}"
            size = escape(size_of(each, self.texts))
            if each.size is not None:
                size = f"{self.number(each.size, 'd', f'{key}.size')} ({size})"
            rows.append(
                (
                    escape(name_of(each.name, self.texts)),
                    f"{self.number(each.score, '.3f', f'{key}.score')} ± "
                    f"{self.number(each.score_error, '.3f', f'{key}.score_error')}",
                    self.number(each.loss, ".4f", f"{key}.loss"),
                    self.difference(each.minus(told.best), f"{key}.behind"),
                    size,
                )
            )
            kinds.append("chosen" if each is told.recommended else "")
        out = "".join(f"<li>{escape(e)}</li>" for e in left_out(told, self.texts))
        size = self.texts("models.over.read")
        heads = ("", self.measure, self.say("loss"), self.say("behind"), size)
        words = self.say("rule", loss=self.say(f"loss_{told.kind}"))
        picture = scatter(points, (self.texts("models.over.axis"), self.measure))
        left = f'<ul class="soft">{out}</ul>' if out else ""
        table = _table(heads, rows, kinds)
        return f"<figure>{picture}</figure>{table}{_soft(words)}{left}"

    def parts(self) -> str:
        by_kind: dict[str, _Parts] = {}
        for k, part in enumerate(self.report.parts):
            by_kind.setdefault(part.kind, []).append((k, part))
        shown: dict[str, Callable[[_Parts], str]] = {
            "weight": self.curves,
            "curve": self.curves,
            "pair": self.pairs,
            "criterion": self.criteria,
            "interaction": self.interactions,
            "rule": self.rules,
        }
        said = "".join(shown[kind](parts) for kind, parts in by_kind.items())
        return said or f"<p>{self.say('nothing')}</p>"

    def curves(self, parts: _Parts) -> str:
        figures = []
        for k, part in parts:
            ends = (f"{end(part.values):.3g}" for end in (min, max))
            low, high = (local(end, self.texts) for end in ends)
            words = self.say("curve", name=part.names[0], low=low, high=high)
            picture = curve(
                words, part.names[0], part.grid[0], part.values, part.low, part.high
            )
            figures.append(self.figure(picture, k, part))
        count = self.report.n_resamples
        words = self.say("bands", count=str(count)) if count else self.say("no_bands")
        return f'{_soft(words)}<div class="few">{"".join(figures)}</div>'

    def figure(self, picture: str, k: int, part: ModelPart) -> str:
        share = self.number(part.size, ".0%", f"parts.{k}.size")
        caption = self.say("share", name=escape(self.named(part)), share=share)
        return f"<figure>{picture}<figcaption>{caption}</figcaption></figure>"

    def named(self, part: ModelPart) -> str:
        name = self.texts.listed(part.names)
        return f"{name} ({part.label})" if part.label else name

    def pairs(self, parts: _Parts) -> str:
        figures = []
        for k, part in parts:
            a, b = part.names
            words = self.texts("models.pairs.title", a=a, b=b)
            up = self.say("up", a=b, b=a)
            picture = surface(words, up, part.grid, part.values)
            figures.append(self.figure(picture, k, part))
        hint = _soft(self.texts("models.pairs.hint"))
        return f'{hint}<div class="few">{"".join(figures)}</div>'

    def criteria(self, parts: _Parts) -> str:
        words = self.say("importance")
        picture = bars([(part.names[0], part.size) for _, part in parts], words)
        rows = [
            (escape(p.names[0]), self.number(p.size, ".4g", f"parts.{k}.size"))
            for k, p in parts
        ]
        title = self.texts("models.importance.title")
        table = _table((self.say("criterion"), words), rows)
        return f"<h3>{title}</h3><figure>{picture}</figure>{table}"

    def interactions(self, parts: _Parts) -> str:
        words = self.say("interaction")
        picture = bars([(" + ".join(p.names), p.size) for _, p in parts], words)
        rows = [
            (escape(self.named(p)), self.number(p.size, "+.4g", f"parts.{k}.size"))
            for k, p in parts
        ]
        title = self.texts("models.interaction.title")
        hint = _soft(self.texts("models.interaction.hint"))
        table = _table((self.say("criterion"), words), rows)
        return f"<h3>{title}</h3>{hint}<figure>{picture}</figure>{table}"

    def rules(self, parts: _Parts) -> str:
        rows = [
            (
                escape(rule_words(part, self.texts)),
                escape(rule_side(part, self.texts)),
                self.number(part.size, ".3f", f"parts.{k}.size"),
            )
            for k, part in parts
        ]
        lead, *heads = (
            self.texts(f"models.rules.{k}") for k in ("lead", "if", "weight")
        )
        return f"{_soft(lead)}{_table((heads[0], '', heads[1]), rows)}"

    def rows(self) -> str:
        shown = "".join(self.row(k, row) for k, row in enumerate(self.report.rows))
        if self.report.groups:
            listed = "; ".join(", ".join(group) for group in self.report.groups)
            shown += _soft(self.say("groups", groups=escape(listed)))
        return shown

    def row(self, k: int, row: RowReasons) -> str:
        sizes = row.exact or row.coalitions
        order = sorted(range(len(sizes)), key=lambda i: -abs(sizes[i]))[:_MOST_CELLS]
        key = f"rows.{k}"
        ways = {"exact": row.exact, "coalitions": row.coalitions}
        rows = [
            (
                escape(row.names[i]),
                escape(row.cells[i]),
                *(
                    self.number(values[i], "+.3g", f"{key}.{way}.{i}")
                    if values
                    else _UNKNOWN
                    for way, values in ways.items()
                ),
            )
            for i in order
        ]
        rows += [
            (
                self.texts(f"models.why.{word}"),
                "",
                self.number(exact, ".4g", f"{key}.exact_{name}"),
                self.number(by_groups, ".4g", f"{key}.coalition_{name}"),
            )
            for word, name, exact, by_groups in (
                ("begins", "base", row.exact_base, row.coalition_base),
                ("ends", "total", row.exact_total, row.coalition_total),
            )
        ]
        is_number = self.told.kind == "numbers"
        said, truth = (
            escape(local(each, self.texts) if is_number else each)
            for each in (row.said, row.truth)
        )
        words = self.say(
            "row",
            title=self.say(("typical", "surprising", "next")[k]),
            name=f"<strong>{escape(row.name)}</strong>",
            said=said,
            truth=truth,
            loss=self.number(row.loss, ".3g", f"{key}.loss"),
        )
        keys = ("column", "value", "exact", "coalitions")
        heads = [self.texts(f"models.why.{each}") for each in keys]
        games = [
            self.texts(f"models.why.game_{key}")
            for word, key in GAMES.items()
            if word in row.exact_game or word in row.coalition_game
        ]
        return f"<p>{words}</p>{_table(heads, rows)}{_soft(' '.join(games))}"

    def calibration(self) -> str:
        groups, kind = self.report.result.calibration, str(self.told.kind)
        kind = kind if kind in ("numbers", "comparisons") else "chances"
        keys = (f"said_{kind}", f"true_{kind}", "rows")
        said, true, rows = map(self.say, keys)
        picture = scatter(
            [("", first, second, 0.0) for first, second, _ in groups],
            (said, true),
            diagonal=kind != "comparisons",
        )
        cells = [
            [self.number(v, ".4g", f"calibration.{k}.{i}") for i, v in enumerate(group)]
            for k, group in enumerate(groups)
        ]
        table = _table((said, true, rows), cells)
        return f"{_soft(self.say('calibration'))}<figure>{picture}</figure>{table}"

    def warned(self, note: str) -> str:
        said = warning_words(note, self.texts)
        if said is None:
            return f'<li lang="en">{escape(note)}</li>'
        return f"<li>{escape(said)}</li>"

    def made(self) -> str:
        told, report = self.told, self.report
        used = [w for name, w in _PAPERS.items() if report.model.startswith(name)]
        used += [_COALITIONS] if report.groups else []
        known = f"penchant {report.version}"
        cite = "; ".join([f"The penchant developers, {known}", *used])
        said = [
            self.say(
                "folds",
                rows=self.number(told.n_rows, ",d", "n_rows"),
                folds=self.number(told.n_folds, "d", "n_folds"),
                seed=self.number(told.random_state, "d", "random_state"),
            ),
            self.say("errors"),
            f"{known}, {report.model}. {self.say('cite', cite=escape(cite))}",
        ]
        notes = sorted({note for each in told.results for note in each.notes})
        listed = "".join(map(self.warned, notes))
        warned = f'{_soft(self.say("warnings"))}<ul class="soft">{listed}</ul>'
        return "".join(f"<p>{each}</p>" for each in said) + (warned if notes else "")
