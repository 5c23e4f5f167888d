"""From staged conversations to what may be stored of them: ids, times, masks, and the few statements that last."""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from functools import lru_cache
from itertools import groupby
from uuid import NAMESPACE_URL, uuid5
from zoneinfo import ZoneInfo

import numpy as np

from jobs.imports.conversation import Told, Utterance
from memory.embedding_text import joined, pieces
from memory.extract.offline import OfflineExtractor
from memory.extract.protocol import Passage, Said
from memory.extract.stated import stated
from memory.normalise import digest as digest_of
from memory.ports import Embedder, Floats
from memory.privacy import Sensitive, names_a_secret
from memory.statement import Statement
from schemas.conversation import Conversation
from schemas.settings import Embedding
from schemas.turn import Extraction, Turn
from serve.embedders import build
from serve.shard.importing import Found, Imported
from serve.shard.masking import marks_in, mask, masked_by_speaker, storable_dialogue
from serve.unicode import has_text

_BEFORE = 20
_TICK = timedelta(microseconds=1)
_EARLIEST, _LATEST = 1990, 2200
_TITLE, _TOPIC, _VIEW, _REPLY = 40, 40, 100, 40
"""Characters of a title, and of the parts of a day's summary (R2: 200 together)."""
_PLAIN_ID = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,99}")


@dataclass(frozen=True)
class Batch:
    """Conversations to digest, each with its format and the time at which its file was written."""

    user: str
    import_id: str
    zone: str
    agreed: frozenset[Sensitive]
    embedding: Embedding
    told: list[tuple[str, Told, datetime]]


@dataclass(frozen=True)
class Digest:
    """What may be stored, and why the rest says nothing."""

    brought: list[Imported]
    dropped: Counter[str]


def digest(batch: Batch) -> Digest:
    """The conversations of a batch as they may be stored (R6, R8, R32); the same batch gives the same rows."""
    embedder, extractor = _tools(batch.embedding.model_dump_json())
    found = [_conversation(batch, embedder, extractor, *one) for one in batch.told]
    dropped: Counter[str] = Counter()
    for _, reasons in found:
        dropped += reasons
    return Digest([one for one, _ in found if one.turns], dropped)


@lru_cache(maxsize=1)
def _tools(embedding: str) -> tuple[Embedder, OfflineExtractor]:
    """Once a process: the embedder weighs 100 MB."""
    embedder = build(Embedding.model_validate_json(embedding))
    return embedder, OfflineExtractor(embedder)


def _conversation(
    batch: Batch, embedder: Embedder, extractor: OfflineExtractor, format: str, told: Told, written: datetime
) -> tuple[Imported, Counter[str]]:
    conversation = conversation_id(format, told)
    said = [one for one in told.utterances if has_text(one.text)]
    masks = masked_by_speaker([(one.role, one.text) for one in said])
    texts = storable_dialogue([(one.role, text) for one, text in zip(said, masks, strict=True)], batch.agreed)
    dropped = Counter({"masked": sum(bool(marks_in(text)) for text in texts)})
    turns: list[Turn] = []
    found: dict[str, list[Found]] = {}
    parent = exchange = None
    for one, text, at, id in zip(said, texts, _times(told, said, written), turn_ids(batch.user, conversation, said), strict=True):
        exchange = id if exchange is None or one.role == "user" else exchange
        state, why = _state(told, one)
        if why is None:
            before = tuple(Said(turn.role, turn.content) for turn in turns[-_BEFORE:])
            statements = (
                _saved(text, at, batch, extractor) if told.saved else extractor.extract(Passage(text, at, ZoneInfo(batch.zone), before))
            )
            kept = [statement for statement in statements if not names_a_secret(statement.text) and statement.mood == "plain"]
            if kept:
                found[id] = [Found(statement, _vector(embedder, statement.text, batch.embedding.max_chars)) for statement in kept]
                state = "pending"
            else:
                why = "nothing_lasting"
        if why is not None:
            dropped[why] += 1
        turns.append(
            Turn(
                id=id,
                user=batch.user,
                conversation=conversation,
                exchange=exchange,
                parent=parent,
                at=at,
                role=one.role,
                speaker=mask(one.name) if one.name else None,
                content=text,
                external_id=mask(one.id)[:200] if one.id else None,
                import_id=batch.import_id,
                origin="import",
                extraction=state,
            )
        )
        parent = id
    return Imported(_row(batch, conversation, told, turns, found), turns, found), +dropped


def _saved(text: str, at: datetime, batch: Batch, extractor: OfflineExtractor) -> list[Statement]:
    """A statement that was kept elsewhere is one here, whole; where something of it may not be stored it says nothing any more."""
    return [] if marks_in(text) else [stated(text, extractor, at=at, zone=ZoneInfo(batch.zone))]


def _state(told: Told, one: Utterance) -> tuple[Extraction, str | None]:
    """The extraction state of a turn that is not read, and why; None: it is to be read."""
    if one.role == "assistant":
        return "skipped", "reply"
    if one.role == "other":
        return "skipped", "other_people"
    return ("skipped", "role_play") if told.fiction else ("done", None)


def conversation_id(format: str, told: Told) -> str:
    """The same conversation has the same id in every export of it. One without an id is known by its place and how it begins."""
    if not told.opaque:
        return f"{format}-{told.id}" if _PLAIN_ID.fullmatch(told.id) else f"{format}-{digest_of(told.id)[:32]}"
    first = told.utterances[0] if told.utterances else Utterance("user", "")
    began = first.at.isoformat() if first.at else ""
    return f"{format}-{digest_of(told.id, first.role, first.text, began)[:32]}"


def turn_ids(user: str, conversation: str, said: Sequence[Utterance]) -> list[str]:
    """UUIDv5 of user, conversation and the export's own message id, else of position and text (DESIGN §4)."""
    ids: list[str] = []
    seen: Counter[str] = Counter()
    for place, one in enumerate(said):
        own = f"id:{one.id}" if one.id else f"at:{place}:{digest_of(one.role, one.text)}"
        seen[own] += 1
        if seen[own] > 1:  # an export that gives two messages one id
            own = f"{own}#{seen[own]}"
        ids.append(str(uuid5(NAMESPACE_URL, json.dumps(["laoma", user, "import", conversation, own]))))
    return ids


def _times(told: Told, said: Sequence[Utterance], written: datetime) -> list[datetime]:
    """When each was said, growing. One without a time of its own follows the one before it; the first is as old as its conversation."""
    known = next((one.at for one in said if one.at is not None), None)
    last = told.began or known or told.updated or written
    times: list[datetime] = []
    for one in said:
        at = one.at if one.at is not None and _EARLIEST <= one.at.year < _LATEST else last
        last = max(at, times[-1] + _TICK) if times else at
        times.append(last)
    return times


def _vector(embedder: Embedder, text: str, limit: int) -> Floats:
    return joined(np.asarray(embedder.passage(pieces(text, limit) or [" "])))


def _row(batch: Batch, id: str, told: Told, turns: Sequence[Turn], found: dict[str, list[Found]]) -> Conversation:
    first = turns[0].at if turns else told.began or told.updated or datetime.fromisoformat("2000-01-01T00:00:00+00:00")
    last = turns[-1].at if turns else first
    title = told.title or next((turn.content for turn in turns if turn.role == "user"), None)
    return Conversation(
        id=id,
        user=batch.user,
        title=_cut(mask(title), _TITLE) if title else None,
        opened_at=first,
        last_at=last,
        closed_at=last,
        summaries=[_summary(day, list(of_day), found) for day, of_day in groupby(turns, lambda turn: _day(turn, batch.zone))],
        watermark=turns[-1].id if turns else None,
    )


def _day(turn: Turn, zone: str) -> str:
    return turn.at.astimezone(ZoneInfo(zone)).date().isoformat()


def _summary(day: str, turns: Sequence[Turn], found: dict[str, list[Found]]) -> str:
    """A day of a conversation in R2's five keys, at most 200 characters of text: what it began with, what lasts of it, how it ended."""
    asked = next((turn.content for turn in turns if turn.role != "assistant"), "")
    view = "；".join(dict.fromkeys(one.statement.text for turn in turns for one in found.get(turn.id, ())))
    reply = next((turn.content for turn in reversed(turns) if turn.role == "assistant"), "")
    told = {
        "day": day,
        "topic": _cut(asked, _TOPIC),
        "user_view": _cut(view, _VIEW),
        "assistant_decision": _cut(reply, _REPLY),
        "open_items": "",
        "emotion": "",
    }
    return json.dumps(told, ensure_ascii=False)


def _cut(text: str, length: int) -> str:
    plain = " ".join(text.split())
    return plain if len(plain) <= length else plain[: length - 1] + "…"
