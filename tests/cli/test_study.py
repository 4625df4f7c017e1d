from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from penchant.studies import SqlStore, store_url
from tests.web.conftest import drawn_picture


def test_new_study_is_made_and_can_be_asked(run: Any, tmp_path: Path) -> None:
    file = tmp_path / "our_flats.csv"
    file.write_text("name,rent,size\nMill,500,30\nHill,900,80\n")
    said = run.text("study", "new", file)
    assert "rent numeric less is better" in said
    assert "Made 'Our flats' of 2 alternatives." in said
    (found,) = run.json("study", "list")
    assert f"penchant ask {found['id'][:8]} --data " in said
    assert (found["name"], found["n_items"], found["owner"]) == ("Our flats", 2, None)


def test_a_study_begins_with_a_template(run: Any) -> None:
    said = run.text("study", "new", "--template", "features", "--language", "de")
    assert "Made 'Was wir als Nächstes bauen' of 26 alternatives." in said
    found = run.json("study", "new", "--template", "flats", "--name", "Ours")
    assert found["name"] == "Ours"
    assert "one of both" in run.error("study", "new", code=2)
    assert "there are flats" in run.error("study", "new", "--template", "boats")


def test_settings_and_columns_are_as_said(run: Any) -> None:
    study = run.new(
        *("--question", "ranking", "--max-questions", 7, "--max-regret", 0.2),
        *("--intro", "Hello", "--consent", "Agreed?", "--language", "fr", "--alone"),
        *("--up", "rent", "--down", "size", "--skip", "view"),
        *("--noun", "logement/logements", "--thanks", "Bye"),
    )
    found = run.json("study", "show", study)
    assert found["settings"] == {
        "question": "ranking",
        "max_questions": 7,
        "max_regret": 0.2,
        "consent": "Agreed?",
        "languages": ["fr"],
        "intro": "Hello",
        "open": True,
        "help_each_other": False,
        "reasons": True,
        "check_every": 8,
        "end_checks": False,
        "own_limits": True,
        "closes": "",
        "quota": 0,
        "owner_sees": False,
        "nouns": {"fr": ["logement", "logements"]},
        "limits": {},
        "about": [],
        "thanks": "Bye",
        "texts": {},
    }
    directions = {each["name"]: each["direction"] for each in found["attributes"]}
    assert directions == {"rent": "up", "size": "down", "noise": "unknown"}
    assert found["items"][0] == "Mill Lane 3"


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (("--up", "price"), "There is no column 'price'. The columns are: 'name',"),
        (("--up", "view"), "The levels of column 'view' have no order"),
        (("--question", "duel"), "must be one of ['pair',"),
        (("--name", "x" * 121), "at most 120 characters. It has 121."),
        (("--owner", "nobody"), "There is no owner called 'nobody'."),
        (("--language", "xx-yy"), "The languages must be"),
        (("--read", "price=number"), "There is no column 'price'."),
    ],
)
def test_what_does_not_fit_is_said_and_nothing_is_made(
    run: Any, tmp_path: Path, options: tuple[str, ...], words: str
) -> None:
    file = tmp_path / "flats.csv"
    file.write_text("name,rent,size,noise,view\na,1,2,lo,x\nb,3,4,hi,y\n")
    assert words in run.error("study", "new", file, *options)
    assert run.json("study", "list") == []


def test_alternatives_have_names_in_every_language(run: Any) -> None:
    study = run.new("--noun", "en:flat/flats", "--noun", "fr:logement/logements")
    found = run.json("study", "show", study)
    assert found["settings"]["nouns"] == {
        "en": ["flat", "flats"],
        "fr": ["logement", "logements"],
    }


def test_bad_table_and_wrong_usage(run: Any, tmp_path: Path) -> None:
    file = tmp_path / "flats.csv"
    file.write_text("name,rent\na,1\nb,two\nc,3\nd,4\n")
    assert "Row 3, column 'rent': 'two' is not a number" in run.error(
        "study", "new", file
    )
    file.write_text("name,rent\na,1\n")
    assert "at least 2 rows" in run.error("study", "new", file)
    run.error("study", "new", tmp_path / "none.csv", code=2)
    run.error("study", "new", file, "--max-questions", 0, code=2)
    for words in ("flat", ":flat/flats"):
        assert "as flat/flats" in run.error(
            "study", "new", file, "--noun", words, code=2
        )


def test_doubts_are_told(run: Any, tmp_path: Path) -> None:
    file = tmp_path / "flats.csv"
    file.write_text("name,rent\na,1\nb,\nc,3\n")
    assert "warning: Row 3, column 'rent'" in run.text("study", "new", file)


def test_empty_list_says_what_to_do(run: Any) -> None:
    assert "penchant study new FILE" in run.text("study", "list")


def test_show_tells_how_far_people_are_and_not_what_they_said(asked: Any) -> None:
    run, _ = asked
    said = run.text("study", "show", "Flats")
    assert "The study takes new participants. It asks at most 4 questions" in said
    assert "Kiln Row 7 700 55 quiet sea" in said
    assert "Participants: 1 Participant State Answers Weight Ada finished" in said
    (person,) = run.json("study", "show", "Flats")["participants"]
    known = {"id", "label", "simulated", "state", "n_answers", "weight", "about"}
    assert set(person) == known
    assert "Flats 5 1" in run.text("study", "list")


def test_owner_gets_the_study(run: Any) -> None:
    added = run("owner", "add", "ada", "--password-stdin", typed="correct horse 9\n")
    assert added.exit_code == 0, added.output
    study = run.new("--owner", "ada")
    assert run.json("study", "show", study)["owner"] is not None


def test_hostile_names_are_shown_as_text(
    run: Any, is_harmless: Callable[[str], bool]
) -> None:
    study = run.new(table=run.HOSTILE, name="\x1b]0;title\x07[blink]x")
    for args in (("list",), ("show", study)):
        shown = run("study", *args).stdout
        assert is_harmless(shown)
        assert "\\x1b]0;title\\x07[blink]x" in shown.replace("\n", "")
    assert "[bold]x[/bold][/y]" in shown
    assert len(shown) < 5000
    names = run.json("study", "show", study)["items"]
    assert names[0] == "\x1b[31mred\x1b[0m"


def test_ambiguous_columns_and_pictures(run: Any, tmp_path: Path) -> None:
    file, photo = tmp_path / "laptops.csv", tmp_path / "a.png"
    file.write_text("name;price;photo\na;1.299;a.png\nb;2.499;b.png\n")
    photo.write_bytes(drawn_picture())
    assert "--read 'price'='decimal" in run.error("study", "new", file)
    options = ("--read", "price=decimal comma", "--pictures", photo)
    study = run.json("study", "new", file, *options)["id"]
    with SqlStore(store_url(run.folder / "studies")) as store:
        kept = store.get_study(study)
        assert list(kept.items.frame["price"]) == [1299.0, 2499.0]
        assert list(store.list_pictures(study)) == ["a"]


def test_questions_about_people_come_from_a_file(run: Any) -> None:
    file = run.folder / "questions.json"
    file.write_text('[{"name": "age", "kind": "number"}]')
    study = run.new("--about", file)
    (age,) = run.json("study", "questions", study)
    assert (age["name"], age["kind"], age["when"]) == ("age", "number", "before")
    file.write_text('[{"name": "home", "kind": "choice", "options": ["rent", "own"]}]')
    (home,) = run.json("study", "questions", study, "--from", file)
    assert home["options"] == ["rent", "own"]
    assert run.json("study", "show", study)["settings"]["about"] == [home]
    file.write_text('[{"name": "home", "kind": "choice"}]')
    assert "needs options" in run.error("study", "questions", study, "--from", file)
    file.write_text("age?")
    assert "is not JSON" in run.error("study", "questions", study, "--from", file)
    said = run.text("study", "questions", study)
    assert "home choice before" in said
    file.write_text("[]")
    said = run.text("study", "questions", study, "--from", file)
    assert "asked nothing" in said
