"""All of a user's rows as JSON lines (R31)."""

from __future__ import annotations

import json
from pathlib import Path

from lake.history import sealed_turns
from lake.store import ShardStore
from schemas.conversation import Conversation, Event, Feedback
from schemas.imports import Import
from schemas.memory import Change, Consent, Memory, Tombstone
from schemas.policy import Policy, Revision
from schemas.record import Record
from schemas.turn import Turn

_KINDS: tuple[type[Record], ...] = (Conversation, Memory, Change, Feedback, Consent, Tombstone, Event, Import, Policy, Revision)


def export_lines(store: ShardStore, logs: Path, user: str) -> list[str]:
    """``{"table": …, "row": {…}}`` a line; vectors are left out: they can be made again."""
    turns = {turn.id: turn for turn in [*sealed_turns(store, logs, user), *store.rows(Turn, user)]}
    said = sorted(turns.values(), key=lambda turn: (turn.at, turn.id))
    rows: list[Record] = [*(row for kind in _KINDS for row in store.rows(kind, user)), *said]
    return [json.dumps({"table": row.TABLE, "row": row.model_dump(mode="json", exclude={"vector"})}, ensure_ascii=False) for row in rows]
