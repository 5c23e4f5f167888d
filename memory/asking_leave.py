"""The line that asks, once, whether a sensitive matter may be kept (R32)."""

from __future__ import annotations

from collections.abc import Iterable

from memory.privacy import Sensitive
from schemas.turn import Turn

MATTER: dict[Sensitive, tuple[str, str]] = {
    "health": ("健康", "your health or that of somebody close"),
    "religion": ("信仰", "faith"),
    "politics": ("政治", "politics"),
    "government": ("涉及官方事务", "dealings with the authorities"),
}
_ZH = "（你提到了{}方面的事。没有你的同意，这类事我不会记下来。以后可以记吗？回答“可以”或“不用”。）"
_EN = '(You mentioned {}. I keep nothing of this kind without your leave. May I remember it from now on? Say "yes" or "no".)'


def question(matter: Sensitive, *, chinese: bool) -> str:
    """The line for a matter."""
    return (_ZH if chinese else _EN).format(MATTER[matter][0 if chinese else 1])


def matter_asked(reply: str) -> Sensitive | None:
    """What a reply asked leave for, at its end."""
    end = reply.rstrip()
    return next((matter for matter in MATTER if end.endswith((question(matter, chinese=True), question(matter, chinese=False)))), None)


def asked_in(turns: Iterable[Turn]) -> frozenset[Sensitive]:
    """The matters that leave was ever asked for."""
    return frozenset(matter for turn in turns if turn.role == "assistant" and (matter := matter_asked(turn.content)) is not None)
