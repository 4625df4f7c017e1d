import pytest

from penchant.studies import SqlStore
from penchant.web.security._limiter import Limiter


def test_pause_grows_after_the_first_attempts(store: SqlStore) -> None:
    limiter = Limiter(3, 900.0)
    assert [limiter.wait(store, "ada", "here") for _ in range(3)] == [0.0] * 3
    assert limiter.wait(store, "ada", "here") == 2.0
    assert limiter.wait(store, "ada", "there") == 0.0
    assert limiter.wait(store, "adah", "ere") == 0.0
    limiter.forget(store, "ada", "here")
    assert limiter.wait(store, "ada", "here") == 0.0


@pytest.mark.parametrize("longest", [1.0, 8.0, 300.0])
def test_pause_doubles_up_to_the_longest(longest: float) -> None:
    limiter = Limiter(10, 900.0, longest)
    pauses = [limiter.pause(n_tried) for n_tried in range(2000)]
    assert pauses[:10] == [0.0] * 10
    assert pauses == sorted(pauses)
    assert pauses[-1] == longest


def test_delay_never_refuses(store: SqlStore) -> None:
    limiter = Limiter(2, 900.0, longest=8.0)
    delays = [limiter.delay(store, "ada") for _ in range(6)]
    assert delays[:2] == [0.0, 0.0]
    assert delays[2:] == [2.0, 4.0, 8.0, 8.0]
