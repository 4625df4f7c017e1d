import numpy as np
import pandas as pd
import pytest

from penchant.data import Attribute, Items
from penchant.models import Condition, Conjunction, Ramp, Vocabulary
from penchant.rules._features import list_ramps


def test_rises_evenly_between_its_ends():
    X = np.array([[9.0, -1.0], [9.0, 0.0], [9.0, 1.0], [9.0, 4.0], [9.0, 7.0]])
    np.testing.assert_array_equal(Ramp(1, 0.0, 4.0).evaluate(X), [0, 0, 0.25, 1, 1])


def test_is_told_in_the_units_of_the_table():
    items = Items.from_frame(
        pd.DataFrame({"price": [500.0, 900.0], "view": ["none", "sea"]}),
        [
            Attribute("price", direction="down", domain=(500, 900), unit="EUR"),
            Attribute("view", "ordinal", domain=("none", "park", "sea")),
        ],
    )
    words = Vocabulary(("price", "view"), items.attributes)
    cheap, scenic = Ramp(0, 0.25, 1.0), Ramp(1, 0.0, 0.5)
    assert cheap.text(words) == "price from 800 EUR to 500 EUR"
    assert scenic.text(words) == "view from none to park"


class TestList:
    def test_lies_between_any_two_quantiles(self):
        X = np.arange(9.0)[:, np.newaxis]
        ramps = list_ramps(X, Vocabulary(("a",)), 3)
        assert ramps == [Ramp(0, 0.0, 4.0), Ramp(0, 0.0, 8.0), Ramp(0, 4.0, 8.0)]

    def test_equal_quantiles_count_once(self):
        X = np.array([0.0] * 8 + [1.0, 2.0])[:, np.newaxis]
        assert list_ramps(X, Vocabulary(("a",)), 5) == [Ramp(0, 0.0, 2.0)]

    def test_attributes_without_steps_have_conditions(self):
        table = pd.DataFrame(
            {"lift": [0.0, 1.0] * 3, "colour": list("abcabc"), "floor": [2.0] * 6}
        )
        attributes = [
            Attribute("lift", domain=(0, 1)),
            Attribute("colour", "categorical", domain=tuple("abc")),
            Attribute("floor", domain=(0, 4)),
        ]
        items = Items.from_frame(table, attributes)
        words = Vocabulary(tuple(table), items.attributes)
        X = items.encode()
        features = list_ramps(X, words, 5)
        assert [f.text(words) for f in features] == [
            "lift = 1",
            "colour = a",
            "colour = b",
            "colour = c",
        ]
        assert features[0] == Conjunction((Condition(0, "=", 1.0),))

    @pytest.mark.parametrize("n_knots", [2, 4, 7])
    def test_all_values_are_shares(self, n_knots):
        X = np.random.default_rng(0).normal(size=(50, 3))
        features = list_ramps(X, Vocabulary(("a", "b", "c")), n_knots)
        assert len(features) == 3 * n_knots * (n_knots - 1) // 2
        for feature in features:
            values = feature.evaluate(X)
            order = np.argsort(X[:, feature.attribute])
            assert (np.diff(values[order]) >= 0).all()
            assert (values.min(), values.max()) == (0, 1)
