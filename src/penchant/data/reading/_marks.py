"""Signs and words that stand for something: blanks, yes and no, stars, scales."""

import re
from collections.abc import Sequence

import numpy as np

from penchant.data.reading._candidate import Candidate, Cell


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


MISSING_MARKS = ("", "NA", "N/A", "n/a", "NaN", "nan", "NULL", "null", "None", "?")
"""Cells that stand for a missing value, also where a level is declared."""

_MISSING = _words(
    """na n/a nan null ? - -- --- – — . .. … #n/a #nv #na #null! #ref! #value! #div/0!
    #name? #num! n.a. n.a k.a. k.a n.d. n/d nd n.v. <na> missing unknown unbekannt
    inconnu desconocido sconosciuto onbekend tbd tba tbc s/o"""  # noqa: RUF001
) | {"", "k. a.", "n. a.", "keine angabe", "not available", "no data"}

_YES = _words("yes ja oui si sí sì sim true wahr vrai vero y j on an x ✓ ✔ ✅ ☑ ☒ da")
_NO = _words("no nein non não nee nej false falsch faux falso n off aus ✗ ✘ ❌ ☐ ne")
_TICKS = _words("x ✓ ✔ ✅ ☑ ☒")
_DASHES = _words("- – — --")  # noqa: RUF001

_SCALES: tuple[tuple[str, ...], ...] = tuple(
    tuple(scale.split(", "))
    for scale in (
        "very low, low, medium, high, very high",
        "very low, low, moderate, high, very high",
        "very small, small, medium, large, very large",
        "very bad, bad, fair, good, very good, excellent",
        "very poor, poor, fair, good, very good, excellent",
        "poor, average, good, excellent",
        "unacceptable, acceptable, good, very good",
        "never, rarely, sometimes, often, always",
        "xs, s, m, l, xl, xxl",
        "sehr niedrig, niedrig, mittel, hoch, sehr hoch",
        "sehr gering, gering, mittel, hoch, sehr hoch",
        "sehr klein, klein, mittel, groß, sehr groß",
        "sehr schlecht, schlecht, mittel, gut, sehr gut, ausgezeichnet",
        "ungenügend, mangelhaft, ausreichend, befriedigend, gut, sehr gut",
        "très faible, faible, moyen, élevé, très élevé",
        "très mauvais, mauvais, moyen, bon, très bon, excellent",
        "bajo, medio, alto",
        "basso, medio, alto",
    )
)

_STARS = re.compile(r"(?=.*[★⭐*☆✩])(?P<full>[★⭐*\ufe0f]*)(?P<half>½?)[☆✩]*")
_OUT_OF = re.compile(
    r"(?P<value>\d+(?:[.,]\d{1,2})?)\s?(?:/|von|out of|of|sur|de|su)\s?"
    r"(?P<top>5|6|10|20|100)"
    r"(?:\s?(?:stars?|Sterne|étoiles|points?|Punkte?))?"
)


def is_missing_mark(text: str) -> bool:
    """Tell whether a cell says that nothing is known."""
    return text.lower() in _MISSING or text == "None"


def yes_and_no(texts: Sequence[str]) -> dict[str, bool] | None:
    """Tell yes from no, if a column holds nothing else and both occur.

    A dash is a no where a tick is the yes.
    """
    folded = {text: text.lower() for text in texts}
    words = set(folded.values())
    ticked = bool(words & _TICKS) and words <= _TICKS | _NO | _DASHES
    no = _NO | _DASHES if ticked else _NO
    if not (words <= _YES | no and words & _YES and words & no):
        return None
    return {text: word in _YES for text, word in folded.items()}


def is_tick(texts: Sequence[str]) -> bool:
    """Tell whether a column has ticks and nothing else beside blanks."""
    return bool(texts) and {text.lower() for text in texts} <= _TICKS


def find_scale(texts: Sequence[str]) -> tuple[str, ...] | None:
    """Find a familiar scale that holds all texts, cut to the span that they use."""
    spelling = {text.lower(): text for text in texts}
    for scale in _SCALES:
        if len(spelling) > 1 and set(spelling) <= set(scale):
            used = [scale.index(word) for word in spelling]
            span = scale[min(used) : max(used) + 1]
            return tuple(spelling.get(word, word) for word in span)
    return None


def read_stars(cells: Sequence[Cell]) -> list[Candidate]:
    """Read "★★★☆☆" and "4,5/5"."""
    texts = [cell if isinstance(cell, str) else "" for cell in cells]
    stars = [_STARS.fullmatch(text) for text in texts]
    if any(stars):
        values = [
            np.nan
            if match is None
            else len(match["full"].replace("\ufe0f", "")) + len(match["half"]) / 2
            for match in stars
        ]
        return [Candidate("stars", np.array(values), "★")]
    shares = [_OUT_OF.fullmatch(text) for text in texts]
    tops = {match["top"] for match in shares if match}
    if len(tops) != 1:
        return []
    top = tops.pop()
    values = [
        float(match["value"].replace(",", ".")) if match else np.nan for match in shares
    ]
    fits = [np.nan if value > float(top) else value for value in values]
    return [Candidate(f"out of {top}", np.array(fits), f"/ {top}")]
