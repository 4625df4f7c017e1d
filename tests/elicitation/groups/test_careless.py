import numpy as np

from penchant.elicitation.groups import careless_kind


def test_a_side_is_named_by_where_most_clicks_are():
    for share, side in ((0.35, "right"), (0.65, "left")):
        clicks = np.random.default_rng(0).permutation(np.arange(300) < 300 * share)
        assert careless_kind(clicks.tolist()) == side
