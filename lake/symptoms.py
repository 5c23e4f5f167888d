"""Figures of the last days that tell the classic faults, counted over the lake; they hold no word of what was said."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, timedelta

import duckdb

DAYS = 7


@dataclass(frozen=True)
class Symptoms:
    """Counts over :data:`DAYS` days before ``now``; shares are of replies, in [0,1]."""

    replies: int
    """Replies to users who had an active memory when they were given."""
    replies_with_memory: int
    """Of those, the ones that a memory was recalled for."""
    unread: int
    """Turns of users that failed to be read for memories, or have waited longer than a day."""
    crossed: int
    """Recalled memories that belong to another user than the reply's."""
    stale: int
    """Recalled memories that had ended before the reply was given."""
    corrected: int
    """The most corrections that one user made of one topic."""
    before: tuple[int, float] | None
    """Replies under the policy and model before the current ones, and the share of them that went wrong."""
    after: tuple[int, float] | None
    """The same under the current ones."""
    embedders: tuple[str, ...]
    """Models that the vectors of active memories come from."""


def symptoms(lake: duckdb.DuckDBPyConnection, now: datetime) -> Symptoms:
    """Read-only; ``lake`` is a connection of :func:`lake.sql.connect`. Raises duckdb.Error where a table can't be read."""
    since = now - timedelta(days=DAYS)
    replies, used = _one(
        lake,
        """SELECT count(*), count(*) FILTER (len(recalled) > 0) FROM turns t
        WHERE role = 'assistant' AND origin = 'chat' AND t."at" >= ? AND EXISTS (
            SELECT 1 FROM memories m WHERE m."user" = t."user" AND m.status = 'active' AND m.created_at < t."at")""",
        [since],
    )
    (unread,) = _one(
        lake,
        """SELECT count(*) FROM turns WHERE role = 'user' AND "at" >= ?
        AND (extraction IN ('failed', 'given_up') OR (extraction = 'pending' AND "at" < ?))""",
        [since, now - timedelta(days=1)],
    )
    crossed, stale = _one(
        lake,
        """SELECT count(*) FILTER (m."user" <> t."user" AND NOT EXISTS (
                SELECT 1 FROM memories own WHERE own."user" = t."user" AND own.id = m.id)),
            count(*) FILTER (m."user" = t."user" AND m.status = 'deprecated' AND m.valid_to < t."at")
        FROM (SELECT "user", "at", unnest(recalled) AS memory FROM turns WHERE role = 'assistant' AND "at" >= ?) t
        JOIN memories m ON m.id = t.memory""",
        [since],
    )
    (corrected,) = _one(
        lake,
        """SELECT coalesce(max(n), 0) FROM (SELECT count(*) AS n FROM feedback
        WHERE signal IN ('down', 'explicit_negative', 'entity_miss') AND topic IS NOT NULL AND "at" >= ? GROUP BY "user", topic)""",
        [since],
    )
    versions = lake.execute(
        """SELECT count(*), avg(CASE WHEN t.interrupted OR f.turn IS NOT NULL THEN 1.0 ELSE 0.0 END)
        FROM turns t LEFT JOIN (SELECT DISTINCT "user", turn FROM feedback WHERE signal IN ('down', 'explicit_negative', 'entity_miss')) f
            ON f."user" = t."user" AND f.turn = t.id
        WHERE role = 'assistant' AND origin = 'chat' AND t."at" >= ?
        GROUP BY t.policy_version, t.model ORDER BY max(t."at") DESC LIMIT 2""",
        [now - timedelta(days=4 * DAYS)],
    ).fetchall()
    embedders = lake.execute(
        "SELECT DISTINCT embedder FROM memories WHERE status = 'active' AND embedder IS NOT NULL ORDER BY 1"
    ).fetchall()
    told = [(int(count), float(share)) for count, share in versions]
    return Symptoms(
        replies=replies,
        replies_with_memory=used,
        unread=unread,
        crossed=crossed,
        stale=stale,
        corrected=corrected,
        before=told[1] if len(told) == 2 else None,
        after=told[0] if told else None,
        embedders=tuple(name for (name,) in embedders),
    )


def newest_turn(lake: duckdb.DuckDBPyConnection) -> datetime | None:
    """The time of the newest live turn; None where there is none. Imported ones may bear any date."""
    row = lake.execute("""SELECT max("at") FROM turns WHERE origin = 'chat'""").fetchone()
    return row[0] if row else None


def _one(lake: duckdb.DuckDBPyConnection, query: str, values: list[object]) -> tuple[int, ...]:
    row = lake.execute(query, values).fetchone()
    return tuple(int(value) for value in row or ())
