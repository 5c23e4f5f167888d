"""Can a chat model follow an instruction and keep to a JSON schema? Asked before it is trusted with extraction (R9)."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import TYPE_CHECKING

from schemas.errors import LaomaError, NotFound, Unauthorized, Unavailable

if TYPE_CHECKING:
    from commands.client import Json, Service

WORD = "老马识途"
INSTRUCTION = f"Repeat exactly this and nothing else: {WORD}"
STATEMENT = "我叫周宁，住在厦门，对虾过敏。"
EXPECTED = {"name": "周宁", "city": "厦门", "allergy": "虾"}
SCHEMA = {
    "type": "object",
    "properties": {name: {"type": "string"} for name in EXPECTED},
    "required": list(EXPECTED),
    "additionalProperties": False,
}
MAX_TOKENS = 2000
"""Room for a model that thinks before it answers."""


@dataclass(frozen=True)
class Verdict:
    """What the model managed; ``detail`` names what it said instead."""

    instructions: bool
    json: bool
    detail: str = ""

    @property
    def capable(self) -> bool:
        """Good enough to extract memories: else the offline rules go on alone."""
        return self.instructions and self.json


def probe(service: Service, path: str, model: str) -> Verdict:
    """Two real requests. Raises what stands in the way of asking at all (no connection, no key, no such model)."""
    repeated = _ask(service, path, {"model": model, "messages": [_user(INSTRUCTION)], "max_tokens": MAX_TOKENS, "temperature": 0})
    follows = WORD in repeated and len(repeated.strip()) <= 2 * len(WORD)
    wanted = {"type": "json_schema", "json_schema": {"name": "person", "schema": SCHEMA, "strict": True}}
    question = f"Extract name, city and allergy from this sentence as JSON: {STATEMENT}"
    try:
        filled = _ask(
            service,
            path,
            {"model": model, "messages": [_user(question)], "max_tokens": MAX_TOKENS, "temperature": 0, "response_format": wanted},
        )
    except (NotFound, Unauthorized, Unavailable):
        raise
    except LaomaError as error:
        return Verdict(follows, False, f"JSON schema refused: {error.message}")
    right = _fills(filled)
    wrong = [f"said {repeated.strip()[:60]!r}"] * (not follows) + [f"filled {filled.strip()[:80]!r}"] * (not right)
    return Verdict(follows, right, "; ".join(wrong))


def offered(service: Service, path: str) -> list[str]:
    """Names of the models that a server offers, in its order."""
    listed = service.get(path)
    return [str(entry["id"]) for entry in (listed or {}).get("data") or []]


def _ask(service: Service, path: str, body: Json) -> str:
    answer = service.post(path, body)
    try:
        return _without_thinking(answer["choices"][0]["message"].get("content") or "")
    except (KeyError, IndexError, TypeError, AttributeError):
        raise LaomaError(f"{service.url} does not answer as OpenAI's chat completions do") from None


def _user(text: str) -> dict[str, str]:
    return {"role": "user", "content": text}


def _without_thinking(text: str) -> str:
    return text.rpartition("</think>")[2]


def _fills(text: str) -> bool:
    try:
        found = json.loads(text)
    except ValueError:
        return False
    return isinstance(found, dict) and all(value in str(found.get(name, "")) for name, value in EXPECTED.items())
