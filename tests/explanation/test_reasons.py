import json

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from penchant.data import Attribute, Items
from penchant.exceptions import DataError
from penchant.explanation import Attribution, contrast, reasons
from penchant.models import ChoquetRegressor


def make(values, std=None, names=None):
    values = np.atleast_2d(np.asarray(values, dtype=np.float64))
    names = names or [f"x{k}" for k in range(values.shape[1])]
    row = pd.DataFrame(np.zeros(values.shape), columns=names)
    return Attribution(
        values,
        0.0,
        values.sum(axis=1),
        names,
        "a test",
        std=None if std is None else [std],
        data=row,
        reference=row,
    )


def test_pros_and_cons_by_strength_and_the_few_that_decide():
    found = reasons(make([0.5, -0.4, 0.1, -0.3, 0.6, 0.0]))
    assert [r.attribute for r in found.pros] == ["x4", "x0", "x2"]
    assert [r.attribute for r in found.cons] == ["x1", "x3"]
    assert [r.attribute for r in found.decisive] == ["x4", "x0"]
    assert found.difference == pytest.approx(0.5)
    assert found.text.endswith(
        "X4 and x0 together outweigh all that speaks against it."
    )


@given(arrays(np.float64, st.integers(1, 7), elements=st.floats(-1, 1, width=16)))
def test_no_smaller_set_of_pros_outweighs_all_cons(values):
    found = reasons(make(values))
    pros = sorted((v for v in values if v > 0), reverse=True)
    against = -sum(v for v in values if v < 0)
    if sum(pros) <= against or not pros:
        assert found.decisive == ()
        return
    size = len(found.decisive)
    assert sum(r.contribution for r in found.decisive) > against
    # The best of all sets with one member less is that of the largest.
    assert sum(pros[: size - 1]) <= against


def test_a_lost_cause_and_a_tie():
    lost = reasons(make([0.2, -0.5]))
    assert lost.decisive == ()
    assert "weighs more" in lost.text
    tie = reasons(make([0.0, 0.0]))
    assert tie.pros == tie.cons == ()
    assert tie.text == "No attribute tells the item from its rival."
    only = reasons(make([0.3, 0.0]))
    assert [r.attribute for r in only.decisive] == ["x0"]
    assert "Against: nothing." in only.text
    against = reasons(make([-0.3]))
    assert "rather than its rival: nothing." in against.text


def test_uncertain_reasons_say_so():
    found = reasons(make([0.5, -0.1, 0.2], std=[0.1, 0.3, 0.0]))
    sure, exact = found.pros
    (doubtful,) = found.cons
    assert sure.certainty > 0.99
    assert exact.certainty == 1.0
    assert doubtful.certainty == pytest.approx(0.6306, abs=1e-4)
    assert str(doubtful).startswith("perhaps x1")
    assert not str(sure).startswith("perhaps")
    assert reasons(make([0.5])).pros[0].certainty is None


def test_words_have_the_names_and_units_of_the_data():
    columns = {"rent": [500, 900, 700], "size": [30, 50, 60], "heat": ["A", "B", "B"]}
    kinds = [
        Attribute("rent", direction="down", unit="EUR"),
        Attribute("size", unit="m²"),
        Attribute("heat", "ordinal", "down", ("A", "B")),
    ]
    flats = Items.from_frame(
        pd.DataFrame(columns, index=["attic", "loft", "villa"]), attributes=kinds
    )
    model = ChoquetRegressor(k=1).fit(flats, [2.0, 1.0, 4.0])
    found = reasons(contrast(model, flats.take([2]), flats.take([0])))
    assert found.item, found.rival == ("villa", "attic")
    assert "size (60 m² rather than 30 m²)" in found.text
    assert "rent (700 EUR rather than 500 EUR)" in found.text
    values = json.loads(json.dumps(found.to_dict()))
    assert values["pros"][0]["value"] == "60 m²"
    assert values["text"] == found.text == str(found)


def test_only_contrasts_have_reasons():
    one = make([0.1, 0.2])
    with pytest.raises(DataError, match="contrast"):
        reasons(Attribution([[0.1]], 0.0, [0.1], ["a"], "no reference"))
    many = Attribution(
        np.zeros((2, 2)),
        0.0,
        np.zeros(2),
        one.names,
        "two rows",
        reference=pd.DataFrame(np.zeros((2, 2))),
    )
    with pytest.raises(DataError, match="one row"):
        reasons(many)
