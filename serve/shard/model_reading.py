"""The second tier of extraction: what the rules have read, a capable model reads again, for what they did not see (R9).

It adds, after the rules' own memories are stored, and never on a reply's path. A turn stays ``pending`` until it is done; one whose
answers are bad again and again is given up as ``failed`` (tried anew each night, at a start and when its conversation is closed).
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable, Sequence
from contextlib import suppress

import numpy as np

from memory.extract.answer import BadAnswer, Claim, read_answer
from memory.extract.asking import question, worth_asking
from memory.extract.modelled import statements
from memory.extract.protocol import Passage
from memory.statement import Statement
from memory.vectors import best_rows
from schemas.memory import Memory
from schemas.turn import Turn
from serve.shard.active import ActiveUser, ActiveUsers
from serve.shard.background_model import BackgroundModel
from serve.shard.backlog import Backlog
from serve.shard.embedding import embed
from serve.shard.resources import Resources

log = logging.getLogger("laoma.extraction")
_TRIES = 3
_OFFERED = 6
_LIVING = ("active", "probation")
_SILENT = 10
"""So many turns in a row in which the model finds nothing, and the log says so: it may answer beside the point."""
Settle = Callable[[ActiveUser, Turn, Sequence[Statement]], Awaitable[None]]
GiveUp = Callable[[ActiveUser, Turn, Exception], Awaitable[None]]
PassageOf = Callable[[ActiveUser, Turn], Passage]


class ModelReading:
    """Turns that wait for the model, read one by one while nobody talks. ``settle`` stores what came of a turn and that it is done."""

    def __init__(
        self, resources: Resources, users: ActiveUsers, model: BackgroundModel, passage: PassageOf, settle: Settle, give_up: GiveUp
    ) -> None:
        self._resources, self._users, self._model = resources, users, model
        self._passage, self._settle, self._give_up = passage, settle, give_up
        self._backlog = Backlog()
        self._bad: dict[str, int] = {}
        self._silent = 0
        self._failed = 0
        self._worker: asyncio.Task[None] | None = None

    def __contains__(self, turn_id: str) -> bool:
        return turn_id in self._backlog

    def start(self) -> None:
        """Work until :meth:`stop`."""
        self._worker = asyncio.create_task(self._work())

    async def stop(self) -> None:
        """Leave the rest pending."""
        worker, self._worker = self._worker, None
        if worker is not None:
            worker.cancel()
            await asyncio.gather(worker, return_exceptions=True)
        with suppress(Exception):
            await self._model.close()

    @property
    def alive(self) -> bool:
        """Whether the worker works, or is not meant to."""
        return self._worker is None or not self._worker.done()

    def add(self, turn: Turn) -> None:
        """Queue a turn that the rules have read, once."""
        self._backlog.add(turn.user, turn.id)

    def figures(self) -> dict[str, float]:
        """``waiting`` turns, ``aside``: users whose turns the model could not be asked about, ``failed``: turns given up in this
        process, ``found_nothing``: turns in a row in which it found nothing."""
        return {
            "model_reading_waiting": float(len(self._backlog)),
            "model_reading_aside": float(self._backlog.aside()),
            "model_reading_failed": float(self._failed),
            "model_reading_found_nothing": float(self._silent),
        }

    async def settled(self, turn_ids: list[str]) -> None:
        """Returns when none of these waits for the model, or when their user is set aside for long."""
        await self._backlog.finished(turn_ids)

    async def idle(self, user: str) -> None:
        """Returns when nothing of this user waits for the model, or when the user is set aside for long."""
        await self._backlog.empty(user)

    async def _work(self) -> None:
        while True:
            user = await self._backlog.next()
            turn_id = self._backlog.of(user, 1)[0]
            try:
                await self._one(user, turn_id)
                self._backlog.done(user, [turn_id])
            except BadAnswer as error:
                log.warning("turn %s is asked about again: %s", turn_id, error)
                self._backlog.failed(user)
            except Exception as error:
                log.warning("turn %s waits for the model: %s", turn_id, error)
                self._backlog.failed(user)

    async def _one(self, user: str, turn_id: str) -> None:
        """Raises BadAnswer where the turn is to be asked about once more, and whatever keeps the model from being asked."""
        async with self._users.use(user) as active:
            turn = active.hot.get(turn_id)
            if turn is None or turn.extraction not in ("pending", "failed", "given_up") or active.by_words_only:
                return
            passage = self._passage(active, turn)
            found: list[Statement] = []
            if worth_asking(passage):
                known = await self._near(active, passage)
                try:
                    claims = await self._ask(turn_id, passage, known)
                except BadAnswer as error:
                    if self._bad[turn_id] < _TRIES:
                        raise
                    log.error("turn %s: the model gave no usable answer in %d tries: %s", turn_id, _TRIES, error)
                    self._failed += 1
                    del self._bad[turn_id]
                    await self._give_up(active, turn, error)
                    return
                self._note(claims)
                found = await self._resources.in_thread(lambda: self._statements(passage, claims, known))
            await self._settle(active, turn, found)

    async def _ask(self, turn_id: str, passage: Passage, known: dict[str, Memory]) -> list[Claim]:
        body = question(passage, known, tries=self._bad.get(turn_id, 0))
        try:
            claims = read_answer(await self._model.ask(body), known)
        except BadAnswer:
            self._bad[turn_id] = self._bad.get(turn_id, 0) + 1
            raise
        self._bad.pop(turn_id, None)
        return claims

    def _statements(self, passage: Passage, claims: Sequence[Claim], known: dict[str, Memory]) -> list[Statement]:
        rules = self._resources.extractor
        return statements(claims, passage, known, slots=rules, said=rules.extract(passage))

    async def _near(self, active: ActiveUser, passage: Passage) -> dict[str, Memory]:
        """The memories nearest to a turn by the numbers under which the model may name them."""
        index = active.memories
        if not len(index):
            return {}
        text = passage.text[: self._resources.settings.embedding.max_chars]
        scores = index.vectors.dot(index.calibration.passage((await embed(self._resources, [text]))[0], text))
        living = np.array([memory.status in _LIVING for memory in index.all()])
        rows = best_rows(np.where(living, scores, -np.inf), _OFFERED).tolist()
        return {f"m{number}": index.at(row) for number, row in enumerate((row for row in rows if living[row]), 1)}

    def _note(self, claims: Sequence[Claim]) -> None:
        self._silent = 0 if claims else self._silent + 1
        if self._silent == _SILENT:
            log.warning("the model found nothing in %d turns in a row: does it answer as it should? `laoma model probe`", _SILENT)
