"""What leaves this machine: a chat model or an embedder elsewhere is sent only what may be stored (R32).

Every text of a request is masked whatever its place, known field or not, and read together with its neighbours, so that a secret cut
over parts or messages is none the less found. What passes as it is: pictures and sounds, and the numbers that steer a model.
"""

from __future__ import annotations

import asyncio
import base64
import binascii
import json
import re
from collections.abc import Callable
from typing import Any
from urllib.parse import urlsplit

from memory.normalise import digest
from schemas.errors import InvalidRequest
from serve.shard.masking import mask, masked_by_speaker, masked_id, masked_together

Take = Callable[[str], str]

_VOCABULARY = frozenset({"role", "type", "format", "detail", "object", "finish_reason", "model", "effort", "tool_choice"})
"""Fields of the protocol's own words: masked like any, yet no neighbours of what is said."""
_IDS = frozenset({"id", "tool_call_id", "file_id", "call_id", "item_id", "previous_response_id"})
_STEERING = frozenset(
    {"seed", "n", "max_tokens", "max_completion_tokens", "temperature", "top_p", "top_k", "min_p", "presence_penalty", "frequency_penalty"}
    | {"logit_bias", "top_logprobs", "repetition_penalty", "length_penalty", "min_tokens", "priority", "created", "index"}
    | {"minimum", "maximum", "minLength", "maxLength", "minItems", "maxItems", "multipleOf", "stop_token_ids", "truncate_prompt_tokens"}
)
_OF_A_SCHEMA = frozenset({"default", "enum", "const", "example", "examples", "value"})
"""Under these a JSON schema holds values of the property that it describes: they go by its name."""
_FILES = frozenset({"url", "data", "file_data"})
_DATA_URL = re.compile(r"data:(?P<media>[\w.+-]*/?[\w.+-]*)(?P<rest>[^,]{0,200}?)(?P<base64>;base64)?,", re.IGNORECASE)
_TEXT_MEDIA = re.compile(r"^$|^text/|json|xml|csv|yaml|javascript", re.IGNORECASE)
_INLINE_CHARS = 20_000


def is_elsewhere(url: str | None) -> bool:
    """Whether a model at ``url`` sits outside this machine; None: it is our own."""
    return url is not None and urlsplit(url).hostname not in ("localhost", "127.0.0.1", "::1")


async def masked_beside(body: dict[str, Any]) -> dict[str, Any]:
    """:func:`masked_body`, a large one beside the event loop."""
    if len(str(body)) <= _INLINE_CHARS:
        return masked_body(body)
    return await asyncio.to_thread(masked_body, body)


def masked_body(body: dict[str, Any]) -> dict[str, Any]:
    """A chat request with all its texts masked; its structure, and what JSON it carries, stay valid.

    Raises InvalidRequest for a tool whose name holds a secret: under another name it could not be called.
    """
    said: list[str] = []

    def heard(text: str) -> str:
        said.append(text)
        return text

    body = _by_speaker(body)
    _walked(body, "", heard)
    masked = iter(masked_together(said))
    result: dict[str, Any] = _walked(body, "", lambda _: next(masked))
    return result


def _by_speaker(body: dict[str, Any]) -> dict[str, Any]:
    """The messages with what each speaker says masked together, as it is where it is stored: an answer in between hides nothing."""
    messages = [message for message in body.get("messages") or [] if isinstance(message, dict)]
    places = [(message.get("role", ""), place) for message in messages for place in _spoken(message)]
    texts = masked_by_speaker([(role, holder[key]) for role, (holder, key) in places])
    new = {(id(holder), key): text for (_, (holder, key)), text in zip(places, texts, strict=True)}

    def spoken(message: dict[str, Any]) -> dict[str, Any]:
        content = message.get("content")
        if isinstance(content, list):
            parts = [{**part, "text": new[id(part), "text"]} if (id(part), "text") in new else part for part in content]
            return {**message, "content": parts}
        return {**message, "content": new.get((id(message), "content"), content)} if "content" in message else message

    return {**body, "messages": [spoken(message) for message in messages]} if "messages" in body else body


def _spoken(message: dict[str, Any]) -> list[tuple[dict[str, Any], str]]:
    content = message.get("content")
    if isinstance(content, str) and message.get("role") not in ("tool", "function"):
        return [(message, "content")]
    parts = content if isinstance(content, list) else []
    return [(part, "text") for part in parts if isinstance(part, dict) and isinstance(part.get("text"), str)]


def masked_json(text: str) -> str:
    """A text that may be JSON (arguments of a call, what a tool gave back): as valid as it was, with each value masked."""
    try:
        value = json.loads(text)
        return mask(text) if not isinstance(value, dict | list) else json.dumps(_walked(value, "", mask), ensure_ascii=False)
    except (ValueError, RecursionError):
        return mask(text)


def _walked(value: Any, name: str, take: Take) -> Any:
    """A copy of a JSON value, each text of it given to ``take`` in the order of reading; ``name``: what it is called."""
    if isinstance(value, str):
        return _text(value, name, take)
    if isinstance(value, int) and not isinstance(value, bool):
        word = mask(_called(str(value), name))
        return value if name in _STEERING or word == str(value) else word
    if isinstance(value, list):
        return [_walked(item, name, take) for item in value]
    if isinstance(value, dict):
        return _object(value, name, take)
    return value


def _object(value: dict[str, Any], name: str, take: Take) -> dict[str, Any]:
    if isinstance(value.get("name"), str) and (name in ("function", "function_call") or {"arguments", "parameters"} & value.keys()):
        _require_plain(value["name"])
    gives_back = value.get("role") in ("tool", "function")
    out = {}
    for key, item in value.items():
        if isinstance(item, str) and (key == "arguments" or (key == "content" and gives_back)):
            out[key] = masked_json(item)
        else:
            out[_key(key)] = _walked(item, name if key in _OF_A_SCHEMA and name not in _PLACES else key, take)
    return out


_PLACES = frozenset({"", "messages", "content", "tools", "function", "parameters", "properties", "json_schema", "schema", "items"})
"""Names of the protocol, which say nothing of a value below them."""


def _text(value: str, name: str, take: Take) -> str:
    if name in _VOCABULARY:
        return mask(value)
    if name in _IDS:
        return masked_id("", value)
    if name in _FILES and (file := _masked_file(value, name)) is not None:
        return file
    return take(value if name in _PLACES else _called(value, name))


def _called(word: str, name: str) -> str:
    """What a value is called counts too: that of ``password`` is one, whatever it looks like."""
    label = f"{name}: "
    named = mask(label + word) if name else word
    return named.removeprefix(label) if named.startswith(label) else word


def _key(key: str) -> str:
    shown = mask(key)
    return key if shown == key else f"{shown}~{digest(key)[:8]}"


def _require_plain(name: str) -> None:
    if mask(name) != name:
        raise InvalidRequest(
            "The name of a tool holds what is never sent to a model elsewhere: rename it.", code="never_sent", param="tools"
        )


def _masked_file(value: str, name: str) -> str | None:
    """A file inside the request: texts are masked inside, pictures and sounds pass. None: it is an address, or no file."""
    head = _DATA_URL.match(value, 0, 300)
    if head is None:
        return _masked_blob(value, textual=True) if name != "url" and not value.startswith(("http://", "https://")) else None
    body = value[head.end() :]
    textual = _TEXT_MEDIA.search(head["media"]) is not None
    if head["base64"] is None:
        return head.group() + (mask(body) if textual else body)
    masked = _masked_blob(body, textual=textual)
    return head.group() + (mask(body) if masked is None else masked)


def _masked_blob(value: str, *, textual: bool) -> str | None:
    """Base64: what reads as text inside is masked. None where it is no base64."""
    if not textual:
        return value
    try:
        inside = base64.b64decode(value, validate=True)
    except (binascii.Error, ValueError):
        return None
    try:
        text = inside.decode()
    except UnicodeDecodeError:
        return value
    masked = mask(text)
    return value if masked == text else base64.b64encode(masked.encode()).decode()
