"""Groups of attributes by hand-made cases of EX-5, and by its words."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from penchant.explanation._players import check_players
from penchant.explanation._shapley import members
from penchant.explanation.retraining import _coalitional
from penchant.explanation.retraining._association import (
    associations,
    design_blocks,
    inflations,
)
from penchant.explanation.retraining._coalitional import (
    STRATEGIES,
    groups_at,
    thresholds,
)


def groups(strategy: str, frame: pd.DataFrame, alpha: float) -> list[tuple[int, ...]]:
    table = thresholds(strategy, frame, check_players(None, frame))
    return [members(group) for group in groups_at(table, alpha)]


def by_the_words(strategy: str, frame: pd.DataFrame, alpha: float):
    """EX-5 with sets, loops and inequalities as they are printed."""
    players = check_players(None, frame)
    d = frame.shape[1]
    candidates: list[set[int]] = []
    if "spearman" in strategy:
        rho = associations(frame, players)
        for i in range(d):
            others = [j for j in range(d) if j != i]
            top = max(rho[i, j] for j in others)
            low = min(rho[i, j] for j in others)
            if strategy == "spearman" and top > 0.1:
                near = {j for j in others if rho[i, j] > top * (1 - alpha)}
                candidates.append({i} | near)
            if strategy == "reverse-spearman" and low < 0.5:
                far = {j for j in others if rho[i, j] < low + alpha * top}
                candidates.append({i} | far)
    elif strategy == "pca":
        for vector in np.linalg.eigh(np.cov(frame.to_numpy().T))[1].T:
            size = np.abs(vector)
            large = {k for k in range(d) if size[k] > size.max() * (1 - alpha)}
            candidates.append(large | {int(size.argmax())})
    else:
        blocks = design_blocks(frame, players)
        before = inflations(blocks)
        for i in range(d):
            others = [j for j in range(d) if j != i]
            found = inflations([blocks[j] for j in others])
            after = dict(zip(others, found, strict=True))
            if strategy == "vif":
                fall = {j for j in others if after[j] < before[j] * (0.4 + alpha)}
                candidates.append({i} | fall)
            else:
                limit = 1 - 0.05 * alpha
                candidates.append({j for j in others if after[j] > before[j] * limit})
    different = {frozenset(c) for c in candidates if c}
    largest = {c for c in different if not any(c < other for other in different)}
    covered = set().union(*largest)
    singles = {frozenset({i}) for i in range(d) if i not in covered}
    return {tuple(sorted(group)) for group in largest | singles}


@given(
    seed=st.integers(0, 10_000),
    strategy=st.sampled_from(STRATEGIES),
    alpha=st.integers(0, 150).map(lambda percent: percent / 100),
)
def test_as_the_words_say(seed: int, strategy: str, alpha: float) -> None:
    rng = np.random.default_rng(seed)
    mixing = rng.standard_normal((5, 5)) * (rng.random((5, 5)) < 0.6) + np.eye(5)
    frame = pd.DataFrame(rng.standard_normal((25, 5)) @ mixing)
    assert set(groups(strategy, frame, alpha)) == by_the_words(strategy, frame, alpha)


@pytest.fixture
def known(monkeypatch: pytest.MonkeyPatch) -> pd.DataFrame:
    """Four attributes whose rank correlations are given."""
    rho = np.array(
        [
            [0.0, 0.8, 0.5, 0.05],
            [0.8, 0.0, 0.2, 0.05],
            [0.5, 0.2, 0.0, 0.05],
            [0.05, 0.05, 0.05, 0.0],
        ]
    )
    monkeypatch.setattr(_coalitional, "associations", lambda *_: rho)
    return pd.DataFrame(np.random.default_rng(0).random((9, 4)))


class TestByHand:
    def test_spearman(self, known: pd.DataFrame) -> None:
        # Row 3 has no association above 0.1 and stays alone.
        assert groups("spearman", known, 0.0) == [(0,), (1,), (2,), (3,)]
        assert groups("spearman", known, 0.1) == [(0, 1), (0, 2), (3,)]
        assert groups("spearman", known, 0.5) == [(0, 1, 2), (3,)]

    def test_reverse_spearman(self, known: pd.DataFrame) -> None:
        # Each of 0, 1, 2 is least associated with 3 (0.05).
        # Rows 0 to 2 give {i, 3}; row 3 has equal associations: everybody.
        assert groups("reverse-spearman", known, 0.01) == [(0, 1, 2, 3)]

    def test_an_attribute_in_no_group_is_added_once(self, known: pd.DataFrame) -> None:
        found = groups("spearman", known, 0.3)
        assert found.count((3,)) == 1

    def test_principal_components_of_the_data_as_they_are(self) -> None:
        rng = np.random.default_rng(0)
        x = rng.standard_normal(200)
        frame = pd.DataFrame(
            {"a": 100 * x, "b": 100 * x + rng.normal(size=200), "c": rng.random(200)}
        )
        assert groups("pca", frame, 0.2) == [(0, 1), (2,)]

    def test_vif_joins_what_explains_each_other(self) -> None:
        rng = np.random.default_rng(0)
        x = rng.standard_normal(300)
        frame = pd.DataFrame(
            {"a": x, "b": x + 0.1 * rng.normal(size=300), "c": rng.normal(size=300)}
        )
        assert groups("vif", frame, 0.1) == [(0, 1), (2,)]
        # Without c nothing changes for a and b, and without a or b nothing for c.
        assert groups("reverse-vif", frame, 0.1) == [(0, 1), (2,)]


@pytest.mark.parametrize("strategy", STRATEGIES)
@pytest.mark.parametrize("place", [0, 2, 4])
def test_a_constant_is_alone_and_changes_nothing(strategy: str, place: int) -> None:
    rng = np.random.default_rng(3)
    X = rng.standard_normal((40, 4)) @ rng.standard_normal((4, 4))
    before = groups(strategy, pd.DataFrame(X), 0.3)
    after = groups(strategy, pd.DataFrame(np.insert(X, place, 1.0, axis=1)), 0.3)
    moved = {tuple(i + (i >= place) for i in group) for group in before}
    assert set(after) == moved | {(place,)}


@pytest.mark.parametrize("strategy", STRATEGIES)
def test_copies_one_attribute_and_only_constants(strategy: str) -> None:
    rng = np.random.default_rng(0)
    X = rng.standard_normal((30, 3))
    copied = pd.DataFrame(np.column_stack([X, X[:, 0]]))
    found = groups(strategy, copied, 0.2)
    assert set().union(*found) == {0, 1, 2, 3}
    if strategy in ("spearman", "vif", "pca"):
        assert any({0, 3} <= set(group) for group in found)
    assert groups(strategy, copied[[0]], 0.5) == [(0,)]
    assert groups(strategy, pd.DataFrame(np.ones((5, 2))), 0.5) == [(0,), (1,)]


@pytest.mark.parametrize("strategy", STRATEGIES)
def test_groups_of_mixed_columns_cover_all(strategy: str) -> None:
    rng = np.random.default_rng(0)
    size = rng.random(50)
    frame = pd.DataFrame(
        {
            "size": size,
            "rooms": np.round(4 * size),
            "town": np.where(size > 0.5, "big", "small"),
            "lift": rng.random(50) < 0.5,
        }
    )
    found = groups(strategy, frame, 0.2)
    assert set().union(*found) == {0, 1, 2, 3}
    if strategy == "spearman":
        assert any({0, 1, 2} <= set(group) for group in found)
