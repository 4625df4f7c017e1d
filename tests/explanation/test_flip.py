import json

import numpy as np
import pandas as pd
import pytest

from penchant.data import Attribute, Items
from penchant.exceptions import DataError, NotAnswerableError
from penchant.explanation import flip
from penchant.explanation._attribute_range import AttributeRange
from penchant.models import ChoquetRegressor, GAIRegressor


class Linear:
    """A utility whose smallest changes are known."""

    def __init__(self, *weights):
        self.weights = np.array(weights)

    def utility(self, X):
        return np.asarray(X, dtype=np.float64) @ self.weights


def test_one_change_crosses_the_level_of_the_rival():
    model = Linear(1.0, -2.0)
    found = flip(model, [5.0, 1.0], [2.0, 1.0], domain=[(0, 10), (0, 4)])
    assert found.is_better  # 3 against 0
    by_name = {change.attribute: change for change in found.by_attribute}
    assert by_name["x0"].after == pytest.approx(2.0, abs=1e-5)
    assert by_name["x0"].size == pytest.approx(0.3, abs=1e-6)
    assert by_name["x1"].after == pytest.approx(2.5, abs=1e-5)
    assert by_name["x1"].size == pytest.approx(0.375, abs=1e-6)
    assert found.one == by_name["x0"]
    for change in found.by_attribute:
        item = [5.0, 1.0]
        item[int(change.attribute[1])] = change.after
        assert model.utility([item])[0] < model.utility([[2.0, 1.0]])[0]


def test_two_changes_go_straight_to_the_level():
    # In shares of the range the slopes are 10 and -8; the nearest point of the line
    # 10 p - 8 q = -3 has p = -30 / 164 and q = 24 / 164.
    found = flip(Linear(1.0, -2.0), [5.0, 1.0], [2.0, 1.0], domain=[(0, 10), (0, 4)])
    first, second = found.two
    assert np.hypot(first.size, second.size) == pytest.approx(
        3 / np.sqrt(164), abs=1e-5
    )
    assert first.after == pytest.approx(5 - 300 / 164, abs=1e-2)
    assert second.after == pytest.approx(1 + 96 / 164, abs=1e-2)


def test_the_worse_item_is_made_better():
    found = flip(Linear(1.0, 0.0), [1.0, 0.0], [4.0, 0.0], domain=(0, 10))
    assert not found.is_better
    assert found.one.after == pytest.approx(4.0, abs=1e-5)
    assert found.one.after > 4.0
    assert "would be better with x0" in found.text


def test_none_may_exist_within_the_domains():
    alone = flip(Linear(1.0, 1.0), [0.0, 0.0], [1.5, 0.0], domain=(0, 1))
    assert alone.one is None
    assert alone.by_attribute == ()
    first, second = alone.two
    assert first.after + second.after == pytest.approx(1.5, abs=1e-3)
    assert "No change of one attribute" in alone.text
    none = flip(Linear(1.0, 1.0), [0.0, 0.0], [2.5, 0.0], domain=(0, 1))
    assert none.one is none.two is None
    assert "Nor does a change of two" in none.text
    single = flip(Linear(1.0), [0.0], [0.5], domain=(0, 1))
    assert single.two is None
    assert single.one.after == pytest.approx(0.5, abs=1e-6)


def test_the_nearest_of_several_crossings_counts():
    class Wave:
        def utility(self, X):
            return np.sin(np.asarray(X)[:, 0])

    found = flip(Wave(), [2.0], [3.0], domain=[(0, 20)])
    # sin rises above that of 3 again at pi - 3 below and falls under it at 3 above.
    assert found.one.after == pytest.approx(3.0, abs=1e-5)
    near = flip(Wave(), [1.0], [3.0], domain=[(0, 20)])
    assert near.one.after == pytest.approx(np.pi - 3, abs=1e-5)


@pytest.fixture(scope="module")
def flats():
    rng = np.random.default_rng(0)
    table = pd.DataFrame(
        {
            "rent": rng.uniform(400, 1000, 40).round(),
            "energy": rng.choice(list("ABC"), 40),
            "balcony": rng.choice(["none", "small", "large"], 40),
        }
    )
    kinds = [
        Attribute("rent", direction="down", domain=(400, 1000), unit="EUR"),
        Attribute("energy", "ordinal", "down", ("A", "B", "C")),
        Attribute("balcony", "categorical", "unknown"),
    ]
    return Items.from_frame(table, attributes=kinds)


def test_items_change_in_their_units_and_levels(flats):
    code = flats.encode()
    rating = code[:, 0] + code[:, 1] + (flats.frame["balcony"] == "large")
    model = GAIRegressor(C=50.0, max_order=1).fit(flats, rating)
    order = np.argsort(model.utility(flats))
    item, rival = flats.take([order[10]]), flats.take([order[25]])
    found = flip(model, item, rival)
    assert not found.is_better
    target = model.utility(rival)[0]
    for change in found.by_attribute:
        frame = item.frame.astype(object)
        frame[change.attribute] = change.after
        changed = Items(frame, flats.attributes, ("changed",))
        assert model.utility(changed)[0] > target
        if change.attribute == "rent":
            assert 400 <= change.after <= 1000
            assert change.after_text.endswith("EUR")
            frame[change.attribute] += 0.01  # a little dearer is not enough
            dearer = Items(frame, flats.attributes, ("dearer",))
            assert model.utility(dearer)[0] <= target
        elif change.attribute == "balcony":
            assert change.size == 1.0
        else:
            assert change.size in (0.5, 1.0)
    sizes = [change.size for change in found.by_attribute]
    assert sizes == sorted(sizes)
    json.dumps(found.to_dict())


def test_models_that_know_their_domain_need_no_other():
    rng = np.random.default_rng(1)
    X = rng.random((60, 3))
    X[:, 2] = np.round(2 * X[:, 2])
    y = X[:, 0] - X[:, 1] + (X[:, 2] == 1)
    model = GAIRegressor(C=50.0, max_order=1, categorical_features=[2]).fit(X, y)
    order = np.argsort(model.utility(X))
    found = flip(model, X[order[20]], X[order[30]])
    low, high = X.min(axis=0), X.max(axis=0)
    for change in found.by_attribute:
        k = int(change.attribute[1])
        assert low[k] <= change.after <= high[k]
        assert k != 2 or change.after in (0.0, 1.0, 2.0)
    choquet = ChoquetRegressor(k=1, domain=[(0, 1), (0, 1), (0, 1, 2)])
    choquet.fit(X, X[:, 0] + X[:, 2])
    levels = flip(choquet, X[order[0]], X[order[30]])
    assert all(
        c.after in (0.0, 1.0, 2.0) for c in levels.by_attribute if c.attribute == "x2"
    )


def test_what_cannot_be_reversed_is_refused():
    with pytest.raises(NotAnswerableError, match="equally good"):
        flip(Linear(1.0), [1.0], [1.0], domain=(0, 2))
    with pytest.raises(DataError, match="domain="):
        flip(Linear(1.0), [1.0], [2.0])


class Valley:
    """Bad from 27.1 to 27.6, middling up to 20, good elsewhere."""

    def utility(self, X):
        x = np.asarray(X, dtype=np.float64)[:, 0]
        return np.where((x >= 27.1) & (x <= 27.6), 0.0, np.where(x <= 20.0, 0.5, 1.0))


def test_texts_round_away_from_the_present_value(flats):
    code = flats.encode()
    model = GAIRegressor(C=50.0, max_order=1).fit(flats, code[:, 0] + code[:, 1])
    order = np.argsort(model.utility(flats))
    found = flip(model, flats.take([order[10]]), flats.take([order[14]]))
    (rent,) = (c for c in found.by_attribute if c.attribute == "rent")
    assert rent.shown < rent.after < rent.before  # dearer than `after` is not enough
    assert rent.shown == int(rent.after)
    assert rent.after_text == f"{int(rent.after)} EUR"


def test_a_number_is_not_rounded_to_where_it_does_not_suffice():
    found = flip(Valley(), [40.0], [10.0], domain=[(0, 64)])
    assert found.is_better
    assert found.one.after == pytest.approx(27.6, abs=1e-4)
    assert found.one.shown == found.one.after  # 27 is beyond the valley


@pytest.mark.parametrize(
    ("ends", "now", "value", "shown"),
    [
        ((5.0, 60.0), 33.0, 27.2094, 27.0),
        ((5.0, 60.0), 33.0, 33.4, 34.0),
        ((5.5, 60.0), 33.0, 27.2094, 27.2),
        ((0.0, 1.0), 0.5, 0.61803, 0.62),
        ((0.0, 1.0), 0.5, 0.5, 0.5),
        ((0.0, 20.0), 5.0, 19.7, 20.0),
    ],
)
def test_rounding_goes_beyond(ends, now, value, shown):
    assert AttributeRange("x", ends).beyond(now, value) == pytest.approx(shown)
