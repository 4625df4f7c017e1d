"""Configuration of the documentation. It builds without a network."""

import sys
from pathlib import Path

import penchant

HERE = Path(__file__).parent
sys.path.insert(0, str(HERE / "_extensions"))

project = "penchant"
author = "The penchant developers"
project_copyright = author
version = release = penchant.__version__

extensions = [
    "myst_parser",
    "numpydoc",
    "sphinx.ext.autodoc",
    "sphinx.ext.autosummary",
    "sphinx_gallery.gen_gallery",
    "api_pages",
    "mathml",
]
exclude_patterns = ["_build"]
templates_path = ["_templates"]
default_role = "py:obj"  # `name` in a docstring is a link where there is such a name

# Markdown
myst_enable_extensions = ["deflist", "dollarmath", "substitution"]
myst_heading_anchors = 3


def _picture(name: str, text: str) -> str:
    """Show a screenshot, or nothing where it has not been taken."""
    return f"![{text}](/images/{name})" if (HERE / "images" / name).exists() else ""


myst_substitutions = {
    "picture_of_table": _picture(
        "home.png", "The first page: a demo to try, a table to bring"
    ),
    "picture_of_columns": _picture("columns.png", "The meaning of each column"),
}

# Reference
autosummary_generate = True
autodoc_typehints = "none"  # the docstrings say types and shapes in words
autodoc_member_order = "bysource"
numpydoc_show_class_members = False  # the class template lists them
numpydoc_class_members_toctree = False

# Gallery
sphinx_gallery_conf = {
    "examples_dirs": "../examples",
    "gallery_dirs": "gallery",
    "filename_pattern": r"\.py$",
    "download_all_examples": False,
    "show_memory": False,
    "show_signature": False,
    "write_computation_times": False,
}

# Look
html_theme = "alabaster"
html_title = "penchant"
html_static_path = ["_static"]
html_css_files = ["penchant.css"]
html_math_renderer = "mathml"
html_copy_source = False
html_sidebars = {"**": ["about.html", "searchfield.html", "navigation.html"]}
html_theme_options = {
    "description": "Learn what people value, ask little, recommend, and say why.",
    "fixed_sidebar": True,
    "sidebar_collapse": True,
    "page_width": "1080px",
    "sidebar_width": "230px",
    "show_powered_by": False,
    "font_family": "system-ui, sans-serif",
    "head_font_family": "system-ui, sans-serif",
    "code_font_family": "ui-monospace, 'DejaVu Sans Mono', monospace",
}
