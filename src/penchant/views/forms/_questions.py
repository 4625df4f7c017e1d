"""The form in which an owner says what to ask people about themselves."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

from penchant.exceptions import DataError
from penchant.studies import ABOUT_KINDS, PersonQuestion, StudyRecord, StudySettings
from penchant.texts import Texts, load_texts


class QuestionWords(NamedTuple):
    """A question in one language: its code and name, the wording, options by line."""

    code: str
    language: str
    wording: str
    options: str


@dataclass(frozen=True)
class QuestionForm:
    """One question about people, as typed.

    Parameters
    ----------
    name, kind, when : str
        As in `penchant.studies.PersonQuestion`.
    required : bool
        Whether it is ticked.
    place : str
        Where it stands among the others.
    words : tuple of QuestionWords
        One per language of the study; the options of the first are kept as answers.
    error : str
        What to correct.
    """

    name: str
    kind: str
    when: str
    required: bool
    place: str
    words: tuple[QuestionWords, ...]
    error: str = ""

    @property
    def kinds(self) -> tuple[str, ...]:
        """The kinds there are."""
        return ABOUT_KINDS

    @property
    def title(self) -> str:
        """What the question is called where it is folded; empty: it is new."""
        return next((each.wording for each in self.words if each.wording), self.name)

    @property
    def is_blank(self) -> bool:
        """Whether nothing was typed."""
        return not self.name and not any(w.wording or w.options for w in self.words)

    def question(self) -> PersonQuestion:
        """Make the question, or raise a DataError."""
        lines = {w.code: _lines(w.options) for w in self.words}
        first, *others = self.words
        name = self.name or " ".join(self.title.replace("=", " ").split())[:60].strip()
        return PersonQuestion(
            name,
            self.kind,
            self.when,
            self.required,
            lines[first.code],
            tuple((w.code, w.wording) for w in self.words if w.wording),
            tuple((w.code, lines[w.code]) for w in others if lines[w.code]),
        )


def questions_form(study: StudyRecord) -> tuple[QuestionForm, ...]:
    """Fill in the form with the questions there are, and one that is blank."""
    languages = study.settings.languages
    known = tuple(
        _shown(question, place, languages)
        for place, question in enumerate(study.settings.about, start=1)
    )
    return (*known, _blank(len(known) + 1, languages))


def read_questions_form(
    fields: Mapping[str, Any], languages: Sequence[str]
) -> tuple[QuestionForm, ...]:
    """Read what was sent; who is ticked to be removed, or blank, is left out."""

    def text(name: str) -> str:
        value = fields.get(name, "")
        return value.replace("\r\n", "\n").strip() if isinstance(value, str) else ""

    found = []
    for at in range(1, 100):
        if f"kind-{at}" not in fields:
            break
        words = tuple(
            _words(code, text(f"wording-{at}-{code}"), text(f"options-{at}-{code}"))
            for code in languages
        )
        form = QuestionForm(
            text(f"name-{at}"),
            text(f"kind-{at}"),
            text(f"when-{at}"),
            f"required-{at}" in fields,
            text(f"place-{at}"),
            words,
        )
        if f"remove-{at}" not in fields and not form.is_blank:
            found.append(form)
    return tuple(sorted(found, key=_place))


def check_questions_form(
    study: StudyRecord, forms: Sequence[QuestionForm], texts: Texts
) -> tuple[StudySettings | None, tuple[QuestionForm, ...]]:
    """Make the settings, or say in the forms why that is not possible."""
    questions, checked = [], []
    for form in forms:
        try:
            questions.append(form.question())
            checked.append(form)
        except DataError as error:
            checked.append(replace(form, error=texts.refusal(error)))
    if len(questions) == len(forms):
        try:
            return replace(study.settings, about=tuple(questions)), ()
        except DataError as error:
            checked[-1] = replace(checked[-1], error=texts.refusal(error))
    return None, (*checked, _blank(len(checked) + 1, study.settings.languages))


def _shown(
    question: PersonQuestion, place: int, languages: Sequence[str]
) -> QuestionForm:
    wording = dict(question.wording)
    # The options of the first language are what is kept, whatever it was once.
    options = {**dict(question.option_words), languages[0]: question.options}
    words = tuple(
        _words(code, wording.get(code, ""), "\n".join(options.get(code, ())))
        for code in languages
    )
    return QuestionForm(
        question.name,
        question.kind,
        question.when,
        question.required,
        f"{place}",
        words,
    )


def _words(code: str, wording: str, options: str) -> QuestionWords:
    return QuestionWords(code, load_texts(code)("language.name"), wording, options)


def _blank(place: int, languages: Sequence[str]) -> QuestionForm:
    return replace(_shown(PersonQuestion("new"), place, languages), name="")


def _place(form: QuestionForm) -> float:
    try:
        return float(form.place)
    except ValueError:
        return 1e9


def _lines(text: str) -> tuple[str, ...]:
    return tuple(line.strip() for line in text.split("\n") if line.strip())
