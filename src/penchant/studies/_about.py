"""Questions about people: what is asked and said, and what a model makes of it."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final, TypeAlias, TypeGuard

import numpy as np
import pandas as pd

from penchant.exceptions import DataError
from penchant.gp import PopulationGP
from penchant.studies.store._plain import check_text, is_text

About: TypeAlias = tuple[tuple[str, Any], ...]
"""What a person said, by name of the question: a text, number, option or options."""

MOMENTS: Final = ("before", "after")
ABOUT_KINDS: Final = ("text", "number", "choice", "choices")

_MOST_QUESTIONS, _MOST_OPTIONS = 20, 30
_LONGEST_NAME, _LONGEST_WORDING, LONGEST_SAID = 60, 500, 2000
_LARGEST = 1e15
_MARK = "="
"""Between a question and an option in the name of a feature: home=tent."""


@dataclass(frozen=True)
class PersonQuestion:
    """One question of the owner about people, put before or after the choices.

    Parameters
    ----------
    name : str
        Short name: stands in tables and exports. Answers are kept under it.
    kind : {"text", "number", "choice", "choices"}
        What may be said. All but text become features of people.
    when : {"before", "after"}
        Before or after the choices. What is known before shapes the questions.
    required : bool
        Whether it must be answered.
    options : tuple of str
        Of which one ("choice") or any ("choices") may be chosen; answers are kept in
        these words.
    wording : tuple of (str, str)
        The question by language; in others the first is shown, without any the name.
    option_words : tuple of (str, tuple of str)
        The options by language, in the same order.

    Examples
    --------
    >>> home = PersonQuestion("home", "choice", options=("flat", "house"))
    >>> home.check("house")
    'house'
    """

    name: str
    kind: str = "text"
    when: str = "before"
    required: bool = False
    options: tuple[str, ...] = ()
    wording: tuple[tuple[str, str], ...] = ()
    option_words: tuple[tuple[str, tuple[str, ...]], ...] = ()

    def __post_init__(self) -> None:
        check_text("The name of a question", self.name, longest=_LONGEST_NAME)
        if (
            not self.name.strip()
            or _MARK in self.name
            or self.name != self.name.strip()
        ):
            raise DataError(
                "A question about people needs a short name without '=' and without "
                f"spaces around it. Got {self.name!r}.",
                "errors.question_name",
            )
        for what, value, known in (
            ("kind", self.kind, ABOUT_KINDS),
            ("moment", self.when, MOMENTS),
        ):
            if value not in known:
                raise DataError(
                    f"The {what} of the question {self.name!r} must be one of "
                    f"{', '.join(known)}. Got {value!r}."
                )
        if not isinstance(self.required, bool):
            raise DataError(
                f"Whether {self.name!r} is required must be true or false. "
                f"Got {self.required!r}."
            )
        for language, text in self.wording:
            check_text(
                f"The question {self.name!r} in {language!r}",
                text,
                longest=_LONGEST_WORDING,
            )
        self._check_options()

    def _check_options(self) -> None:
        wanted = self.kind in ("choice", "choices")
        if wanted != bool(self.options):
            raise DataError(
                f"The question {self.name!r} is of kind {self.kind!r} and "
                + ("needs options, one per line." if wanted else "takes no options."),
                f"errors.{'needs' if wanted else 'takes_no'}_options",
            )
        for words in (self.options, *(words for _, words in self.option_words)):
            for word in words:
                check_text(
                    f"An option of {self.name!r}", word, longest=_LONGEST_WORDING
                )
            fine = all(word.strip() for word in words) and len(set(words)) == len(words)
            if not fine or len(words) != len(self.options):
                raise DataError(
                    f"The options of {self.name!r} must be different, not empty, and "
                    f"as many in every language ({len(self.options)}). "
                    f"Got {list(words)!r}.",
                    "errors.options",
                )
        if len(self.options) > _MOST_OPTIONS:
            raise DataError(
                f"A question may have {_MOST_OPTIONS} options. {self.name!r} has "
                f"{len(self.options)}.",
                "errors.many_options",
                most=_MOST_OPTIONS,
            )

    def ask(self, language: str) -> str:
        """Give the question in a language."""
        words = {code: text for code, text in self.wording if text.strip()}
        return words.get(language) or next(iter(words.values()), self.name)

    def words(self, language: str) -> tuple[str, ...]:
        """Give the options in a language, in the order of `options`."""
        return dict(self.option_words).get(language, self.options)

    def check(self, value: Any) -> Any:
        """Return an answer as plain values, None if it is blank, or say what would fit.

        Raises
        ------
        DataError
            If it does not fit, or is blank and required.
        """
        if value is None or value == "" or value == [] or value == ():
            if self.required:
                raise DataError(f"The question {self.name!r} must be answered.")
            return None
        fitting = self.read(value)
        if fitting is None:
            raise DataError(f"{self.name!r} takes {self._wanted()}. Got {value!r}.")
        return list(fitting) if isinstance(fitting, tuple) else fitting

    def read(self, value: Any) -> Any:
        """Give an answer that fits; None: it does not, the question has changed."""
        if self.kind == "number":
            return value if _is_number(value) else None
        if self.kind == "choices":
            some = value if isinstance(value, list | tuple) else ()
            fine = some and all(each in self.options for each in some)
            return tuple(o for o in self.options if o in some) if fine else None
        if (
            not isinstance(value, str)
            or len(value) > LONGEST_SAID
            or not is_text(value)
        ):
            return None
        return value if self.kind == "text" or value in self.options else None

    def _wanted(self) -> str:
        return {
            "text": f"a text of at most {LONGEST_SAID:,} characters",
            "number": "a number",
            "choice": f"one of {', '.join(self.options)}",
            "choices": f"a list of any of {', '.join(self.options)}",
        }[self.kind]

    @classmethod
    def from_dict(cls, values: Any) -> "PersonQuestion":
        """Make a question of what `to_dict` gave; what is missing is the default."""
        if not isinstance(values, Mapping):
            raise DataError(
                "A question about people must be a mapping such as {'name': 'age', "
                f"'kind': 'number'}}. Got {values!r}."
            )
        known = cls.__dataclass_fields__
        unknown = sorted(str(name) for name in values if name not in known)
        if unknown or "name" not in values:
            raise DataError(
                f"A question about people has a name and may have {sorted(known)}. "
                f"Got {sorted(map(str, values))}."
            )
        chosen = dict(values)
        try:
            chosen["options"] = tuple(chosen.get("options", ()))
            chosen["wording"] = tuple(dict(chosen.get("wording", {})).items())
            words = dict(chosen.get("option_words", {}))
            chosen["option_words"] = tuple((k, tuple(v)) for k, v in words.items())
        except (TypeError, ValueError):
            raise DataError(
                f"Of the question {values['name']!r}, options are a list, wording and "
                "option_words map languages to a text and to a list."
            ) from None
        return cls(**chosen)

    def to_dict(self) -> dict[str, Any]:
        """Give the question as plain values for JSON."""
        return {
            "name": self.name,
            "kind": self.kind,
            "when": self.when,
            "required": self.required,
            "options": list(self.options),
            "wording": dict(self.wording),
            "option_words": {code: list(words) for code, words in self.option_words},
        }


def check_questions(questions: object) -> None:
    """Refuse what is no tuple of questions with different names."""
    known = questions if isinstance(questions, tuple) else None
    if known is None or not all(isinstance(each, PersonQuestion) for each in known):
        raise DataError(f"about must be a tuple of PersonQuestion. Got {questions!r}.")
    names = [each.name for each in known]
    if len(set(names)) < len(names) or len(names) > _MOST_QUESTIONS:
        raise DataError(
            f"There may be {_MOST_QUESTIONS} questions about people, with different "
            f"names. Got {names}.",
            "errors.question_names",
            most=_MOST_QUESTIONS,
        )


def read_questions(values: object) -> tuple[PersonQuestion, ...]:
    """Make questions of a list of plain values."""
    if not isinstance(values, list | tuple):
        raise DataError(f"about must be a list of questions. Got {values!r}.")
    return tuple(
        each if isinstance(each, PersonQuestion) else PersonQuestion.from_dict(each)
        for each in values
    )


def check_about(
    questions: Iterable[PersonQuestion], answers: Mapping[str, Any]
) -> dict[str, Any]:
    """Return answers to some questions as plain values, None where one is blank.

    Raises
    ------
    DataError
        If one does not fit, is missing though required, or was not asked.
    """
    if not isinstance(answers, Mapping):
        raise DataError(
            f"Answers must map names of questions to what was said. Got {answers!r}."
        )
    asked = {question.name: question for question in questions}
    unknown = sorted(str(name) for name in answers if name not in asked)
    if unknown:
        raise DataError(
            f"There are no questions {', '.join(unknown)} here; there are "
            f"{', '.join(asked) or 'none'}."
        )
    return {name: each.check(answers.get(name)) for name, each in asked.items()}


def read_about(answers: Mapping[Any, Any]) -> dict[str, Any]:
    """Read what a log says; None: blank, or nothing that a question could have got."""
    return {name: _plain(value) for name, value in answers.items() if name}


def _plain(value: Any) -> Any:
    if isinstance(value, list | tuple):
        fine = value and all(isinstance(each, str) for each in value)
        return tuple(value) if fine else None
    if isinstance(value, str):
        return value or None
    return value if _is_number(value) else None


def _is_number(value: Any) -> TypeGuard[float]:
    if isinstance(value, bool) or not isinstance(value, int | float):
        return False
    return -_LARGEST <= value <= _LARGEST


def people_table(
    questions: Iterable[PersonQuestion], people: Sequence[About]
) -> pd.DataFrame | None:
    """Give what is known of people as features for `PopulationGP`, a row for each.

    A number is a column, a choice too; several choices are a column of 0 and 1 for
    each option. Blanks, and what does not fit the question as it is now, are missing;
    text is no feature. None: nobody said anything.
    """
    columns: dict[str, Any] = {}
    for question in questions:
        said = [question.read(dict(about).get(question.name)) for about in people]
        if question.kind == "text" or all(each is None for each in said):
            continue
        if question.kind == "choices":
            for option in question.options:
                columns[f"{question.name}{_MARK}{option}"] = [
                    np.nan if each is None else float(option in each) for each in said
                ]
        else:
            is_number = question.kind == "number"
            columns[question.name] = pd.Series(
                said, dtype=float if is_number else object
            )
    return pd.DataFrame(columns) if columns else None


def person_row(population: PopulationGP | None, about: About) -> About:
    """Give what a model can use of what is known of a person; empty: nothing."""
    encoding = None if population is None else population.user_encoding_
    if encoding is None or not about:
        return ()
    said = dict(about)
    row = []
    for name, levels in zip(encoding.names, encoding.levels, strict=True):
        question, mark, option = name.partition(_MARK)
        value = said.get(question)
        if mark:
            value = float(option in value) if isinstance(value, tuple) else None
        elif levels is None:
            value = float(value) if _is_number(value) else None
        else:
            value = value if value in levels else None
        row.append((name, value))
    return tuple(row) if any(value is not None for _, value in row) else ()
