"""The report about a learned model: what its one page says, besides what pages say."""

from math import isnan
from types import SimpleNamespace as View
from typing import Any, Final

from markupsafe import Markup, escape

from penchant.data import Items
from penchant.jobs import Reasons, game_of
from penchant.learning import Difference, ModelReport, RowReasons
from penchant.texts import Texts
from penchant.views._charts import Axis, NumberRow, Numbers, Tick, curve_shape
from penchant.views._curves import CurveView, Level
from penchant.views._display import show_name
from penchant.views.learned._overview import candidates_picture
from penchant.views.learned._parts import curves_page, importance_page, rules_page
from penchant.views.learned._why import ways_view
from penchant.views.learned._words import (
    Shown,
    in_full,
    left_out,
    local,
    name_of,
    number,
    parts_words,
    size_of,
    warning_words,
)

_PAPERS: Final = {
    "GAI": "Herin, Perny, Sokolovska, AAAI 2024 (sparse GAI utilities)",
    "Choquet": "Fallah Tehrani and others, Machine Learning 89, 2012 (Choquet)",
    "Rule": "Polato, Aiolli, AAAI 2019 (rules as a game)",
}
_COALITIONS: Final = "Escriva and others, EGC 2022 (coalitional explanations)"
_UNKNOWN: Final = "\N{EN DASH}"


def report_view(report: ModelReport, model: Any, items: Items, texts: Texts) -> View:
    """Show all that a report says; every number keeps its full value.

    Parameters
    ----------
    report : ModelReport
        As `penchant.learning.describe` gives it.
    model : estimator
        The one that it is about.
    items : Items
        What it was learned from.
    texts : Texts
        In which language.
    """
    return _Report(report, texts).view(model, items)


class _Report:
    """A report in one language."""

    def __init__(self, report: ModelReport, texts: Texts) -> None:
        self.report, self.told, self.texts = report, report.comparison, texts
        self.measure = texts(f"models.measure.{self.told.kind}")

    def say(self, key: str, **values: str) -> Markup:
        """Give a text of the report, with values that may be elements."""
        safe = {name: escape(value) for name, value in values.items()}
        return Markup(self.texts(f"models.report.{key}", **safe))

    def number(self, value: float, form: str, key: str) -> str:
        if isnan(value):
            return _UNKNOWN
        return in_full(value, key, local(f"{value:{form}}", self.texts))

    def view(self, model: Any, items: Items) -> View:
        report, told, texts = self.report, self.told, self.texts
        target = report.target
        if told.kind == "comparisons":
            choice = texts("models.start.choice")
            target = target.replace("the choice", choice, 1)
        shown = Shown(
            report.result.name, told, report.parts, report.n_resamples, items, target
        )
        kinds = {part.kind for part in report.parts}
        rows = [self.row(k, row) for k, row in enumerate(report.rows)]
        return View(
            title=texts("models.report.title", target=show_name(target, 200)),
            summary=self.summary(),
            picture=candidates_picture(told, report.result, texts),
            compared=self.compared(),
            rule=self.say("rule", loss=self.say(f"loss_{told.kind}")),
            left=left_out(told, texts),
            curves=kinds & {"weight", "curve", "pair"} and curves_page(shown, texts),
            importance="criterion" in kinds and importance_page(shown, model, texts),
            rules="rule" in kinds and rules_page(shown, model, texts, len(shown.parts)),
            rows=rows,
            hints=self.hints(rows),
            calibration=self.calibration(),
            made=self.made(),
            warnings=self.warnings(),
        )

    def warnings(self) -> list[tuple[str, str]]:
        """Give what fits warned of, each with its language."""
        warned = sorted({note for each in self.told.results for note in each.notes})
        said = [(warning_words(note, self.texts), note) for note in warned]
        own = self.texts.language
        return [(own, words) if words else ("en", note) for words, note in said]

    def summary(self) -> list[str]:
        """Say what is recommended, how good it is, and with what certificate."""
        told, chosen = self.told, self.report.result
        key = f"results.{chosen.name}"
        is_recommended = chosen.name == told.recommended.name
        said: list[str] = [
            self.say(
                "recommended" if is_recommended else "chosen",
                name=_strong(name_of(chosen.name, self.texts)),
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
            certificate = self.texts("models.certificate", gap=escape(gap))
            said.append(Markup(certificate))
        return said

    def difference(self, value: Difference, key: str) -> str:
        mean = self.number(value.mean, "+.3f", f"{key}.mean")
        error = self.number(value.error, ".3f", f"{key}.error")
        return Markup("{} ± {}").format(mean, error)

    def compared(self) -> Numbers:
        """List all candidates, with their losses."""
        rows = []
        for each in self.told.done:
            key = f"results.{each.name}"
            name: str = name_of(each.name, self.texts)
            if each is self.told.recommended:
                name = _strong(name)
            size: str = size_of(each, self.texts)
            if each.size is not None:
                many = self.number(each.size, "d", f"{key}.size")
                size = Markup("{} ({})").format(many, size)
            score = (
                self.number(each.score, ".3f", f"{key}.score"),
                self.number(each.score_error, ".3f", f"{key}.score_error"),
            )
            cells = (
                Markup("{} ± {}").format(*score),
                self.number(each.loss, ".4f", f"{key}.loss"),
                self.difference(each.minus(self.told.best), f"{key}.behind"),
                size,
            )
            rows.append(NumberRow(name, cells))
        read, model = (self.texts(f"models.over.{key}") for key in ("read", "model"))
        heads = (model, self.measure, self.say("loss"), self.say("behind"), read)
        return Numbers(heads, tuple(rows))

    def row(self, k: int, row: RowReasons) -> View:
        """Say why the model says what it says about a row."""
        exact = coalitions = None
        if row.exact:
            game, total = game_of(row.exact_game), row.exact_total
            exact = Reasons(
                row.names, row.exact, row.exact_base, total, game, row.exact_label
            )
        if row.coalitions:
            game, total = game_of(row.coalition_game), row.coalition_total
            base, label = row.coalition_base, row.coalition_label
            coalitions = Reasons(row.names, row.coalitions, base, total, game, label)
        kind, key = self.told.kind, f"rows.{k}"
        said, truth = (
            local(each, self.texts) if kind == "numbers" else each
            for each in (row.said, row.truth)
        )
        words = self.say(
            "row",
            title=self.say(("typical", "surprising", "next")[k]),
            name=_strong(row.name),
            said=said,
            truth=truth,
            loss=self.number(row.loss, ".3g", f"{key}.loss"),
        )
        values = dict(zip(row.names, row.cells, strict=True))
        ways = ways_view(values, exact, coalitions, kind, self.texts, key)
        return View(words=words, ways=ways)

    def hints(self, rows: list[View]) -> list[str]:
        """Say what the two ways mean, and which attributes go together."""
        sides = (side for row in rows for side in (row.ways.exact, row.ways.coalitions))
        said = list(dict.fromkeys(side.hint for side in sides))
        if groups := self.report.groups:
            said.append(self.say("groups", groups="; ".join(map(", ".join, groups))))
        return said

    def calibration(self) -> CurveView:
        """Draw groups of rows by what was said and what was true, and the diagonal."""
        groups, kind = self.report.result.calibration, str(self.told.kind)
        kind = kind if kind in ("numbers", "comparisons") else "chances"
        keys = (f"said_{kind}", f"true_{kind}", "rows")
        heads = tuple(map(self.say, keys))
        across, upward = (Axis.around([group[k] for group in groups]) for k in (0, 1))
        shape = None
        if kind != "comparisons":  # both are in the same units
            across = upward = Axis.around([v for group in groups for v in group[:2]])
            ends = [across.low, across.high]
            shape = curve_shape(across, upward, ends, ends, ends, ends)
        cells = [
            [self.number(v, ".4g", f"calibration.{k}.{i}") for i, v in enumerate(group)]
            for k, group in enumerate(groups)
        ]
        table = Numbers(heads, tuple(NumberRow(a, (b, n)) for a, b, n in cells))
        heights = [round(100 - upward.place(group[1]), 2) for group in groups]
        dots = (
            Level("", across.place(group[0]), y, y, y, unsure=False)
            for group, y in zip(groups, heights, strict=True)
        )
        words = self.say("up", a=heads[0], b=heads[1])
        return CurveView(
            words,
            "",
            words,
            shape,
            _ticks(across, self.texts),
            _ticks(upward, self.texts, down=True),
            (),
            tuple(dots),
            100.0,
            unsure=True,
            numbers=table,
        )

    def made(self) -> list[str]:
        """Say how it was made, and how to cite it."""
        told, report = self.told, self.report
        used = [w for name, w in _PAPERS.items() if report.model.startswith(name)]
        used += [_COALITIONS] if report.groups else []
        known = f"penchant {report.version}"
        cite = "; ".join([f"The penchant developers, {known}", *used])
        return [
            self.say(
                "folds",
                rows=self.number(told.n_rows, ",d", "n_rows"),
                folds=self.number(told.n_folds, "d", "n_folds"),
                seed=self.number(told.random_state, "d", "random_state"),
            ),
            self.say("errors"),
            f"{known}, {report.model}.",
            self.say("cite", cite=cite),
        ]


def _strong(words: str) -> Markup:
    return Markup("<strong>{}</strong>").format(words)


def _ticks(axis: Axis, texts: Texts, *, down: bool = False) -> tuple[Tick, ...]:
    places = ((axis.place(value), number(value, texts)) for value in axis.ticks(4))
    return tuple(Tick(round(100 - at, 2) if down else at, said) for at, said in places)
