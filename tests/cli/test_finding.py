from typing import Any


def test_study_by_id_beginning_or_name(run: Any) -> None:
    study = run.new(name="Our Flats")
    for text in (study, study[:6], study[:6].upper(), "Our Flats", " our flats "):
        assert run.json("study", "show", text)["id"] == study


def test_ambiguity_lists_the_candidates(run: Any) -> None:
    first, second = run.new(), run.new()
    said = run.error("rank", "flats")
    assert "2 studies are meant by 'flats'" in said
    assert first in said
    assert second in said
    assert run.json("study", "show", first)["id"] == first


def test_many_candidates_are_cut(run: Any) -> None:
    for _ in range(12):
        run.new()
    assert "and 2 more" in run.error("study", "show", "flats")


def test_unknown_study(run: Any) -> None:
    run.new()
    for text in ("nothing", "", "\x1b[2J"):
        said = run.error("study", "show", text)
        assert "There is no study" in said
        assert "\x1b" not in said


def test_participant_by_token_or_link_of_this_study_only(asked: Any) -> None:
    run, token = asked
    link = f"https://example.org/p/{token}/"
    assert run.json("rank", "Flats", "--participant", link)
    other = run.new(name="Other")
    said = run.error("rank", other, "--participant", token)
    assert said == run.error("rank", other, "--participant", "nonsense")
    assert "No participant of this study has that link" in said
    assert said == run.error("rank", other, "--participant", "-begins-like-an-option")
    assert run("study", "show", other, "--json").exit_code == 0


def test_item_by_name_or_beginning(asked: Any) -> None:
    run, token = asked
    who = ("--participant", token)
    assert run.json("explain", "Flats", "kiln row 7", *who)["name"] == "Kiln Row 7"
    assert run.json("explain", "Flats", "kiln", *who)["name"] == "Kiln Row 7"
    said = run.error("explain", "Flats", "h", *who)
    assert "2 alternatives are meant by 'h'" in said
    assert "High Street 1" in said
    assert "Hill View 5" in said
    for text in ("villa", ""):
        assert "There is no alternative" in run.error("explain", "Flats", text, *who)
