"""What a server works out before its first request."""

from penchant.studies import warm_up


def test_it_is_done_once() -> None:
    warm_up.cache_clear()
    warm_up()
    warm_up()
    assert warm_up.cache_info().hits == 1
