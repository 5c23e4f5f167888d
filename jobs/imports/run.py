"""import: old chats that were uploaded become turns, and the few statements of them that last become memories.

Its work folder, ``LAOMA_HOME/imports/ID``, holds the order, the uploaded files until they are read, and what was read until it is stored.
"""

from __future__ import annotations

import asyncio
import json
from collections import Counter
from collections.abc import Iterator
from datetime import datetime
from zoneinfo import ZoneInfo

from jobs.frame import Task
from jobs.imports.conversation import Reading, Told
from jobs.imports.digest import Batch, Digest, digest
from jobs.imports.reading import stage
from jobs.imports.staging import Staging
from jobs.parallel import spread
from memory.privacy import SENSITIVE, Sensitive
from schemas.errors import InvalidRequest, LaomaError
from schemas.imports import Import, ImportOrder, Kept
from schemas.job import Report
from serve.imports import Folder
from serve.shard.service import ShardService

_TURNS = 200
"""Turns in a batch: what a worker reads and the shard stores in one call."""
_SHOWN = 500
"""Statements that a dry run shows, the weightiest."""
_PROBLEMS = 200


async def run(task: Task) -> Report:
    """``import ID``. Submitted again after it was killed it goes on; what is stored already is passed over."""
    if len(task.arguments) != 1:
        raise InvalidRequest("import takes the id of an upload: `laoma import FILE` makes one and submits it")
    folder = Folder(task.home, task.arguments[0])
    order = folder.order()
    with task.records.alone(f"import-{order.id}", task.job.id):
        row = await _record(task, order)
        try:
            row, report = await _Run(task, folder, order).carry_out(row)
        except LaomaError as error:
            ended = {"state": "failed", "detail": error.message, "ended_at": task.now()}
            await task.shards.call(ShardService.put_import, order.user, row.but(**ended))
            if isinstance(error, InvalidRequest):  # the files are what is wrong with it
                folder.remove()
            raise
        await task.shards.call(ShardService.put_import, order.user, row)
        folder.clear() if order.dry_run else folder.remove()
    return report


async def _record(task: Task, order: ImportOrder) -> Import:
    held = await task.shards.call(ShardService.imports, order.user)
    known = next((row for row in held if row.id == order.id), None)
    if known is not None and known.state in ("done", "undone"):
        raise LaomaError(f"import {order.id} is {known.state} already")
    row = (known or Import(id=order.id, user=order.user, at=order.at, state="pending", files=order.files)).but(
        state="running", job=task.job.id, dry_run=order.dry_run, detail=None
    )
    await task.shards.call(ShardService.put_import, order.user, row)
    return row


class _Run:
    def __init__(self, task: Task, folder: Folder, order: ImportOrder) -> None:
        self._task, self._folder, self._order = task, folder, order

    async def carry_out(self, row: Import) -> tuple[Import, Report]:
        task, order = self._task, self._order
        await asyncio.to_thread(self._stage)
        staging = Staging(self._folder.staged)
        try:
            conversations, turns = staging.count()
            task.say(f"{turns} turns in {conversations} conversations")
            problems = [f"{one.where}: {one.reason}" for one in staging.problems()]
            row = row.but(conversations=conversations, turns=turns, formats=staging.formats(), problems=problems[:_PROBLEMS])
            if not order.dry_run and conversations and not staging.is_done("snapshot"):
                await task.snapshot("import")
                staging.finish("snapshot")
            counts, would_keep = await self._bring_in(staging, turns)
        finally:
            staging.close()
        if order.dry_run:
            self._folder.show(sorted(would_keep, key=lambda pair: -pair[0])[:_SHOWN])
        row = row.but(state="done", ended_at=task.now(), kept=json.dumps(counts))
        return row, _report(row, counts)

    def _stage(self) -> None:
        """Read the files once; then they go."""
        order, staging = self._order, Staging(self._folder.staged)
        try:
            stage(self._folder.uploaded(), Reading(ZoneInfo(order.zone), order.me, order.skip_bad), staging, order.format)
        finally:
            staging.close()
        self._folder.drop_files()

    async def _bring_in(self, staging: Staging, total: int) -> tuple[Counter[str], list[tuple[int, Kept]]]:
        counts: Counter[str] = Counter()
        would_keep: dict[tuple[str, str], tuple[int, Kept]] = {}
        consents = await self._task.shards.call(ShardService.consents, self._order.user)
        agreed = SENSITIVE & {consent.id for consent in consents}
        seen = 0
        async for done in spread(digest, self._batches(staging, agreed)):
            counts += done.dropped
            seen += sum(len(one.turns) for one in done.brought)
            if self._order.dry_run:
                would_keep |= _shown(done)
            else:
                counts += Counter(await self._task.shards.call(ShardService.bring_in, self._order.user, done.brought))
            self._task.progress(seen, total, "turns")
        if self._order.dry_run:
            counts += Counter(turns_new=seen, create=len(would_keep))
        return counts, list(would_keep.values())

    def _batches(self, staging: Staging, agreed: frozenset[Sensitive]) -> Iterator[Batch]:
        told: list[tuple[str, Told, datetime]] = []
        size = 0
        for one in staging.written():
            told.append(one)
            size += len(one[1].utterances)
            if size >= _TURNS:
                yield self._batch(told, agreed)
                told, size = [], 0
        if told:
            yield self._batch(told, agreed)

    def _batch(self, told: list[tuple[str, Told, datetime]], agreed: frozenset[Sensitive]) -> Batch:
        order = self._order
        return Batch(order.user, order.id, order.zone, agreed, self._task.settings.embedding, told)


def _shown(done: Digest) -> dict[tuple[str, str], tuple[int, Kept]]:
    """What a dry run would keep, each statement once, with its importance; what only changes something known is not told without it."""
    found: dict[tuple[str, str], tuple[int, Kept]] = {}
    for one in done.brought:
        at = {turn.id: turn.at for turn in one.turns}
        for id, statements in one.found.items():
            for statement in (each.statement for each in statements if not each.statement.only_if_known):
                found[statement.subject, statement.text] = (
                    statement.importance,
                    Kept(at=at[id], kind=statement.kind, text=statement.text),
                )
    return found


def _report(row: Import, counts: Counter[str]) -> Report:
    rows: list[list[str | int | float | None]] = [
        ["conversations", row.conversations],
        ["turns read", row.turns],
        ["left out or in doubt", len(row.problems)],
    ]
    rows += [[name.replace("_", " "), count] for name, count in sorted(counts.items())]
    return Report(columns=["what", "count"], rows=rows)
