"""Pictures of a study to take away, drawn by penchant.plotting."""

import copy
from collections.abc import Callable
from dataclasses import replace
from types import SimpleNamespace
from typing import Any, Final, Literal

import numpy as np

from penchant.data import DATE, Attribute, Items
from penchant.exceptions import NotAnswerableError
from penchant.studies import Group, GroupModels, Study
from penchant.texts import Texts
from penchant.views._display import show_name
from penchant.views._segments import segment_cards

PictureKind = Literal["svg", "png"]

CHARTS: Final = ("ranking", "weights", "curves", "rules", "model")
"""Names of the pictures; the catalogue of texts says what they show."""

_LONGEST_NAME: Final = 40
_LONGEST_RULE: Final = 90


def draw_chart(
    name: str,
    kind: PictureKind,
    study: Study,
    fitted: Callable[[Study], GroupModels | None],
    texts: Texts,
) -> bytes:
    """Draw one of `CHARTS` as a file.

    Parameters
    ----------
    name : str
        Which one.
    kind : {"svg", "png"}
        Format of the file.
    study : Study
        Whose results.
    fitted : callable
        Gives the models of the study.
    texts : Texts
        In the language of the owner.

    Raises
    ------
    NotAnswerableError
        If there are too few answers for it.
    """
    from penchant.plotting import picture

    if name in _OF_MODELS:
        models = fitted(study)
        assert models is not None  # without a time limit
        return picture(_OF_MODELS[name](models), kind)
    group = study.group()
    if not group.items:
        raise NotAnswerableError("Nobody has answered yet, so there is no picture.")
    return picture(_OF_GROUPS[name](group, study.items, texts), kind)


def _ranking(group: Group, _items: Items, texts: Texts) -> Callable[[], Any]:
    from penchant.plotting import plot_group_ranking

    place = {item.item: row for row, item in enumerate(group.items)}
    seen = [
        sorted(segment.ranking, key=lambda item: place[item.item])
        for segment in group.segments
    ]
    return lambda: plot_group_ranking(
        [item.mean for item in group.items],
        [
            [(own.mean, own.people_low, own.people_high) for own in each]
            for each in seen
        ],
        names=[show_name(item.name, _LONGEST_NAME) for item in group.items],
        labels=[card.name for card in segment_cards(group, texts)],
    )


def _weights(group: Group, _items: Items, texts: Texts) -> Callable[[], Any]:
    from penchant.plotting import plot_segment_weights

    cards = segment_cards(group, texts)
    weights = {
        card.name: {
            show_name(name, _LONGEST_NAME): share
            for name, share in segment.weights.items()
        }
        for card, segment in zip(cards, group.segments, strict=True)
    }
    return lambda: plot_segment_weights(weights)


def _curves(group: Group, items: Items, texts: Texts) -> Callable[[], Any]:
    from penchant.plotting import plot_segment_curves

    drawn = {}
    for same in zip(*(segment.curves for segment in group.segments), strict=True):
        name, grid = same[0].attribute, same[0].grid
        attribute = next(each for each in items.attributes if each.name == name)
        if attribute.unit == DATE:
            grid = np.round(86_400 * np.asarray(grid)).astype("M8[s]")
        points = np.stack([curve.points for curve in same])
        drawn[_named(attribute)] = grid, points
    if not drawn:
        raise NotAnswerableError("No attribute varies, so there are no curves.")
    labels = [card.name for card in segment_cards(group, texts)]
    return lambda: plot_segment_curves(drawn, labels=labels)


def _named(attribute: Attribute) -> str:
    beside = attribute.unit_beside
    unit = f" ({show_name(beside, 12)})" if beside else ""
    return f"{show_name(attribute.name, 24)}{unit}"


def _rules(models: GroupModels) -> Callable[[], Any]:
    from penchant.plotting import plot_rules

    rules = [
        SimpleNamespace(
            text=show_name(rule.text, _LONGEST_RULE),
            weight=rule.weight,
            target=rule.target,
        )
        for rule in models.rules.rules_
    ]
    return lambda: plot_rules(SimpleNamespace(rules_=rules))


def _model(models: GroupModels) -> Callable[[], Any]:
    from penchant.plotting import plot_gai

    model = copy.copy(models.gai)
    model.encoding_ = _with_short_names(model.encoding_)
    return lambda: plot_gai(model)


def _with_short_names(encoding: Any) -> Any:
    names = tuple(show_name(name, _LONGEST_NAME) for name in encoding.names)
    attributes = tuple(
        replace(attribute, name=name)
        for attribute, name in zip(encoding.attributes, names, strict=True)
    )
    return replace(encoding, names=names, attributes=attributes)


_OF_GROUPS: Final = {"ranking": _ranking, "weights": _weights, "curves": _curves}
_OF_MODELS: Final = {"rules": _rules, "model": _model}
