"""Strength of association between columns of any kind, and variance inflation."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats
from scipy.stats.contingency import association
from sklearn.linear_model import LinearRegression

from penchant.explanation._players import check_players
from penchant.explanation.retraining._association import (
    associations,
    constant_players,
    design_blocks,
    inflations,
)


def strengths(frame: pd.DataFrame, players: dict[str, list[str]] | None = None):
    return associations(frame, check_players(players, frame))


@given(seed=st.integers(0, 1000), levels=st.integers(2, 6))
def test_numbers_by_rank_correlation(seed: int, levels: int) -> None:
    rng = np.random.default_rng(seed)
    x = rng.integers(levels, size=30)  # ties
    frame = pd.DataFrame({"x": x, "y": x + rng.normal(size=30), "z": -rng.random(30)})
    found = strengths(frame)
    for a, b in ((0, 1), (0, 2), (1, 2)):
        rho = stats.spearmanr(frame.iloc[:, a], frame.iloc[:, b]).statistic
        expected = 0.0 if np.ptp(x) == 0 and a == 0 else abs(rho)
        assert found[a, b] == pytest.approx(expected, abs=1e-12)
    np.testing.assert_array_equal(found, found.T)
    np.testing.assert_array_equal(np.diag(found), 0.0)


def test_categories_by_cramers_v() -> None:
    rng = np.random.default_rng(0)
    first = rng.choice(["red", "green", "blue"], 60)
    second = np.where(rng.random(60) < 0.6, first, "none")
    frame = pd.DataFrame({"first": first, "second": pd.Categorical(second)})
    expected = association(pd.crosstab(first, second).to_numpy(), method="cramer")
    assert strengths(frame)[0, 1] == pytest.approx(expected, abs=1e-12)


def test_category_and_number_by_correlation_ratio() -> None:
    rng = np.random.default_rng(0)
    level = rng.integers(3, size=50)
    frame = pd.DataFrame(
        {"size": level + rng.random(50), "town": np.array(list("abc"))[level]}
    )
    ranks = stats.rankdata(frame["size"])
    dummies = np.eye(3)[level]
    fit = LinearRegression().fit(dummies, ranks)
    expected = np.sqrt(fit.score(dummies, ranks))  # share of variance between levels
    assert strengths(frame)[0, 1] == pytest.approx(expected, abs=1e-12)
    turned = strengths(frame[["town", "size"]])
    assert turned[0, 1] == pytest.approx(expected, abs=1e-12)


def test_ordered_levels_count_as_ranks() -> None:
    order = pd.CategoricalDtype(["low", "mid", "high"], ordered=True)
    level = pd.Series(["low", "high", "mid", "low", "high"], dtype=order)
    frame = pd.DataFrame({"level": level, "x": [1.0, 5.0, 3.0, 1.5, 9.0]})
    rho = stats.spearmanr([0, 2, 1, 0, 2], frame["x"]).statistic
    assert strengths(frame)[0, 1] == pytest.approx(rho)


def test_one_hot_block_is_the_categorical_attribute() -> None:
    rng = np.random.default_rng(0)
    level = rng.integers(3, size=50)
    plain = pd.DataFrame({"town": np.array(list("abc"))[level], "x": rng.random(50)})
    hot = pd.DataFrame(np.eye(3)[level], columns=list("abc")).assign(x=plain["x"])
    found = strengths(hot, {"town": ["a", "b", "c"]})
    np.testing.assert_allclose(found, strengths(plain))


def test_other_blocks_by_their_closest_column() -> None:
    rng = np.random.default_rng(0)
    frame = pd.DataFrame(rng.random((40, 3)), columns=["a", "b", "c"])
    alone = strengths(frame)
    found = strengths(frame, {"ab": ["a", "b"]})
    assert found[0, 1] == max(alone[0, 2], alone[1, 2])


def test_missing_values_are_no_obstacle() -> None:
    frame = pd.DataFrame(
        {"x": [1.0, np.nan, 3.0, 4.0], "y": [1, 2, 3, 4], "z": ["a", None, "b", "b"]}
    )
    assert np.isfinite(strengths(frame)).all()


def test_constants() -> None:
    frame = pd.DataFrame({"x": [1.0, 2.0, 3.0], "same": 5.0, "word": "a"})
    players = check_players(None, frame)
    np.testing.assert_array_equal(constant_players(frame, players), [0, 1, 1])
    np.testing.assert_array_equal(strengths(frame), 0.0)


class TestInflation:
    def factors(self, X: np.ndarray, players: dict[str, list[int]] | None = None):
        frame = pd.DataFrame(X)
        return inflations(design_blocks(frame, check_players(players, frame)))

    def test_against_regressions(self) -> None:
        rng = np.random.default_rng(0)
        X = rng.random((60, 5)) @ rng.random((5, 5)) + rng.random((60, 5))
        for j, factor in enumerate(self.factors(X)):
            others = np.delete(X, j, axis=1)
            r2 = LinearRegression().fit(others, X[:, j]).score(others, X[:, j])
            assert factor == pytest.approx(1 / (1 - r2), rel=1e-9)

    def test_scale_does_not_matter(self) -> None:
        rng = np.random.default_rng(0)
        X = rng.random((30, 3))
        scaled = X * [1e-6, 1.0, 1e6]
        np.testing.assert_allclose(self.factors(scaled), self.factors(X), rtol=1e-6)

    def test_a_copy_is_infinite_and_a_constant_is_one(self) -> None:
        X = np.random.default_rng(0).random((30, 4))
        X[:, 1] = X[:, 0]
        X[:, 2] = 7.0
        found = self.factors(X)
        assert np.isinf(found[:2]).all()
        assert found[2] == 1.0
        assert np.isfinite(found[3])

    def test_block_against_determinants(self) -> None:
        """Fox and Monette: det(R_bb) det(R_rest)/det(R), per dimension."""
        rng = np.random.default_rng(0)
        X = rng.random((60, 4)) @ rng.random((4, 4)) + rng.random((60, 4))
        R = np.corrcoef(X.T)
        det = np.linalg.det
        whole = det(R[:2, :2]) * det(R[2:, 2:]) / det(R)
        assert self.factors(X, {"b": [0, 1]})[0] == pytest.approx(whole**0.5)
