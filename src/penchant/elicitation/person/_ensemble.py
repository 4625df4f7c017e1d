"""Many explanations at once, and choosing among them."""

from dataclasses import dataclass

import numpy as np

from penchant.elicitation.person._components import Components, PriorMoments
from penchant.elicitation.person._propagation import Sites, State
from penchant.elicitation.person._rows import direction_evidence
from penchant.elicitation.person._space import PersonSpace
from penchant.typing import BoolArray, FloatArray, IntArray


@dataclass(frozen=True, eq=False)
class Ensemble:
    """Components with their priors and what each makes of the rows."""

    components: Components
    prior: PriorMoments
    state: State

    def take(self, index: IntArray) -> "Ensemble":
        """Keep some components, also several times."""
        state = State(
            Sites(*(part[index] for part in self.state.sites)),
            *(part[index] for part in self.state[1:]),
        )
        return Ensemble(self.components.take(index), self.prior.take(index), state)

    def where(self, taken: BoolArray, other: "Ensemble") -> "Ensemble":
        """Take the other's components where `taken`."""
        n = len(self.components)
        both = Ensemble(
            self.components.join(other.components),
            self.prior.join(other.prior),
            _join(self.state, other.state),
        )
        return both.take(np.arange(n) + n * taken.astype(np.int64))

    def evidence(self, space: PersonSpace) -> FloatArray:
        """Give log-evidences less those of the direction rows alone."""
        return self.state.log_evidence - direction_evidence(space, self.prior)


def _join(first: State, second: State) -> State:
    sites = (
        np.concatenate(pair) for pair in zip(first.sites, second.sites, strict=True)
    )
    parts = (np.concatenate(pair) for pair in zip(first[1:], second[1:], strict=True))
    return State(Sites(*sites), *parts)
