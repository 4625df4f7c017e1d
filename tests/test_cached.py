"""A property that is worked out once, and does not hold up other objects."""

import threading

from penchant._cached import cached_property


class Slow:
    """Works its value out when it is told to."""

    def __init__(self) -> None:
        self.asked, self.go = threading.Event(), threading.Event()
        self.times = 0

    @cached_property
    def value(self) -> int:
        """Count how often it is worked out."""
        self.asked.set()
        assert self.go.wait(30)
        self.times += 1
        return self.times


def test_it_is_worked_out_once() -> None:
    slow = Slow()
    slow.go.set()
    assert (slow.value, slow.value) == (1, 1)
    assert Slow.value.__doc__ == "Count how often it is worked out."


def test_one_object_does_not_wait_for_another() -> None:
    first, second = Slow(), Slow()
    waiting = threading.Thread(target=lambda: first.value)
    waiting.start()
    assert first.asked.wait(30)
    second.go.set()
    assert second.value == 1  # while the first is still being worked out
    first.go.set()
    waiting.join()
    assert first.times == 1
