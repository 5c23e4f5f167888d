"""Rows to seal, and a look at what lies in the logs."""

from __future__ import annotations

from datetime import timedelta
from pathlib import Path
from zoneinfo import ZoneInfo

import pyarrow.parquet as pq

from lake.place import Place
from lake.store import Put, ShardStore
from schemas.conversation import Event, Feedback
from schemas.memory import Change
from tests.lake.conftest import NOON, turn

SHANGHAI = ZoneInfo("Asia/Shanghai")
LATER = NOON + timedelta(days=10)


def change(row_id: str, **more: object) -> Change:
    fields = {"id": row_id, "user": "u1", "memory": "m1", "at": NOON, "action": "create", "after": "x", "reason": "r", "actor": "rule"}
    return Change.model_validate({**fields, **more})


def fill(store: ShardStore) -> None:
    store.commit(
        [
            Put([turn("t1", extraction="done", content="第一句", recalled=["m1"]), turn("t2", extraction="skipped", minutes=5 * 60)]),
            Put([turn("t3", extraction="pending"), turn("t4", extraction="done", minutes=60 * 24 * 30)]),
            Put([Event(id="e1", user="u1", at=NOON, kind="recall", detail='{"n": 1}')]),
            Put([Feedback(id="f1", user="u1", at=NOON, turn="t1", signal="down")]),
            Put([change("h1")]),
        ]
    ).result()


def files(place: Place) -> list[str]:
    return sorted(str(path.relative_to(place.logs)) for path in place.logs.rglob("*") if path.is_file())


def found_in_logs(place: Place, word: str) -> list[Path]:
    """The files that hold a word, in their rows (which are compressed) or their bytes."""
    found = []
    for path in place.logs.rglob("*"):
        if path.is_file() and (word.encode() in path.read_bytes() or word in str(pq.read_table(path, partitioning=None).to_pylist())):
            found.append(path)
    return found
