"""Tables that are shipped to begin a study with."""

import numpy as np
import pytest

from penchant.exceptions import NotFoundError
from penchant.studies import TEMPLATES, SqlStore, Study, study_template
from penchant.texts import LANGUAGES, load_texts


@pytest.mark.parametrize("name", TEMPLATES)
def test_tables_are_real_enough(name: str) -> None:
    items = study_template(name).items
    assert 20 <= len(items) <= 40
    assert len(set(items.names)) == len(items)
    if name == "features":
        assert items.attributes == ()
        return
    kinds = {attribute.kind for attribute in items.attributes}
    assert {"numeric", "ordinal", "categorical"} >= kinds >= {"numeric", "ordinal"}
    assert {a.direction for a in items.attributes} >= {"up", "down"}
    assert sum(bool(a.unit) for a in items.attributes) >= 3
    assert bool(items.missing()) == (name != "flats")
    values = items.encode(missing="keep")
    assert np.nanmin(values) >= 0
    assert np.nanmax(values) <= 1
    assert (np.nanstd(values, axis=0) > 0.1).all()


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("name", TEMPLATES)
def test_a_study_begins_in_a_language(
    store: SqlStore, name: str, language: str
) -> None:
    template = study_template(name)
    study = Study(store, template.create(store, language=language), background=False)
    texts = load_texts(language)
    assert study.record.name == template.title(texts)
    assert study.settings.intro == texts(f"template.{name}_intro")
    assert study.settings.noun(language).plural
    assert study.items == template.items
    question = study.ask(study.join()[0].id)
    assert question is not None
    assert question.form == study.settings.question


def test_another_name_is_no_template() -> None:
    with pytest.raises(NotFoundError, match="flats, candidates"):
        study_template("boats")
