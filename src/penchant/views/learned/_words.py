"""Words about learned models: names, sizes, scores, notes, and the frame of a page."""

import math
import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final, Self

from markupsafe import Markup

from penchant.data import Items
from penchant.jobs import KeptModel
from penchant.learning import CandidateResult, ModelComparison, ModelPart
from penchant.studies import JobRecord
from penchant.texts import Texts
from penchant.views._display import show_name

_NINETY: Final = 1.645
"""Standard errors to each side of a 90 % range."""

SUMS: Final = ("gai", "curves", "linear")
"""Candidates that are sums of curves."""

_LEFT: Final = {
    "it learns": "kind",
    "no time": "time",
    "the classes": "order",
    "it takes too long": "many",
    "no fit": "fit",
}
"""Why a candidate was left out, by how the reason begins."""

_SIGNS: Final = {"<=": "≤", ">=": "≥", "!=": "≠"}

_NOTES: Final = {
    "its names repeat": "names",
    "nearly every row": "shown",
    "it is long text": "text",
    "it names pictures": "picture",
    "it holds links": "link",
    "it only tells": "identifier",
}
"""Why a column was left out, by how the reason begins."""

_COLUMN: Final = re.compile(r"['\"](?P<column>.*)['\"] was left out: (?P<reason>.*)")
_EMPTY: Final = re.compile(r"(?P<count>\d+) rows without ['\"](?P<column>.*)['\"] were")

_WARNED: Final = {
    "time": re.compile(r"(?P<name>\w+) stopped after max_time = (?P<seconds>\S+) s"),
    "gap": re.compile(
        r"(?P<name>\w+) reached a relative duality gap of (?P<gap>[^;]+); "
        r"(?P<tol>\S+) was asked for"
    ),
    "steps": re.compile(
        r"The solver stopped at a relative gap of (?P<gap>\S+) after (?P<steps>\d+) "
    ),
    "direction": re.compile(
        r"(?:More|Less) (?P<column>.+?) is declared better, but the data say the opp"
    ),
}
"""Warnings of fits: how they are worded."""


def number(value: float, texts: Texts, digits: int = 3) -> str:
    """Write a number with a few digits that mean something."""
    return texts.number(float(f"{value:.{digits}g}"))


def signed(value: float, texts: Texts, reach: float = 0.0) -> str:
    """Write what is added or taken away, always with its sign.

    `reach` is the largest of several that stand together: all have its decimals.
    """
    if reach > 0:
        value = round(value, max(2 - math.floor(math.log10(reach)), 0))
    text = number(value, texts)
    return f"+{text}" if value > 0 and text != "0" else text


def in_full(value: float, key: str, shown: str) -> str:
    """Write a number so that files keep its full value, and say what it is.

    Without a `key` it is only what is shown.
    """
    if not key:
        return shown
    element = Markup('<data value="{!r}" data-key="{}">{}</data>')
    return element.format(value, key, shown)


def name_of(candidate: str, texts: Texts) -> str:
    """Name a candidate."""
    return texts(f"models.name.{candidate}")


def size_of(result: CandidateResult, texts: Texts) -> str:
    """Say how much there is to read."""
    if not result.readable:
        return texts("models.part.unreadable")
    return parts_words(result.parts or {}, texts)


def parts_words(parts: Mapping[str, int], texts: Texts) -> str:
    """Say what there is to read, such as "5 curves, 1 pair"."""
    said = [texts.count(f"models.part.{name}", n) for name, n in parts.items()]
    return ", ".join(said) or texts("models.part.nothing")


def rule_words(part: ModelPart, texts: Texts) -> str:
    """Say when a rule holds."""
    said = []
    for name, words, is_number in part.grid:
        if words in ("known", "unknown"):
            said.append(texts(f"models.rules.{words}", name=name))
            continue
        relation, _, value = words.partition(" ")
        value = local(value, texts) if is_number else value
        said.append(f"{name} {_SIGNS.get(relation, relation)} {value}")
    if said:
        return texts.listed(said)
    return texts("models.rules.always") if part.text == "always" else part.text


def rule_side(part: ModelPart, texts: Texts) -> str:
    """Say what a rule speaks for."""
    label = show_name(part.label, 40)
    if label in ("better", "worse"):
        label = texts(f"models.rules.{label}")
    return texts("models.rules.for", label=label)


def local(number: str, texts: Texts) -> str:
    """Write a number with the signs of the language."""
    signs = texts.locale.number_symbols["latn"]
    return number.translate({44: signs["group"], 46: signs["decimal"]})


def hundred(share: float, texts: Texts) -> str:
    """Write a share as so many of 100."""
    return texts.number(round(100 * share))


def score_range(result: CandidateResult) -> tuple[float, float]:
    """Give the 90 % range of a score; never above 1."""
    reach = _NINETY * (result.score_error if result.score_error > 0 else 0.0)
    return result.score - reach, min(result.score + reach, 1.0)


def range_words(result: CandidateResult, texts: Texts) -> str:
    """Write the range of a score, of 100."""
    low, high = (hundred(end, texts) for end in score_range(result))
    return texts("numbers.range", low=low, high=high)


def score_words(shown: "Shown", texts: Texts) -> str:
    """Say in a sentence how good a candidate is."""
    result = shown.comparison[shown.name]
    key = f"models.score.{shown.comparison.kind}"
    score = hundred(result.score, texts)
    return texts(key, score=score, range=range_words(result, texts))


def certificate_words(kept: KeptModel, name: str, texts: Texts) -> str:
    """Say in a sentence how far the fit may be from the best of its kind."""
    gap = kept.comparison[name].gap
    if gap is None:
        return texts("models.no_certificate")
    shown = texts.number(float(f"{max(gap, 1e-6):.1g}"))
    return texts("models.certificate", gap=shown)


def left_words(reason: str, texts: Texts) -> str:
    """Say why a candidate was left out."""
    key = next((key for word, key in _LEFT.items() if reason.startswith(word)), "")
    if not key and "levels" in reason:
        key = "levels"
    return texts(f"models.left.{key}") if key else reason


def left_out(told: ModelComparison, texts: Texts) -> tuple[str, ...]:
    """Say which candidates were left out, and why."""
    return tuple(
        texts(
            "models.left.title",
            name=name_of(each.name, texts),
            reason=left_words(each.skipped, texts),
        )
        for each in told.results
        if each.skipped
    )


def note_words(note: str, texts: Texts) -> str:
    """Say what was left out of a table, in the language of the reader."""
    if found := _EMPTY.match(note):
        return texts("models.note.empty", **found.groupdict())
    found = _COLUMN.match(note)
    for word, key in _NOTES.items():
        if found and found["reason"].startswith(word):
            return texts(f"models.note.{key}", column=show_name(found["column"], 40))
    return note


def warning_words(warning: str, texts: Texts) -> str | None:
    """Say what a fit warned of, in the language of the reader; None: not known."""
    for key, form in _WARNED.items():
        said = [
            texts(f"models.warned.{key}", **_local(found.groupdict(), texts))
            for found in form.finditer(warning)
        ]
        if said:
            return " ".join(said)
    return None


def _local(said: Mapping[str, str], texts: Texts) -> dict[str, str]:
    names = ("name", "column")
    return {k: v if k in names else local(v, texts) for k, v in said.items()}


def target_of(kept: KeptModel, texts: Texts) -> str:
    """Name what is predicted."""
    if kept.comparison.kind == "comparisons":
        return texts("models.start.choice")
    return show_name(kept.settings.target or str(kept.about["target"]), 40)


@dataclass(frozen=True)
class Shown:
    """A candidate that is read, on pages and in the report.

    Parameters
    ----------
    name : str
        Of the candidate.
    comparison : ModelComparison
    parts : tuple of ModelPart
        What there is to read.
    n_resamples : int
        Fits behind the bands; 0: there are none.
    items : Items
        What it was learned from.
    target : str
        What is predicted.
    """

    name: str
    comparison: ModelComparison
    parts: tuple[ModelPart, ...]
    n_resamples: int
    items: Items
    target: str

    @classmethod
    def from_kept(cls, kept: KeptModel, name: str, texts: Texts) -> Self:
        """Show a candidate of a job."""
        report = kept.report(name)
        fits = 0 if report is None else report.n_resamples
        target = target_of(kept, texts)
        return cls(name, kept.comparison, kept.parts(name), fits, kept.items, target)

    def sized(self, part: ModelPart, shown: str) -> str:
        """Write the size of a part."""
        place = next(k for k, each in enumerate(self.parts) if each is part)
        return in_full(part.size, f"parts.{place}.size", shown)


@dataclass(frozen=True)
class ModelFrame:
    """What stands around every page of a model.

    Parameters
    ----------
    id, name, crumb : str
    pages : tuple of (str, str)
        The last part of the address of each page, and what it is called.
    certificate : str
        Of the model that is shown.
    """

    id: str
    name: str
    crumb: str
    pages: tuple[tuple[str, str], ...]
    certificate: str


def model_frame(kept: KeptModel, texts: Texts, name: str = "") -> ModelFrame:
    """Make the frame of a page about a model; `name`: another one than is shown."""
    pages = [""]
    pages += ["curves"] if any(each in SUMS for each in kept.names) else []
    pages += ["importance"] if "choquet" in kept.names else []
    pages += ["rules"] if "rules" in kept.names else []
    pages += ["why", "what-if", "rows", "take"]
    crumb = texts(
        "models.crumb",
        name=show_name(kept.job.name),
        rows=texts.count("models.start.rows", int(kept.about["n"])),
        target=target_of(kept, texts),
    )
    listed = tuple((page, texts(f"models.page.{page or 'overview'}")) for page in pages)
    certificate = certificate_words(kept, name or kept.shown, texts)
    return ModelFrame(kept.job.id, kept.job.name, crumb, listed, certificate)


@dataclass(frozen=True)
class ModelLine:
    """A model in a list."""

    path: str
    name: str
    facts: str
    state: str
    ready: bool


def model_line(job: JobRecord, texts: Texts) -> ModelLine:
    """Show a model in a list."""
    target = str(job.settings.get("target") or "") or texts("models.start.choice")
    facts = texts("models.predicts", target=show_name(target, 40))
    state = texts(f"models.state.{job.state}")
    return ModelLine(f"/models/{job.id}", job.name, facts, state, job.state == "done")
