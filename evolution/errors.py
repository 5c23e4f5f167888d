"""What was wrong with a reply (E2): a signal says that something was, the user's own words say what."""

from __future__ import annotations

from typing import Final

from evolution.signals import Heard, Signal
from memory.heads import QUOTED, hints
from memory.normalise import is_chinese
from schemas.conversation import Error

_LONG: Final = {True: 400, False: 1200}
"""A reply of so many characters that was cut off counts as too long, by whether it is Chinese."""
_SHORT: Final = {True: 24, False: 80}
"""A complaint about form alone is no longer than that, in characters: what is longer is about something."""
_SAID_OUTRIGHT: Final = 0.8
"""How sure a complaint is that names the form at fault."""
_UNNAMED: Final[dict[str, Error]] = {"explicit_negative": "wrong", "rephrase": "misread", "resignation": "gave_up"}
FORMS: Final[tuple[Error, ...]] = (
    "steps_first", "too_long", "too_short", "too_hard", "wrong_language", "wrong_form", "tone", "asks_back",
)  # fmt: skip
"""Errors of form, which words name; in the order in which their patterns are tried."""


def with_error(signal: Signal, heard: Heard) -> tuple[Signal, Error | None]:
    """The signal with the kind of error; None where nothing went wrong. A short complaint that names a form ("太长了", "too technical")
    is an explicit negative, whatever the head took it for: it says nothing else. An interruption alone is no signal: :func:`cut_off`."""
    said = heard.said or ""
    if signal.kind == "entity_miss":
        return signal, "missed_entity"
    form = named(said) if heard.reply.strip() else None
    if form is not None and signal.kind in ("none", "resignation", "explicit_negative", "rephrase") and _only_complains(said):
        return Signal("explicit_negative", max(_SAID_OUTRIGHT, signal.share if signal.kind == "explicit_negative" else 0.0)), form
    unnamed = _UNNAMED.get(signal.kind)
    return signal, None if unnamed is None else form or unnamed


def cut_off(reply: str) -> Error:
    """What a reply that its user did not let come to an end is likely to have been."""
    return "too_long" if len(reply) >= _LONG[is_chinese(reply)] else "cut_off"


def named(said: str) -> Error | None:
    """The error of form that words name, what stands in quotation marks aside; None where they name none."""
    bare, patterns = QUOTED.sub("", said), hints("evolution", "errors")
    return next((error for error in FORMS if patterns[error].search(bare)), None)


def _only_complains(said: str) -> bool:
    bare, patterns = QUOTED.sub("", said).strip(), hints("evolution", "errors")
    asks = patterns["question"].search(bare) and not patterns["demand"].search(bare)
    return len(bare) <= _SHORT[is_chinese(bare)] and not asks and patterns["complaint"].search(bare) is not None
