import gzip
import re
from pathlib import Path

import pytest
from fastapi.testclient import TestClient

import penchant.web
from penchant.studies import SqlStore, add_demo

WEB = Path(penchant.web.__file__).parent
TEMPLATES = sorted((WEB / "templates").rglob("*.html"))


def test_there_are_templates_to_look_at() -> None:
    assert len(TEMPLATES) >= 5


@pytest.mark.parametrize("template", TEMPLATES, ids=lambda path: path.name)
@pytest.mark.parametrize(
    "forbidden",
    [r"\sstyle\s*=", r"<style", r"\son[a-z]+\s*=", r"https?://", r"\|\s*safe"],
)
def test_templates_keep_the_policy(template: Path, forbidden: str) -> None:
    found = re.search(forbidden, template.read_text(encoding="utf-8"), re.IGNORECASE)
    assert found is None


def test_styles_and_scripts_are_small_and_ours() -> None:
    files = {
        path.name: path.read_bytes()
        for path in (WEB / "static").iterdir()
        if path.suffix in (".css", ".js")
    }
    content = b"".join(files.values())
    printed = files.pop("print.css")  # not needed to show a page
    assert len(gzip.compress(b"".join(files.values()))) <= 10_000
    assert len(gzip.compress(printed)) <= 1_000
    assert b"http" not in content
    assert b"@import" not in content


def test_pages_are_small(client: TestClient, store: SqlStore) -> None:
    page = client.get(f"/studies/{add_demo(store)}")
    assert len(gzip.compress(page.content)) <= 15_000


def test_static_files_are_checked_for_changes(client: TestClient) -> None:
    first = client.get("/static/penchant.css")
    assert first.headers["content-type"].startswith("text/css")
    assert first.headers["cache-control"] == "no-cache"
    again = client.get(
        "/static/penchant.css", headers={"If-None-Match": first.headers["etag"]}
    )
    assert again.status_code == 304


def test_every_control_has_a_label(
    client: TestClient, store: SqlStore, flats: bytes
) -> None:
    draft_id = store.add_draft("flats.csv", flats)
    for path in ("/", f"/drafts/{draft_id}"):
        page = client.get(path).text
        controls = re.findall(r"<(?:input|select|textarea)[^>]* id=\"([^\"]+)\"", page)
        assert controls
        assert sorted(controls) == sorted(re.findall(r"<label for=\"([^\"]+)\"", page))
        ids = re.findall(r"\sid=\"([^\"]+)\"", page)
        assert len(ids) == len(set(ids))


def _tokens() -> dict[str, dict[str, str]]:
    """Give the colours of both themes by name."""
    css = (WEB / "static" / "penchant.css").read_text(encoding="utf-8")
    light, dark = css.split("prefers-color-scheme: dark", 1)
    pattern = r"--([a-z0-9-]+): (#[0-9a-f]{6});"
    themes = {"light": light, "dark": dark}
    return {theme: dict(re.findall(pattern, part)) for theme, part in themes.items()}


def _contrast(first: str, second: str) -> float:
    """Compute the contrast ratio as WCAG 2.2 defines it."""

    def luminance(colour: str) -> float:
        parts = [int(colour[i : i + 2], 16) / 255 for i in (1, 3, 5)]
        linear = [
            p / 12.92 if p <= 0.04045 else ((p + 0.055) / 1.055) ** 2.4 for p in parts
        ]
        return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]

    low, high = sorted((luminance(first), luminance(second)))
    return (high + 0.05) / (low + 0.05)


def test_both_themes_have_the_same_tokens() -> None:
    tokens = _tokens()
    assert set(tokens["light"]) == set(tokens["dark"])
    assert len(tokens["light"]) == 25


@pytest.mark.parametrize("theme", ["light", "dark"])
@pytest.mark.parametrize(
    ("front", "back", "least"),
    [
        ("ink", "bg", 7),
        ("ink", "surface", 7),
        ("ink", "sunk", 7),
        ("ink", "accent-soft", 7),
        ("ink", "heat-minus-1", 7),
        ("ink-2", "bg", 4.5),
        ("ink-2", "surface", 4.5),
        ("ink-2", "sunk", 4.5),
        ("accent", "surface", 4.5),
        ("accent", "bg", 4.5),
        ("accent-ink", "accent", 4.5),
        ("line-strong", "surface", 3),
        ("focus", "surface", 3),
        ("focus", "bg", 3),
        ("ink", "pro", 3.5),
        ("ink", "con", 3.5),
    ],
)
def test_contrast_is_enough(theme: str, front: str, back: str, least: float) -> None:
    tokens = _tokens()[theme]
    assert round(_contrast(tokens[front], tokens[back]), 1) >= least
