"""What a server works out before its first request."""

from penchant.gp._covariance import normal_draws
from penchant.studies import warm_up


def test_tables_are_drawn_and_it_is_done_once() -> None:
    warm_up.cache_clear()
    normal_draws.cache_clear()
    warm_up()
    assert normal_draws.cache_info().currsize == 1
    warm_up()
    assert warm_up.cache_info().hits == 1
