"""Chat exchanges: opened with what is remembered, closed with a reply or given up; either way the question is read for memories."""

from __future__ import annotations

import logging
import time
from collections import OrderedDict
from collections.abc import Awaitable, Callable

from memory.briefing import BriefingText
from schemas.exchange import Closing, Opened, Opening
from schemas.turn import Turn
from serve.shard.active import ActiveUser, ActiveUsers
from serve.shard.control import Answer, Control
from serve.shard.masking import masked_id
from serve.shard.recalling import Recalling
from serve.shard.working import Window, WorkingMemory
from serve.shard.writing import Place, Writing

log = logging.getLogger("laoma.shard")
_MOST_OPEN = 4096


class Exchanges:
    """``asked`` takes each question that will get no (further) reply, ``replied`` each reply, ``mended`` each earlier turn whose
    stored words changed. ``policy`` gives what holds for a user in a conversation: rules, rules of this talk, version.

    A question stays open for ``longest_s`` seconds at most: its gateway may have died before it could close it.
    """

    def __init__(
        self,
        users: ActiveUsers,
        writing: Writing,
        recalling: Recalling,
        control: Control,
        working: WorkingMemory,
        *,
        asked: Callable[[Turn], None],
        replied: Callable[[Turn], None],
        mended: Callable[[ActiveUser, Turn], Awaitable[None]],
        policy: Callable[[str, str], Awaitable[tuple[str, str, str]]],
        longest_s: float,
        monotonic: Callable[[], float] = time.monotonic,
    ) -> None:
        self._users, self._writing, self._recalling, self._control = users, writing, recalling, control
        self._working = working
        self._asked, self._replied, self._mended = asked, replied, mended
        self._policy = policy
        self._longest_s = longest_s
        self._monotonic = monotonic
        self._open: OrderedDict[str, tuple[str, float]] = OrderedDict()

    def __len__(self) -> int:
        """Questions whose reply is under way."""
        return len(self._open)

    async def open(self, user: str, opening: Opening) -> Opened:
        """Store what the client said, recall for it. Recall that fails leaves the chat without memory, never without an answer.

        Whatever else fails, what was stored is read for memories as if no reply were to come.
        """
        async with self._users.use(user) as active:
            if not (opening.store and opening.messages):
                conversation = masked_id(user, opening.conversation_id or "")
                briefing = await self._recall(active, opening, conversation, None)
                place = Place(conversation, opening.ids[-1] if opening.ids else "", None)
                return await self._governed(user, _opened(place, briefing, window=await self._window(active, opening, None)))
            await self._control.heed(active, opening)
            try:
                return await self._governed(user, await self._stored(active, opening))
            except BaseException:
                self._settle_all(active)
                raise

    async def _stored(self, active: ActiveUser, opening: Opening) -> Opened:
        async with active.lock:
            place = await self._writing.open(active, opening)
        for turn in place.mended:
            await self._mended(active, turn)
        parent = place.parent
        if parent is None:
            return _opened(place, await self._recall(active, opening, place.conversation, None))
        self._open[parent] = (active.user, self._monotonic())
        try:
            return await self._answered(active, opening, place, parent)
        except BaseException:
            self._settle(active, parent)
            raise

    async def _governed(self, user: str, opened: Opened) -> Opened:
        """With the rules of behaviour that are live (E10)."""
        policy, manner, version = await self._policy(user, opened.conversation_id)
        return opened.model_copy(update={"policy": policy, "manner": manner, "policy_version": version})

    async def _answered(self, active: ActiveUser, opening: Opening, place: Place, parent: str) -> Opened:
        answer = await self._control.answer(active, opening, parent)
        if answer is not None:
            return _opened(place, BriefingText("", "", [], []), answer=answer)
        aside = self._control.aside(active, opening, parent)
        first = "" if aside else self._recalling.first_question(active, _asked(opening))
        briefing = await self._recall(active, opening, place.conversation, parent)
        return _opened(place, briefing, aside=aside, first_question=first, window=await self._window(active, opening, parent))

    async def close(self, user: str, closing: Closing) -> None:
        """Store the reply, then let the user's turn be read for memories; a reply that can't be stored keeps no question from it."""
        async with self._users.use(user) as active:
            try:
                async with active.lock:
                    reply = await self._writing.close(active, closing)
                if reply is not None:
                    self._replied(reply)
            finally:
                self._settle(active, closing.opened.parent)

    async def abandon(self, user: str, opened: Opened) -> None:
        """There will be no reply: the user's turn is read for memories all the same."""
        async with self._users.use(user) as active:
            self._settle(active, opened.parent)

    async def settle_forgotten(self) -> None:
        """Exchanges whose gateway died before it could close them, and the oldest where too many are open."""
        for parent, (user, since) in list(self._open.items()):
            if self._monotonic() - since <= self._longest_s and len(self._open) <= _MOST_OPEN:
                return
            del self._open[parent]
            try:
                async with self._users.use(user) as active:
                    self._settle(active, parent)
            except Exception:
                log.exception("the question %s waits to be read", parent)
                if len(self._open) < _MOST_OPEN:
                    self._open[parent] = (user, self._monotonic())

    async def _recall(self, active: ActiveUser, opening: Opening, conversation: str, parent: str | None) -> BriefingText:
        question = _asked(opening)
        began = time.perf_counter()
        briefing = BriefingText("", "", [], [])
        try:
            briefing = await self._recalling.brief(
                active, question, active.moments.now(opening.at), conversation=conversation, used=opening.store
            )
            if parent is not None and briefing.used:
                took_ms = (time.perf_counter() - began) * 1000
                await self._recalling.log(active, question, conversation, parent, briefing, took_ms)
        except Exception:
            log.exception("recall failed; the chat goes on with what there is")
        return briefing

    async def _window(self, active: ActiveUser, opening: Opening, parent: str | None) -> Window:
        """What fails here leaves the client's list as it is."""
        try:
            return await self._working.unstored(active, opening) if parent is None else self._working.of(active, opening, parent)
        except Exception:
            log.exception("working memory failed; the chat goes on with the whole list")
            return Window()

    def _settle_all(self, active: ActiveUser) -> None:
        """After a failure half-way: all that waits to be read and has no reply under way."""
        for turn in list(active.hot.values()):
            if turn.extraction == "pending" and turn.id not in self._open:
                self._asked(turn)

    def _settle(self, active: ActiveUser, parent: str | None) -> None:
        """The question, and the messages before it that waited for one reply together, are read in their order."""
        if parent is None:
            return
        self._open.pop(parent, None)
        waiting: list[Turn] = []
        question = active.hot.get(parent)
        while question is not None and question.extraction == "pending":
            waiting.append(question)
            question = active.hot.get(question.parent or "")
        for turn in reversed(waiting):
            self._asked(turn)


def _asked(opening: Opening) -> str:
    return next((spoken.text for spoken in reversed(opening.messages) if spoken.role == "user"), "")


def _opened(
    place: Place,
    briefing: BriefingText,
    *,
    answer: Answer | None = None,
    aside: str = "",
    first_question: str = "",
    window: Window | None = None,
) -> Opened:
    return Opened(
        conversation_id=place.conversation,
        exchange=place.exchange,
        parent=place.parent,
        standing=briefing.standing,
        recent=briefing.recent,
        recalled=briefing.used,
        answer=answer.text if answer is not None else None,
        record=answer.record if answer is not None else None,
        aside=aside,
        first_question=first_question,
        cut=window.cut if window is not None else 0,
        summary=window.summary if window is not None else "",
    )
