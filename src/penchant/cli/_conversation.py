"""TerminalTalk: a whole elicitation in the terminal."""

from dataclasses import dataclass
from typing import Any, Final

from penchant.cli._results import ranking_values, show_extras, why_values
from penchant.cli._screen import Screen
from penchant.data import Items
from penchant.exceptions import ConflictError, DataError, NotAnswerableError
from penchant.studies import FORMS, OpenQuestion, PersonQuestion, Study
from penchant.texts import Texts
from penchant.views import BecauseView, Card, because_view, question_view
from penchant.views.forms import read_number

PAUSE: Final = "q"
UNDO: Final = "u"
FINISH: Final = "r"
_SKIP: Final = "s"
_REASONS: Final = "abcdefghijklm"
"""Keys of what a choice was for: none means anything else."""


def agrees(study: Study, texts: Texts, screen: Screen) -> bool:
    """Show what the study is about; ask whether the person agrees to take part."""
    settings = study.settings
    screen.say(study.record.name, style="bold")
    if study.record.demo:
        screen.say(texts("page.demo_note"))
    if intro := settings.text("intro", texts.language):
        screen.say(intro)
    screen.say(texts("join.how"))
    if not settings.asks_consent:
        return True
    screen.say()
    screen.say(texts("consent.title"), style="bold")
    if consent := settings.text("consent", texts.language):
        screen.say(consent)
    if settings.owner_sees:
        screen.say(texts("consent.owner_sees"))
    screen.say(f"1  {texts('consent.agree')}\n{PAUSE}  {texts('page.pause')}")
    while (typed := screen.ask().lower()) not in ("1", PAUSE):
        continue
    if typed == PAUSE:
        screen.say(texts("consent.decline"))
    return typed == "1"


@dataclass(frozen=True)
class TerminalTalk:
    """Ask one person until the study knows enough or the person wants to pause.

    Parameters
    ----------
    study : Study
        What about.
    person : str
        Identifier of the participant.
    texts : Texts
        In the language of the person.
    screen : Screen
        Where to talk.
    """

    study: Study
    person: str
    texts: Texts
    screen: Screen

    def run(self) -> bool:
        """Ask and write down, answer by answer; tell whether the asking ended."""
        if not self._describe():
            return False
        while (question := self.study.ask(self.person)) is not None:
            self._show(question)
            if not self._listen(question):
                return False
        return self._describe()

    def _describe(self) -> bool:
        """Put the questions about the person, if any; False: the person pauses."""
        due = self.study.about_due(self.study.participation(self.person))
        if not due:
            return True
        self.screen.say()
        self.screen.say(self.texts(f"about.title_{due[0].when}"), style="bold")
        said: dict[str, Any] = {}
        for question in due:
            answer = self._ask_about(question)
            if answer == PAUSE:
                return False
            said[question.name] = answer
        self.study.describe(self.person, said, due[0].when)
        return True

    def _ask_about(self, question: PersonQuestion) -> Any:
        """Take an answer that fits, or that the person pauses."""
        self.screen.say()
        self.screen.say(question.ask(self.texts.language))
        keys = [
            f"{place}  {words}"
            for place, words in enumerate(question.words(self.texts.language), start=1)
        ]
        if not question.required:
            keys.append(self.texts("about.enter"))
        self.screen.choices([*keys, f"{PAUSE}  {self.texts('page.pause')}"])
        if question.kind == "choices":
            self.screen.say(self.texts("about.several"))
        while True:
            typed = self.screen.ask()
            if typed.lower() == PAUSE:
                return PAUSE
            try:
                return question.check(read_about(question, typed))
            except DataError:
                key = "required" if not typed else f"wrong_{question.kind}"
                self.screen.say(self.texts(f"about.{key}"))

    def _show(self, question: OpenQuestion) -> None:
        items, texts = self.study.items, self.texts
        progress = self.study.progress(self.person)
        view = question_view(items, question, progress, texts)
        self.screen.say()
        self.screen.say(f"{view.number} {view.sentence}")
        if (because := self._because()) is not None:
            self.screen.say(because.sentence)
            offered = [f"{each.key}  {each.label}" for each in because.reasons]
            self.screen.choices(
                [*offered[: len(_REASONS)], self.texts("question.or_go_on")]
            )
        self.screen.say(view.title, style="bold")
        self._show_cards(view.cards)
        self.screen.choices(key_help(question, items, texts))

    def _show_cards(self, cards: tuple[Card, ...]) -> None:
        """Write the alternatives side by side; a mark where they differ."""
        heads = ["", "", *(f"{k}  {card.name}" for k, card in enumerate(cards, 1))]
        rows, styles = [], []
        for lines in zip(*(card.lines for card in cards), strict=True):
            cells = [
                f"{line.value} ({line.difference})" if line.difference else line.value
                for line in lines
            ]
            differs = lines[0].differs
            rows.append(("•" if differs else "", lines[0].label, *cells))
            styles.append("bold" if differs else "dim" if len(cards) > 1 else "")
        self.screen.table(heads, rows, styles=styles)
        for place, card in enumerate(cards, 1):
            show_extras(self.study.items, card.item, self.screen, f"{place}  ")

    def _because(self) -> BecauseView | None:
        """Give what the last choice can have been for."""
        now = self.study.participation(self.person)
        if not now.answered:
            return None
        told, items = now.answered[-1], self.study.items
        offered = self.study.reasons_for(told)
        return because_view(items, told, offered, self.texts, _REASONS)

    def _name_reason(self, typed: str) -> bool:
        """Keep what the last choice was for, if that is what was typed."""
        because = self._because() if typed in _REASONS else None
        reasons = () if because is None else because.reasons
        for each in reasons:
            if because is not None and each.key == typed:
                name = self.study.items.attributes[each.attribute].name
                self.study.because(self.person, because.question, name)
                self.screen.say(f"{because.sentence} {each.label}")
                return True
        return False

    def _listen(self, question: OpenQuestion) -> bool:
        """Take what is typed until it means something; False: the person pauses."""
        while True:
            typed = self.screen.ask().lower()
            if typed == PAUSE:
                return False
            if typed == FINISH:
                self.study.finish(self.person)
                return True
            if typed == UNDO:
                if self._undo():
                    return True
                continue
            if self._name_reason(typed):
                continue
            answer = read_answer(question, typed)
            if answer is not None:
                self._tell(question, answer)
                return True
            self.screen.say(self.texts("question.incomplete_answer"))
            self.screen.choices(key_help(question, self.study.items, self.texts))

    def _undo(self) -> bool:
        try:
            self.study.undo(self.person)
        except NotAnswerableError:
            self.screen.say(self.texts("question.nothing_to_undo"))
            return False
        return True

    def _tell(self, question: OpenQuestion, answer: Any) -> None:
        try:
            self.study.tell(self.person, question.id, answer)
        except ConflictError:  # the same person answered elsewhere in the meantime
            self.screen.say(self.texts("question.conflict"))


def result_values(study: Study, person: str, token: str) -> dict[str, Any]:
    """Give where a person stands and what suits best, as plain values."""
    now = study.participation(person)
    ranking = study.ranking(person)
    return {
        "study": study.id,
        "participant": token,
        "state": now.state,
        "finished": now.finished,
        "n_answers": len(now.answered),
        "recommendation": ranking_values(ranking[:1])[0],
        "why": why_values(study, person, ranking[0].item),
    }


def read_about(question: PersonQuestion, typed: str) -> Any:
    """Give what somebody typed as an answer about themselves, which may not fit.

    Options go by their numbers: 2, or 1 3 of several.
    """
    if question.kind == "number":
        return read_number(typed) if typed else None
    if question.kind == "text":
        return typed
    named = {f"{n}": option for n, option in enumerate(question.options, start=1)}
    chosen = [named.get(part, part) for part in typed.replace(",", " ").split()]
    if question.kind == "choices":
        return chosen
    return chosen[0] if len(chosen) == 1 else typed


def read_answer(question: OpenQuestion, typed: str) -> Any:
    """Give the answer that somebody typed; None if it is none to this question.

    Parameters
    ----------
    question : OpenQuestion
    typed : str
        What the form takes, see `key_help`; s skips.
    """
    if typed == _SKIP:
        return "skip"
    return FORMS[question.form].read_typed(question.items, typed)


def key_help(question: OpenQuestion, items: Items, texts: Texts) -> list[str]:
    """Say what each key means, in the language of the person."""
    names = [items.names[item] for item in question.items]
    keys = {
        **FORMS[question.form].keys(names, texts),
        _SKIP: texts("question.skip"),
        UNDO: texts("question.undo"),
        FINISH: texts("question.enough"),
        PAUSE: texts("page.pause"),
    }
    return [f"{key}  {meaning}" for key, meaning in keys.items()]
