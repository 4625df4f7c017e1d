"""Evidence about a person as rows: numbers, linear in theta, that lie between ends."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from scipy.special import ndtr

from penchant.elicitation.person._components import PriorMoments
from penchant.elicitation.person._propagation import Likelihood, Sites, State, propagate
from penchant.elicitation.person._space import PersonSpace
from penchant.exceptions import DataError
from penchant.gp import Answer
from penchant.typing import FloatArray

_DIRECTION = (0.01, 0.05)
"""Noise and lapse of the statement that more of a directed attribute is better."""


@dataclass(frozen=True)
class Reason(Answer):
    """Why a person preferred the first of two items: "because of the rent".

    Parameters
    ----------
    kind : "reason"
    items : (int, int)
        The preferred item and the other.
    attribute : str
        What spoke most for the preferred one.
    """

    attribute: str = ""

    def __post_init__(self) -> None:
        items = tuple(int(item) for item in self.items)
        object.__setattr__(self, "items", items)
        if self.kind != "reason" or len(items) != 2 or items[0] == items[1]:
            raise DataError(
                "A reason is about two different items, the preferred one first. "
                f"Got {self.kind!r} with the items {list(items)}."
            )

    @staticmethod
    def offered(space: PersonSpace, duel: tuple[int, int] | None) -> tuple[str, ...]:
        """Give the attributes in which two items differ and which both have.

        They are what a choice between the two can be for; None: nothing was chosen.
        """
        if duel is None:
            return ()
        places = [each.attribute for each in space.singles]
        a, b = space.encoded[list(duel)][:, places]
        differ = (a != b) & space.known[list(duel)].all(axis=0)
        return tuple(name for name, d in zip(space.names, differ, strict=True) if d)


class Row(NamedTuple):
    """One number ``x theta + items rest + offset [like others]`` and its ends.

    The ends move with the person's width of indifference: ``lower + widths[0] width``.
    A noise or lapse of NaN is the person's own.
    """

    features: FloatArray
    items: FloatArray
    offset: float
    lower: float = 0.0
    upper: float = np.inf
    widths: tuple[float, float] = (0.0, 0.0)
    noise: float = np.nan
    lapse: float = np.nan


@dataclass(frozen=True, eq=False)
class Rows:
    """Several rows, and their products within each block.

    Parameters
    ----------
    features : ndarray of shape (n_rows, n_columns)
    items : ndarray of shape (n_rows, n_items)
        Coefficients of the items' own parts, centred.
    gram : ndarray of shape (n_blocks + 1 + n_incomplete, n_rows, n_rows)
        Products of rows block by block; the last are of the items' own parts, see
        `PersonSpace.unknown`.
    values : ndarray of shape (7, n_rows)
        Offset, lower, upper, both widths, noise and lapse.
    """

    features: FloatArray
    items: FloatArray
    gram: FloatArray
    values: FloatArray

    @classmethod
    def begin(cls, space: PersonSpace) -> "Rows":
        """Start with one row per directed attribute: its slope is positive."""
        width, n = space.block_of.size, space.n_items
        empty = cls(
            np.empty((0, width)),
            np.empty((0, n)),
            np.empty((len(space.blocks) + len(space.unknown), 0, 0)),
            np.empty((7, 0)),
        )
        lines = [b for b in space.blocks if b.kind == "line"]
        starts = [b.columns.start for b in lines if space.singles[b.owners[0]].directed]
        noise, lapse = _DIRECTION
        return empty.plus(
            space,
            [
                Row(np.eye(width)[c], np.zeros(n), 0.0, noise=noise, lapse=lapse)
                for c in starts
            ],
        )

    def __len__(self) -> int:
        return len(self.features)

    def plus(self, space: PersonSpace, added: Iterable[Row]) -> "Rows":
        """Give the rows with more of them."""
        new = list(added)
        if not new:
            return self
        features = np.vstack([self.features, *(row.features for row in new)])
        own = np.array([row.items for row in new])
        own = (own - own.mean(axis=1, keepdims=True)) * space.own_scale
        items = np.vstack([self.items, own])
        size, k = len(features), len(new)
        gram = np.empty((len(self.gram), size, size))
        gram[:, : size - k, : size - k] = self.gram
        starts = [block.columns.start for block in space.blocks]
        products = features[size - k :, None] * features
        n_blocks = len(starts)
        gram[:n_blocks, size - k :] = np.moveaxis(
            np.add.reduceat(products, starts, axis=2), 2, 0
        )
        for b, here in enumerate(space.unknown, start=n_blocks):
            gram[b, size - k :] = (items[size - k :] * here) @ items.T
        gram[:, :, size - k :] = gram[:, size - k :].transpose(0, 2, 1)
        more = [(r.offset, r.lower, r.upper, *r.widths, r.noise, r.lapse) for r in new]
        return Rows(features, items, gram, np.hstack([self.values, np.array(more).T]))

    def infer(
        self,
        prior: PriorMoments,
        start: Sites | None = None,
        inner: FloatArray | None = None,
    ) -> State:
        """Propagate the rows under every component, from where the sites stand.

        Sites may be those of the first rows only, or of none; `inner` is what `State`
        calls so, of these rows and components. Ends, noise and lapse of a row are a
        component's own where the row says so.
        """
        mean = prior.mean @ self.features.T + prior.like[:, None] * self.values[0]
        variances, size = np.column_stack([prior.block, prior.rest]), len(self.features)
        gram = variances @ self.gram.reshape(len(self.gram), -1)
        gram = gram.reshape(len(mean), size, size)
        if start is None:
            none = np.zeros((len(mean), 0))
            start = Sites(none, none)
        _, lower, upper, down, up, noise, lapse = self.values
        width = prior.width[:, None]
        likelihood = Likelihood(
            lower + down * width,
            upper + up * width,
            np.where(np.isnan(noise), prior.noise[:, None], noise),
            np.where(np.isnan(lapse), prior.lapse[:, None], lapse),
        )
        return propagate(mean, gram, likelihood, start, inner)


def read(
    space: PersonSpace, answers: Sequence[Answer], before: Sequence[Answer] = ()
) -> list[Row]:
    """Turn answers to rows, see `PersonBelief` for what each means.

    Last come the items that count as accepted from now on: from the first rejection
    on, that is every item that was preferred to another, now or before.
    """
    known = range(space.n_items)
    for answer in answers:
        if not all(item in known for item in answer.items):
            raise DataError(
                f"Items have the numbers 0 to {space.n_items - 1}. "
                f"Got {list(answer.items)}."
            )
    rows = [_READERS[answer.kind](space, answer) for answer in answers]
    both = (*before, *answers)
    if rejected(both):
        counted = chosen(before) if rejected(before) else ()
        level = (item for item in chosen(both) if item not in counted)
        rows += [accepted(space, item) for item in level]
    return rows


def _comparison(space: PersonSpace, answer: Answer) -> Row:
    i, j = answer.items
    items = np.zeros(space.n_items)
    items[i], items[j] = 1.0, -1.0
    features = space.table[i] - space.table[j]
    offset = float(space.population_mean[i] - space.population_mean[j])
    return Row(features, items, offset, widths=(1.0, 0.0))


def _tie(space: PersonSpace, answer: Answer) -> Row:
    row = _comparison(space, answer)
    if answer.width is None:
        return row._replace(upper=0.0, widths=(-1.0, 1.0))
    return row._replace(lower=-answer.width, upper=answer.width, widths=(0.0, 0.0))


def _below(space: PersonSpace, answer: Answer) -> Row:
    return accepted(space, answer.items[0], sign=-1.0)


def accepted(space: PersonSpace, item: int, sign: float = 1.0) -> Row:
    """Say that an item is above what the person accepts; with sign -1 below it."""
    features, items = sign * space.table[item], np.zeros(space.n_items)
    items[item] = sign
    features[-1] = -sign  # the level is the last column
    return Row(features, items, sign * float(space.population_mean[item]))


def _reason(space: PersonSpace, answer: Answer) -> Row:
    """Say that one attribute's part is above the mean of the others' parts."""
    assert isinstance(answer, Reason)
    i, j = answer.items
    mine = space.owner(answer.attribute)
    offered = Reason.offered(space, (i, j))
    if answer.attribute not in offered:
        raise DataError(
            f"The two items do not differ in {answer.attribute!r}. Name one of "
            f"{', '.join(offered)}."
        )
    shares = space.ownership
    others = [space.owner(name) for name in offered if name != answer.attribute]
    weights = shares[mine] - (shares[others].mean(axis=0) if others else 0.0)
    features = weights * (space.table[i] - space.table[j])
    of_features, of_mean = space.split
    lines = features[space.line_columns]
    features[space.population_columns] += lines @ of_features
    none = np.zeros(space.n_items)
    return Row(features, none, float(lines @ of_mean), widths=(1.0, 0.0))


_READERS = {
    "comparison": _comparison,
    "tie": _tie,
    "below": _below,
    "reason": _reason,
}


def rejected(answers: Iterable[Answer]) -> list[int]:
    """Give the items that were called not acceptable, in order."""
    return list(dict.fromkeys(a.items[0] for a in answers if a.kind == "below"))


def chosen(answers: Iterable[Answer]) -> list[int]:
    """Give the items that were preferred to another, in order."""
    return list(dict.fromkeys(a.items[0] for a in answers if a.kind == "comparison"))


def direction_evidence(space: PersonSpace, prior: PriorMoments) -> FloatArray:
    """Give the log-probability of the direction rows alone, shape (n_components,).

    They are about different coefficients, so that it is a product.
    """
    noise, lapse = _DIRECTION
    places = [
        k
        for k, b in enumerate(space.blocks)
        if b.kind == "line" and space.singles[b.owners[0]].directed
    ]
    columns = [space.blocks[k].columns.start for k in places]
    z = prior.mean[:, columns] / np.sqrt(prior.block[:, places] + noise**2)
    chance = lapse + (1.0 - 2.0 * lapse) * ndtr(z)
    return np.asarray(np.log(chance).sum(axis=1))
