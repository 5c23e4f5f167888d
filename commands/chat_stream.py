"""One exchange with the assistant over HTTP: the reply as it comes, and which memories it used."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING
from urllib.parse import quote

from schemas.errors import LaomaError, NotFound, UpstreamFailed

if TYPE_CHECKING:
    from commands.client import Service

Message = Mapping[str, str]


@dataclass(frozen=True)
class Reply:
    """A reply under way: ``pieces`` yields its text; ``recalled`` are the ids of the memories in its prompt."""

    turn: str | None
    recalled: tuple[str, ...]
    pieces: Iterator[str]


@dataclass(frozen=True)
class Used:
    """A memory that a reply used."""

    id: str
    text: str


@contextmanager
def ask(service: Service, messages: Sequence[Message], *, conversation: str, memory: str = "on") -> Iterator[Reply]:
    """Sends the conversation; leaving the block early stops the generation."""
    body = {"model": "laoma", "messages": list(messages), "stream": True}
    headers = {"X-Laoma-Conversation": quote(conversation, safe=""), "X-Laoma-Memory": memory}
    with service.stream("POST", "/v1/chat/completions", body, headers) as answer:
        ids = tuple(id.strip() for id in answer.headers.get("x-laoma-recalled", "").split(",") if id.strip())
        yield Reply(answer.headers.get("x-laoma-turn"), ids, pieces(answer.lines))


def used(service: Service, ids: Iterable[str]) -> list[Used]:
    """Those memories in words; one that was forgotten meanwhile is left out."""
    found: list[Used] = []
    for id in ids:
        try:
            found.append(Used(id, service.get(f"/v1/memories/{quote(id, safe='')}")["memory"]["text"]))
        except NotFound:
            continue
    return found


def pieces(lines: Iterable[str]) -> Iterator[str]:
    """The text in a stream of server-sent events; comments and unknown fields are passed over, an error in the stream is raised."""
    from serve.chat_model.sse_lines import DONE, data_of

    for line in lines:
        data = data_of(line)
        if data == DONE:
            return
        yield from _text(data)


def _text(data: str) -> Iterator[str]:
    try:
        event = json.loads(data) if data else {}
    except ValueError:
        raise UpstreamFailed(f"the reply broke off with something that is no JSON: {data[:80]}") from None
    if error := event.get("error"):
        raise LaomaError(str(error.get("message", error)), code=error.get("code"))
    for choice in event.get("choices") or []:
        content = (choice.get("delta") or {}).get("content")
        if content:
            yield content
