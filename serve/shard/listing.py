"""What a user may read of their own rows, in pages."""

from __future__ import annotations

import base64
from collections import Counter
from collections.abc import Callable, Sequence
from datetime import datetime, timedelta
from typing import TypeVar
from zoneinfo import ZoneInfo

from lake.erasure import erase_conversation
from lake.history import sealed_turns
from lake.store import ShardStore, quote
from lake.tables import chunked
from memory.normalise import fold
from memory.profile import describe
from schemas.conversation import Conversation, Feedback
from schemas.dialogue import ConversationPage, ConversationView, Deleted
from schemas.errors import InvalidRequest, NotFound
from schemas.memory import Change, Kind, Status
from schemas.memory_api import Behaviour, ChangePage, MemoryDetail, MemoryPage, MemoryView, Preference, ProfileView
from schemas.turn import Turn
from serve.shard.active import ActiveUser
from serve.shard.editing import held
from serve.shard.masking import masked_id
from serve.shard.resources import Resources

T = TypeVar("T")
_HIDDEN: tuple[Status, ...] = ("deprecated", "archived")


def memories(active: ActiveUser, q: str | None, kind: Kind | None, status: Status | None, limit: int, cursor: str | None) -> MemoryPage:
    """Filtered by words, kind and status; without a status the retired ones stay out."""
    needle = fold(q) if q else None
    rows = [
        memory
        for memory in active.memories.all()
        if (kind is None or memory.kind == kind)
        and (memory.status == status if status else memory.status not in _HIDDEN)
        and (needle is None or needle in fold(memory.text) or needle in fold(memory.key))
    ]
    page, following = _page(rows, lambda memory: (memory.updated_at, memory.id), limit, cursor)
    return MemoryPage(data=[MemoryView.of(memory) for memory in page], next_cursor=following)


async def memory(resources: Resources, active: ActiveUser, id: str) -> MemoryDetail:
    """With its history, oldest first, and the turns it came from."""
    row = held(active, id)
    changes = await history(resources, active, [id])
    turns = [active.hot[turn] for turn in row.turns if turn in active.hot]
    sealed = [turn for turn in row.turns if turn not in active.hot]
    if sealed:
        turns += await resources.in_thread(lambda: sealed_turns(resources.store, resources.logs, active.user, ids=sealed))
    return MemoryDetail(memory=MemoryView.of(row), history=changes, turns=sorted(turns, key=lambda turn: turn.at))


async def history(resources: Resources, active: ActiveUser, ids: Sequence[str]) -> list[Change]:
    """The decisions about some memories, oldest first."""
    wheres = [f"memory IN ({', '.join(map(quote, part))})" for part in chunked(ids)]
    read = resources.store.rows
    rows = await resources.in_thread(lambda: [row for where in wheres for row in read(Change, active.user, where=where)])
    return sorted(rows, key=lambda row: (row.at, row.id))


def changes(store: ShardStore, user: str, limit: int, cursor: str | None) -> ChangePage:
    """Latest first (blocking): of all rows their time is read, of the page the rest."""
    times = [(at, id) for id, at in store.values(Change, user, "at").items()]
    page, following = _page(times, lambda one: one, limit, cursor)
    rows = store.rows(Change, user, ids=[id for _, id in page])
    return ChangePage(data=sorted(rows, key=lambda row: (row.at, row.id), reverse=True), next_cursor=following)


def conversations(active: ActiveUser, limit: int, cursor: str | None) -> ConversationPage:
    """Latest first."""
    page, following = _page(list(active.conversations.values()), lambda row: (row.last_at, row.id), limit, cursor)
    return ConversationPage(data=page, next_cursor=following)


async def conversation(resources: Resources, active: ActiveUser, id: str) -> ConversationView:
    """With its turns in order, sealed ones too."""
    row = held_conversation(active, id)
    hot = [turn for turn in active.hot.values() if turn.conversation == row.id]
    sealed = await resources.in_thread(lambda: sealed_turns(resources.store, resources.logs, active.user, conversation=row.id))
    turns = {turn.id: turn for turn in [*sealed, *hot]}
    return ConversationView(conversation=row, turns=sorted(turns.values(), key=lambda turn: (turn.at, turn.id)))


async def turn(resources: Resources, active: ActiveUser, id: str) -> Turn:
    """One turn, hot or sealed."""
    if id in active.hot:
        return active.hot[id]
    if active.turns.get(id) is not None:
        for row in await resources.in_thread(lambda: sealed_turns(resources.store, resources.logs, active.user, ids=[id])):
            return row
    raise NotFound("No such turn.", param="turn_id")


async def delete_conversation(resources: Resources, active: ActiveUser, id: str) -> Deleted:
    """Its turns go, hot and sealed, with what was noted about them. Call it under the user's lock."""
    id = held_conversation(active, id).id
    at = active.moments.take()
    ids = await resources.in_thread(lambda: erase_conversation(resources.store, resources.logs, active.user, id, at))
    for one in ids:
        active.hot.pop(one, None)
        active.turns.drop(one)
    active.threads.drop(id)
    del active.conversations[id]
    return Deleted(count=len(ids))


def profile(active: ActiveUser, thumbs: Sequence[Feedback], now: datetime, zone: ZoneInfo) -> ProfileView:
    """Attributes, preferences, and how the user talked in the last seven days."""
    rows = active.memories.all()
    said = map(active.turns.at, range(len(active.turns)))
    week = [turn for turn in said if turn.role == "user" and turn.at > now - timedelta(days=7)]
    talks = {turn.conversation for turn in week}
    hours = Counter(turn.at.astimezone(zone).hour for turn in week)
    recent = [thumb.signal for thumb in thumbs if thumb.at > now - timedelta(days=7)]
    behaviour = Behaviour(
        conversations=len(talks),
        mean_exchanges=round(len({turn.exchange for turn in week}) / len(talks), 2) if talks else 0.0,
        preferred_hours=[hour for hour, _ in hours.most_common(3)],
        thumbs_up=recent.count("up"),
        thumbs_down=recent.count("down"),
    )
    known = describe(rows, now)
    preferences = [Preference.model_validate(vars(one)) for one in known.preferences]
    return ProfileView(user=active.user, attributes=known.attributes, preferences=preferences, behaviour=behaviour)


def held_conversation(active: ActiveUser, id: str) -> Conversation:
    """The user's conversation, by the client's id or by what became of it (:func:`masked_id`). Raises NotFound."""
    held = active.conversations.get(id) or active.conversations.get(masked_id(active.user, id))
    if held is None:
        raise NotFound("No such conversation.", param="conversation_id")
    return held


def _page(rows: Sequence[T], key: Callable[[T], tuple[datetime, str]], limit: int, cursor: str | None) -> tuple[list[T], str | None]:
    """Latest first from behind the cursor: rows that arrive meanwhile shift nothing."""
    ordered = sorted(rows, key=key, reverse=True)
    if cursor is not None:
        border = _decode(cursor)
        ordered = [row for row in ordered if key(row) < border]
    page = ordered[:limit]
    return page, _encode(key(page[-1])) if len(ordered) > limit else None


def _encode(border: tuple[datetime, str]) -> str:
    return base64.urlsafe_b64encode(f"{border[0].isoformat()}|{border[1]}".encode()).decode()


def _decode(cursor: str) -> tuple[datetime, str]:
    try:
        at, _, id = base64.urlsafe_b64decode(cursor.encode()).decode().partition("|")
        moment = datetime.fromisoformat(at)
    except ValueError:
        raise InvalidRequest("The cursor is not one of ours: take next_cursor as it came.", param="cursor") from None
    if moment.tzinfo is None:
        raise InvalidRequest("The cursor is not one of ours: take next_cursor as it came.", param="cursor")
    return moment, id
