from typing import Any


def test_ranking_of_one_person(asked: Any) -> None:
    run, token = asked
    ranking = run.json("rank", "Flats", "--participant", token)
    assert [ranked["place"] for ranked in ranking] == [1, 2, 3, 4, 5]
    assert sum(r["probability_best"] for r in ranking) >= 1  # several may be as good
    said = run.text("rank", "Flats", "--participant", token, "--top", 2)
    assert "Place Alternative Points 90 % range" in said
    assert ranking[1]["name"] in said
    assert ranking[2]["name"] not in said


def test_ranking_of_all(asked: Any) -> None:
    run, token = asked
    best = run.json("rank", "Flats", "--participant", token)[0]["name"]
    found = run.json("rank", "Flats", "--top", 3)
    assert (found["n_people"], found["n_simulated"]) == (1, 0)
    assert [item["tier"] for item in found["items"]] == [1, 1, 1]
    assert (found["kinds"], found["differ"], found["careless"]) == ("none", None, [])
    # All three are in front: what is known of one person does not tell them apart.
    assert best in [item["name"] for item in found["items"]]
    said = run.text("rank", "Flats")
    assert "1 person answered." in said
    first = found["items"][0]
    points = f"{first['mean']:.0f} {first['low']:.0f} to {first['high']:.0f}"
    assert f"1 {first['name']} {points}" in said


def test_nobody_has_answered(run: Any) -> None:
    run.new()
    assert "Nobody has answered yet." in run.text("rank", "Flats")
    assert run.json("rank", "Flats")["items"] == []
