"""Which attributes count together for a person, in words."""

from collections.abc import Sequence

from penchant.studies import Interaction
from penchant.texts import Texts
from penchant.views._display import show_name

__all__ = ["together_words"]

_SENTENCES = 3
_LONGEST_LABEL = 24


def together_words(interactions: Sequence[Interaction], texts: Texts) -> list[str]:
    """Say which attributes count together; empty where none may be told.

    Parameters
    ----------
    interactions : sequence of Interaction
        Pairs that may be told, the strongest first.
    texts : Texts
        In the language of the person.
    """
    return [_sentence(each, texts) for each in interactions[:_SENTENCES]]


def _sentence(pair: Interaction, texts: Texts) -> str:
    key = "together.sentence_better" if pair.strength > 0 else "together.sentence_worse"
    words = texts(
        key,
        a=show_name(pair.first, _LONGEST_LABEL),
        b=show_name(pair.second, _LONGEST_LABEL),
        points=texts.points(abs(pair.strength)),
        share=texts.share(pair.sure),
    )
    return texts.sentence(words)
