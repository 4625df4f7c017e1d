"""Tables as notebooks show them."""

from collections.abc import Iterable, Sequence
from html import escape


def html_table(
    heads: Sequence[object], rows: Iterable[Sequence[object]], caption: str = ""
) -> str:
    """Write a table; heads, cells and caption are texts, which are escaped."""

    def line(cells: Sequence[object], tag: str) -> str:
        inner = "".join(f"<{tag}>{escape(str(cell))}</{tag}>" for cell in cells)
        return f"<tr>{inner}</tr>"

    said = f"<caption>{escape(caption)}</caption>" if caption else ""
    body = "".join(line(row, "td") for row in rows)
    return (
        f"<table>{said}<thead>{line(heads, 'th')}</thead><tbody>{body}</tbody></table>"
    )
