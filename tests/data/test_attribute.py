import pytest

from penchant.data import Attribute
from penchant.exceptions import DataError, PenchantError


def test_defaults_are_numeric_and_up():
    attribute = Attribute("size")
    assert (attribute.kind, attribute.direction, attribute.domain) == (
        "numeric",
        "up",
        None,
    )


def test_numeric_domain_becomes_two_floats():
    assert Attribute("rent", domain=[1, 2]).domain == (1.0, 2.0)


def test_levels_become_text():
    stars = Attribute("stars", "ordinal", domain=[1, 2, 3])
    assert stars.levels == ("1", "2", "3")


def test_categorical_has_no_direction():
    assert Attribute("colour", "categorical").direction == "unknown"
    with pytest.raises(DataError, match=r"'colour'.*no direction.*ordinal"):
        Attribute("colour", "categorical", "down")


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"name": " "}, "needs a name"),
        ({"name": "x", "kind": "text"}, r"kind of attribute 'x'.*numeric, ordinal"),
        ({"name": "x", "direction": "left"}, r"direction.*up, down, unknown"),
        ({"name": "x", "domain": (1,)}, r"two numbers"),
        ({"name": "x", "domain": ("a", "b")}, r"two numbers"),
        ({"name": "x", "domain": (2, 1)}, r"low <= high"),
        ({"name": "x", "domain": (0, float("inf"))}, r"finite"),
        ({"name": "x", "kind": "ordinal", "domain": ()}, r"at least one"),
        ({"name": "x", "kind": "ordinal", "domain": "abc"}, r"list of levels"),
        ({"name": "x", "kind": "categorical", "domain": ["a", "a"]}, r"different"),
    ],
)
def test_bad_attributes_are_refused(arguments, message):
    with pytest.raises(DataError, match=message) as error:
        Attribute(**arguments)
    assert isinstance(error.value, ValueError)
    assert isinstance(error.value, PenchantError)


def test_round_trip_through_plain_values():
    rent = Attribute("rent", direction="down", domain=(1, 2), unit="EUR")
    assert Attribute.from_dict(rent.to_dict()) == rent
    with pytest.raises(DataError, match="described by"):
        Attribute.from_dict({"name": "rent", "colour": 1})


def test_format_shows_units_and_gaps():
    rent = Attribute("rent", unit="EUR")
    assert rent.format(1200.0) == "1,200 EUR"
    assert rent.format(0.5) == "0.5 EUR"
    assert rent.format(float("nan")) == ""
    assert Attribute("class", "ordinal", domain=("A", "B")).format("A") == "A"


def test_years_are_not_written_in_groups_of_three():
    built = Attribute("year built", domain=(1911, 2018))
    assert built.is_year
    assert built.format(1998.0) == "1998"
    for other in (
        Attribute("price", domain=(1100, 1900)),  # no year
        Attribute("yearly cost", domain=(900, 5000)),
        Attribute("rent per year", domain=(1100, 1900), unit="EUR"),
        Attribute("Jahr", "ordinal", domain=("2001", "2002")),
    ):
        assert not other.is_year
    assert Attribute("price", domain=(1100, 1900)).format(1100.0) == "1,100"
