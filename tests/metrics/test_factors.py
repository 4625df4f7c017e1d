"""False discoveries of factors."""

import pytest

from penchant.metrics import false_discovery_rate


@pytest.mark.parametrize(
    ("found", "true", "rate"),
    [
        ([(0, 1)], [(0, 1)], 0.0),
        ([(0,), (1,), (0, 1)], [(0, 1, 2)], 0.0),
        ([(0, 1, 2)], [(0, 1), (1, 2)], 1.0),
        ([(0,), (3,), (1, 3), (2,)], [(0, 1), (2,)], 0.5),
        ([], [(0,)], 0.0),
        ([(0,)], [], 1.0),
        ([(1, 0), (0, 1), (5,)], [(0, 1)], 0.5),
    ],
)
def test_share_of_found_factors_inside_no_true_factor(
    found: list[tuple[int, ...]], true: list[tuple[int, ...]], rate: float
) -> None:
    assert false_discovery_rate(found, true) == rate
