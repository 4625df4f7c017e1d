import pandas as pd
import pytest

from penchant.data import Attribute, Items


def read(header, cells, **options):
    table = pd.DataFrame({"name": list("abcdef")[: len(cells)], header: cells})
    items = Items.from_frame(table, **options)
    return items, items.attributes[0]


@pytest.mark.parametrize(
    ("header", "unit"),
    [
        ("Preis (€)", "€"),
        ("rent (EUR/month)", "EUR/month"),
        ("Gewicht [kg]", "kg"),
        ("Miete in EUR", "EUR"),
        ("Länge, cm", "cm"),
        ("loyer (€ par mois)", "€ par mois"),
        ("Umsatz (in Tsd. €)", "Tsd. €"),
        ("share (%)", "%"),
        ("marks (1-6)", ""),
        ("bedroom(s)", ""),
        ("cost per km", ""),
        ("distance/km", ""),
        ("open (Mo)", ""),
        ("team (A)", ""),
        ("rooms (total)", ""),
        ("size", ""),
    ],
)
def test_a_header_may_name_the_unit(header, unit):
    for cells in (["3", "4", "5,5"], [3.0, 4.0, 5.5]):
        items, attribute = read(header, cells)
        assert attribute.unit == unit
        assert attribute.name == header
        assert items.frame[header].tolist() == [3.0, 4.0, 5.5]


def test_cells_without_a_unit_have_that_of_the_header():
    items, attribute = read("Gewicht [kg]", ["3,5", "500 g", "2 kg"])
    assert attribute.unit == "kg"
    assert items.frame["Gewicht [kg]"].tolist() == [3.5, 0.5, 2.0]


def test_a_header_that_contradicts_the_cells_is_told():
    items, attribute = read("price (€)", ["$5", "$6", "$7.50"])
    assert attribute.unit == "$"
    (doubt,) = items.report.problems
    assert doubt.kind == "other_unit"
    assert "'€'" in str(doubt)
    assert "'$'" in str(doubt)


def test_a_header_that_says_more_than_the_cells_does_not_contradict_them():
    items, attribute = read("rent (€/month)", ["500 €", "600 €", "700 €"])
    assert attribute.unit == "€"
    assert not items.report.problems


def test_who_states_a_column_states_its_unit():
    stated = [Attribute("price (€)", direction="down")]
    _, attribute = read("price (€)", [5.0, 6.0, 7.5], attributes=stated)
    assert attribute.unit == ""


def test_the_unit_stands_once_beside_the_name():
    assert Attribute("price (€)", unit="€").unit_beside == ""
    assert Attribute("Miete in EUR", unit="EUR").unit_beside == ""
    assert Attribute("team", unit="m").unit_beside == "m"
    assert Attribute("built", unit="date").unit_beside == ""
