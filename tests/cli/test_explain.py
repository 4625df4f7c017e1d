from typing import Any

import pytest


def test_parts_add_up_and_are_told(asked: Any) -> None:
    run, token = asked
    found = run.json("explain", "Flats", "Kiln", "--participant", token)
    parts = {part["attribute"]: part["points"] for part in found["parts"]}
    assert set(parts) == {"rent", "size", "noise", "view"}
    total = found["base"] + sum(parts.values()) + found["rest"]
    assert total == pytest.approx(found["points"])
    said = run.text("explain", "Flats", "Kiln", "--participant", token)
    assert "Why Kiln Row 7?" in said
    assert "Attribute Value Adds 90 % range" in said


def test_why_one_rather_than_the_other(asked: Any) -> None:
    run, token = asked
    ranking = run.json("rank", "Flats", "--participant", token)
    best, worst = ranking[0]["name"], ranking[-1]["name"]
    args = ("explain", "Flats", best, "--vs", worst, "--participant", token)
    found = run.json(*args)
    assert (found["name"], found["rival"]) == (best, worst)
    points = ranking[0]["points"] - ranking[-1]["points"]
    assert found["ahead"] == pytest.approx(points)
    assert 0.5 < found["chance"] <= 1
    said = run.text(*args)
    assert f"Why {best} rather than {worst}?" in said
    assert found["argument"] in said
    assert "What would change the choice?" in said
    assert all(change in said for change in found["changes"])


def test_wrong_usage(asked: Any) -> None:
    run, token = asked
    run.error("explain", "Flats", "Kiln", code=2)
    same = ("explain", "Flats", "Kiln", "--vs", "Kiln Row 7", "--participant", token)
    assert "the same alternative" in run.error(*same, code=2)
