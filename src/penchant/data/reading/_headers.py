"""What the name of a column tells about it; people correct the guesses."""

import re

from penchant.data._attribute import Direction
from penchant.data.reading._units import MULTIPLIERS, is_known

NAME_WORDS = tuple(
    """item alternative option title label product model bezeichnung titel produkt
    artikel modell nom titre produit modèle nombre título producto modelo nome titolo
    prodotto modello naam namn navn id""".split()  # noqa: SIM905 - one line per ten
)
"""Headers of columns that name the rows, beside "name" itself."""

_IDENTIFIER = re.compile(
    r"\b(?:id|sku|ean|gtin|isbn|asin|upc|uuid|guid|plz|zip|zip.?code|postal.?code|"
    r"post.?code|phone|tel|telefon|téléphone|mobile|fax|iban|serial|vin|ref|"
    r"(?:art|artikel|bestell|kunden|order|item|part)\W{0,2}(?:nr|no|nummer|number))\b",
    re.IGNORECASE,
)
_COUNTER = re.compile(
    r"#|(?:lfd\W{0,2})?n[ro°º]\.?|pos\.?|row|zeile|index|column 1|id",
    re.IGNORECASE,
)
_LESS_IS_BETTER = re.compile(
    r"price|cost|rent\b|fee|tax|distance|commute|duration|delay|time\b|noise|"
    r"pollution|crime|risk|emission|consumption|weight|error|debt|waste|"
    r"preis|kosten|miete|gewicht|prix|loyer|precio|prezzo|prijs|pris\b",
    re.IGNORECASE,
)
_MORE_IS_BETTER = re.compile(
    r"size|area|rating|score|quality|grade|rank_points|income|salary|revenue|profit|"
    r"battery|range|capacity|speed|memory|storage|benefit|yield|efficiency|"
    r"comfort|safety|health|power|experience|skill|warranty|"
    r"akku|speicher|garantie|bewertung|batterie|stockage",
    re.IGNORECASE,
)

_LONGEST_UNIT = 20
_BEHIND = re.compile(
    r"(?:^|\s)\((?P<round>[^()]+)\)|\[(?P<square>[^\[\]]+)\]|,\s*(?P<comma>\S+)$|"
    r"\s(?P<word>in\s+.+)$",
    re.IGNORECASE,
)
_IN = re.compile(r"in\s+", re.IGNORECASE)
_RATE = re.compile(r"\s*(?:/|\s(?:per|pro|je|par)\s)\s*", re.IGNORECASE)


def unit_of_header(header: str) -> str:
    """Give the unit that a header names: "Preis (€)", "weight [kg]", "rent in EUR".

    Empty where it names none that is known: "marks (1-6)", "bedroom(s)".
    """
    for match in _BEHIND.finditer(header):
        unit = _IN.sub("", next(filter(None, match.groups())).strip(), count=1).strip()
        if len(unit) <= _LONGEST_UNIT and _is_unit(unit):
            return unit
    return ""


def _is_unit(text: str) -> bool:
    """Tell whether this is a known unit, also of so many or for each of something."""
    measured, *_each = _RATE.split(text, maxsplit=1)
    word, _, rest = measured.partition(" ")
    if word in MULTIPLIERS and rest:
        measured = rest
    # "in", "an" and "mo" are words first; of letters alone the case matters
    is_word = measured.lower() in ("an", "in", "mi", "mo")
    is_letter = len(measured) == 1 and measured.isupper() and measured not in "BLW"
    return bool(measured) and is_known(measured) and not is_word and not is_letter


def guess_direction(header: str) -> Direction:
    """Guess from its name whether less or more of a column is better."""
    if _LESS_IS_BETTER.search(header):
        return "down"
    return "up" if _MORE_IS_BETTER.search(header) else "unknown"


def is_identifier_header(header: str) -> bool:
    """Tell whether a column is called like a key: an article number, a post code."""
    return bool(_IDENTIFIER.search(header.replace("_", " ")))


def is_counter_header(header: str) -> bool:
    """Tell whether a column is called like a count of the rows."""
    return bool(_COUNTER.fullmatch(header.strip()))
