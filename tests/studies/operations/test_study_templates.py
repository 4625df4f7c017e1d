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
    assert study.items == template.table(texts)
    values = [each.encode(missing="keep") for each in (study.items, template.items)]
    np.testing.assert_array_equal(*values)
    assert (study.items == template.items) == (language == "en")
    question = study.ask(study.join()[0].id)
    assert question is not None
    assert question.form == study.settings.question


@pytest.mark.parametrize("name", TEMPLATES)
def test_all_words_of_a_table_can_be_translated(name: str) -> None:
    items, known = study_template(name).items, load_texts("en").entries
    keys = {}
    for each in items.attributes:
        keys[f"table.{name}.{each.name}"] = each.name
        if each.kind != "numeric":
            keys |= {f"table.{name}.{each.name}.{word}": word for word in each.domain}
    if not items.attributes:
        keys = {f"table.{name}.name.{word}": word for word in items.names}
    assert {word for key, word in keys.items() if key not in known} <= {
        *"ABCDEFG",
        "CO2",
    }
    assert all(known[key] == (word,) for key, word in keys.items() if key in known)


def test_another_name_is_no_template() -> None:
    with pytest.raises(NotFoundError, match="flats, candidates"):
        study_template("boats")
