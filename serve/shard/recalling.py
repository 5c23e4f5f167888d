"""Recall and turn search over the user at hand, and the briefing for a prompt."""

from __future__ import annotations

import json
from dataclasses import replace
from datetime import datetime

from lake.store import Put
from memory.briefing import BriefingText, Language, compose
from memory.embedding_text import question_text
from memory.first_question import first_question
from memory.life import Step
from memory.normalise import is_chinese
from memory.ports import Floats
from memory.profile import standing
from memory.quotation import quotation
from memory.recall import Question, RecallResult, last_resort, recall
from memory.turn_marks import asks_what_was_said
from memory.turn_search import TurnQuestion, search
from schemas.conversation import Event
from schemas.recall import FoundTurn, RecallRequest, RecallResponse, TurnSearchRequest, TurnSearchResponse
from serve.shard.active import ActiveUser
from serve.shard.aging import write
from serve.shard.masking import INLINE_CHARS, mask, masked_id
from serve.shard.resources import Resources
from serve.unicode import whole

_FIRST_TURNS = 4
"""Who has said more is nobody new, answered or not."""


class Recalling:
    """Answers questions from memory; writes nothing but the access counts of what was used in a reply."""

    def __init__(self, resources: Resources) -> None:
        self._resources = resources

    async def recall(self, active: ActiveUser, request: RecallRequest) -> RecallResponse:
        """The memories that answer, and the briefing a prompt would carry."""
        question = await self._question(active, request)
        result = self._ask(active, question)
        briefing = self._brief(active, result, question, conversation=None)
        return RecallResponse(memories=result.kept, briefing=briefing.text, quoted=briefing.quoted)

    async def rank(self, active: ActiveUser, request: RecallRequest) -> RecallResult:
        """What :meth:`recall` keeps, and the ranking that it comes from."""
        return self._ask(active, await self._question(active, request))

    async def _question(self, active: ActiveUser, request: RecallRequest) -> Question:
        text = whole(request.query)
        return Question(
            text=text,
            vector=await self._vector(active, text),
            at=request.at or active.moments.now(),
            limit=request.limit,
            kinds=tuple(request.kinds) if request.kinds else None,
            include_archived=request.include_archived,
            zone=self._resources.zone,
        )

    async def brief(self, active: ActiveUser, text: str, at: datetime, *, conversation: str, used: bool) -> BriefingText:
        """The briefing for a reply to the question ``text`` in a conversation; ``used``: count an access to each.

        ``used`` of the answer names the memories that were recalled for it, those that the profile says already included.
        """
        question = Question(text=text, vector=await self._vector(active, text), at=at, zone=self._resources.zone)
        result = self._ask(active, question)
        briefing = self._brief(active, result, question, conversation)
        in_prompt = {*briefing.used, *briefing.profile}
        briefing = replace(briefing, used=[one.id for one in result.kept if one.id in in_prompt])
        if used:
            self._count_access(active, briefing.used, at)
            await self._revive(active, briefing.used, at)
        return briefing

    def first_question(self, active: ActiveUser, said: str) -> str:
        """What the model is to ask of somebody whom nobody ever answered and of whom nothing is known (R28); empty for all others."""
        turns = active.turns
        known = len(active.memories) or len(turns) > _FIRST_TURNS or any(turns.at(row).role == "assistant" for row in range(len(turns)))
        return "" if known or not self._resources.settings.briefing.first_question else first_question(said)

    async def _revive(self, active: ActiveUser, ids: list[str], at: datetime) -> None:
        """An archived memory that answered lives again, worded with doubt until it is confirmed (R18)."""
        if not any((memory := active.memories.get(id)) is not None and memory.status == "archived" for id in ids):
            return
        async with active.lock:
            held = [memory for id in ids if (memory := active.memories.get(id)) is not None and memory.status == "archived"]
            doubtful = min(self._resources.settings.briefing.sure, 0.6)
            rows = [memory.but(status="active", confidence=min(memory.confidence, doubtful), updated_at=at) for memory in held]
            await write(
                self._resources, active, [Step(row, "revive", "it answered a question that nothing else did") for row in rows], at, "rule"
            )

    async def search(self, active: ActiveUser, request: TurnSearchRequest) -> TurnSearchResponse:
        """Turns by meaning, words, dates and speakers (R35)."""
        text = whole(request.query)
        dense_text = active.turns.question_text(text)
        question = TurnQuestion(
            text=text,
            vector=await self._vector(active, dense_text),
            at=request.at or active.moments.now(),
            zone=self._resources.zone,
            limit=request.limit,
            since=request.since,
            until=request.until,
            conversation=masked_id(active.user, request.conversation_id) if request.conversation_id else None,
        )
        found = search(active.turns, question, self._resources.settings.turn_search)
        turns = [
            FoundTurn(
                id=hit.turn.id,
                conversation_id=hit.turn.conversation,
                role=hit.turn.role,
                speaker=hit.turn.speaker,
                content=hit.turn.content,
                at=hit.turn.at,
                score=round(hit.score, 4),
            )
            for hit in found
        ]
        return TurnSearchResponse(turns=turns, complete=active.turns.complete)

    async def _vector(self, active: ActiveUser, text: str) -> Floats | None:
        """None where the user's vectors come from another embedder: compared with them, a question would match nothing."""
        return None if active.by_words_only else await self.query_vector(text)

    async def query_vector(self, text: str) -> Floats:
        """The question's vector (the embedder keeps those of late); shape (dim,). Masked as all that leaves this shard."""
        plain = mask(text) if len(text) <= INLINE_CHARS else await self._resources.in_thread(lambda: mask(text), "question")
        piece = question_text(plain, (), self._resources.settings.embedding.max_chars)
        vector: Floats = (await self._resources.in_thread(lambda: self._resources.embedder.query([piece]), "question"))[0]
        return vector

    async def log(self, active: ActiveUser, question: str, conversation: str, turn: str, briefing: BriefingText, took_ms: float) -> None:
        """Leave an event of a recall that fed a reply, for the logs."""
        detail = json.dumps({"used": briefing.used, "quoted": briefing.quoted, "ms": round(took_ms, 2), "chars": len(briefing.text)})
        event = Event(
            id=self._resources.new_id(),
            user=active.user,
            at=active.moments.now(),
            kind="recall",
            conversation=conversation,
            turn=turn,
            detail=detail,
        )
        await self._resources.commit([Put([event])])

    def _ask(self, active: ActiveUser, question: Question) -> RecallResult:
        """On the event loop: the index is for one thread, and 100,000 memories take about 15 ms."""
        settings, bar = self._resources.settings.recall, self._resources.settings.life.revive_threshold
        found = recall(active.memories, question, settings)
        if question.include_archived or any(one.parts.semantic >= bar for one in found.kept):
            return found
        archived = last_resort(active.memories, question, settings, bar).kept
        return replace(found, kept=[*archived, *found.kept][: question.limit or settings.limit]) if archived else found

    def _brief(self, active: ActiveUser, result: RecallResult, question: Question, conversation: str | None) -> BriefingText:
        settings, zone = self._resources.settings, self._resources.zone
        language: Language = "zh" if is_chinese(question.text) else "en"
        profile = standing(active.memories.may_stand(), settings.briefing, question.at)
        recalled = [memory for one in result.kept if (memory := active.memories.get(one.id)) is not None]
        briefing = compose(profile, recalled, settings.briefing, question.at, zone, language)
        if recalled or not asks_what_was_said(question.text):
            return briefing
        room = settings.briefing.max_chars - len(briefing.text) - 1
        asked = TurnQuestion(text=question.text, vector=question.vector, at=question.at, zone=zone)
        said = quotation(
            active.turns, asked, settings.turn_search, leave_out=_unquotable(active, conversation), room=room, language=language
        )
        return replace(briefing, recent=said.text, quoted=said.turns)

    def _count_access(self, active: ActiveUser, ids: list[str], at: datetime) -> None:
        for id in ids:
            memory = active.memories.get(id)
            if memory is not None:
                active.memories.renew(memory.but(accessed_at=at, access_count=memory.access_count + 1))
                active.accessed.add(id)


def _unquotable(active: ActiveUser, conversation: str | None) -> set[str]:
    """The conversation that the prompt holds, and the exchanges in which something was said that the user had deleted."""
    sources = {id for stone in active.tombstones for id in stone.turns}
    exchanges = {turn.exchange for id in sources if (turn := active.turns.get(id)) is not None}
    return exchanges | ({conversation} if conversation else set())
