from hypothesis import given
from hypothesis import strategies as st

from penchant.web.security._limiter import Limiter


class Clock:
    def __init__(self) -> None:
        self.now = 100.0

    def __call__(self) -> float:
        return self.now


def test_window_slides() -> None:
    clock = Clock()
    limiter = Limiter(2, 60.0, clock=clock)
    assert limiter.wait("a") == 0.0
    clock.now += 40.0
    assert limiter.wait("a") == 0.0
    assert limiter.wait("a") == 20.0
    assert limiter.wait("b") == 0.0
    clock.now += 20.0
    assert limiter.wait("a") == 0.0
    assert limiter.wait("a") == 40.0


def test_forgotten_key_begins_again() -> None:
    limiter = Limiter(1, 60.0, clock=Clock())
    assert limiter.wait("a") == 0.0
    assert limiter.wait("a") == 60.0
    limiter.forget("a")
    limiter.forget("never tried")
    assert limiter.wait("a") == 0.0


def test_memory_is_bounded() -> None:
    limiter = Limiter(1, 60.0, max_keys=3, clock=Clock())
    for key in "abcd":
        assert limiter.wait(key) == 0.0
    assert limiter.wait("d") == 60.0
    assert limiter.wait("a") == 0.0  # three keys later it is forgotten


@given(st.lists(st.floats(0.0, 30.0), max_size=40))
def test_never_more_than_the_limit_in_any_window(pauses: list[float]) -> None:
    clock = Clock()
    limiter = Limiter(3, 60.0, clock=clock)
    passed: list[float] = []
    for pause in pauses:
        clock.now += pause
        if limiter.wait("a") == 0.0:
            passed.append(clock.now)
    for moment in passed:
        assert sum(moment - 60.0 < other <= moment for other in passed) <= 3
