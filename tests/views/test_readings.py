"""Pairs as tables and the Choquet reading of a group, against the models."""

import numpy as np
import pandas as pd
import pytest

from penchant.data import Attribute, Comparisons, Items
from penchant.gai import GAIRankerCV
from penchant.studies import GroupModels
from penchant.studies._group_models import group_models
from penchant.texts import load_texts
from penchant.views._model import choquet_view, model_view, pair_tables

TEXTS = load_texts("en")
MINUS = "\N{MINUS SIGN}"


@pytest.fixture(scope="module")
def items() -> Items:
    rng = np.random.default_rng(0)
    frame = pd.DataFrame(rng.random((40, 3)).round(3), columns=["a", "b", "c"])
    frame["kind"] = rng.choice(["x", "y", "z"], 40)
    numeric = [Attribute(name, "numeric", "up", (0, 1)) for name in "abc"]
    kind = Attribute("kind", "categorical", "unknown", ("x", "y", "z"))
    return Items.from_frame(frame, [*numeric, kind])


@pytest.fixture(scope="module")
def models(items: Items) -> GroupModels:
    frame = items.frame
    wanted = np.minimum(frame["a"], frame["b"]).to_numpy() + 0.2 * frame["c"].to_numpy()
    return group_models(items, Comparisons.from_ratings(wanted))


def test_the_choquet_reading_says_what_the_capacity_has(
    models: GroupModels, items: Items
) -> None:
    view = choquet_view(models, TEXTS)
    assert view is not None
    assert models.choquet is not None
    importance = models.choquet.capacity_.shapley()
    shares = importance / importance.sum()
    assert [part.name for part in view.importance] == ["a", "b", "c"] or [
        part.name for part in view.importance
    ] == ["b", "a", "c"]
    assert sum(part.width for part in view.importance) == pytest.approx(100, abs=0.3)
    assert view.importance[-1].width == pytest.approx(100 * shares[2], abs=0.1)
    assert "a and b: both are needed" in view.together[0]
    assert view.left == "Left out, since its values have no order: kind."
    assert f"puts {round(100 * models.choquet_right)} in the right order" in view.fits
    assert view.certificate.startswith("Certified: ")


def test_pairs_are_tables_of_the_factor(items: Items) -> None:
    frame = items.frame
    wanted = ((frame["a"] - 0.5) * (frame["b"] - 0.5)).to_numpy()
    told = Comparisons.from_ratings(wanted)
    gai = GAIRankerCV(preset="fast", sparse=True, max_order=2).fit(items, told)
    assert (0, 1) in gai.factors_
    models = GroupModels(None, gai, len(told.winners))  # type: ignore[arg-type]
    (table,) = pair_tables(models, items, TEXTS)
    assert table.title == "a with b"
    corners = [table.rows[i][1][j] for i in (0, -1) for j in (0, -1)]
    assert [cell.points[0] for cell in corners] == [
        "+",
        MINUS,
        MINUS,
        "+",
    ]
    assert [cell.shade[0] for cell in corners] == ["p", "m", "m", "p"]
    shades = {cell.shade for _, cells in table.rows for cell in cells}
    assert {"p4", "m4"} & shades
    assert choquet_view(models, TEXTS) is None


def test_the_page_of_models_has_all_of_it(models: GroupModels, items: Items) -> None:
    view = model_view(models, items, TEXTS)
    assert view.choquet is not None
    assert "ertified" in view.certificate
    few = items.take([0, 1, 2, 3, 4, 5])
    one = Items(
        few.frame[["a", "kind"]], (few.attributes[0], few.attributes[3]), few.names
    )
    told = Comparisons.from_ratings(few.frame["a"].to_numpy())
    assert group_models(one, told).choquet is None
