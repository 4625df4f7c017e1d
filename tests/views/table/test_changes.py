"""What changed in a table, in words."""

from penchant.studies import TableChange
from penchant.texts import load_texts
from penchant.views.table import change_words, some_changes

CHANGES = (
    *(TableChange("added", f"N{k}") for k in range(5)),
    TableChange("role", "", "view", "compared", "shown"),
    TableChange("kind", "", "view", "categorical", "ordinal"),
    TableChange("value", "A", "rent", "", "5"),
    TableChange("value", "B", "rent", "5", ""),
)


def test_alternatives_are_counted_and_the_first_named() -> None:
    texts = load_texts("en").about("flat", "flats")
    assert change_words(CHANGES, texts) == [
        "5 flats are new: N0, N1, N2 and 2 more",
        "view: show only (was: compare)",
        "view: type ordered levels (was: levels)",
        "A: rent is now known, 5",
        "B: rent is not known any more, it was 5",
    ]
    said, n_more = some_changes(CHANGES, texts, 2)
    assert (len(said), n_more) == (2, 3)
