"""A property that is worked out once, and values that are kept while they are used."""

import threading
from concurrent.futures import ThreadPoolExecutor

from penchant._cached import LRUCache, cached_property


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


def test_what_was_used_least_recently_is_forgotten_first() -> None:
    kept: LRUCache[str, int] = LRUCache(2)
    kept.put("a", 1)
    kept.put("b", 2)
    assert kept.get("a") == 1  # a use: now "b" is the oldest
    kept.put("c", 3)
    assert [kept.get(key) for key in "abc"] == [1, None, 3]
    kept.put("a", 4)
    assert [kept.get(key) for key in "abc"] == [4, None, 3]


def test_threads_may_use_the_same_cache() -> None:
    kept: LRUCache[int, int] = LRUCache(8)

    def use() -> None:
        for k in range(2000):
            kept.put(k % 20, k % 20)
            assert kept.get(k % 7) in (None, k % 7)

    with ThreadPoolExecutor(4) as threads:
        for done in [threads.submit(use) for _ in range(4)]:
            done.result()
    assert sum(kept.get(k) is not None for k in range(20)) == 8
