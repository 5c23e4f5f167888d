"""Which exchanges of a conversation the model reads verbatim (R1, R2): the last ones, from a beginning that moves in steps.

Within a step the beginning stays where it is, so that a prompt grows at its end only and the model server's prefix cache holds.
An exchange is what the user says, one message or several in a row, and all that follows until the user speaks again.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import Any

Message = dict[str, Any]
STANDING_ROLES = ("system", "developer")


def leaving(count: int, *, keep: int, step: int) -> int:
    """How many of ``count`` exchanges (the one that waits for its reply is one) have left a window of ``keep``, by steps of ``step``.

    One is always left. A step is at most half the window: a small window would be empty after it.
    """
    if count <= keep:
        return 0
    step = step_of(keep=keep, step=step)
    return step * -(-(count - keep) // step)


def step_of(*, keep: int, step: int) -> int:
    """By how many exchanges the window moves on."""
    return max(1, min(step, keep // 2))


def beginnings(roles: Sequence[str]) -> list[int]:
    """Where exchanges begin: at a message of the user that follows none of theirs."""
    return [place for place, role in enumerate(roles) if role == "user" and (place == 0 or roles[place - 1] != "user")]


@dataclass(frozen=True)
class Cut:
    """``exchanges`` have left, the first ``turns`` of the branch; of the client's own list the first ``messages``."""

    exchanges: int
    turns: int
    messages: int


def cut(roles: Sequence[str], sent: int, *, keep: int, step: int) -> Cut | None:
    """What of a branch (its roles from the first turn on) leaves the window; None where all that the client sent stays.

    ``sent``: messages in the client's list, which ends where the branch ends. A client that sends less than the whole has its window
    begin where the whole conversation's would, so that it stays there too.
    """
    begins = beginnings(roles)
    exchanges = leaving(len(begins), keep=keep, step=step)
    if not exchanges:
        return None
    turns = begins[exchanges]
    messages = sent - (len(roles) - turns)
    return Cut(exchanges, turns, messages) if messages > 0 else None


def kept(messages: Sequence[Message], start: int) -> list[Message]:
    """A message list without what lies before ``start``, a message of the user; system messages stay.

    Earlier messages stay too where taking them away would tear something apart: a message of the user without text right before
    (a picture), and the exchange in which a tool was called whose result comes later.
    """
    start = _run(messages, start)
    while start > 0 and (called := _orphans(messages, start)):
        makes = [place for place in range(start) if called & _calls(messages[place])]
        if not makes:
            break  # the client itself has torn it apart
        start = max((place for place in beginnings([one["role"] for one in messages]) if place <= makes[0]), default=0)
    return [message for place, message in enumerate(messages) if place >= start or message["role"] in STANDING_ROLES]


def _run(messages: Sequence[Message], start: int) -> int:
    while start > 0 and messages[start - 1]["role"] == "user":
        start -= 1
    return start


def _orphans(messages: Sequence[Message], start: int) -> set[str]:
    made: Collection[str] = {id for message in messages[start:] for id in _calls(message)}
    answered = {str(message.get("tool_call_id")) for message in messages[start:] if message["role"] == "tool"}
    return answered - set(made)


def _calls(message: Message) -> set[str]:
    calls = message.get("tool_calls")
    return {str(call.get("id")) for call in calls if isinstance(call, dict)} if isinstance(calls, list) else set()
