"""Studies to begin with: tables, settings and texts that are shipped."""

import json
from dataclasses import dataclass, replace
from functools import cache
from importlib.resources import files
from typing import Any

import pandas as pd

from penchant.data import Attribute, Items
from penchant.datasets import load_flats
from penchant.exceptions import NotFoundError
from penchant.studies._settings import Noun, StudySettings
from penchant.studies.store._store import Store
from penchant.texts import Texts, load_texts

TEMPLATES = ("flats", "candidates", "suppliers", "holidays", "features")
"""What studies can be begun with."""


@dataclass(frozen=True, eq=False)
class StudyTemplate:
    """A study to begin with; all in it is fictional.

    Parameters
    ----------
    name : str
        One of `TEMPLATES`.
    items : Items
        The alternatives, in English; of "features" only names.
    nouns : tuple of Noun
        What an alternative is called.
    asking : dict
        Settings that differ from the usual.
    """

    name: str
    items: Items
    nouns: tuple[Noun, ...]
    asking: dict[str, Any]

    def title(self, texts: Texts) -> str:
        """Give the name of the study in a language."""
        return texts(f"template.{self.name}")

    def table(self, texts: Texts) -> Items:
        """Give the alternatives in a language; names of places and people stay."""

        def say(key: str, word: str) -> str:
            return texts.entries.get(f"table.{key}", (word,))[0]

        columns, attributes = {}, []
        for each in self.items.attributes:
            key = f"{self.name}.{each.name}"
            column, domain = self.items.frame[each.name], each.domain
            name, unit = say(key, each.name), say(f"unit.{each.unit}", each.unit)
            if each.kind != "numeric" and domain is not None:
                levels = {str(word): say(f"{key}.{word}", str(word)) for word in domain}
                column = column.cat.rename_categories(levels)
                domain = tuple(levels.values())
            columns[name] = column
            attributes.append(replace(each, name=name, domain=domain, unit=unit))
        frame = pd.DataFrame(columns, index=self.items.frame.index)
        names = (say(f"{self.name}.name.{name}", name) for name in self.items.names)
        return Items(frame, tuple(attributes), tuple(names))

    def settings(self, texts: Texts) -> StudySettings:
        """Give the settings, with the introduction in a language."""
        intro = texts(f"template.{self.name}_intro")
        return StudySettings(nouns=self.nouns, intro=intro, **self.asking)

    def create(
        self,
        store: Store,
        *,
        title: str = "",
        language: str = "en",
        owner: str | None = None,
    ) -> str:
        """Make a study of it and return its identifier.

        Parameters
        ----------
        store : Store
            Where to keep it.
        title : str
            As people read it; by default that of the template.
        language : str, default="en"
            Of title, introduction and table.
        owner : str, optional
            Identifier of the owner.
        """
        texts = load_texts(language)
        return store.create_study(
            title or self.title(texts),
            self.table(texts),
            settings=self.settings(texts),
            owner=owner,
        )


@cache
def study_template(name: str) -> StudyTemplate:
    """Give a study to begin with.

    Parameters
    ----------
    name : str
        One of `TEMPLATES`.

    Examples
    --------
    >>> from penchant.studies import study_template
    >>> len(study_template("holidays").items)
    30
    """
    if name not in TEMPLATES:
        raise NotFoundError(
            f"There is no template called {name!r}; there are {', '.join(TEMPLATES)}."
        )
    folder = files("penchant.datasets") / "data"
    told = json.loads((folder / "templates.json").read_text(encoding="utf-8"))[name]
    nouns = tuple(Noun(key, *words) for key, words in told["nouns"].items())
    return StudyTemplate(name, _items(name, told), nouns, told.get("settings", {}))


def _items(name: str, told: dict[str, Any]) -> Items:
    if name == "flats":
        return load_flats()
    table = (files("penchant.datasets") / "data" / f"{name}.csv").read_bytes()
    attributes = [Attribute.from_dict(each) for each in told["attributes"]]
    return Items.from_csv(table, attributes, names="name")
