"""Columns of words: yes and no, familiar scales, categories, and what is neither."""

import re
from dataclasses import replace

import numpy as np
import pandas as pd

from penchant.data._attribute import Attribute
from penchant.data.reading._cells import Cells, ReadColumn, collect, shown_column
from penchant.data.reading._headers import guess_direction, is_identifier_header
from penchant.data.reading._marks import find_scale, is_tick, yes_and_no
from penchant.data.reading._report import Choice, ColumnReading, Role

_PICTURE = re.compile(
    r"\S.*\.(?:jpe?g|png|gif|webp|avif|svg|bmp|heic|tiff?)(?:[?#]\S*)?", re.IGNORECASE
)
_LINK = re.compile(r"https?://\S+", re.IGNORECASE)
_CODE = re.compile(r"(?=.*\d)[\w./#-]+")
_GOOD_ENDS = ("good", "very good", "excellent", "gut", "sehr gut", "bon", "très bon")
_TICKS = ("ticks, blank is no", "ticks, blank is unknown")

_FEW = 5
"""A text column with so few levels is never free text by their number alone."""

_SENTENCE = 24
"""Texts that all differ and are longer than this on average are notes, not levels."""

_LONG = 60
"""Texts longer than this on average are read like paragraphs."""


def read_levels(
    cells: Cells, values: pd.Series, asked: str | None, *, must_be_levels: bool
) -> ReadColumn:
    """Read cells that are no numbers.

    Parameters
    ----------
    cells : Cells
        The column without blanks.
    values : Series
        The column as it stands, since a dash may be a no.
    asked : str or None
        The reading that somebody asked for.
    must_be_levels : bool
        Whether the column is an attribute whatever it looks like.
    """
    if asked not in ("levels", "text"):
        found = _yes_or_no(cells, values, asked)
        if found is not None:
            return found
    if not must_be_levels:
        role, why = _not_levels(cells)
        if role is not None:
            return shown_column(cells, role, why)
    scale = find_scale(cells.texts)
    if scale:
        direction = guess_direction(cells.name)
        if direction == "unknown" and scale[-1].lower() in _GOOD_ENDS:
            direction = "up"
        attribute = Attribute(cells.name, "ordinal", direction, scale)
        first = {text.lower(): text for text in scale}
        texts = [first[text.lower()] for text in cells.texts]
        return _attribute(cells, attribute, "scale", texts)
    levels = tuple(sorted(set(cells.texts)))
    attribute = Attribute(cells.name, "categorical", "unknown", levels)
    return _attribute(cells, attribute, "levels", cells.texts)


def _attribute(
    cells: Cells,
    attribute: Attribute,
    reading: str,
    texts: list[str],
    told: tuple[str, ...] = (),
    choices: tuple[Choice, ...] = (),
) -> ReadColumn:
    examples = tuple(zip(cells.texts[:3], texts[:3], strict=True))
    told = (*told, *cells.notes())
    found = ColumnReading(
        cells.name,
        "attribute",
        attribute,
        reading,
        examples,
        told,
        cells.gaps(),
        choices,
    )
    place = {level: code for code, level in enumerate(attribute.levels)}
    codes = np.array([*(place[text] for text in texts), -1])[cells.codes]
    column = pd.Categorical.from_codes(codes, list(attribute.levels))
    values = pd.Series(column, cells.index, name=cells.name)
    return ReadColumn(found, values)


def _yes_or_no(cells: Cells, values: pd.Series, asked: str | None) -> ReadColumn | None:
    """Read yes and no in several languages; a lonely tick leaves the blanks open."""
    if set(map(type, cells.distinct)) == {bool}:
        return _ordered(cells, ("False", "True"), cells.texts, ())
    pools = [cells]
    if cells.marks:
        pools.append(collect(cells.name, values, as_written=True))
    for found in pools:
        texts = [text for text in found.distinct if isinstance(text, str)]
        meaning = yes_and_no(texts) if len(texts) == len(found.distinct) else None
        if meaning:
            return _two_words(found, meaning)
    texts = [text for text in cells.distinct if isinstance(text, str)]
    ticks = len(texts) == len(cells.distinct) and is_tick(texts)
    return _ticked(cells, asked) if ticks and (cells.codes < 0).any() else None


def _two_words(cells: Cells, meaning: dict[str, bool]) -> ReadColumn:
    frequent = sorted(zip(cells.counts, cells.texts, strict=True), reverse=True)
    words = [
        next(text for _, text in frequent if meaning[text] is side)
        for side in (False, True)
    ]
    told: tuple[str, ...] = ()
    if not all(word.isalpha() and len(word) > 1 for word in words):
        told = (f"{words[1]!r} taken as yes, {words[0]!r} as no",)
        if words[0].lower() not in ("n", "no"):
            words = ["no", "yes"]
    texts = [words[meaning[text]] for text in cells.texts]
    return _ordered(cells, (words[0], words[1]), texts, told)


def _ordered(
    cells: Cells, levels: tuple[str, str], texts: list[str], told: tuple[str, ...]
) -> ReadColumn:
    attribute = Attribute(cells.name, "ordinal", guess_direction(cells.name), levels)
    return _attribute(cells, attribute, "yes or no", texts, told)


def _ticked(cells: Cells, asked: str | None) -> ReadColumn:
    """Read ticks, once it is said whether no tick means no."""
    reading = asked if asked in _TICKS else _TICKS[0]
    attribute = Attribute(
        cells.name, "ordinal", guess_direction(cells.name), ("no", "yes")
    )
    mark = cells.texts[0]
    choices = tuple(
        Choice(label, f"blank → {meant}", {"readings": {cells.name: label}})
        for label, meant in zip(_TICKS, ("no", "unknown"), strict=True)
    )
    found = _attribute(
        cells,
        attribute,
        reading,
        ["yes"] * len(cells.distinct),
        (f"{mark!r} taken as yes",),
        () if asked in _TICKS else choices,
    )
    if reading == _TICKS[0] and found.values is not None:
        filled = found.values.where(found.values.notna(), "no")
        return replace(found, values=filled)
    return found


def _not_levels(cells: Cells) -> tuple[Role | None, str]:
    """Say what a text column is if not levels, and why."""
    texts = cells.texts
    n_known = int(cells.counts.sum())
    if _most(_PICTURE, texts):
        return "picture", ""
    if _most(_LINK, texts):
        return "link", ""
    if not all(isinstance(cell, str) for cell in cells.distinct):
        return None, ""
    length = float(np.average([len(text) for text in texts], weights=cells.counts))
    if length > _LONG:
        return "text", "its texts are long"
    many = len(texts) > max(_FEW, n_known / 2)
    notes = len(texts) > max(2, n_known / 2) and length > _SENTENCE
    if not many and not notes:
        return None, ""
    why = f"{len(texts)} different texts in {n_known} rows are no levels to compare by"
    if is_identifier_header(cells.name) or _most(_CODE, texts):
        return "identifier", why
    return "shown", why


def _most(pattern: re.Pattern[str], texts: list[str]) -> bool:
    return sum(bool(pattern.fullmatch(text)) for text in texts) >= 0.8 * len(texts)
