"""Reading sealed turns back for the app: the files of the user's own shard, and of those only the days that can hold what is asked."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime, timedelta
from pathlib import Path

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.dataset as ds

from lake.parquet import TURNS, dataset, day_files, is_damaged, today, turn_schema, version_of
from lake.store import ShardStore
from schemas.record import from_table
from schemas.turn import Turn

_A_DAY = timedelta(days=1)


def sealed_turns(
    store: ShardStore,
    logs: Path,
    user: str,
    *,
    ids: Sequence[str] | None = None,
    conversation: str | None = None,
    since: datetime | None = None,
    until: datetime | None = None,
) -> list[Turn]:
    """A user's sealed turns, oldest first; ``since`` inclusive, ``until`` exclusive. Conditions are combined; none of them: all.

    A damaged file costs the turns in it: it is noted in the store's figures, the others are read.
    """
    if ids is not None and not ids:
        return []
    wanted = pc.field("user") == user
    if ids is not None:
        wanted &= pc.field("id").isin(list(ids))
    if conversation is not None:
        wanted &= pc.field("conversation") == conversation
    if since is not None:
        wanted &= pc.field("at") >= pa.scalar(since, pa.timestamp("us", tz="UTC"))
    if until is not None:
        wanted &= pc.field("at") < pa.scalar(until, pa.timestamp("us", tz="UTC"))
    turns: list[Turn] = []
    files = day_files(logs, TURNS, store.root.name)
    for fragment in dataset(logs, TURNS, turn_schema(), files).get_fragments(filter=_days(since, until)):
        try:
            turns += _read(fragment, wanted)
        except FileNotFoundError:
            continue  # all that was in it has been deleted meanwhile
        except (pa.ArrowInvalid, OSError) as error:
            if not is_damaged(error):
                raise
            store.note_damaged(Path(fragment.path), error)
    return sorted(turns, key=lambda turn: (turn.at, turn.id))


def _read(fragment: ds.Fragment, wanted: pc.Expression) -> list[Turn]:
    shape = fragment.physical_schema
    schema = turn_schema()
    if version_of(shape) != version_of(schema):  # what is asked for may be called otherwise there
        return from_table(Turn, today(fragment.to_table(schema=shape), schema).filter(wanted))
    data = fragment.to_table(schema=shape, filter=wanted)
    return from_table(Turn, today(data, schema)) if data.num_rows else []


def _days(since: datetime | None, until: datetime | None) -> pc.Expression | None:
    """Which day folders can hold these times, whatever the zone they were cut in."""
    wanted = None
    if since is not None:
        wanted = pc.field("date") >= (since - _A_DAY).date().isoformat()
    if until is not None:
        upto = pc.field("date") <= (until + _A_DAY).date().isoformat()
        wanted = upto if wanted is None else wanted & upto
    return wanted
