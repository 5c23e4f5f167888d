"""Events older than three months become one memory a month: what happened, in the user's own words, cut short (R19)."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable
from datetime import datetime, timedelta
from zoneinfo import ZoneInfo

from memory.life import Step
from memory.normalise import is_chinese
from schemas.memory import Memory
from schemas.settings import Life

KEY = "经历/"
_LONGEST = 120
_EACH = 36
_TURNS = 20


def merged(memories: Iterable[Memory], at: datetime, zone: ZoneInfo, life: Life, new_id: Callable[[], str]) -> list[Step]:
    """One summary a month and person of three events or more, and the archiving of those. Merging again finds nothing.

    What is firm (priority 2) and what is a summary already is left alone.
    """
    groups: dict[tuple[str, str], list[Memory]] = defaultdict(list)
    for memory in memories:
        when = memory.valid_from or memory.created_at
        old = memory.kind == "event" and memory.status in ("active", "archived") and at - when >= timedelta(days=life.merge_days)
        if old and memory.priority < 2 and not memory.key.startswith(KEY):
            groups[memory.subject, when.astimezone(zone).strftime("%Y-%m")].append(memory)
    steps: list[Step] = []
    for (_, month), events in sorted(groups.items()):
        living = [event for event in events if event.status == "active"]
        if len(events) >= life.merge_from and living:
            steps += _merge(sorted(events, key=lambda event: event.created_at), living, month, at, new_id)
    return steps


def _merge(events: list[Memory], living: list[Memory], month: str, at: datetime, new_id: Callable[[], str]) -> list[Step]:
    chinese = is_chinese(events[0].text)
    told = [text if len(text) <= _EACH else text[: _EACH - 1] + "…" for text in dict.fromkeys(event.text for event in events)]
    text = f"{month}：" if chinese else f"{month}: "
    for number, one in enumerate(told):
        joined = one if number == 0 else ("；" if chinese else "; ") + one
        if len(text) + len(joined) > _LONGEST:
            text += "…"
            break
        text += joined
    first = events[0]
    summary = Memory(
        id=new_id(), user=first.user, kind="event", key=f"{KEY}{month}", subject=first.subject, text=text, source=first.source,
        confidence=max(event.confidence for event in events), importance=max(event.importance for event in events),
        turns=list(dict.fromkeys(turn for event in events for turn in event.turns))[:_TURNS], created_at=at, updated_at=at,
        verified_at=max(event.verified_at or event.created_at for event in events), valid_from=first.created_at,
    )  # fmt: skip
    gone = [
        Step(event.but(status="archived", updated_at=at), "archive", f"an old event, kept in short in {summary.id}") for event in living
    ]
    return [Step(summary, "merge", f"{len(events)} events of {month} in one"), *gone]
