"""What people read, in their language."""

from penchant.texts._texts import (
    LANGUAGES,
    Texts,
    choose_language,
    load_texts,
    show_name,
)

__all__ = ["LANGUAGES", "Texts", "choose_language", "load_texts", "show_name"]
