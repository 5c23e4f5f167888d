"""The user's control by the chat's own means (R29, R30, R32): what is remembered is told from the lake, "forget …" forgets,
leave for sensitive matters is asked for once and heeded."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from lake.store import Put, Write
from memory.asking_leave import MATTER, matter_asked, question
from memory.named_memories import named
from memory.normalise import digest, is_chinese, mirror
from memory.privacy import Sensitive, matters_left_out
from memory.recall import Question, recall
from memory.requests import Request, answer_to_asking, requested
from memory.summary_upkeep import without_deleted
from schemas.exchange import Opening
from schemas.memory import Memory, Tombstone
from schemas.turn import Turn
from serve.shard.active import ActiveUser
from serve.shard.consents import give, withdraw
from serve.shard.editing import Editing
from serve.shard.recalling import Recalling
from serve.shard.resources import Resources

_MOST_TOLD = 40
_CURRENT = ("active", "probation")


@dataclass(frozen=True)
class Answer:
    """``text`` for the user; ``record`` is what is stored of it: it quotes no memory, which may be deleted one day."""

    text: str
    record: str


class Control:
    """Asked around each exchange that is stored. :meth:`heed` before the turn is written, the others after it."""

    def __init__(self, resources: Resources, editing: Editing, recalling: Recalling) -> None:
        self._resources, self._editing, self._recalling = resources, editing, recalling

    async def heed(self, active: ActiveUser, opening: Opening) -> None:
        """Leave given or refused: in answer to the line that asked for it, or unasked."""
        text, before = _last_two(opening)
        request = requested(text)
        if request is not None and request.matter is not None:
            await self._set(active, request.matter, agreed=request.kind == "allow")
        elif (matter := matter_asked(before)) is not None and (agreed := answer_to_asking(text)) is not None:
            await self._set(active, matter, agreed=agreed)

    async def answer(self, active: ActiveUser, opening: Opening, parent: str) -> Answer | None:
        """The reply to a request about memory, done before it is said; None: the model replies."""
        text, before = _last_two(opening)
        chinese = is_chinese(text)
        request = requested(text)
        if request is None:
            matter = matter_asked(before)
            if matter is None or (agreed := answer_to_asking(text)) is None or len(text.strip()) > _SHORT_ANSWER:
                return None
            request = Request("allow" if agreed else "forbid", matter=matter)
        match request.kind:
            case "tell":
                answer = _told(active, chinese)
            case "forget":
                found = await self._forget(active, request.about, text, chinese)
                if found is None:
                    return None
                answer = found
            case "forget_all":
                answer = _both(_WORDS["sure"], chinese)
            case "forget_all_surely":
                answer = _both(_WORDS["all"], chinese, await self._delete(active, active.memories.all()))
            case "unsay":
                answer = await self._unsay(active, parent, chinese)
            case "allow" | "forbid":
                answer = _leave(request, chinese)
        await self._skip(active, [parent])
        return answer

    def aside(self, active: ActiveUser, opening: Opening, parent: str) -> str:
        """The line that asks for leave, the first time that something was left out for want of it."""
        text, _ = _last_two(opening)
        turn = active.hot.get(parent)
        missing = matters_left_out(turn.content) - active.agreed - active.asked if turn is not None else frozenset()
        matter = next((matter for matter in MATTER if matter in missing), None)
        if matter is None or requested(text) is not None:
            return ""
        active.asked |= {matter}
        return question(matter, chinese=is_chinese(text))

    async def _set(self, active: ActiveUser, matter: Sensitive, *, agreed: bool) -> None:
        async with active.lock:
            if agreed and matter not in active.agreed:
                await give(self._resources, active, matter)
            elif not agreed and matter in active.agreed:
                await withdraw(self._resources, active, matter)

    async def _forget(self, active: ActiveUser, about: str, text: str, chinese: bool) -> Answer | None:
        gone = named(active.memories.all(), about)
        if not gone and len(about) < _LEAST:
            return None  # "forget him": nobody knows what of him
        if not gone:
            vector = None if active.by_words_only else await self._recalling.query_vector(about)
            kept = recall(active.memories, Question(about, vector, active.moments.now(), limit=1), self._resources.settings.recall).kept
            gone = [memory for one in kept if (memory := active.memories.get(one.id)) is not None]
        if not gone:
            return None if any(verb in mirror(text) for verb in _OF_FILES_TOO) else _both(_WORDS["none"], chinese)
        quoted = "\n".join(f"- {memory.text}" for memory in gone[:_MOST_TOLD])
        done = _both(_WORDS["done"], chinese, await self._delete(active, gone))
        return Answer(f"{done.text}\n{quoted}", done.record)

    async def _unsay(self, active: ActiveUser, parent: str, chinese: bool) -> Answer:
        """What the user said last before this is read for nothing, and never quoted."""
        earlier = _user_turn_before(active, parent)
        if earlier is None:
            return _both(_WORDS["nothing before"], chinese)
        await self._skip(active, [earlier.id], retell=True)
        await self._delete(active, [memory for memory in active.memories.all() if earlier.id in memory.turns])
        return _both(_WORDS["unsaid"], chinese)

    async def _delete(self, active: ActiveUser, memories: Sequence[Memory]) -> int:
        async with active.lock:
            return await self._editing.delete(active, [memory for memory in memories if active.memories.get(memory.id) is not None])

    async def _skip(self, active: ActiveUser, ids: Sequence[str], *, retell: bool = False) -> None:
        """These turns are not read for memories, and what they said is not quoted to the model; ``retell``: a summary may tell it."""
        async with active.lock:
            turns = [turn.but(extraction="skipped") for id in ids if (turn := active.hot.get(id)) is not None]
            at = active.moments.take()
            stones = [Tombstone(id=digest("turn", turn.id), user=active.user, key="", at=at, turns=[turn.id]) for turn in turns]
            sources = {turn.conversation for turn in turns} if retell else set()
            told = without_deleted(list(active.conversations.values()), sources, ())
            writes: list[Write] = [Put(turns), Put(stones), Put(told)]
            if turns:
                await self._resources.commit(writes)
            for turn in turns:
                active.hot[turn.id] = turn
            active.tombstones += stones
            active.conversations |= {row.id: row for row in told}


def _last_two(opening: Opening) -> tuple[str, str]:
    """The head of the user's last message, and the end of what was said before it."""
    last = opening.messages[-1]
    if last.role != "user":
        return "", ""
    before = opening.messages[-2].text if len(opening.messages) > 1 and opening.messages[-2].role == "assistant" else ""
    return last.text[:_READ], before[-_READ:]


def _user_turn_before(active: ActiveUser, id: str) -> Turn | None:
    turn = active.hot.get(id)
    while turn is not None and turn.parent is not None:
        turn = active.hot.get(turn.parent)
        if turn is not None and turn.role == "user":
            return turn
    return None


def _told(active: ActiveUser, chinese: bool) -> Answer:
    memories = [memory for memory in active.memories.all() if memory.status in _CURRENT]
    if not memories:
        return _both(_WORDS["empty"], chinese)
    memories.sort(key=lambda memory: (-memory.priority, memory.kind != "profile", -memory.updated_at.timestamp(), memory.id))
    heading = _both(_WORDS["told"], chinese, len(memories)).text
    doubt = ("（不太确定）", " (not certain)")[not chinese]
    lines = [f"- {memory.text}{doubt if memory.status == 'probation' else ''}" for memory in memories[:_MOST_TOLD]]
    more = [_both(_WORDS["more"], chinese, len(memories) - _MOST_TOLD).text] if len(memories) > _MOST_TOLD else []
    text = "\n".join([heading, *lines, *more, _both(_WORDS["how"], chinese).text])
    return Answer(text, heading)


def _leave(request: Request, chinese: bool) -> Answer:
    assert request.matter is not None
    matter = MATTER[request.matter][0 if chinese else 1]
    return _both(_WORDS[request.kind], chinese, matter)


def _both(words: tuple[str, str], chinese: bool, value: object = "") -> Answer:
    text = words[0 if chinese else 1].replace("{}", str(value))
    return Answer(text, text)


_SHORT_ANSWER = 12
_LEAST = 2
_READ = 500
"""Characters that are read of a message: no request is longer."""
_OF_FILES_TOO = ("删", "delete", "remove", "erase")
"""Verbs that may be meant for something else than memory: without a memory that fits, the model replies."""
_WORDS = {
    "empty": ("我还没有记下关于你的任何事。", "I have nothing on record about you yet."),
    "told": ("我记得关于你的 {} 条（你的原话）：", "This is what I have on record about you, {} in all (your own words):"),
    "more": ("……还有 {} 条，见面板或 `laoma memories`。", "… and {} more: see the panel, or `laoma memories`."),
    "how": ("想去掉哪条，就说“忘掉……”；改正也可以直接告诉我。", 'To drop one, say "forget …"; to correct one, just tell me.'),
    "none": ("没有找到这样的记忆，什么也没有删。", "I find no such memory; nothing was deleted."),
    "done": ("已经忘掉 {} 条：", "Forgotten, {} in all:"),
    "sure": (
        "这会删掉关于你的全部记忆，不能恢复。确定的话，请说“确认忘掉一切”。",
        'This deletes every memory of you, for good. If you are sure, say "yes, forget everything".',
    ),
    "all": ("已经全部忘掉，共 {} 条。", "All forgotten, {} in all."),
    "unsaid": ("好，刚才那句我不记。", "All right, I won't remember what you just said."),
    "nothing before": ("好，没有记。", "All right, nothing is kept."),
    "allow": (
        "好，以后有关{}的事我会记住。随时可以说“别再记{}”收回。",
        "All right, I will remember what you tell me about {} from now on. You can withdraw this at any time.",
    ),
    "forbid": (
        "好，有关{}的事我不记。以前记下的，说“忘掉……”就会删掉。",
        'All right, I keep nothing about {}. What was kept before goes when you say "forget …".',
    ),
}
