"""`penchant ask`: a whole elicitation in the terminal."""

from typing import TYPE_CHECKING, Annotated

import typer

from penchant.cli._finding import (
    find_participant,
    find_summary,
    open_store,
    secret_part,
)
from penchant.cli._options import (
    AsJson,
    AtLeast,
    AtMost,
    Data,
    Known,
    OneOf,
    Participant,
    StudyName,
    read_limits,
    say_data,
)
from penchant.cli._screen import Screen, write_json
from penchant.exceptions import NotAnswerableError

if TYPE_CHECKING:
    from penchant.cli._conversation import TerminalTalk
    from penchant.data import Limits
    from penchant.studies import Store, Study
    from penchant.texts import Texts


def ask(
    study_name: StudyName,
    *,
    participant: Participant = None,
    label: Annotated[
        str, typer.Option(help="What tells a new participant from others.")
    ] = "",
    language: Annotated[
        str, typer.Option(help="en, fr or de; by default the first of the study.")
    ] = "",
    at_most: AtMost = [],  # noqa: B006 - Typer copies it
    at_least: AtLeast = [],  # noqa: B006 - as above
    one_of: OneOf = [],  # noqa: B006 - as above
    known: Known = [],  # noqa: B006 - as above
    no_limits: Annotated[
        bool, typer.Option("--no-limits", help="No must-haves of this person any more.")
    ] = False,
    data: Data = None,
    as_json: AsJson = False,
) -> None:
    """Ask somebody in this terminal, recommend, and say why.

    Type the key of an answer and Enter: 1 or 2 for an alternative, 0 about
    equal, n neither is acceptable, s skip, u undo, r result now, q pause.
    A letter under a question says what the choice before was mainly for.
    --at-most, --at-least, --one-of and --known are must-haves: what fails
    one is neither asked about nor recommended. They replace those that the
    person had.
    Every answer is saved at once; --participant goes on where somebody
    stopped. With --json the result goes to standard output, the conversation
    to standard error.

    Exit code 0: ended or paused. 1: broken off (what was answered is kept),
    or there is no such study or participant. 2: wrong usage.

    Example: penchant ask "Our next flat" --label Ada
    """
    screen = Screen(err=as_json)
    with open_store(data) as store:
        found = find_summary(store, study_name)
        try:
            words = (at_most, at_least, one_of, known)
            given = no_limits or any(words)
            wanted = _read(_open(store, found.id), words) if given else None
            if participant is None:
                talk, token = _join(store, found.id, label, language, screen)
            else:
                token = secret_part(participant)
                talk = _come_back(store, found.id, token, language, screen)
            if talk is not None and wanted is not None:
                _limit(talk, wanted)
            resume = f"penchant ask {found.id[:8]} --participant {token}"
            ended = _run(talk, resume + say_data(data)) if talk else False
        except (typer.Abort, KeyboardInterrupt):
            raise typer.Exit(1) from None
        if talk is not None:
            _end(talk, token, ended=ended, as_json=as_json)
        elif as_json:
            write_json({"study": found.id, "participant": None, "state": "declined"})


def _join(
    store: "Store", study_id: str, label: str, language: str, screen: Screen
) -> "tuple[TerminalTalk | None, str]":
    """Add a participant; nobody joins before agreeing to the consent text."""
    from penchant.cli._conversation import TerminalTalk, agrees
    from penchant.web.pages import check_label

    study = _open(store, study_id)
    if reason := study.taking().reason:
        raise NotAnswerableError(
            f"{reason} Those who take part already go on with --participant."
        )
    checked = check_label(label)
    texts = _texts(study, language)
    if not agrees(study, texts, screen):
        return None, ""
    person, token = study.join(checked, texts.language)
    if study.participation(person.id).needs_consent(study.settings):
        study.consent(person.id)
    return TerminalTalk(study, person.id, texts, screen), token


def _come_back(
    store: "Store", study_id: str, token: str, language: str, screen: Screen
) -> "TerminalTalk | None":
    """Go on with a participant, who may still have to agree."""
    from penchant.cli._conversation import TerminalTalk, agrees

    study = _open(store, study_id)
    person = find_participant(study, token)
    now = study.participation(person.id)
    texts = _texts(study, language, now.language)
    if now.needs_consent(study.settings):
        if not agrees(study, texts, screen):
            return None
        study.consent(person.id)
    return TerminalTalk(study, person.id, texts, screen)


def _read(study: "Study", words: "tuple[list[str], ...]") -> "Limits":
    """Read must-haves before anybody joins; refuse what nothing fits."""
    from penchant.studies import check_limits

    wanted = read_limits(study.items, *words)
    check_limits(wanted, study.items, study.what_fits(wanted).open_to)
    return wanted


def _limit(talk: "TerminalTalk", wanted: "Limits") -> None:
    """Keep the must-haves of a person, and say how many alternatives fit."""
    study, texts = talk.study, talk.texts
    study.set_limits(talk.person, wanted)
    found = study.what_fits(wanted)
    total = texts.number(found.n_items)
    talk.screen.say(texts.count("limits.fit", found.n_fit, total=total))


def _open(store: "Store", study_id: str) -> "Study":
    """Open a study that learns from all answers at the end, not beside the asking.

    The command ends with the conversation, and a fit in the background with it.
    """
    from penchant.studies import Study

    return Study(store, study_id, background=False)


def _texts(study: "Study", *wanted: str) -> "Texts":
    from penchant.texts import choose_language, load_texts

    return load_texts(choose_language(wanted, study.settings.languages))


def _run(talk: "TerminalTalk", resume: str) -> bool:
    """Ask; whatever ends it, say how to come back."""
    ended = False
    talk.screen.say("To go on later, also after a break or on another terminal:")
    talk.screen.command(resume)
    try:
        ended = talk.run()
    finally:
        if not ended:
            talk.screen.say()
            talk.screen.say(talk.texts("pause.title"))
            talk.screen.command(resume)
    return ended


def _end(talk: "TerminalTalk", token: str, *, ended: bool, as_json: bool) -> None:
    from penchant.cli._conversation import result_values
    from penchant.cli._results import show_recommendation

    if as_json:
        write_json(result_values(talk.study, talk.person, token))
    elif ended:
        talk.screen.say()
        show_recommendation(talk.study, talk.person, talk.texts, talk.screen)
        if thanks := talk.study.settings.text("thanks", talk.texts.language):
            talk.screen.say()
            talk.screen.say(thanks)
    if ended and talk.study.settings.help_each_other:
        with talk.screen.working("Learning from all answers for later participants"):
            talk.study.refit(wait=True)
