"""Fitted models as bytes: they come back as they were, or are refused."""

import io
import zipfile

import numpy as np
import pytest

from penchant.datasets import load_flats, make_flats_population
from penchant.exceptions import FormatError
from penchant.models import PopulationGP
from penchant.studies.store._packed_models import pack_model, unpack_model


def test_models_come_back_as_they_were() -> None:
    people = make_flats_population(20, random_state=0)
    model = PopulationGP().fit(load_flats(), people.comparisons)
    again = unpack_model(pack_model(model))
    assert np.array_equal(again.for_user().mean, model.for_user().mean)
    assert np.array_equal(again.for_user().cov, model.for_user().cov)
    assert pack_model(again) == pack_model(model)


@pytest.mark.parametrize(
    ("n_levels", "said"), [(50, "cannot be read"), (51, "more than 50 levels deep")]
)
def test_what_is_nested_deeper_than_50_levels_is_not_even_read(
    n_levels: int, said: str
) -> None:
    lists = "[" * (n_levels - 1) + "]" * (n_levels - 1)
    text = '{"model": ' + lists + ', "brackets in a text": "[{"}'
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w") as archive:
        archive.writestr("model.json", text)
    with pytest.raises(FormatError, match=said):
        unpack_model(file.getvalue())
