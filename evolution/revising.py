"""What to propose for a batch of samples: a ready rule for the common errors, a model's sentence for the others (E3, E4)."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from typing import Any, Final

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from evolution.batches import Batch, in_chinese
from evolution.proposals import rule_for
from memory.extract.answer import BadAnswer, without_thinking
from memory.prompts import Language, render
from schemas.conversation import Error
from schemas.policy import RULE_CHARS, Policy

_PROMPT = "revise"
_SAMPLES, _ASKED, _REPLY, _SAID = 6, 160, 240, 160
"""So many samples are shown, and so many characters of each."""
_TOKENS = 300
_OPPOSITE: Final[dict[Error, Error]] = {"too_long": "too_short", "too_short": "too_long"}
_PLACED: Final[dict[Language, str]] = {"zh": "谈到{about}时，{rule}", "en": "On {about}: {rule}"}


class Draft(BaseModel):
    """``rule`` is the new sentence ("" where none is sure to help), ``fault`` the live one that it replaces."""

    model_config = ConfigDict(frozen=True, extra="ignore")

    rule: str = Field("", max_length=RULE_CHARS)
    fault: str = Field("", max_length=RULE_CHARS)
    situation: bool = False


def ready(batch: Batch, live: Policy | None) -> list[Draft]:
    """Without a model: the rule for the error, for the topic alone where its name is known, and in general; the first that the
    constitution lets through is proposed. Empty where the error's name does not tell what is wanted."""
    said = next((one.said for one in reversed(batch.samples) if one.said), "")
    chinese = in_chinese(batch.samples)
    speech = said if batch.error == "wrong_language" else ("中文" if chinese else "English")
    rule = rule_for(batch.error, speech)
    if rule is None:
        return []
    against = _OPPOSITE.get(batch.error)
    opposite = rule_for(against, speech) if against is not None else None
    lines = live.lines if live is not None else []
    drafts = []
    for about in dict.fromkeys([batch.about, ""]):
        fault = _placed(opposite, about, chinese) if opposite is not None else ""
        drafts.append(Draft(rule=_placed(rule, about, chinese), fault=fault if fault in lines else "", situation=bool(about)))
    return drafts


def _placed(rule: str, about: str, chinese: bool) -> str:
    if not about:
        return rule
    return _PLACED["zh" if chinese else "en"].format(about=about, rule=rule if chinese else rule[0].lower() + rule[1:])


def question(batch: Batch, rules: Sequence[str]) -> dict[str, Any]:
    """The body of a chat completion that asks a model for a rule; ``rules`` are the live ones."""
    language: Language = "zh" if in_chinese(batch.samples) else "en"
    shown = [(one.asked[:_ASKED], one.reply[:_REPLY], one.said[:_SAID]) for one in batch.samples[-_SAMPLES:]]
    messages = render(_PROMPT, language, package="evolution.prompts", error=batch.error, rules=list(rules), samples=shown)
    properties = {"rule": {"type": "string", "maxLength": RULE_CHARS}, "fault": {"type": "string", "enum": ["", *dict.fromkeys(rules)]}}
    schema = {"type": "object", "properties": properties, "required": ["rule", "fault"], "additionalProperties": False}
    return {
        "messages": messages,
        "response_format": {"type": "json_schema", "json_schema": {"name": "revision", "schema": schema, "strict": True}},
        "temperature": 0.0,
        "max_tokens": _TOKENS,
    }


def read_draft(text: str, rules: Sequence[str]) -> Draft:
    """What a model answered; a ``fault`` that is no live rule is none. Raises BadAnswer where no object of that shape is in it."""
    found = re.search(r"\{.*\}", without_thinking(text), re.DOTALL)
    try:
        draft = Draft.model_validate(json.loads(found.group() if found else ""))
    except (ValueError, ValidationError):
        raise BadAnswer(f"no revision in {' '.join(text.split())[:80]!r}") from None
    return Draft(rule=" ".join(draft.rule.split()), fault=draft.fault if draft.fault in rules else "")
