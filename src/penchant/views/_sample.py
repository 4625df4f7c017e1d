"""The picture of a result on the first page: what a simulated person got.

To work it out takes a second, so its numbers are kept; a test gives the same answers
and compares.
"""

from types import SimpleNamespace as View
from typing import Final

from penchant.studies import study_template
from penchant.texts import Texts
from penchant.views._charts import Axis
from penchant.views._curves import count_row
from penchant.views._display import item_facts

_BEST: Final = "Fernbank 22"
_SURE: Final = 0.83
_N_ANSWERS: Final = 14
_SHARES: Final = {
    "energy class": (0.26, 0.05, 0.51),
    "noise": (0.19, 0.03, 0.40),
    "price": (0.18, 0.05, 0.36),
    "size": (0.17, 0.04, 0.35),
    "commute": (0.07, 0.00, 0.23),
}
"""Share of what counts most, with the ends of its 90 % range."""

_FACTS: Final = 2


def sample_view(texts: Texts) -> View:
    """Show a result of the example with flats, in a language."""
    template = study_template("flats")
    own = next(noun for noun in template.nouns if noun.language == texts.language)
    told, items = texts.about(own.singular, own.plural), template.table(texts)
    names = {
        english.name: attribute.name
        for english, attribute in zip(
            template.items.attributes, items.attributes, strict=True
        )
    }
    axis = Axis(0.0, max(high for _, _, high in _SHARES.values()))
    return View(
        lead=told("result.lead", alternatives=told.number(len(items))),
        name=_BEST,
        facts=item_facts(items, items.names.index(_BEST), told, _FACTS),
        certainty=100 * _SURE,
        sure=told("owner.home.picture_sure", share=told.share(_SURE)),
        counted=tuple(
            count_row(names[name], each, axis, "counts.tip", told, unsure=not each[1])
            for name, each in _SHARES.items()
        ),
        words=told.count("owner.home.picture", _N_ANSWERS),
    )
