"""Before the first question, with many items."""

import numpy as np
import pandas as pd
import pytest

from penchant.data import Attribute, Items
from penchant.models import DenseCovariance, LowRankCovariance
from penchant.studies._start import Start, _mixed


def test_directions_are_added_to_any_kind_of_covariance() -> None:
    rng = np.random.default_rng(0)
    factor, slopes = rng.standard_normal((6, 2)), rng.standard_normal((6, 3))
    thin = LowRankCovariance(factor, np.ones(6))
    dense = DenseCovariance(thin.dense())
    assert _mixed(thin, slopes).dense() == pytest.approx(_mixed(dense, slopes).dense())


def test_axes_are_in_the_units_of_the_data() -> None:
    frame = pd.DataFrame({"rent": [500.0, 900.0], "view": ["sea", "yard"]})
    rent = Attribute("rent", direction="down", domain=(400, 1000), unit="EUR")
    start = Start.from_items(Items.from_frame(frame, [rent]))
    axis = start.axis(0, 4)
    assert axis.values == pytest.approx((400, 600, 800, 1000))
    assert axis.codes == pytest.approx([1.0, 2 / 3, 1 / 3, 0.0])
    assert start.axis(1, 4).values == ("sea", "yard")
    assert start.axis(0, 4) is axis
