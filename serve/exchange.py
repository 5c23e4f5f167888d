"""One exchange: open it in the shard, prompt the model with memory, close it with the reply.

The user's turn is on disk before the model is asked, the reply before the client is told that it is complete. A reply that breaks
off is kept as interrupted; one that never began leaves no row.
"""

from __future__ import annotations

import asyncio
import logging
import time
from typing import Any
from urllib.parse import quote

from memory.client_words import is_errand, said_of_it
from memory.prompt import text_of, with_memory
from memory.window import kept
from schemas.chat import ChatRequest
from schemas.errors import InvalidRequest, LaomaError
from schemas.exchange import Closing, Opened, Opening, Spoken
from schemas.settings import Settings
from serve.auth import Caller
from serve.outbound import is_elsewhere, masked_beside
from serve.parts import Parts
from serve.shard.service import ShardService
from serve.unicode import has_text, whole, whole_json

log = logging.getLogger("laoma.gateway")
POCKET_PERSONA = "You answer in one short English sentence."
"""All that a model of 135 million parameters can follow."""
POCKET_PENALTY = 1.2
"""Of repeated tokens, vLLM's ``repetition_penalty``: without it such a model goes round in circles."""
_TEXT_PARTS = ("text", "input_text", "output_text")
_PASSED_PARTS = ("image_url", "input_audio", "file", "refusal", "video_url", "audio_url")


class Exchange:
    """The state of one chat completion between its request and its reply."""

    def __init__(self, parts: Parts, who: Caller, opened: Opened | None, reply_id: str, begins: int = 0) -> None:
        """``begins``: where in the client's list the window begins (R1)."""
        self._parts = parts
        self._who = who
        self.opened = opened
        self.reply_id = reply_id
        self._begins = begins
        self._began = time.monotonic()
        self._first_token_ms: float | None = None
        self._text: list[str] = []
        self._usage: dict[str, Any] = {}
        self._model: str | None = None
        self._closed = False
        self._settling = asyncio.Lock()

    def headers(self) -> dict[str, str]:
        """Which turn the reply will be, and which memories were used."""
        if self.opened is None:
            return {}
        headers = {"X-Laoma-Conversation": _header(self.opened.conversation_id), "X-Laoma-Recalled": ",".join(self.opened.recalled)}
        if self.opened.parent is not None:
            headers["X-Laoma-Turn"] = self.reply_id
        return headers

    @property
    def answer(self) -> str | None:
        """The reply itself, where no model is to make it up."""
        return self.opened.answer if self.opened is not None else None

    def aside(self, body: dict[str, Any]) -> str:
        """A line to stand below the model's reply; none where the client wants a form of its own."""
        return "" if _shaped(body) or self.opened is None else self.opened.aside

    async def prompt(self, body: dict[str, Any]) -> dict[str, Any]:
        """The body for the model server."""
        return await prompted(self._parts.settings, self.opened, body, begins=self._begins)

    def hear(self, chunk: dict[str, Any]) -> None:
        """Take note of a piece of the reply (a streamed chunk or a whole completion)."""
        self._model = chunk.get("model") or self._model
        self._usage = chunk.get("usage") or self._usage
        for choice in chunk.get("choices") or []:
            if choice.get("index", 0) == 0:
                text = text_of((choice.get("delta") or choice.get("message") or {}).get("content"))
                if text:
                    self._text.append(text)
                    if self._first_token_ms is None and "delta" in choice:
                        self._first_token_ms = self._elapsed_ms()

    async def close(self, *, interrupted: bool) -> None:
        """Store the reply, once. Nothing is stored for an empty one. What could not be stored may be tried again."""
        async with self._settling:
            if self._closed or self.opened is None or self.opened.parent is None:
                return
            await self._parts.shards.call(ShardService.close_exchange, self._who.user, self._closing(self.opened, interrupted))
            self._closed = True
        if self._first_token_ms is not None:
            self._parts.metrics.first_token.observe(self._first_token_ms / 1000)

    async def abandon(self) -> None:
        """There is no reply, or none that could be stored; what the user said is settled all the same."""
        async with self._settling:
            if self._closed or self.opened is None or self.opened.parent is None:
                return
            await self._parts.shards.call(ShardService.abandon_exchange, self._who.user, self.opened)
            self._closed = True

    async def break_off(self) -> None:
        """Keep what there is of the reply as interrupted; where that fails too, let go of the exchange. Never raises an error of ours."""
        for attempt in (self.close(interrupted=True), self.abandon()):
            try:
                await attempt
            except LaomaError as error:
                log.warning("the reply %s could not be settled: %s", self.reply_id, error.message)

    def _closing(self, opened: Opened, interrupted: bool) -> Closing:
        return Closing(
            id=self.reply_id,
            opened=opened,
            content=opened.record or whole("".join(self._text)),
            interrupted=interrupted,
            model=whole(self._model) if self._model else None,
            first_token_ms=self._first_token_ms,
            total_ms=self._elapsed_ms(),
            prompt_tokens=self._usage.get("prompt_tokens"),
            completion_tokens=self._usage.get("completion_tokens"),
            at=self._parts.now(),
        )

    def _elapsed_ms(self) -> float:
        return (time.monotonic() - self._began) * 1000


async def prompted(settings: Settings, opened: Opened | None, body: dict[str, Any], *, begins: int = 0) -> dict[str, Any]:
    """The body for the model server: the client's from ``begins`` on, with memory in its messages and the configured model's name."""
    standing, recent = (opened.standing, opened.recent) if opened else ("", "")
    pocket = settings.model.is_pocket
    if opened is not None and not (pocket or _shaped(body)):
        recent = "\n\n".join(part for part in (recent, opened.first_question) if part)
    persona = POCKET_PERSONA if pocket else settings.briefing.persona
    policy, manner = (opened.policy, opened.manner) if opened else ("", "")
    persona = "\n\n".join(part for part in (persona, policy) if part)
    standing = "\n\n".join(part for part in (standing, manner) if part)
    summary = opened.summary if opened else ""
    messages = with_memory(kept(body["messages"], begins), persona=persona, standing=standing, recent=recent, summary=summary)
    if pocket:
        body = {"repetition_penalty": POCKET_PENALTY, **body}
    if body.get("max_completion_tokens") is not None:
        body = {key: value for key, value in body.items() if key != "max_tokens"}
    limit = settings.model.reply_limit
    if limit is not None and body.get("max_tokens") is None and body.get("max_completion_tokens") is None:
        body = {**body, "max_tokens": limit}
    prompt = {**body, "messages": messages}
    return {**(await masked_beside(prompt) if is_elsewhere(settings.model.url) else prompt), "model": settings.model.name}


async def open_exchange(parts: Parts, who: Caller, body: dict[str, Any], conversation: str | None, mode: str) -> Exchange:
    """Store what the client said and recall (mode ``on``), recall only (``read``), or neither (``off``)."""
    reply_id = parts.new_id()
    if mode == "off":
        return Exchange(parts, who, None, reply_id)
    said = [(place, message["role"], text) for place, message in enumerate(body["messages"]) if has_text(text := _said(message))]
    spoken = [Spoken(role=role, text=text) for _, role, text in said]
    ids = [parts.new_id() for _ in spoken]
    opening = Opening(messages=spoken, ids=ids, conversation_id=conversation, store=mode == "on", at=parts.now())
    opened = await parts.shards.call(ShardService.open_exchange, who.user, opening)
    parts.metrics.recalled.observe(len(opened.recalled))
    return Exchange(parts, who, opened, reply_id, begins=said[opened.cut][0] if opened.cut else 0)


def checked_body(request: ChatRequest) -> dict[str, Any]:
    """The request as a plain body, text parts in one spelling. Raises InvalidRequest that names the part at fault."""
    body: dict[str, Any] = whole_json(request.model_dump(exclude_unset=True))
    if (request.n or 1) != 1:
        raise InvalidRequest("One choice a request: leave n out or set it to 1.", param="n")
    for number, message in enumerate(body["messages"]):
        if isinstance(message.get("content"), list):
            message["content"] = [_part(part, f"messages[{number}].content[{index}]") for index, part in enumerate(message["content"])]
    return body


def _shaped(body: dict[str, Any]) -> bool:
    """Whether the client wants the reply in a form of its own: a schema, JSON."""
    form = body.get("response_format")
    return isinstance(form, dict) and form.get("type", "text") != "text"


def _part(part: dict[str, Any], where: str) -> dict[str, Any]:
    kind = part.get("type")
    if kind in _TEXT_PARTS and isinstance(part.get("text"), str):
        return {"type": "text", "text": part["text"]}
    if kind in _PASSED_PARTS:
        return part
    raise InvalidRequest(f"{where}.type: {str(kind)[:40]!r} is no part that is understood; send text or image_url.", param=f"{where}.type")


def errand(body: dict[str, Any]) -> bool:
    """Whether the client asks something for itself: a title, tags, a summary of the talk."""
    return is_errand([(message["role"], text_of(message.get("content"))) for message in body["messages"]])


def _said(message: dict[str, Any]) -> str:
    text = text_of(message.get("content")) if message["role"] in ("user", "assistant") else ""
    return said_of_it(text) if message["role"] == "user" else text


def _header(text: str) -> str:
    """A header carries Latin-1 only: anything else is percent-encoded, as in an URL, and so is a text that would read as if it were."""
    plain = text.isascii() and text.isprintable() and "%" not in text and text == text.strip()
    return text if plain else quote(text, safe="")
