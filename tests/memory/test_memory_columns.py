"""Which memories may be recalled is kept between questions, and never out of date."""

from __future__ import annotations

from datetime import datetime, timedelta

import numpy as np

from memory.memory_index import MemoryIndex
from memory.profile import standing
from schemas.memory import Memory
from schemas.settings import Settings
from tests.memory.worlds import NOW, memory


def index_of(*memories: Memory) -> MemoryIndex:
    index = MemoryIndex("none", 4)
    for one in memories:
        index.put(one, np.ones(4, dtype=np.float32))
    return index


def eligible(index: MemoryIndex, at: datetime) -> list[str]:
    rows = index.columns.eligible_rows(at.timestamp(), None, False)
    again = index.columns.eligible_rows(at.timestamp(), None, False)
    assert rows is again
    assert rows.tolist() == np.flatnonzero(index.columns.eligible(at.timestamp(), None, False)).tolist()
    return sorted(index.at(int(row)).id for row in rows)


def test_a_validity_that_begins_or_ends_between_two_questions_is_seen() -> None:
    index = index_of(
        memory("always", "a"),
        memory("later", "b", valid_from=NOW + timedelta(hours=1)),
        memory("until", "c", expires_at=NOW + timedelta(hours=2)),
    )
    hours = [eligible(index, NOW + timedelta(hours=hour)) for hour in (0, 1, 2, 0)]
    assert hours == [["always", "until"], ["always", "later", "until"], ["always", "later"], ["always", "until"]]


def test_a_write_a_renewal_and_a_deletion_are_seen_at_once() -> None:
    index = index_of(memory("1", "a"))
    assert eligible(index, NOW) == ["1"]
    index.put(memory("2", "b"), None)
    assert eligible(index, NOW) == ["1", "2"]
    index.renew(memory("1", "a", status="pending"))
    assert eligible(index, NOW) == ["2"]
    index.drop("2")
    assert eligible(index, NOW) == []


def test_kinds_and_archived_ones_are_asked_for_each_time() -> None:
    index = index_of(memory("1", "a", kind="event"), memory("2", "b", status="archived"))
    at = NOW.timestamp()
    asked = [(None, False), (("event",), False), (("fact",), False), (None, True), (None, False)]
    assert [len(index.columns.eligible_rows(at, kinds, archived)) for kinds, archived in asked] == [1, 1, 0, 2, 1]


def test_the_profile_is_chosen_from_few_as_it_would_be_from_all() -> None:
    name = memory("name", "我叫林晚", kind="profile", key="资料/姓名")
    index = index_of(
        name,
        memory("plain", "我去过西安"),
        memory("nuts", "我对花生过敏", priority=2),
        memory("guess", "可能姓王", key="资料/称呼", confidence=0.3),
    )
    settings = Settings().briefing
    assert {one.id for one in index.may_stand()} == {"name", "nuts", "guess"}
    assert [one.id for one in standing(index.may_stand(), settings, NOW)] == [one.id for one in standing(index.all(), settings, NOW)]
    assert {one.id for one in standing(index.all(), settings, NOW)} == {"name", "nuts"}
    assert {one.id for one in standing(index.all(), settings.model_copy(update={"sure": 0.2}), NOW)} == {"name", "nuts", "guess"}
    index.renew(name.but(status="deprecated"))
    index.drop("nuts")
    assert [one.id for one in index.may_stand()] == ["guess"]
