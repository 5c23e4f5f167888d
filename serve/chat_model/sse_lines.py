"""Reading a server-sent event stream as servers really send it: comments, CRLF, no space after the colon, characters cut by packets."""

from __future__ import annotations

import codecs
import json
from collections.abc import AsyncIterable, AsyncIterator, Iterator
from typing import Any

from schemas.errors import UpstreamFailed

DONE = "[DONE]"


async def chunks(packets: AsyncIterable[bytes]) -> AsyncIterator[dict[str, Any]]:
    """The JSON objects of the stream's ``data`` lines, up to ``[DONE]`` or the end. Raises UpstreamFailed for an error or garbage."""
    async for line in _lines(packets):
        for chunk in parse(line):
            if chunk is None:
                return
            yield chunk


def parse(line: str) -> Iterator[dict[str, Any] | None]:
    """The object of one line; None for ``[DONE]``; nothing for comments, other fields and empty data."""
    payload = data_of(line)
    if payload == DONE:
        yield None
    elif payload:
        yield _object(payload)


def data_of(line: str) -> str:
    """What a ``data`` line carries, :data:`DONE` among it; empty for comments and other fields."""
    return line.removeprefix("data:").strip() if line.startswith("data:") else ""


def raise_error(value: dict[str, Any]) -> None:
    """Raises UpstreamFailed where a server put an error in the place of an answer."""
    error = value.get("error")
    if error:
        message = error.get("message") if isinstance(error, dict) else error
        raise UpstreamFailed(f"The model server says: {str(message)[:300]}")


def _object(payload: str) -> dict[str, Any]:
    try:
        value = json.loads(payload)
    except (ValueError, RecursionError):
        raise UpstreamFailed(f"The model server sent what is no JSON: {payload[:80]!r}") from None
    if not isinstance(value, dict):
        raise UpstreamFailed(f"The model server sent {payload[:80]!r} instead of an object.")
    raise_error(value)
    return value


async def _lines(packets: AsyncIterable[bytes]) -> AsyncIterator[str]:
    decoder = codecs.getincrementaldecoder("utf-8")("replace")
    rest = ""
    async for packet in packets:
        rest += decoder.decode(packet)
        *whole, rest = rest.replace("\r\n", "\n").split("\n")
        for line in whole:
            yield line.rstrip("\r")
    if rest:
        yield rest.rstrip("\r")
