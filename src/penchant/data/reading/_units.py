"""Units and currencies: what their spellings mean, and how they convert."""

import re
from collections.abc import Iterable, Mapping

Unit = tuple[str, float]
"""What is measured, and how many of its smallest unit this one holds."""

_MEASURES: Mapping[str, Mapping[float, str]] = {
    "data": {
        1: "B byte bytes octets",
        1e3: "KB kB Ko",
        1e6: "MB Mo",
        1e9: "GB Go",
        1e12: "TB To",
        1e15: "PB Po",
        2.0**10: "KiB",
        2.0**20: "MiB",
        2.0**30: "GiB",
        2.0**40: "TiB",
    },
    "data rate": {1: "kbit/s kbps", 1e3: "Mbit/s Mbps", 1e6: "Gbit/s Gbps"},
    "length": {
        1e-3: "µm um",
        1: "mm",
        10: "cm",
        25.4: "in inch inches zoll pouces pouce pulgadas pollici \" ″ ” ''",
        304.8: "ft feet foot ' ′",  # noqa: RUF001 - a prime
        914.4: "yd yard yards",
        1e3: "m meter metre metres meters mètres",
        1e6: "km kilometer kilometers kilometre kilometres",
        1609344: "mi mile miles",
    },
    "area": {
        1: "cm² cm2",
        929.0304: "ft² ft2 sqft sq.ft.",
        1e4: "m² m2 qm sqm m^2",
        40468564.224: "acre acres",
        1e8: "ha",
        1e10: "km² km2",
    },
    "volume": {
        1: "ml",
        10: "cl",
        100: "dl",
        1e3: "l L liter litre liters litres litro litri",
        1e6: "m³ m3",
    },
    "mass": {
        1e-3: "mg",
        1: "g gr gramm gram grams",
        28.349523125: "oz",
        453.59237: "lb lbs",
        1e3: "kg kilo kilos",
        1e6: "t",
    },
    "time": {
        1e-3: "ms",
        1: "s sec secs second seconds sek sek. sekunden secondes",
        60: "min min. mins minute minutes minuten minuti minutos",
        3600: "h hr hrs hour hours std std. stunde stunden heure heures hora horas ore",
        86400: "d day days tag tage tagen jour jours día días giorni",
        604800: "week weeks wk wks woche wochen semaine semaines",
    },
    "long time": {
        1: "month months mo monat monate monaten mois mes meses mesi",
        12: "year years yr yrs jahr jahre jahren an ans année années año años anni",
    },
    "power": {
        1: "W watt",
        735.49875: "PS ch cv",
        745.7: "hp bhp",
        1e3: "kW",
        1e6: "MW",
    },
    "energy": {1: "Wh", 1e3: "kWh", 1e6: "MWh"},
    "food energy": {1: "kJ", 4.184: "kcal"},
    "charge": {1: "mAh", 1e3: "Ah"},
    "frequency": {1: "Hz", 1e3: "kHz", 1e6: "MHz", 1e9: "GHz"},
    "speed": {1: "km/h kmh kph", 1.609344: "mph", 3.6: "m/s"},
    "pixels": {1: "MP Mpx megapixel megapixels"},
    "share": {1: "% percent prozent"},
}
_CURRENCIES = (
    "€ EUR euro euros",
    "$ US$ USD dollar dollars",
    "£ GBP",
    "¥ JPY",
    "CHF Fr. SFr. Fr",
    "₹ INR Rs Rs.",
    "zł PLN",
    "Kč CZK",
    "kr kr. SEK",
    "NOK",
    "DKK",
    "Ft HUF",
    "₽ RUB",
    "₺ TRY TL",
    "R$ BRL",
    "C$ CAD",
    "A$ AUD",
    "₩ KRW",
    "₪ ILS",
    "₴ UAH",
    "MXN",
    "ZAR",
    "CNY RMB",
)
MULTIPLIERS = {
    **dict.fromkeys(("k", "K", "Tsd", "Tsd.", "thousand", "mille"), 3),
    **dict.fromkeys(("M", "Mio", "Mio.", "mln", "mn", "million", "millions"), 6),
    **dict.fromkeys(("bn", "Mrd", "Mrd.", "milliard", "milliards"), 9),
}
"""Words behind a number that stand for zeros: how many."""


def _spellings() -> Iterable[tuple[str, Unit]]:
    for measure, units in _MEASURES.items():
        for factor, words in units.items():
            yield from ((word, (measure, float(factor))) for word in words.split())
    for words in _CURRENCIES:
        yield from ((word, (words.split()[0], 1.0)) for word in words.split())


_EXACT = dict(_spellings())
# Where only the case tells two units apart (M and m), the exact spelling decides.
_FOLDED = {word.lower(): unit for word, unit in reversed(_EXACT.items())}

CURRENCY = "|".join(
    re.escape(word)
    for word in sorted(
        (word for words in _CURRENCIES for word in words.split()),
        key=len,
        reverse=True,
    )
)
"""Pattern of everything that can stand before an amount."""


def find_unit(text: str) -> Unit:
    """Say what a unit measures; one that is not known measures itself."""
    known = _EXACT.get(text) or _FOLDED.get(text.lower())
    return known or (_singular(text.lower()), 1.0)


def is_known(text: str) -> bool:
    """Tell whether a unit is in the table, or none at all."""
    return not text or text in _EXACT or text.lower() in _FOLDED


def _singular(word: str) -> str:
    """Take "rooms" and "room" for the same."""
    return word[:-1] if len(word) > 3 and word.endswith("s") else word
