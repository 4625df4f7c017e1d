"""What Babel writes in any locale is read back equal, or is reported as ambiguous."""

import datetime as dt
import io

import numpy as np
import pytest
from babel.dates import format_date
from babel.numbers import format_currency, format_decimal, format_percent
from hypothesis import given, settings
from hypothesis import strategies as st

from penchant.data import Items
from penchant.exceptions import AmbiguousColumnError

LOCALES = """en_US en_GB
de_DE de_CH de_AT fr_FR fr_CH es_ES it_IT nl_NL pt_BR pt_PT sv_SE
da_DK nb_NO fi_FI pl_PL cs_CZ en_IN es_MX en_CA fr_CA ja_JP hu_HU ro_RO"""
ENCODINGS = ("utf-8", "utf-8-sig", "utf-16")
EPOCH = dt.date(1970, 1, 1)

locales = st.sampled_from(LOCALES.split())
numbers = st.lists(
    st.decimals(-99_999_999, 99_999_999, places=3).map(float), min_size=2, max_size=6
)
days = st.lists(
    st.dates(dt.date(1970, 1, 1), dt.date(2060, 1, 1)), min_size=2, max_size=6
)


def read(texts, separator, encoding):
    rows = [["name", "value"], *([f"item {i}", t] for i, t in enumerate(texts))]
    file = io.StringIO()
    for row in rows:
        file.write(separator.join(f'"{cell}"' for cell in row) + "\n")
    return Items.from_csv(file.getvalue().encode(encoding))


def check(texts, values, separator, encoding):
    """Compare what was read with what was written, unless it is ambiguous."""
    try:
        items = read(texts, separator, encoding)
    except AmbiguousColumnError:
        return
    column = items.frame["value"].tolist()
    np.testing.assert_allclose(column, values, rtol=1e-12, atol=0)


@settings(max_examples=150, deadline=None)
@given(numbers, locales, st.sampled_from(",;\t"), st.sampled_from(ENCODINGS))
def test_numbers(values, locale, separator, encoding):
    texts = [format_decimal(value, locale=locale) for value in values]
    check(texts, values, separator, encoding)


@settings(max_examples=100, deadline=None)
@given(numbers, locales, st.sampled_from(["EUR", "USD", "GBP", "SEK"]))
def test_amounts(values, locale, currency):
    rounded = [round(abs(value), 2) for value in values]
    texts = [format_currency(v, currency, locale=locale) for v in rounded]
    check(texts, rounded, ";", "utf-8")


@settings(max_examples=60, deadline=None)
@given(numbers, locales)
def test_shares(values, locale):
    rounded = [round(abs(value) % 100, 1) for value in values]
    texts = [format_percent(v / 100, "#,##0.0 %", locale=locale) for v in rounded]
    check(texts, rounded, ";", "utf-8")


@settings(max_examples=100, deadline=None)
@given(days, locales, st.sampled_from(["dd.MM.y", "dd/MM/y", "MM/dd/y", "y-MM-dd"]))
def test_dates(values, locale, pattern):
    texts = [format_date(value, pattern, locale=locale) for value in values]
    check(texts, [(value - EPOCH).days for value in values], ";", "utf-8")


def test_frames_of_other_libraries():
    polars = pytest.importorskip("polars")
    frame = polars.DataFrame(
        {"name": ["a", "b"], "price": ["999,00 €", "1.299,00 €"], "x": [1, None]}
    )
    items = Items.from_frame(frame)
    assert items.names == ("a", "b")
    assert items.frame["price"].tolist() == [999, 1299]
    assert items.frame["x"].isna().tolist() == [False, True]
