import numpy as np
import pandas as pd
import pytest
from sklearn.base import BaseEstimator

from penchant.data import Attribute, Comparisons, Items
from penchant.encoding._domain import check_domain, check_items
from penchant.exceptions import DataError
from penchant.models import GAIRanker

X = np.array([[1.0, 10.0], [3.0, 20.0]])


def test_the_range_of_the_data_is_the_default():
    domain = check_domain("data", X, X)
    np.testing.assert_allclose(domain.transform(X), [[0, 0], [1, 1]])
    outside = np.array([[0.0, 15.0], [9.0, 99.0]])
    np.testing.assert_allclose(domain.transform(outside), [[0, 0.5], [1, 1]])


def test_one_range_for_all_attributes():
    np.testing.assert_allclose(check_domain((0, 10), X, X).transform(X)[0], [0.1, 1])


def test_one_entry_per_attribute_ranges_and_levels():
    domain = check_domain([(0, 4), [20, 10, 15]], X, X)
    np.testing.assert_allclose(domain.transform(X), [[0.25, 0.5], [0.75, 0]])
    with pytest.raises(DataError, match=r"Row 1, attribute 1: 12 is not one of"):
        domain.transform(np.array([[1.0, 10.0], [1.0, 12.0]]))


def test_constant_columns_map_to_zero():
    constant = np.ones((3, 1))
    assert check_domain("data", constant, constant).transform(constant).max() == 0


def test_items_bring_their_own():
    items = Items.from_frame(
        pd.DataFrame({"p": [1, 2]}), attributes=[Attribute("p", domain=(0, 4))]
    )
    estimator = BaseEstimator()
    array = check_items(estimator, items, reset=True)
    assert estimator.feature_names_in_.tolist() == ["p"]
    np.testing.assert_allclose(
        check_domain("data", items, array).transform(array), [[0.25], [0.5]]
    )


def test_later_items_are_encoded_by_the_domains_of_fit():
    estimator = BaseEstimator()
    levels = Attribute("c", "categorical", domain=("r", "g", "b"))
    first = Items.from_frame(
        pd.DataFrame({"p": [0, 4], "c": ["r", "b"]}), attributes=[levels]
    )
    check_items(estimator, first, reset=True)
    two = ["one", "two"]
    later = Items.from_frame(pd.DataFrame({"c": ["b", "g"], "p": [2, 9]}, two))
    np.testing.assert_allclose(
        check_items(estimator, later, reset=False), [[0.5, 1], [1, 0.5]]
    )
    stray = Items.from_frame(pd.DataFrame({"p": [1, 2], "c": ["x", "y"]}))
    with pytest.raises(DataError, match=r"'c' .* 'item 1' is missing or a level"):
        check_items(estimator, stray, reset=False)
    other = Items.from_frame(pd.DataFrame({"p": [1, 2], "d": ["x", "y"]}))
    with pytest.raises(DataError, match="must have the attributes p, c"):
        check_items(estimator, other, reset=False)
    text = Items.from_frame(pd.DataFrame({"p": ["x", "y"], "c": ["r", "g"]}, two))
    with pytest.raises(DataError, match="column 'p': 'x' is not a finite number"):
        check_items(estimator, text, reset=False)
    check_items(estimator, X, reset=True)
    assert not hasattr(estimator, "attributes_in_")


@pytest.mark.parametrize(
    ("domain", "message"),
    [
        ("unit", "'data', \\(low, high\\) or one entry"),
        ([(0, 1)], r"one entry per attribute \(2\). Got 1"),
        ([(0, 1), (1, 0)], r"domain\[1\] must have low <= high"),
        ([(0, 1), (1, 2, 2)], r"domain\[1\] repeats a level"),
        ([(0, 1), (0, np.inf)], r"domain\[1\].*finite"),
        ([(0, 1), 3.0], r"domain\[1\] must be"),
    ],
)
def test_bad_domains_are_refused(domain, message):
    with pytest.raises(DataError, match=message):
        check_domain(domain, X, X)


def test_items_without_attributes_cannot_be_learned_from() -> None:
    names = Items.from_frame(pd.DataFrame(index=["a", "b", "c"]))
    with pytest.raises(DataError, match="no attributes to learn from"):
        GAIRanker().fit(names, Comparisons([0, 1], [1, 2]))
