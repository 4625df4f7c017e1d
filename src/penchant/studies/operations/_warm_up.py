"""Loading compiled code and tables before the first participant waits for them."""

from functools import cache

from penchant.datasets import load_flats
from penchant.studies._forms import FORMS
from penchant.studies._participation import AnsweredQuestion
from penchant.studies._results import contrast, curves, interactions, ranking
from penchant.studies._start import Start
from penchant.studies._talk import Talk

_N_ITEMS = 6
_ANSWERS = ("left", "tie", "neither")


@cache
def warm_up() -> None:
    """Hold a short conversation and read its results, for nobody.

    What is compiled, or drawn once for all, is there afterwards: the first person
    whom this process asks waits no longer than the others.
    """
    items = load_flats().take(range(_N_ITEMS))
    talk = Talk.from_start(Start.from_items(items), seed=0)
    for answer in _ANSWERS:
        asked = FORMS["pair"].choose(talk)
        if asked is not None:
            talk = talk.after(AnsweredQuestion("", "pair", asked[0], answer))
    names = items.names
    ranking(talk, names)
    curves(talk)
    interactions(talk)
    contrast(talk, 0, 1)
