"""The one light question to somebody new (R28): how to call them, woven into the first reply by the model."""

from __future__ import annotations

import re

from memory.normalise import is_chinese, mirror

_ZH = "（这位用户第一次来聊天。先好好回答；如果合适，末尾轻轻问一句该怎么称呼对方。只问这一句，别的不问。）"
_EN = "(This user is here for the first time. Answer first; if it fits, ask at the end what to call them, that one thing only.)"
_SAID = re.compile(r"我叫|叫我|我是|称呼我|我的名字|\bmy name\b|\bcall me\b|\bi am [a-z]|\bi'm [a-z]|\bthis is [a-z]+\b")


def first_question(said: str) -> str:
    """What the model is told beside the first words of a new user; empty where they say already who they are."""
    if not said.strip() or _SAID.search(mirror(said).replace("’", "'")):
        return ""
    return _ZH if is_chinese(said) else _EN
