"""What a docstring says is the default is the default."""

import ast
import inspect
import re

import pytest

import penchant.elicitation
import penchant.explanation
import penchant.models

STATED = re.compile(r"^([\w, ]+) : .*?\bdefault=(.+?)$", re.MULTILINE)
ROOMS = (penchant.models, penchant.explanation, penchant.elicitation)
PUBLIC = {
    f"{room.__name__}.{name}": getattr(room, name)
    for room in ROOMS
    for name in room.__all__
    if callable(getattr(room, name))
}


def stated_defaults(thing):
    for names, text in STATED.findall(inspect.cleandoc(thing.__doc__ or "")):
        every = names.split(", ")
        texts = text.split(", ") if len(every) > 1 else [text]
        yield from zip(every, texts * (len(every) // len(texts)), strict=True)


@pytest.mark.parametrize("name", PUBLIC)
def test_defaults_are_as_stated(name):
    thing = PUBLIC[name]
    try:
        parameters = inspect.signature(thing).parameters
    except ValueError:
        pytest.skip("has no signature")
    wrong = []
    for parameter, text in stated_defaults(thing):
        try:
            stated = ast.literal_eval(text)
        except (ValueError, SyntaxError):
            continue
        if parameter in parameters and parameters[parameter].default != stated:
            wrong.append((parameter, text, parameters[parameter].default))
    assert wrong == []


def test_defaults_are_found():
    found = [each for thing in PUBLIC.values() for each in stated_defaults(thing)]
    assert len(found) > 100
