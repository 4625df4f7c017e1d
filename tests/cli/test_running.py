"""Closing, weights, links and one person's data, from the terminal."""

import json
from typing import Any

from penchant.studies import SqlStore, store_url


def test_a_study_closes_by_date_and_quota(run: Any) -> None:
    study = run.new("--closes", "2120-01-01", "--quota", 3)
    found = run.json("study", "show", study)
    assert found["taking"] == {
        "state": "open",
        "closes": "2120-01-01T23:59Z",
        "quota": 3,
        "n_finished": 0,
    }
    assert "until 2120-01-01 23:59 UTC. 0 of 3 have finished." in run.text(
        "study", "show", study
    )
    said = run.text("study", "change", study, "--closes", "2020-01-01", "--quota", 0)
    assert said == "The study takes no new participants since 2020-01-01 23:59 UTC."
    assert "since 2020-01-01" in run.error("ask", study)
    opened = run.json("study", "change", study, "--closes", "", "--closed")
    assert opened["state"] == "closed"
    assert run.json("study", "change", study, "--open")["state"] == "open"
    shown = run.json("study", "change", study, "--owner-sees")
    assert shown["state"] == "open"
    assert run.json("study", "show", study)["settings"]["owner_sees"] is True
    assert "must be a day" in run.error("study", "change", study, "--closes", "soon")


def test_people_are_weighed_by_name_or_id(run: Any) -> None:
    study = run.new("--max-questions", 2)
    run.json("ask", study, "--label", "Ada", typed="1\n1\n")
    run.json("ask", study, "--label", "Bob", typed="1\n1\n")
    assert run.text("study", "weigh", study, "Ada", 2.5) == "Ada counts 2.5 times."
    found = run.json("study", "show", study)["participants"]
    assert [who["weight"] for who in found] == [2.5, 1]
    by_id = run.json("study", "weigh", study, found[1]["id"][:6], 0)
    assert by_id == {"study": study, "participant": found[1]["id"], "weight": 0}
    assert "Weight Ada finished 2 2.5" in run.text("study", "show", study)
    assert "from 0 (left out) to 100" in run.error("study", "weigh", study, "Ada", 101)
    assert "No participant is called 'Eve'" in run.error(
        "study", "weigh", study, "Eve", 1
    )
    run.json("ask", study, "--label", "Ada", typed="1\n1\n")
    assert "2 participants are meant by 'Ada'" in run.error(
        "study", "weigh", study, "Ada", 1
    )


def test_data_of_one_person(run: Any) -> None:
    study = run.new("--max-questions", 2)
    run.json("ask", study, "--label", "Ada", typed="1\n1\n")
    run.json("ask", study, "--label", "Bob", typed="1\n1\n")
    file = run.folder / "ada.json"
    run.json("export", study, "-o", file, "--participant", "Ada")
    values = json.loads(file.read_text())
    assert (values["label"], len(values["answers"])) == ("Ada", 2)
    table = run.folder / "ada.csv"
    run.text("export", study, "-o", table, "--participant", "Ada", "--format", "csv")
    assert "Bob" not in table.read_text()
    wrong = ("export", study, "-o", "-", "--participant", "Ada", "--format", "html")
    assert "json and csv" in run.error(*wrong, code=2)


def test_link_to_the_result_of_the_group(run: Any) -> None:
    study = run.new()
    link = run.text("study", "share", study, "--public-url", "https://example.org/")
    assert link.startswith("https://example.org/g/")
    with SqlStore(store_url(run.folder / "studies")) as store:
        assert store.find_shared(link.rpartition("/")[2]).id == study
    assert run.json("study", "share", study)["link"].startswith("/g/")
    assert run.text("study", "share", study, "--withdraw") == "The link is withdrawn."
    with SqlStore(store_url(run.folder / "studies")) as store:
        assert store.get_study(study).share == ""
