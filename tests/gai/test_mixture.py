import numpy as np

from penchant.datasets import make_gai
from penchant.models import GAIRegressorCV, MixedGAI


def test_a_mixture_keeps_the_factors_that_are_chosen():
    sample = make_gai(60, 3, n_factors=2, noise=0.02, random_state=1)
    model = GAIRegressorCV(cv=3, sparse=False).fit(sample.X, sample.y)
    assert isinstance(model.utility_, MixedGAI)
    some = model.utility_.restricted([(0,), (1, 2)])
    assert some.factors == ((0,), (1, 2))
    parts = model.utility_.decompose(sample.X)
    for factor, values in some.decompose(sample.X).items():
        np.testing.assert_allclose(values, parts[factor])
