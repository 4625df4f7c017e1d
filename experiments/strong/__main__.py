"""Write ``docs/strong.md``: ``python -m experiments.strong``."""

from pathlib import Path

from experiments.strong._page import render_page

if __name__ == "__main__":
    here = Path(__file__).resolve().parent
    page = here.parents[1] / "docs" / "strong.md"
    page.write_text(render_page(here / "results"), encoding="utf-8")
