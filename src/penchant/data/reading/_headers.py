"""What the name of a column tells about it; people correct the guesses."""

import re

from penchant.data._attribute import Direction

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
