"""Which pair to ask next: each policy looks at a posterior.

`eubo`, `knowledge_gradient`, `evoi`, `bald` and `restricted_voi` give every pair a
score, the larger the better; `thompson`, `best_and_largest`, `knockout` and
`random_pair` name a pair. All take the pairs to choose from. `Elicitor` and `simulate`
know them by name, and one more, the default "eubo-kg": the 500 pairs of
largest EUBO, and among them the one of the largest exact knowledge gradient.
"""

from penchant.elicitation.policies._bald import bald
from penchant.elicitation.policies._duels import (
    best_and_largest,
    knockout,
    random_pair,
    thompson,
)
from penchant.elicitation.policies._scores import (
    eubo,
    evoi,
    knowledge_gradient,
    restricted_voi,
)

__all__ = [
    "bald",
    "best_and_largest",
    "eubo",
    "evoi",
    "knockout",
    "knowledge_gradient",
    "random_pair",
    "restricted_voi",
    "thompson",
]
