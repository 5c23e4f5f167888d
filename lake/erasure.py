"""Taking a user's rows out of tables and logs (R31)."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from datetime import datetime, timedelta
from pathlib import Path

import pyarrow as pa
import pyarrow.compute as pc

from lake.damaged import damaged_files, remove_damaged
from lake.erased import mark_of
from lake.history import sealed_turns
from lake.logs import event_table, writing
from lake.parquet import (
    EVENTS,
    TURNS,
    day_file,
    day_files,
    event_schema,
    is_damaged,
    keys,
    merge,
    read_file,
    remove_file,
    replace_file,
    sweep_drafts,
    turn_schema,
    word_of,
)  # fmt: skip
from lake.store import Drop, Put, ShardStore, Write, quote
from lake.tables import KINDS, chunked
from schemas.conversation import Conversation, Event, Feedback
from schemas.deletion import Deletion
from schemas.errors import Unavailable
from schemas.memory import Change
from schemas.policy import Revision
from schemas.turn import Turn, TurnVector


def erase_conversation(store: ShardStore, logs: Path, user: str, conversation: str, at: datetime) -> list[str]:
    """Its turns, their vectors, what was noted about them (events, feedback), then itself; returns the ids of the turns. Memories stay.

    The hot rows go first: what is not hot can't be sealed after the logs were cleaned. The conversation's own row goes last: killed in
    between, it is still listed, and deleting it again does the rest. ``at``: a restored older state is told so. Raises Fenced, Unavailable.
    """
    told = f"conversation = {quote(conversation)}"
    hot = [row.id for row in store.rows(Turn, user, where=told)]
    ids = list(dict.fromkeys([*(row.id for row in sealed_turns(store, logs, user, conversation=conversation)), *hot]))
    about = [told, *(f"turn IN ({', '.join(map(quote, part))})" for part in chunked(ids))]
    events = {row.id for where in about for row in store.rows(Event, user, where=where)}
    thumbs = {row.id for where in about for row in store.rows(Feedback, user, where=where)}
    drops: list[Write] = [
        Drop(Turn, user, ids),
        Drop(TurnVector, user, ids),
        Drop(Event, user, sorted(events)),
        Drop(Feedback, user, sorted(thumbs)),
        Drop(Revision, user, [row.id for row in store.rows(Revision, user) if _comes_of(row, conversation, thumbs)]),
        Put([Deletion(id=mark_of(user, conversation), user=user, at=at, what="conversation")]),
    ]
    store.commit(drops).result()
    drop_sealed(store, logs, user, ids, conversation=conversation)
    store.commit([Drop(Conversation, user, [conversation])]).result()
    return ids


def _comes_of(revision: Revision, conversation: str, feedback: set[str]) -> bool:
    """Whether a revision goes with a conversation: it held there alone, or was proposed from what was said there and is not live."""
    return revision.conversation == conversation or (revision.state != "live" and not feedback.isdisjoint(revision.samples))


def erase_user(store: ShardStore, logs: Path, user: str) -> int:
    """Every row of a user goes, hot and sealed, and what of them was set aside; returns how many rows.

    Their bytes are gone after ``store.maintain(purge=True)``. A log file that can't be read goes as a whole. Killed in between, doing it
    again does the rest. Raises Fenced, Unavailable (also where the disk keeps a file from being read).
    """
    hot = sum(store.count(kind, user) for kind in KINDS.values())
    store.commit([Drop(kind, user, None) for kind in KINDS.values()]).result()
    sealed = drop_sealed(store, logs, user, None)
    with writing:
        left = remove_damaged(store, damaged_files(store, logs))
    if left:
        raise Unavailable(f"{left[0]} could not be read, so it may still hold what is erased: check the disk, then erase again")
    return hot + sealed + store.drop_quarantined(user)


def drop_sealed(store: ShardStore, logs: Path, user: str, ids: Sequence[str] | None, *, conversation: str | None = None) -> int:
    """Take rows of a user out of the logs; returns how many went. The files are written anew without them: no byte stays.

    ``ids`` names turns or events, and with a turn goes what was noted about it; ``conversation`` adds all that belongs to it; with
    neither, everything goes. Changes go by their own id alone: they are the history of memories, which stay. A damaged file can't be
    cleaned: it is noted in the store's figures, and goes at an erasure or a purge (:mod:`lake.damaged`). Raises Fenced.
    """
    gone = 0
    with writing:
        with store.owning():
            sweep_drafts(logs, store.root.name)
        for log, schema in ((TURNS, turn_schema()), (EVENTS, event_schema())):
            for path in day_files(logs, log, store.root.name):
                with store.owning():
                    stored = _read(store, path, schema)
                    if stored is not None:
                        gone += _rewrite(path, stored, pc.invert(_matching(stored, user, ids, conversation)), logs)
    return gone


def renew_sealed(store: ShardStore, logs: Path, changes: Sequence[Change]) -> int:
    """Put changes that were reworded (a deletion took their words) in the place of their sealed copies; returns how many there were.

    What was not sealed yet is left alone. Killed before it is done, the next sealing does the rest: it copies the hot rows anew.
    Raises Fenced.
    """
    days = {change.at.date() + timedelta(days=off) for change in changes for off in (-1, 0, 1)}  # whatever the zone they were cut in
    files = [day_file(logs, EVENTS, day, store.root.name) for day in sorted(days)]
    if not writing.locked() and not any(path.exists() for path in files):
        return 0  # a sealing that begins from now on reads the changes as they are now
    renewed = 0
    with writing:
        for path in files:
            if not path.exists():
                continue
            with store.owning():
                stored = _read(store, path, event_schema())
                there = set(keys(stored)) if stored is not None else set()
                rows = [change for change in changes if (change.user, change.id) in there]
                if stored is not None and rows:
                    replace_file(path, merge(stored, event_table(rows)), logs)
                    renewed += len(rows)
    return renewed


def _read(store: ShardStore, path: Path, schema: pa.Schema) -> pa.Table | None:
    """A day's rows; None where the file is damaged, which is noted."""
    try:
        return read_file(path, schema)
    except (pa.ArrowInvalid, OSError) as error:
        if not is_damaged(error):
            raise
        store.note_damaged(path, error)
        return None


def _matching(rows: pa.Table, user: str, ids: Sequence[str] | None, conversation: str | None) -> pa.ChunkedArray:
    """Which rows are to go, one bool a row."""
    mine = pc.equal(rows["user"], user)
    if ids is None and conversation is None:
        return mine
    about = _among(rows["id"], ids or ())
    noted = _among(rows["conversation"], () if conversation is None else (conversation,))
    if "turn" in rows.column_names:
        noted = pc.or_(noted, _among(rows["turn"], ids or ()))
        noted = pc.and_(noted, pc.not_equal(rows["kind"], word_of(Change)))
    return pc.and_(mine, pc.or_(about, noted))


def _among(column: pa.ChunkedArray, values: Iterable[str]) -> pa.ChunkedArray:
    return pc.is_in(column, value_set=pa.array(list(values), pa.string()))  # null is in nothing


def _rewrite(path: Path, stored: pa.Table, keep: pa.ChunkedArray, logs: Path) -> int:
    kept = stored.filter(keep)
    if kept.num_rows == 0:
        remove_file(path)
    elif kept.num_rows < stored.num_rows:
        replace_file(path, kept, logs)
    return int(stored.num_rows - kept.num_rows)
