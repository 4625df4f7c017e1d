"""Columns of words: yes and no, familiar scales, categories, and what is neither."""

import re
from dataclasses import replace

import numpy as np
import pandas as pd

from penchant.data._attribute import Attribute
from penchant.data.reading._cells import Cells, ReadColumn, collect, shown_column
from penchant.data.reading._headers import guess_direction, is_identifier_header
from penchant.data.reading._marks import (
    find_scale,
    is_missing_mark,
    is_tick,
    yes_and_no,
)
from penchant.data.reading._problems import Problem
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
    spelt = cells.texts if asked == "levels" else _one_spelling(cells)
    levels = tuple(sorted(set(spelt)))
    attribute = Attribute(cells.name, "categorical", "unknown", levels)
    return _attribute(cells, attribute, "levels", spelt)


def fit_levels(
    values: pd.Series, attribute: Attribute, asked: str | None = None
) -> pd.Series:
    """Write cells as the levels that somebody declared, where they say the same.

    "Ja" is the level "ja", "y" is "yes" where the levels are yes and no, and a mark
    such as "n/a" is blank. What fits no level stays as it is.

    Parameters
    ----------
    values : Series
        Cells as they stand in the file.
    attribute : Attribute
        Its levels were declared.
    asked : str or None
        The reading that somebody asked for.
    """
    levels = attribute.levels
    written = collect(attribute.name, values, as_written=True)
    if set(written.texts) <= set(levels) and asked not in _TICKS:
        return values
    meaning = yes_and_no(levels) if len(levels) == 2 else None
    if meaning:
        cells = collect(attribute.name, values)
        found = _yes_or_no(cells, values, asked)
        if found is not None and found.values is not None:
            sides = dict(zip(found.values.cat.categories, (False, True), strict=True))
            words = {meaning[level]: level for level in levels}
            known = found.values.astype(object).map(sides, na_action="ignore")
            return known.map(words, na_action="ignore")
    known_as = {text: _level_of(text, levels) for text in written.texts}
    texts = np.array([*(known_as[text] for text in written.texts), None], dtype=object)
    return pd.Series(texts[written.codes], values.index, name=values.name)


def _level_of(text: str, levels: tuple[str, ...]) -> str | None:
    """Give the level that a text says; itself if none, and None if it says nothing."""
    if text in levels:
        return text
    same = [level for level in levels if level.casefold() == text.casefold()]
    if len(same) == 1:
        return same[0]
    return None if is_missing_mark(text) else text


def _one_spelling(cells: Cells) -> list[str]:
    """Write texts that differ in capitals alone as most cells do."""
    frequent: dict[str, str] = {}
    for _, text in sorted(zip(cells.counts, cells.texts, strict=True), reverse=True):
        if len(text) > 1:
            frequent.setdefault(text.casefold(), text)
    return [frequent.get(text.casefold(), text) for text in cells.texts]


def _respelt(cells: Cells, texts: list[str]) -> tuple[Problem, ...]:
    """Say which cells were taken for another spelling of a level."""
    other = [text != written for text, written in zip(texts, cells.texts, strict=True)]
    if not any(other):
        return ()
    n, first = int(cells.counts[np.array(other)].sum()), other.index(True)
    facts = {"n": n, "cell": cells.texts[first], "level": texts[first]}
    message = f"{facts['cell']!r} is read as {facts['level']!r}"
    if sum(other) > 1:
        message += f", and so on ({n} cells)"
    return (Problem(message, None, cells.name, "warning", "spelling", facts),)


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
    doubts = _respelt(cells, texts) if reading == "levels" else ()
    found = ColumnReading(
        cells.name,
        "attribute",
        attribute,
        reading,
        examples,
        told,
        (*cells.gaps(), *doubts),
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
    counted = zip(cells.texts, cells.counts, strict=True)
    # A whole word says more than a letter, however often each of them stands there.
    frequent = sorted(((len(text) > 1, n, text) for text, n in counted), reverse=True)
    words = [
        next(text for *_, text in frequent if meaning[text] is side)
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
