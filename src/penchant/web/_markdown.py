"""What owners write in Markdown, as harmless HTML."""

from functools import lru_cache
from typing import Final

import nh3
from markdown_it import MarkdownIt
from markupsafe import Markup

_WRITTEN: Final = MarkdownIt("commonmark", {"html": False})
_TAGS: Final = {
    "a",
    "blockquote",
    "br",
    "code",
    "em",
    "hr",
    "li",
    "ol",
    "p",
    "pre",
    "strong",
    "ul",
    "h2",
    "h3",
    "h4",
}


@lru_cache(maxsize=256)
def markdown(text: str) -> Markup:
    r"""Render Markdown; only text, lists, emphasis, quotes and links come through.

    No picture, style or script, so that a page asks nobody else for anything.

    Examples
    --------
    >>> markdown("Hello *you*")
    Markup('<p>Hello <em>you</em></p>\n')
    """
    tokens = _WRITTEN.parse(text)
    # A page has its own title: headings of a text stand below it, without a gap.
    levels = sorted({token.tag for token in tokens if token.type == "heading_open"})
    lower = {tag: f"h{min(place, 4)}" for place, tag in enumerate(levels, start=2)}
    for token in tokens:
        token.tag = lower.get(token.tag, token.tag)
    html = _WRITTEN.renderer.render(tokens, _WRITTEN.options, {})
    clean = nh3.clean(
        html,
        tags=_TAGS,
        attributes={"a": {"href"}},
        url_schemes={"http", "https", "mailto"},
        link_rel="noopener noreferrer nofollow",
    )
    return Markup(clean)
