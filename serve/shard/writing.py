"""Turns come in: ingest of dialogues, the opening and the closing of a chat exchange. Each is durable before it is acknowledged."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from uuid import NAMESPACE_URL, uuid5

from lake.history import sealed_turns
from lake.store import Put, Write
from memory.extract.protocol import Said
from memory.summary import stored_summaries
from memory.summary_upkeep import others
from memory.thread import Node, follow, same_text
from schemas.conversation import Conversation
from schemas.dialogue import Message, TurnsRequest
from schemas.errors import InvalidRequest
from schemas.exchange import Closing, Opening
from schemas.turn import Extraction, Turn
from serve.shard.active import ActiveUser
from serve.shard.masking import INLINE_CHARS, Spoke, leaves_out, marks_in, mask, masked, masked_id, storable, storable_dialogue
from serve.shard.moments import TICK
from serve.shard.resources import Resources
from serve.unicode import has_text

_TITLE_CHARS = 40
_LATEST = datetime(2200, 1, 1, tzinfo=UTC)


@dataclass(frozen=True)
class Place:
    """Where an exchange belongs; ``parent`` is the user's turn in it, ``mended`` what is to be read anew."""

    conversation: str
    exchange: str
    parent: str | None
    mended: tuple[Turn, ...] = ()


class Writing:
    """Writes turns and conversations. Call its methods under the user's lock."""

    def __init__(self, resources: Resources) -> None:
        self._resources = resources

    async def ingest(
        self, active: ActiveUser, request: TurnsRequest, ids: Sequence[str], now: datetime
    ) -> tuple[str, list[Turn], list[Turn]]:
        """The conversation, its turns in the order of the messages, and those of them that are new."""
        conversation = masked_id(active.user, request.conversation_id) if request.conversation_id else f"c-{ids[0]}"
        named = [_own_id(active.user, conversation, message, id) for message, id in zip(request.messages, ids, strict=True)]
        tip = active.threads.tip(conversation)
        last = active.hot.get(tip.id) if tip is not None else None
        said = [(message.role, message.content) for message in request.messages]
        earlier = [(last.role, last.content)] if last is not None else []
        contents = (await masked(self._resources, [*earlier, *said]))[len(earlier) :]
        contents = await self._storable([(message.role, text) for message, text in zip(request.messages, contents, strict=True)], active)
        if not all(map(has_text, contents)):
            raise InvalidRequest("A message has no text.", param="messages")
        known = await self._known(active, named)
        parent = tip.id if tip is not None else None
        turns: list[Turn] = []
        new: dict[str, Turn] = {}
        exchange = None
        earliest = active.moments.take(now, len(named))
        for message, id, content in zip(request.messages, named, contents, strict=True):
            turn = known.get(id) or new.get(id)
            if turn is None:
                exchange = id if exchange is None or message.role != "assistant" else exchange
                place = Place(conversation, exchange, parent)
                turn = new[id] = _ingested(id, active.user, place, message, content, message.at or earliest)
            exchange, parent = turn.exchange, turn.id
            earliest = min(turn.at + TICK, _LATEST)  # messages without a time of their own keep their order
            turns.append(turn)
        if new:
            await self._store(active, list(new.values()))
        return conversation, turns, list(new.values())

    async def open(self, active: ActiveUser, opening: Opening) -> Place:
        """Store what is new in a chat's message list (R4) and say where its reply will hang."""
        plain = await masked(self._resources, _spoke(opening), looks_ahead=False)
        contents = await self._storable(_with_roles(opening, plain), active)
        said = [Said(spoken.role, content) for spoken, content in zip(opening.messages, contents, strict=True)]
        silence = self._resources.settings.window.silence_s
        named = masked_id(active.user, opening.conversation_id) if opening.conversation_id else None
        following = follow(active.threads, said, at=opening.at, silence_s=silence, conversation=named)
        conversation = following.conversation or f"c-{opening.ids[0]}"
        parent = following.parent
        hangs_on = active.turns.get(parent) if parent is not None else None
        exchange = hangs_on.exchange if hangs_on is not None else None
        rows: list[Turn] = []
        ids = opening.ids[len(opening.ids) - len(following.new) :]
        unanswered = _unanswered(following.new)
        first = active.moments.take(opening.at, max(1, len(ids)))
        for number, (id, one) in enumerate(zip(ids, following.new, strict=True)):
            exchange = id if exchange is None or one.role == "user" else exchange
            # An answered message that a client brings along was said elsewhere: kept for the record, not read for memories.
            state: Extraction = "pending" if number >= unanswered else "skipped"
            rows.append(_turn(id, active.user, Place(conversation, exchange, parent), one, first + number * TICK, state))
            parent = id
        if rows:
            await self._store(active, rows)
        mended = await self._mend(active, opening, said, following.known)
        return Place(conversation, exchange or opening.ids[-1], parent, tuple(mended))

    async def _mend(self, active: ActiveUser, opening: Opening, said: Sequence[Said], known: Sequence[str]) -> list[Turn]:
        """Turns that are stored already and are to be kept otherwise now: a secret came to light with what followed, or the user has
        agreed since to have kept what was left out. They are read for memories anew."""
        first = next((index for index, one in enumerate(said) if one.role == "user"), 0)
        masks = await masked(self._resources, _spoke(opening))
        contents = await self._storable(_with_roles(opening, masks), active)
        mended = []
        for one, content, id in zip(said[first:], contents[first:], known, strict=False):
            turn = active.hot.get(id)
            if turn is None or not same_text(one, active.threads.nodes[id]) or marks_in(turn.content) == marks_in(content):
                continue
            mended.append(turn.but(content=content, extraction="pending" if one.role == "user" else turn.extraction))
        if not mended:
            return []
        conversation = active.conversations[mended[0].conversation]
        if conversation.title in {_title([active.hot[turn.id]]) for turn in mended}:
            conversation = conversation.but(title=_title([next(turn for turn in mended if turn.role == "user")]))
        conversation = conversation.but(summaries=others(conversation.summaries))  # they may tell what is left out now
        await self._resources.commit([Put(mended), Put([conversation])])
        active.conversations[conversation.id] = conversation
        for turn in mended:
            active.hot[turn.id] = turn
            active.turns.put(turn, None)
        return mended

    async def _storable(self, said: Sequence[Spoke], active: ActiveUser) -> list[str]:
        """Masked texts without what the user has not agreed to; what answers such words doesn't keep them either."""
        if sum(len(text) for _, text in said) <= INLINE_CHARS:
            return storable_dialogue(said, active.agreed)
        return await self._resources.in_thread(lambda: storable_dialogue(said, active.agreed))

    async def close(self, active: ActiveUser, closing: Closing) -> Turn | None:
        """Store the reply, once; an empty one leaves no row."""
        opened = closing.opened
        if closing.id in active.hot or not has_text(closing.content) or opened.parent not in active.hot:
            return None  # stored already, empty, or its conversation was deleted meanwhile
        reply = Turn(
            id=closing.id,
            user=active.user,
            conversation=opened.conversation_id,
            exchange=opened.exchange,
            parent=opened.parent,
            at=active.moments.take(closing.at),
            role="assistant",
            content=await self._reply(active, closing),
            interrupted=closing.interrupted,
            extraction="skipped",
            model=mask(closing.model) if closing.model else None,
            recalled=opened.recalled,
            policy_version=opened.policy_version,
            first_token_ms=closing.first_token_ms,
            total_ms=closing.total_ms,
            prompt_tokens=closing.prompt_tokens,
            completion_tokens=closing.completion_tokens,
        )
        await self._store(active, [reply])
        return reply

    async def _reply(self, active: ActiveUser, closing: Closing) -> str:
        """A reply as it may be stored: where the question's words were left out, the reply doesn't keep them either."""
        text = (await masked(self._resources, [("assistant", closing.content)]))[0]
        question = active.hot.get(closing.opened.parent or "")
        if question is None or not leaves_out(question.content):
            return text
        return await self._resources.in_thread(lambda: storable(text, active.agreed, of_anyone=True))

    async def bring_in(self, active: ActiveUser, conversation: Conversation, turns: Sequence[Turn]) -> None:
        """Store turns of an old conversation, whose own row is ``conversation`` unless it is there already."""
        held = active.conversations.get(conversation.id)
        if held is not None:
            own = (one.stored() for one in stored_summaries(held.summaries))
            conversation = held.but(last_at=max(held.last_at, conversation.last_at), summaries=[*conversation.summaries, *own])
        await self._put(active, turns, conversation)

    async def _store(self, active: ActiveUser, turns: Sequence[Turn], *, beside: Sequence[Write] = ()) -> None:
        await self._put(active, turns, self._touched(active, turns), beside)

    async def _put(self, active: ActiveUser, turns: Sequence[Turn], conversation: Conversation, beside: Sequence[Write] = ()) -> None:
        await self._resources.commit([Put(list(turns)), Put([conversation]), *beside])
        active.conversations[conversation.id] = conversation
        for turn in turns:
            active.hot[turn.id] = turn
            active.turns.put(turn, None)
            active.threads.add(Node.of(turn))

    def _touched(self, active: ActiveUser, turns: Sequence[Turn]) -> Conversation:
        id, last = turns[0].conversation, max(turn.at for turn in turns)
        held = active.conversations.get(id)
        if held is not None:
            return held.but(last_at=max(held.last_at, last), closed_at=None)
        return Conversation(id=id, user=active.user, title=_title(turns), opened_at=min(turn.at for turn in turns), last_at=last)

    async def _known(self, active: ActiveUser, ids: Sequence[str]) -> dict[str, Turn]:
        known = {id: active.hot[id] for id in ids if id in active.hot}
        missing = [id for id in ids if id not in known and active.turns.get(id) is not None]
        if missing:
            sealed = await self._resources.in_thread(
                lambda: sealed_turns(self._resources.store, self._resources.logs, active.user, ids=missing)
            )
            known.update({turn.id: turn for turn in sealed})
        return known


def _spoke(opening: Opening) -> list[Spoke]:
    return [(spoken.role, spoken.text) for spoken in opening.messages]


def _with_roles(opening: Opening, texts: Sequence[str]) -> list[Spoke]:
    return [(spoken.role, text) for spoken, text in zip(opening.messages, texts, strict=True)]


def _title(turns: Sequence[Turn]) -> str | None:
    return next((turn.content.strip().splitlines()[0][:_TITLE_CHARS] for turn in turns if turn.role == "user"), None)


def _own_id(user: str, conversation: str, message: Message, fresh: str) -> str:
    """A client's own message id names the same turn each time it is sent."""
    if message.id is None:
        return fresh
    return str(uuid5(NAMESPACE_URL, json.dumps(["laoma", user, "api", conversation, masked_id(user, message.id)])))


def _unanswered(said: Sequence[Said]) -> int:
    """Where the closing run of user messages begins: they wait for one reply together."""
    start = len(said)
    while start > 0 and said[start - 1].role == "user":
        start -= 1
    return start


def _ingested(id: str, user: str, place: Place, message: Message, content: str, at: datetime) -> Turn:
    return Turn(
        id=id,
        user=user,
        conversation=place.conversation,
        exchange=place.exchange,
        parent=place.parent,
        at=at,
        role=message.role,
        speaker=mask(message.name) if message.name else None,
        content=content,
        external_id=masked_id(user, message.id) if message.id else None,
        origin="api",
        extraction="pending" if message.role == "user" else "skipped",
    )


def _turn(id: str, user: str, place: Place, said: Said, at: datetime, extraction: Extraction) -> Turn:
    return Turn(
        id=id,
        user=user,
        conversation=place.conversation,
        exchange=place.exchange,
        parent=place.parent,
        at=at,
        role=said.role,
        content=said.text,
        extraction=extraction,
    )
