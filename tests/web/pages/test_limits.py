"""Must-haves of participants and owners on the pages."""

import re
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pandas as pd
import pytest
from fastapi.testclient import TestClient

from penchant.data import Attribute, Items, Limit, Limits
from penchant.datasets import load_flats
from penchant.studies import SqlStore, Study, StudySettings

FLATS = load_flats()
CHEAP = Limits((Limit("price", at_most=900),))


@pytest.fixture
def join(client: TestClient, store: SqlStore) -> Callable[..., tuple[Study, str]]:
    def begin(items: Items = FLATS, **settings: Any) -> tuple[Study, str]:
        nouns = {"en": ["flat", "flats"], "de": ["Wohnung", "Wohnungen"]}
        chosen = StudySettings.from_dict({"nouns": nouns, **settings})
        study = Study(store, store.create_study("Flats", items, settings=chosen))
        home = client.post(f"/s/{study.id}/join", follow_redirects=False)
        return study, str(home.headers["location"])

    return begin


def _now(study: Study) -> Any:
    return study.participation(study.store.list_participants(study.id)[0].id)


def test_a_person_sets_relaxes_and_drops_a_limit(
    client: TestClient, join: Callable[..., tuple[Study, str]]
) -> None:
    study, home = join()
    page = client.get(home).text
    assert "Is there something that must be, whatever else?" in page
    assert f'href="{home}/limits"' in page
    form = client.get(f"{home}/limits").text
    assert 'name="at_most-0"' in form  # less is better: only an upper end
    assert 'name="at_least-0"' not in form
    assert 'name="at_least-3"' in form  # it depends: both ends
    assert 'name="at_most-3"' in form
    assert 'name="known-0"' not in form  # nothing is blank
    page = client.post(f"{home}/limits", data={"at_most-0": "900 EUR"}).text
    assert "28 of 40 flats fit your must-haves." in page
    assert _now(study).limits == CHEAP
    study.finish(study.store.list_participants(study.id)[0].id)
    page = client.get(f"{home}/result").text
    assert "28 of 40 flats fit your must-haves." in page
    assert "1 more flat if price up to 910 EUR/month" in page
    assert " of 28<" in client.get(f"{home}/what-if?item=0").text
    data = {"at_most-0": "900", "relax": "0-at_most", "page": "result"}
    answer = client.post(f"{home}/limits", data=data, follow_redirects=False)
    assert answer.headers["location"] == f"{home}/result#limits"
    assert _now(study).limits == Limits((Limit("price", at_most=910),))
    assert "29 of 40 flats" in client.get(f"{home}/result").text
    client.post(f"{home}/limits", data={"none": "yes", "page": "result"})
    assert _now(study).limits == Limits()
    assert "fit your must-haves" not in client.get(f"{home}/result").text


def test_levels_and_blanks(
    client: TestClient, join: Callable[..., tuple[Study, str]]
) -> None:
    frame = pd.DataFrame({"rent": [1.0, None, 3.0], "view": ["sea", None, "yard"]})
    rent = Attribute("rent", direction="down", domain=(0, 9))
    view = Attribute("view", "categorical", domain=("sea", "yard"))
    items = Items.from_frame(frame, [rent, view], names=["a", "b", "c"])
    study, home = join(items)
    assert 'name="known-0"' in client.get(f"{home}/limits").text
    client.post(f"{home}/limits", data={"level-1-0": "yes"})
    assert study.what_fits(_now(study).limits).met.tolist() == [True, True, False]
    data = {"level-1-0": "yes", "level-1-1": "yes", "known-0": "yes"}
    client.post(f"{home}/limits", data=data)
    assert _now(study).limits == Limits((Limit("rent", known=True),))
    page = client.get(f"{home}/limits").text
    assert "1 more flat if rent may be unknown" in page
    assert re.search(r'name="known-0" value="yes" checked', page)


def test_when_nothing_fits_there_is_a_way_out(
    client: TestClient, join: Callable[..., tuple[Study, str]]
) -> None:
    study, home = join()
    data = {"at_most-0": "500", "at_least-1": "100"}
    refused = client.post(f"{home}/limits", data=data)
    assert refused.status_code == 422
    assert "Nothing fits all of these at once" in refused.text
    assert _now(study).limits == Limits()
    drops = re.findall(r'name="relax" value="([^"]*)">([^<]*)<', refused.text)
    assert drops[0] == ("0-drop", "2 flats without a limit of price")
    client.post(f"{home}/limits", data={**data, "relax": drops[0][0]})
    assert _now(study).limits == Limits((Limit("size", at_least=100),))
    never = {"at_most-0": "1", "at_least-1": "119", "at_most-2": "1"}
    assert "relax several" in client.post(f"{home}/limits", data=never).text


@pytest.mark.parametrize(
    ("data", "words"),
    [
        ({"at_most-0": "cheap"}, "price (EUR/month): “cheap” is not a number"),
        ({"at_most-0": "900 kg"}, "is not a number"),
        ({"at_least-3": "4", "at_most-3": "2"}, "floor: at least is more than at most"),
    ],
)
def test_what_is_typed_wrongly_is_shown_again(
    client: TestClient,
    join: Callable[..., tuple[Study, str]],
    data: dict[str, str],
    words: str,
) -> None:
    study, home = join()
    refused = client.post(f"{home}/limits", data=data)
    assert refused.status_code == 422
    assert words in refused.text
    for value in data.values():
        assert f'value="{value}"' in refused.text
    assert _now(study).limits == Limits()


def test_a_date_is_typed_and_shown_as_a_date(
    client: TestClient, join: Callable[..., tuple[Study, str]]
) -> None:
    frame = pd.DataFrame({"free": pd.to_datetime(["2024-01-01", "2024-06-01"])})
    items = Items.from_frame(frame, names=["a", "b"])
    study, home = join(items)
    client.post(f"{home}/limits", data={"at_most-0": "1 March 2024"})
    assert study.what_fits(_now(study).limits).met.tolist() == [True, False]
    page = client.get(f"{home}/limits").text
    assert 'value="2024-03-01"' in page
    refused = client.post(f"{home}/limits", data={"at_most-0": "soon"})
    assert "is not a date" in refused.text


def test_an_open_question_that_fails_new_limits_of_the_owner_is_replaced(
    client: TestClient, store: SqlStore, join: Callable[..., tuple[Study, str]]
) -> None:
    study, home = join()
    client.get(home)
    shown = set(_now(study).open_question.items)
    dear = Limits((Limit("price", at_least=1000),))
    store.update_study(study.id, settings=StudySettings(limits=dear))
    client.get(home)
    after = set(_now(study).open_question.items)
    assert after <= set(dear.allowed(FLATS).tolist())
    assert not shown <= after
    page = client.get(f"{home}/limits").text
    assert "The study itself demands: price at least 1,000 EUR/month." in page


def test_a_list_without_attributes_has_no_must_haves(
    client: TestClient, join: Callable[..., tuple[Study, str]]
) -> None:
    items = Items(pd.DataFrame(index=range(3)), (), ("a", "b", "c"))
    _, home = join(items)
    assert f"{home}/limits" not in client.get(home).text
    assert 'id="limits-fold"' not in client.get(f"{home}/result").text


def _settings(page: str) -> dict[str, str]:
    """Give the fields of the form of an owner that are filled in."""
    fields = dict(re.findall(r'name="([^"]+)" type="[a-z]+"[^>]*value="([^"]*)"', page))
    found = re.findall(r'name="([^"]+)" value="([^"]*)" checked', page)
    return {**fields, **dict(found), "question": "pair"}


def test_an_owner_sets_limits_for_everybody(
    client: TestClient, store: SqlStore, join: Callable[..., tuple[Study, str]]
) -> None:
    study, _ = join()
    path = f"/studies/{study.id}/settings"
    fields = _settings(client.get(path).text)
    saved = client.post(path, data={**fields, "at_most-0": "900"})
    assert saved.status_code == 200
    assert store.get_study(study.id).settings.limits == CHEAP
    page = client.get(path).text
    assert "28 of 40 flats fit these must-haves." in page
    assert "1 more flat if price up to 910 EUR/month." in page
    assert 'value="900"' in page
    for typed, words in (("cheap", "is not a number"), ("1", "Nothing fits all")):
        refused = client.post(path, data={**fields, "at_most-0": typed})
        assert refused.status_code == 422
        assert words in refused.text
    assert store.get_study(study.id).settings.limits == CHEAP
    client.post(f"/studies/{study.id}/state", data={"open": "yes"})
    assert store.get_study(study.id).settings.limits == CHEAP


def test_the_group_says_whose_must_haves_an_alternative_fails(
    client: TestClient, join: Callable[..., tuple[Study, str]]
) -> None:
    study, home = join()
    person = study.store.list_participants(study.id)[0].id
    question = study.ask(person)
    assert question is not None
    study.tell(person, question.id, "left")
    page = client.get(f"/studies/{study.id}/group").text
    assert "fails the must-haves" not in page
    client.post(f"{home}/limits", data={"at_most-0": "900"})
    page = client.get(f"/studies/{study.id}/group").text
    assert page.count("fails the must-haves of one person") == 12
    found = client.get(f"/api/v1/studies/{study.id}/group").json()
    assert sum(each["n_failed"] for each in found["items"]) == 12


def test_must_haves_may_come_before_the_first_question(
    client: TestClient, store: SqlStore
) -> None:
    study_id = store.create_study("Flats", FLATS)
    assert "Set must-haves first" in client.get(f"/s/{study_id}/join").text
    joined = client.post(
        f"/s/{study_id}/join", data={"limits": "yes"}, follow_redirects=False
    )
    assert joined.headers["location"].endswith("/limits")
    page = client.get(joined.headers["location"]).text
    assert "Go on without changing them" in page


def test_an_owner_may_keep_must_haves_to_themselves(
    client: TestClient, join: Callable[..., tuple[Study, str]]
) -> None:
    study, home = join(own_limits=False, limits=CHEAP.to_dict())
    invited = client.get(f"/s/{study.id}/join?new=1").text
    assert "Set must-haves first" not in invited
    assert f'href="{home}/limits"' not in client.get(home).text
    asked = client.get(f"{home}/limits", follow_redirects=False)
    assert asked.headers["location"] == home
    refused = client.post(f"{home}/limits", data={"at_most-1": "60"})
    assert refused.status_code == 422
    assert not _now(study).limits
    study.finish(study.store.list_participants(study.id)[0].id)
    page = client.get(f"{home}/result").text
    assert 'id="limits-fold"' not in page
    assert f'action="{home}/limits"' not in page


def test_what_a_person_demanded_before_stands_and_can_be_dropped(
    client: TestClient, store: SqlStore, join: Callable[..., tuple[Study, str]]
) -> None:
    study, home = join()
    client.post(f"{home}/limits", data={"at_most-0": "900"})
    shut = replace(study.settings, own_limits=False)
    store.update_study(study.id, settings=shut)
    assert f'href="{home}/limits"' in client.get(home).text
    assert _now(study).limits == CHEAP
    client.post(f"{home}/limits", data={"none": "yes"})
    assert not _now(Study(store, study.id)).limits
    assert f'href="{home}/limits"' not in client.get(home).text
