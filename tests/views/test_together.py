import numpy as np

from penchant.studies import Interaction, load_texts
from penchant.views._together import together_words


def _pair(first: str, second: str, strength: float) -> Interaction:
    empty = np.zeros((1, 1))
    return Interaction(first, second, strength, 0.9, (1,), (1,), empty, empty, empty)


def test_pairs_that_may_be_told_are_told_in_words() -> None:
    pairs = [_pair("rent", "size", -8.0), _pair("floor", "rent", 4.0)]
    worse, better = together_words(pairs, load_texts("en"))
    assert worse.startswith("Rent and size count together: once one is as you like it")
    assert "about 8 points less (90\u00a0% sure" in worse
    assert "about 4 points more" in better
    assert together_words([], load_texts("en")) == []
