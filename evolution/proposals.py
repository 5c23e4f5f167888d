"""The rule that answers a kind of error, in the user's language (E4): for what is common no model is needed."""

from __future__ import annotations

import re
from typing import Final

from memory.normalise import is_chinese
from schemas.conversation import Error

_RULES: Final[dict[Error, tuple[str, str]]] = {
    "missed_entity": (
        "用户列出几项时，逐项回答，一项也不漏。",
        "When the user lists several things, answer each of them and leave none out.",
    ),
    "steps_first": ("先用一句话给出结论，再说步骤和理由。", "Give the conclusion in one sentence first, then steps and reasons."),
    "too_long": ("回答尽量简短，三句话以内说完要点。", "Keep answers short: the main points in three sentences at most."),
    "too_short": ("回答详细一点，补充细节和例子。", "Make answers more detailed, with specifics and an example."),
    "too_hard": ("用通俗的语言回答，少用术语，用到时加一句解释。", "Use plain words, and explain each technical term."),
    "asks_back": ("先给出回答，少反问。", "Ask fewer questions back: answer first."),
    "misread": (
        "问题有两种理解时，先用一句话说明按哪种理解来答。",
        "When a question can be read in two ways, first say in one sentence how it was read.",
    ),
}
"""(Chinese, English). What is not here (a form, a tone, a wrong fact) takes a model, or a person, to say what is wanted instead."""
_LANGUAGES: Final = {True: ("用英文回答。", "Reply in English."), False: ("用中文回答。", "Reply in Chinese.")}
_ENGLISH = re.compile(r"英文|英语|english", re.I)
FORM_ALONE: Final[tuple[Error, ...]] = ("steps_first", "too_long", "too_short", "too_hard", "wrong_language", "asks_back")
"""Errors about how something is said, which one word of the user's settles for a conversation (E5)."""


def rule_for(error: Error, said: str) -> str | None:
    """What the assistant should do instead, in the language of the complaint ``said``; None where the error's name does not tell."""
    pair = _LANGUAGES[_ENGLISH.search(said) is not None] if error == "wrong_language" else _RULES.get(error)
    return None if pair is None else pair[0 if is_chinese(said) else 1]
