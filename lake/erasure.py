"""Taking a user's rows out of tables and logs (R31)."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path

import pyarrow as pa
import pyarrow.compute as pc

from lake.history import sealed_turns
from lake.logs import writing
from lake.parquet import EVENTS, TURNS, day_files, is_damaged, read_file, remove_file, replace_file, turn_schema, word_of
from lake.store import Drop, ShardStore, Write, quote
from lake.tables import chunked
from schemas.conversation import Conversation, Event, Feedback
from schemas.memory import Change
from schemas.turn import Turn, TurnVector


def erase_conversation(store: ShardStore, logs: Path, user: str, conversation: str) -> list[str]:
    """Its turns, their vectors, what was noted about them (events, feedback), then itself; returns the ids of the turns. Memories stay.

    The hot rows go first: what is not hot can't be sealed after the logs were cleaned. The conversation's own row goes last: killed in
    between, it is still listed, and deleting it again does the rest. Raises Fenced, Unavailable.
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
    ]
    store.commit(drops).result()
    drop_sealed(store, logs, user, ids, conversation=conversation)
    store.commit([Drop(Conversation, user, [conversation])]).result()
    return ids


def drop_sealed(store: ShardStore, logs: Path, user: str, ids: Sequence[str] | None, *, conversation: str | None = None) -> int:
    """Take rows of a user out of the logs; returns how many went. The files are written anew without them: no byte stays.

    ``ids`` names turns or events, and with a turn goes what was noted about it; ``conversation`` adds all that belongs to it; with
    neither, everything goes. Changes go by their own id alone: they are the history of memories, which stay. A damaged file can't be
    cleaned: it is noted in the store's figures. Raises Fenced.
    """
    gone = 0
    with writing:
        for log in (TURNS, EVENTS):
            for path in day_files(logs, log, store.root.name):
                with store.owning():
                    try:
                        stored = read_file(path, turn_schema())
                    except (pa.ArrowInvalid, OSError) as error:
                        if not is_damaged(error):
                            raise
                        store.note_damaged(path, error)
                        continue
                    gone += _rewrite(path, stored, pc.invert(_matching(stored, user, ids, conversation)), logs)
    return gone


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
