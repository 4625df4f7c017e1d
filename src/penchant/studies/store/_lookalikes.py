"""Names that people could take for one another."""

import unicodedata
from typing import Final

from penchant.exceptions import DataError

# Letters of other scripts, and digits, that look like small Latin letters.
_LIKE: Final = str.maketrans(
    "авԁеѕіјкӏмнорԛгстухһԝьαβεικνορτυχω01|",  # noqa: RUF001 - which is the point
    "abdesijklmhopqrctyxhwbabeikvoptuxwoll",
)


def look_of(name: str) -> str:
    r"""Give what a name looks like; two names with the same look are too much alike.

    Forms of letters, their case and spaces make no difference, nor do letters of other
    scripts, and digits, that look the same.

    Examples
    --------
    >>> look_of("Ada") == look_of("\u0430d\u0430") == look_of("a da")
    True
    >>> look_of("ada") == look_of("ida")
    False
    """
    plain = unicodedata.normalize("NFKC", name).replace("I", "l").casefold()
    return "".join(plain.translate(_LIKE).split())


def check_owner_name(name: str) -> None:
    """Refuse a name with characters that nobody sees, or of several scripts."""
    if not name.strip() or name != name.strip():
        raise DataError("The name must not be empty or begin or end with a space.")
    if any(
        unicodedata.category(letter)[0] in "CZ" and letter != " " for letter in name
    ):
        raise DataError(
            f"The name {name!r} has a character that cannot be seen. Remove it."
        )
    scripts = {
        unicodedata.name(letter, "?").split()[0]
        for letter in unicodedata.normalize("NFKC", name)
        if letter.isalpha()
    }
    east_asian = {"CJK", "HIRAGANA", "KATAKANA", "HANGUL", "BOPOMOFO"}
    if len(scripts - east_asian) > 1:
        raise DataError(
            f"The name {name!r} mixes letters of several scripts "
            f"({', '.join(sorted(scripts)).lower()}), which can pass for another name. "
            "Use one."
        )
