"""Must-haves on the command line."""

from typing import Any


def test_a_person_is_asked_only_about_what_fits(run: Any) -> None:
    run.new()
    words = ["--at-most", "rent=700", "--one-of", "view=Sea"]
    said = run.text("ask", "Flats", *words, typed="1\n1\nr\n")
    assert "3 of 5 alternatives fit your must-haves." in said
    for name in ("High Street 1", "Hill View 5"):
        assert name not in said
    found = run.json("ask", "Flats", *words, typed="1\nr\n")
    ranking = run.json("rank", "Flats", "--participant", found["participant"])
    assert {each["name"] for each in ranking} == {
        "Mill Lane 3",
        "Kiln Row 7",
        "Dock Road 12",
    }
    token = found["participant"]
    wider = run.json("rank", "Flats", "--participant", token, "--at-most", "rent=900")
    assert len(wider) == 4
    free = ["--participant", token, "--no-limits"]
    run.text("ask", "Flats", *free, typed="r\n")
    assert len(run.json("rank", "Flats", "--participant", token)) == 5
    some = run.json("rank", "Flats", "--at-least", "size=60")
    assert {each["name"] for each in some["items"]} == {
        "High Street 1",
        "Dock Road 12",
        "Hill View 5",
    }


def test_what_cannot_be_is_said_before_anybody_joins(run: Any) -> None:
    run.new()
    said = run.error("ask", "Flats", "--at-most", "price=3")
    assert "There is no attribute 'price' to set a limit of." in said
    said = run.error("ask", "Flats", "--at-most", "rent=3")
    assert "No alternative fits all limits. 5 fit without that of 'rent'." in said
    assert "--at-most" in run.error("ask", "Flats", "--at-most", "rent", code=2)
    assert run.json("study", "show", "Flats")["participants"] == []


def test_an_owner_sets_shows_and_takes_away_limits(run: Any) -> None:
    run.new("--at-most", "rent=900")
    said = run.text("study", "limits", "Flats")
    assert said == "4 of 5 alternatives fit. 1 more if rent up to 1,100."
    words = ["--one-of", "noise=quiet", "--known", "size"]
    found = run.json("study", "limits", "Flats", *words)
    assert found == {
        "limits": {"noise": {"one_of": ["quiet"]}, "size": {"known": True}},
        "n_fit": 3,
        "n_items": 5,
    }
    assert run.json("study", "show", "Flats")["settings"]["limits"] == found["limits"]
    assert "2 more if noise may be busy." in run.text("study", "limits", "Flats")
    assert "not both" in run.error("study", "limits", "Flats", *words, "--none", code=2)
    assert "No alternative" in run.error(
        "study", "limits", "Flats", "--at-most", "rent=1"
    )
    assert run.json("study", "limits", "Flats", "--none")["limits"] == {}
